"""A long file is judged in parts: whatever ends a batch, it goes on inside the file."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluators.base import Evaluator, evaluator
from evaluators.batch.folder import GROUP_ROWS, PARTS, Folder
from evaluators.batch.parts import OF_ROWS, Parts
from evaluators.batch.sources import Fragment
from evaluators.errors import RunStoppedError
from evaluators.records import Score
from tests.batch.files import json_lines, results, row
from tests.batch.test_files import judged

pytestmark = pytest.mark.usefixtures("data_folder")
ROOT = Path(__file__).parents[2]
ROWS = 3 * GROUP_ROWS
LAST = str(2 * GROUP_ROWS + 1000)
"""The id of the row at which a batch ends: two parts are written then."""


@evaluator("test_batch_ending", title="Ending", needs=("response",))
class Ending(Evaluator):
    """Ends the batch, or even its process, at a row."""

    judged: ClassVar[list[str]] = []
    end: ClassVar[str] = ""

    def score(self, sample):
        if sample.id == LAST and self.end == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if sample.id == LAST and self.end == "stop":
            raise RunStoppedError("Nothing goes on.")
        self.judged.append(sample.id)
        return Score(values={"length": min(1.0, len(sample.id) / 10)})


@pytest.fixture
def arrow_memory():
    """Counts the bytes that Arrow holds."""
    usual = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(counted)
    yield counted
    pa.set_memory_pool(usual)


def rows_of(start=0):
    return [row(number) for number in range(start, start + ROWS)]


def csv(path, rows):
    lines = [f"{each['id']},Why?,So.,One.\n" for each in rows]
    path.write_text("".join(["id,question,answer_text,docs\n", *lines]))
    return path


def tabs_and_marks(path, rows):
    lines = [f'{each["id"]}\t"Why?\tSo.\tOne.\n' for each in rows]
    path.write_text("".join(["id\tquestion\tanswer_text\tdocs\n", *lines]))
    return path


def blank_lines_between(path, rows):
    return json_lines(path, [line for each in rows for line in ("\n", json.dumps(each) + "\n")])


def parquet(path, rows):
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=4000)
    return path


def attempt(data, out, end=""):
    """The rows that are judged in this attempt, and what it gave."""
    Ending.end = end
    Ending.judged.clear()
    found = judged(data, out, Ending())
    # One more is an example, by which the columns of a metric of one's own are found out.
    return len(Ending.judged) - 1, found


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.parquet", parquet),
        ("a.jsonl.gz", blank_lines_between),
        ("a.csv", csv),
        ("a.tsv", tabs_and_marks),
    ],
)
def test_what_is_stopped_inside_a_file_goes_on_there(tmp_path, name, make):
    data = make(tmp_path / name, rows_of())
    _, stopped = attempt(data, tmp_path / "out", "stop")
    assert (stopped.stopped, stopped.rows) == ("Nothing goes on.", 0)

    again, found = attempt(data, tmp_path / "out")

    assert found.is_complete
    assert again == ROWS - 2 * GROUP_ROWS
    assert [each["id"] for each in results(tmp_path / "out")] == [str(at) for at in range(ROWS)]
    assert not (tmp_path / "out" / PARTS).exists()


KILLED = """
import sys
from tests.batch.test_parts import attempt
attempt(sys.argv[1], sys.argv[2], "kill")
"""


def test_what_is_killed_inside_a_file_goes_on_there(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", rows_of())
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, data, tmp_path / "out"], cwd=ROOT, check=False
    )
    assert killed.returncode == -signal.SIGKILL

    again, found = attempt(data, tmp_path / "out")

    assert found.is_complete
    # Of the two parts before the row the second may have been on its way to the disk.
    assert ROWS - 2 * GROUP_ROWS <= again <= ROWS - GROUP_ROWS
    assert [each["id"] for each in results(tmp_path / "out")] == [str(at) for at in range(ROWS)]


def changed_input(data, parts):
    json_lines(data, rows_of(100_000))


def cut_off(data, parts):
    first = parts / "00001.parquet"
    first.write_bytes(first.read_bytes()[:-50])


def missing(data, parts):
    (parts / "00001.parquet").unlink()


def foreign_notes(note):
    def harm(data, parts):
        first = parts / "00001.parquet"
        table = pq.read_table(first)
        notes = {**table.schema.metadata, OF_ROWS: note}
        pq.write_table(table.replace_schema_metadata(notes), first)

    return harm


@pytest.mark.parametrize(
    "harm", [changed_input, cut_off, missing, foreign_notes(b"[" * 200_000), foreign_notes(b"7")]
)
def test_parts_that_are_not_those_of_the_file_are_judged_again(tmp_path, harm):
    data = json_lines(tmp_path / "a.jsonl", rows_of())
    attempt(data, tmp_path / "out", "stop")
    harm(data, tmp_path / "out" / PARTS / "a.jsonl.parquet")

    again, found = attempt(data, tmp_path / "out")

    assert found.is_complete
    assert again == ROWS
    ids = [each["id"] for each in results(tmp_path / "out")]
    assert ids == [json.loads(line)["id"] for line in data.read_text().splitlines()]


def test_a_part_whose_bytes_have_changed_is_told_and_judged_again(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", rows_of())
    attempt(data, tmp_path / "out", "stop")
    part = tmp_path / "out" / PARTS / "a.jsonl.parquet" / "00002.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:100] + b"\0" * 20 + whole[120:])

    _, damaged = attempt(data, tmp_path / "out")
    again, found = attempt(data, tmp_path / "out")

    assert "00002.parquet). Give the same command again" in damaged.problems["a.jsonl"]
    assert found.is_complete
    assert again == ROWS - GROUP_ROWS
    assert [each["id"] for each in results(tmp_path / "out")] == [str(at) for at in range(ROWS)]


def test_parts_are_joined_without_all_of_them_in_memory(tmp_path, arrow_memory):
    count = 12
    fragment = Fragment("a.jsonl", str(tmp_path / "a.jsonl"), 0, "")
    schema = pa.schema([("row", pa.int64()), ("text", pa.string())])
    parts = Parts(Folder(str(tmp_path)), fragment, schema)

    def batches():
        for start in range(0, count * GROUP_ROWS, GROUP_ROWS):
            numbers = range(start, start + GROUP_ROWS)
            texts = [f"{number:0500}" for number in numbers]
            yield pa.record_batch([numbers, texts], names=["row", "text"])

    one_part = 500 * GROUP_ROWS
    before = arrow_memory.max_memory()

    parts.write(batches())

    assert pq.read_metadata(tmp_path / "a.jsonl.parquet").num_rows == count * GROUP_ROWS
    assert arrow_memory.max_memory() - before < count * one_part / 2


def test_parts_lie_at_any_address(tmp_path):
    import fsspec

    data = json_lines(tmp_path / "a.jsonl", rows_of())
    attempt(data, "memory://parts", "stop")

    again, found = attempt(data, "memory://parts")

    assert found.is_complete
    assert again == ROWS - 2 * GROUP_ROWS
    memory = fsspec.filesystem("memory")
    assert [path for path in memory.find("/parts") if PARTS in path] == []
