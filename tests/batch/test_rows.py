"""What the store keeps of a batch, and rows read again from its files, a few at a time."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluators.batch import folder as folders
from evaluators.batch import kept
from evaluators.batch.columns import FAILED
from evaluators.batch.groups import first_day
from evaluators.batch.origins import sample_of
from evaluators.batch.results import BatchResults, FileRows
from evaluators.batch.rows import ResultRows, columns_in
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


@pytest.mark.parametrize(
    ("first", "count", "only_failed", "numbers"),
    [
        # Of JSON Lines the line is the number, and the first line is empty.
        (0, 3, False, [("a.jsonl", 2), ("a.jsonl", 3), ("a.jsonl", 4)]),
        (3, 4, False, [("a.jsonl", 5), ("a.jsonl", 6), ("c.parquet", 1), ("c.parquet", 2)]),
        (8, 9, False, [("c.parquet", 4)]),
        (9, 9, False, []),
        (0, 9, True, [("a.jsonl", 3), ("a.jsonl", 6), ("c.parquet", 1)]),
        (1, 1, True, [("a.jsonl", 6)]),
        (2, 2, True, [("c.parquet", 1)]),
    ],
)
def test_a_page_of_rows_is_read_wherever_it_begins(
    tmp_path, monkeypatch, first, count, only_failed, numbers
):
    results = files(tmp_path, monkeypatch)

    page = ResultRows(batches()[0], results.by_file).page(first, count, only_failed=only_failed)

    assert [(each.file, each.number) for each in page] == numbers
    (metric,) = columns_in(pq.read_schema(tmp_path / "out" / "a.jsonl.parquet"))
    assert metric.values == {"length": "length"}
    has_failed = [each.cells[metric.status] == FAILED for each in page]
    assert all(has_failed) or not only_failed


@pytest.mark.parametrize(
    ("file", "number", "identity"),
    [("a.jsonl", 2, "0"), ("a.jsonl", 6, "4"), ("c.parquet", 4, "8")],
)
def test_a_row_opens_with_its_texts(tmp_path, monkeypatch, file, number, identity):
    results = files(tmp_path, monkeypatch)
    (batch,) = batches()

    stored = ResultRows(batch, results.by_file).row(file, number)

    assert stored.cells["id"] == identity
    sample = sample_of(batch, file, number)
    assert (sample.id, sample.retrieved_documents) == (identity, (f"Document {identity}.",))


def test_a_row_that_is_not_there_is_none(tmp_path, monkeypatch):
    stored = ResultRows(batches_of(tmp_path, monkeypatch), {"a.jsonl": FileRows(5, 2)})

    assert stored.row("a.jsonl", 99) is None
    assert stored.row("../a.jsonl", 2) is None


def batches_of(tmp_path, monkeypatch):
    files(tmp_path, monkeypatch)
    return batches()[0]


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


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (gone, "out is gone, or on a disk that is not there. Put it back"),
        (of_another, "out holds the results of another batch now."),
        (without_a_file, "a.jsonl.parquet is gone from the folder. Give the same command again"),
        (damaged, "a.jsonl.parquet is damaged .* Delete it and give the same command again"),
        (foreign, "a.jsonl.parquet is damaged \\(it holds no results\\)"),
        (shorter, "The results of a.jsonl have changed since they were summed up."),
    ],
)
def test_files_that_are_not_as_they_were_are_told_of(tmp_path, monkeypatch, harm, message):
    by_file = files(tmp_path, monkeypatch).by_file
    (batch,) = batches()
    harm(tmp_path)

    with pytest.raises(DatasetError, match=message):
        ResultRows(batch, by_file).page(0, 9)


def test_texts_that_changed_since_are_not_taken_for_those_that_were_judged(tmp_path, monkeypatch):
    files(tmp_path, monkeypatch)
    json_lines(tmp_path / "in" / "a.jsonl", [row("other")])

    with pytest.raises(DatasetError, match="has changed since it was judged"):
        sample_of(batches()[0], "a.jsonl", 2)


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
