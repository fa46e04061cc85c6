"""What the store keeps of a batch, and its rows as a run, all or a part of them."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluators import open_run
from evaluators.batch import as_run, kept
from evaluators.batch import folder as folders
from evaluators.batch.groups import first_day
from evaluators.batch.results import BatchResults, FileRows
from evaluators.errors import DatasetError
from evaluators.runs.inputs import WORKSPACE, local_store
from tests.batch.files import json_lines, parquet, row
from tests.batch.test_files import judged

pytestmark = pytest.mark.usefixtures("data_folder")


def batches():
    assert not local_store().file_batches.unreadable(WORKSPACE)
    return [*local_store().file_batches.newest(WORKSPACE).values()]


def files(folder, monkeypatch, per_group=2):
    """Three files of 5, 0 and 4 rows of which the 2nd, 5th and 6th fail; few rows a group."""
    monkeypatch.setattr(folders, "GROUP_ROWS", per_group)
    answers = ["a", "fails", "c", "d", "fails", "fails", "g", "h", "i"]
    rows = [row(at, answer_text=text, docs=[f"Document {at}."]) for at, text in enumerate(answers)]
    json_lines(folder / "in" / "a.jsonl", ["\n", *rows[:5]])
    pq.write_table(pa.Table.from_pylist(rows).slice(0, 0), folder / "in" / "b.parquet")
    parquet(folder / "in" / "c.parquet", rows[5:])
    return judged(folder / "in", folder / "out", by="model")


def test_the_store_has_what_the_batch_came_to_and_goes_on_with_the_same_entry(
    tmp_path, monkeypatch
):
    found = files(tmp_path, monkeypatch)

    (batch,) = batches()
    assert (batch.title, batch.folder) == ("in", str(tmp_path / "out"))
    assert [spec.name for spec in kept.metrics_of(batch)] == ["test_batch_length"]
    stored = kept.results_of(batch)
    assert stored.manifest() == found.manifest()
    assert (stored.means, stored.groups) == (found.means, found.groups)
    assert stored.by_file == {
        "a.jsonl": FileRows(5, 2),
        "b.parquet": FileRows(0, 0),
        "c.parquet": FileRows(4, 1),
    }
    json_lines(tmp_path / "in" / "d.jsonl", [row("d")])
    judged(tmp_path / "in", tmp_path / "out", by="model")
    (again,) = batches()
    assert (again.id, kept.results_of(again).rows) == (batch.id, 10)


def test_a_batch_that_was_begun_is_there_before_anything_is_judged(tmp_path):
    data = parquet(tmp_path / "a.parquet", [{"question": "Why?", "answer_text": "So.", "docs": []}])
    parquet(tmp_path / "b.parquet", [{"question": "Why?"}])

    judged(data.parent, tmp_path / "out")

    results = kept.results_of(batches()[0])
    assert (results.rows, results.files, results.is_complete) == (1, 2, False)
    assert list(results.problems) == ["b.parquet"]


def test_another_batch_in_the_same_folder_takes_the_place_of_the_first(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("a")])
    judged(data, tmp_path / "out")
    shutil.rmtree(tmp_path / "out")

    judged(data, tmp_path / "out", by="model")

    (batch,) = batches()
    assert batch.settings["by"] == ["model"]


def rows_of(run):
    """The id, the state and the documents of each sample of a run."""
    store = local_store()
    outlines = store.results.outlines(run)
    samples = [store.samples.get(run.fingerprint, row.position) for row in outlines]
    return [
        (row.sample_id, row.status, *sample.retrieved_documents)
        for row, sample in zip(outlines, samples, strict=True)
    ]


ROWS = [(str(at), "failed" if at in (1, 4, 5) else "scored", f"Document {at}.") for at in range(9)]


@pytest.mark.parametrize(
    ("most", "first", "title"),
    [
        # Of JSON Lines the first line is empty; a file without rows lies between the two.
        (3, 1, "out 1–3"),
        (4, 4, "out 4–7"),
        (3, 6, "out 6–8"),
        (8, 9, "out 9–9"),
        (9, 1, "out"),
    ],
)
def test_a_part_of_the_rows_opens_with_what_was_judged_and_their_texts(
    tmp_path, monkeypatch, most, first, title
):
    files(tmp_path, monkeypatch)
    monkeypatch.setattr(as_run, "MOST_ROWS", most)

    run = as_run.part_of(batches()[0], local_store(), first)

    assert run.title == title
    assert rows_of(run) == ROWS[first - 1 :][:most]
    assert as_run.part_of(batches()[0], local_store(), first).id == run.id


def test_a_batch_opened_by_its_folder_and_from_the_list_is_one_run(tmp_path, monkeypatch):
    files(tmp_path, monkeypatch)

    run = as_run.part_of(batches()[0], local_store())

    assert open_run(tmp_path / "out").run.id == run.id


def test_what_is_finished_of_a_batch_that_is_not_opens(tmp_path):
    data = parquet(tmp_path / "a.parquet", [{"question": "Why?", "answer_text": "So.", "docs": []}])
    parquet(tmp_path / "b.parquet", [{"question": "Why?"}])
    judged(data.parent, tmp_path / "out")

    run = as_run.part_of(batches()[0], local_store())

    assert [status for _, status in rows_of(run)] == ["scored"]


def gone(folder):
    shutil.rmtree(folder / "out")


def of_another(folder):
    shutil.rmtree(folder / "out")
    judged(folder / "in", folder / "out")


def without_a_file(folder):
    (folder / "out" / "a.jsonl.parquet").unlink()


def damaged(folder):
    path = folder / "out" / "a.jsonl.parquet"
    whole = path.read_bytes()
    # Its end, which tells of the columns, is whole: only who reads the rows meets the damage.
    path.write_bytes(whole[:4] + bytes(400) + whole[404:])


def foreign(folder):
    pq.write_table(pa.table({"row": [1, 2, 3]}), folder / "out" / "a.jsonl.parquet")


def shorter(folder):
    path = folder / "out" / "a.jsonl.parquet"
    pq.write_table(pq.read_table(path).slice(0, 1), path)


def with_other_texts(folder):
    json_lines(folder / "in" / "a.jsonl", [row("other")])


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (gone, "out is gone, or on a disk that is not there. Put it back"),
        (of_another, "out holds the results of another batch now."),
        (without_a_file, "a.jsonl is gone, or has changed since it was judged"),
        (damaged, "a.jsonl.parquet is damaged .* Delete it and give the same command again"),
        (foreign, "a.jsonl is gone, or has changed since it was judged, or its results have"),
        (shorter, "a.jsonl is gone, or has changed since it was judged, or its results have"),
        (with_other_texts, "a.jsonl is gone, or has changed since it was judged"),
    ],
)
def test_files_that_are_not_as_they_were_are_told_of(tmp_path, monkeypatch, harm, message):
    files(tmp_path, monkeypatch)
    (batch,) = batches()
    harm(tmp_path)

    with pytest.raises(DatasetError, match=message):
        as_run.part_of(batch, local_store())


def test_a_manifest_that_is_not_whole_is_refused():
    with pytest.raises(ValueError, match="not whole"):
        BatchResults.of_manifest("out", {"rows": 1})


@pytest.mark.parametrize(
    ("name", "period", "day"),
    [
        ("2026-01-31", "day", "2026-01-31"),
        ("2026-W01", "week", "2025-12-29"),
        ("2026-02", "month", "2026-02-01"),
        ("", "week", None),
        ("2026-W60", "week", None),
        ("soon", "day", None),
    ],
)
def test_a_period_began_on_a_day(name, period, day):
    began = first_day(name, period)
    assert (began and began.isoformat()) == day
