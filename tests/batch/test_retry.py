"""Failed rows tried again: these alone are judged and paid for, and every other stays as it is."""

import json
import os

import pyarrow.parquet as pq
import pytest

from evaluators import evaluate_batch_files
from evaluators.base import Evaluator, evaluator
from evaluators.batch import folder as folders
from evaluators.batch import sources
from evaluators.batch.pieces import Piece
from evaluators.batch.results import BatchResults
from evaluators.errors import DatasetError
from evaluators.records import Score
from tests import judge
from tests.batch.files import COLUMNS, json_lines, parquet, results, row

pytestmark = pytest.mark.usefixtures("data_folder")

FAILS: set[str] = set()
SEEN: list[str] = []
"""The samples that fail now, and those that were judged."""


# In this process: a worker would not know what fails.
@evaluator("test_batch_shaky", title="Shaky", needs=("response",))
class Shaky(Evaluator):
    def score(self, sample):
        # Not the made-up sample by which the columns are told.
        if sample.id.startswith(("a", "b", "c", "d")):
            SEEN.append(sample.id)
        if sample.id in FAILS:
            raise DatasetError("It failed. Mend it.")
        return Score(values={"shaky": 1.0})


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Pieces of 3 rows and groups of 4, so that neither end where the other does."""
    FAILS.clear()
    SEEN.clear()
    monkeypatch.setattr(sources, "MOST_ROWS", 3)
    monkeypatch.setattr(folders, "GROUP_ROWS", 4)


def judged(folder, **options):
    SEEN.clear()
    return evaluate_batch_files(
        folder / "in", folder / "out", Shaky(), columns=COLUMNS, progress=False, **options
    )


def count_failed(found):
    return sum(failed.rows for failed in found.failures.values())


def write_logs(folder):
    rows = [row(f"a{at}") for at in range(10)]
    parquet(folder / "in" / "a.parquet", rows)
    lines = [row(f"b{at}") for at in range(10)]
    # The line of each row is not its place: one is empty, one is no JSON.
    json_lines(folder / "in" / "b.jsonl", [*lines[:2], "\n", "{broken\n", *lines[2:]])
    cells = [f"c{at},How tall?,It is tall.,A tower.\n" for at in range(10)]
    (folder / "in" / "c.csv").write_text("".join(["id,question,answer_text,docs\n", *cells]))
    parquet(folder / "in" / "d.parquet", [row("d")])


@pytest.mark.parametrize(
    "failed",
    [
        ("a3",),
        ("a0", "a1", "a2", "a3", "a9"),
        ("a2", "a4", "b0", "b9", "c5"),
        (*(f"a{at}" for at in range(10)), *(f"c{at}" for at in range(10))),
    ],
)
def test_only_rows_that_failed_are_judged_again_and_all_stay_in_order(tmp_path, failed):
    write_logs(tmp_path)
    FAILS.update(failed)
    before = judged(tmp_path)
    assert count_failed(before) == len(failed) + 1
    first = results(tmp_path / "out")
    untouched = (tmp_path / "out" / "d.parquet").stat().st_mtime_ns

    FAILS.intersection_update({"a4"})
    found = judged(tmp_path, retry_failed=True)

    assert sorted(failed) == sorted(SEEN)
    rows = results(tmp_path / "out")
    assert [each["row"] for each in rows] == [each["row"] for each in first]
    assert [each["id"] for each in rows] == [each["id"] for each in first]
    # The line that is no JSON fails again.
    assert found.is_complete
    assert count_failed(found) == 1 + ("a4" in failed)
    assert found.rows == 32
    assert (tmp_path / "out" / "d.parquet").stat().st_mtime_ns == untouched
    manifest = json.loads((tmp_path / "out" / "_manifest.json").read_text())
    assert BatchResults.of_manifest("out", manifest).failures == found.failures
    assert pq.read_metadata(tmp_path / "out" / "a.parquet").num_rows == 10


def test_without_the_option_nothing_is_judged_again(tmp_path):
    write_logs(tmp_path)
    FAILS.add("a3")
    judged(tmp_path)

    judged(tmp_path)

    assert SEEN == []


def test_files_that_are_not_finished_are_judged_whole_beside_those_tried_again(tmp_path):
    write_logs(tmp_path)
    FAILS.update({"a3", "c5"})
    judged(tmp_path)
    (tmp_path / "out" / "c.csv.parquet").unlink()
    FAILS.clear()

    found = judged(tmp_path, retry_failed=True)

    # Pieces are judged side by side.
    assert sorted(SEEN) == ["a3", *(f"c{at}" for at in range(10))]
    assert (found.rows, len(results(tmp_path / "out"))) == (32, 32)


def test_a_file_that_cannot_be_read_any_more_keeps_its_results(tmp_path):
    write_logs(tmp_path)
    packed = json_lines(tmp_path / "in" / "e.jsonl.gz", [row(f"a{at}") for at in range(10)])
    FAILS.add("a9")
    judged(tmp_path)
    before = (tmp_path / "out" / "e.jsonl.gz.parquet").read_bytes()
    moment = packed.stat().st_mtime_ns
    # By size and time it is the same file, and its checksum is wrong.
    packed.write_bytes(packed.read_bytes()[:-8] + bytes(8))
    os.utime(packed, ns=(moment, moment))
    FAILS.clear()

    found = judged(tmp_path, retry_failed=True)

    assert list(found.problems) == ["e.jsonl.gz"]
    assert (tmp_path / "out" / "e.jsonl.gz.parquet").read_bytes() == before
    assert not list((tmp_path / "out").glob(".*.part"))
    assert count_failed(found) == 2


def test_results_that_are_damaged_are_told_with_what_to_do(tmp_path):
    write_logs(tmp_path)
    judged(tmp_path)
    path = tmp_path / "out" / "a.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(len(whole) // 3) + whole[4 + len(whole) // 3 :])

    for options in ({}, {"retry_failed": True}):
        with pytest.raises(DatasetError, match=r"a.parquet is damaged .* Delete it and give"):
            judged(tmp_path, **options)


def test_a_judge_is_asked_about_failed_rows_only(tmp_path, loopback, monkeypatch):
    stutters = {"3", "7"}

    def answer(prompt):
        is_unreadable = any(f"It is {at} metres" in prompt for at in stutters)
        return "I would rather not say." if is_unreadable else judge.labels_for(prompt)

    server = loopback(answer=answer)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-of-a-batch")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    rows = [row(at, answer_text=f"It is {at} metres tall.") for at in range(10)]
    json_lines(tmp_path / "in" / "a.jsonl", rows)

    def judged_by_llm(**options):
        return evaluate_batch_files(
            tmp_path / "in",
            tmp_path / "out",
            "gpt_labeling",
            judge="openai/gpt-6-luna",
            columns=COLUMNS,
            workers=1,
            progress=False,
            **options,
        )

    assert judged_by_llm().summary()["adherence"].coverage == "8 / 10"
    stutters.clear()
    asked = len(server.asked)

    found = judged_by_llm(retry_failed=True)

    assert found.summary()["adherence"].coverage == "10 / 10"
    assert len(server.asked) - asked == 2
    assert found.spent["openai/gpt-6-luna"].calls == len(server.asked)


@pytest.mark.parametrize(
    ("numbers", "pieces"),
    [
        ({4, 5, 7}, [[4, 5], [7]]),
        ({1, 8}, []),
        (range(100), [[4, 5, 6, 7]]),
    ],
)
def test_a_part_of_a_table_keeps_the_numbers_of_its_rows(tmp_path, numbers, pieces):
    parquet(tmp_path / "a.parquet", [row(at) for at in range(4)])
    (batch,) = pq.read_table(tmp_path / "a.parquet").to_batches()

    parts = list(Piece(first=4, table=batch).only(numbers))

    assert [part.numbers() for part in parts] == pieces
    ids = [part.table.column("id").to_pylist() for part in parts]
    assert ids == [[str(number - 4) for number in own] for own in pieces]
