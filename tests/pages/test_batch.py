"""Batches over files in the app: listed, opened, also as runs, and shown to nobody else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evaluators import evaluate_batch_files
from evaluators.batch import as_run
from evaluators.batch.results import EACH_ROW_COUNTS
from evaluators.runs.inputs import WORKSPACE, local_store
from evaluators.runs.lock import FileRunLock
from evaluators.runs.store import FileBatch
from tests.batch.files import COLUMNS, json_lines, row
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import (
    cards,
    lines,
    press,
    said,
    table,
    value_table,
)
from ui.batch import view

HOSTILE = "![x](https://evil.example/x.png) <b>bold</b>"


def judged(folder: Path, metric: str = "hedging", **options: str) -> FileBatch:
    """A batch over two files, with a row that is no JSON; `hedging` needs no other process."""
    rows = [
        row(HOSTILE, model=HOSTILE, created="2026-01-05", answer_text="The tower stands in Rome."),
        "{broken\n",
        row("b", created="2026-01-13"),
    ]
    json_lines(folder / "logs" / "a.jsonl", rows)
    json_lines(folder / "logs" / "b.jsonl", [row("c", created="")])
    data, results = folder / "logs", folder / "results"
    evaluate_batch_files(
        data, results, metric, columns=COLUMNS, progress=False, workers=1, **options
    )
    (batch,) = local_store().file_batches.newest(WORKSPACE).values()
    return batch


def opened(open_page: OpenPage, batch: FileBatch, **query: str) -> AppTest:
    return open_page("batch", batch=batch.id, **query)


def test_a_batch_is_listed_and_opens_with_its_values_and_its_drift(open_page, tmp_path):
    batch = judged(tmp_path, "trace", by=["created:week", "model"])
    at = open_page("runs")
    assert "logs" in said(at, "markdown")
    assert "4 rows of 2 files judged, 1 failed" in said(at)

    assert cards(press(at, "Open"))["Adherence"] == "0.67"

    at = opened(open_page, batch)

    # One answer of three says what no document says.
    assert cards(at)["Adherence"] == "0.67"
    alts = [chart.proto.alt for chart in at.get("plotly_chart")]
    # The groups of a column are rows, the text of a stranger as it is.
    assert HOSTILE in {line.title for line in lines(at)}
    assert "2026-W02: 0.00, 1 of 1; 2026-W03: 1.00, 1 of 1" in alts[3]
    assert "(none)" not in alts[3]
    numbers = value_table(at, "created")
    assert list(numbers) == ["(none)", "2026-W02", "2026-W03"]
    failure = table(at, "Rows")[0]
    assert (failure["Rows"], failure["First file"], failure["First row"]) == (1, "a.jsonl", 2)


def test_a_time_that_is_none_leaves_the_chart_to_the_others(open_page, tmp_path):
    times = ["2026-01-05", "2026-01-13", "9999-12-31", "0", "05.01.2026"]
    rows = [row(f"r{at}", created=time) for at, time in enumerate(times)]
    json_lines(tmp_path / "logs" / "c.jsonl", rows)
    batch = judged(tmp_path, by="created:week")

    at = opened(open_page, batch)

    (chart,) = at.get("plotly_chart")
    assert re.findall(r"\d{4}-W\d\d", chart.proto.alt) == ["2026-W02", "2026-W03"]
    assert "Not drawn: (none), 1970-W01, 9999-W52, not a time." in said(at, "caption")
    assert "9999-W52" in value_table(at, "created")


def test_what_a_batch_came_to_is_shown_where_its_folder_is_gone(open_page, tmp_path):
    batch = judged(tmp_path)
    shutil.rmtree(tmp_path / "results")

    at = opened(open_page, batch)

    assert "Hedging" in cards(at)
    at = press(at, "Open as a run")
    assert "results is gone, or on a disk that is not there. Put it back" in said(at)


def test_a_batch_is_taken_out_of_the_list_and_its_files_stay(open_page, tmp_path):
    batch = judged(tmp_path)
    at = opened(open_page, batch)
    assert "Its files stay where they are" in said(at)
    assert EACH_ROW_COUNTS in said(at, "caption")

    at.button(key=f"delete_{batch.id}").click()

    assert "There is no such batch here" in said(checked(at.run()))
    assert (tmp_path / "results" / "a.jsonl.parquet").exists()


def test_a_batch_at_work_and_one_that_stopped_say_so(open_page, tmp_path):
    batch = judged(tmp_path)
    lock = FileRunLock(tmp_path / "results", "_batch")
    lock.acquire()
    try:
        assert "At work in a terminal or in Python" in said(open_page("runs"))
        assert "Its rows are summed up when the command ends" in said(opened(open_page, batch))
    finally:
        lock.release()
    summary = {**batch.summary, "files": 3, "stopped": "The budget is used up."}
    local_store().file_batches.save(
        WORKSPACE, batch.id, batch.model_copy(update={"summary": summary})
    )

    at = opened(open_page, batch)

    assert "Stopped: 2 of 3 files judged, 4 rows" in said(at, "markdown")
    assert "The budget is used up." in said(at)
    assert "Give the same command again to go on." in said(at)


def test_one_that_cannot_be_read_keeps_no_other_from_the_list(open_page, tmp_path):
    batch = judged(tmp_path)
    store = local_store()
    store.file_batches.save(
        WORKSPACE, batch.id, batch.model_copy(update={"summary": {"rows": "many"}})
    )
    assert "What this batch came to cannot be read." in said(open_page("runs"))
    assert "What this batch came to cannot be read." in said(opened(open_page, batch))
    with store.database.transaction() as db:
        db.execute("update documents set body = '{'")

    at = open_page("runs")

    assert "This batch cannot be read." in said(at, "markdown")
    assert "There is no such batch here" in said(opened(open_page, batch))
    at.button(key=f"delete_{batch.id}").click()
    assert "This batch cannot be read." not in said(checked(at.run()), "markdown")


def test_visitors_of_a_public_host_see_no_batch_of_its_machine(open_page, tmp_path, monkeypatch):
    batch = judged(tmp_path)
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")

    at = open_page("runs")

    assert "Batches of files" not in [header.value for header in at.header]
    assert "There is no such batch here" in said(opened(open_page, batch))
    named = opened(open_page, batch, w=WORKSPACE)
    assert "There is no such batch here" in said(named)


def test_a_finished_batch_opens_as_a_run_with_its_samples(open_page, tmp_path):
    batch = judged(tmp_path, "trace", by=["model"])

    press(opened(open_page, batch), "Open as a run")

    store = local_store()
    [run] = store.runs.newest(WORKSPACE)
    assert (run.title, run.dataset_name) == ("results", "logs")
    at = open_page("trace", run=run.id)
    assert cards(at)["Adherence"] == "0.67"
    assert "1 of 4 failed: the results are of the other 3." in said(at)
    assert store.results.counts(run).failed == 1


def test_a_batch_whose_files_are_gone_says_why_it_is_no_run(open_page, tmp_path):
    batch = judged(tmp_path)
    (tmp_path / "logs" / "b.jsonl").unlink()

    at = press(opened(open_page, batch), "Open as a run")

    assert "b.jsonl is gone, or has changed since it was judged" in said(at)


def test_of_very_many_rows_a_part_opens(open_page, tmp_path, monkeypatch):
    monkeypatch.setattr(as_run, "MOST_ROWS", 2)
    monkeypatch.setattr(view, "MOST_ROWS", 2)
    at = opened(open_page, judged(tmp_path))

    at.selectbox[0].set_value(3)
    press(checked(at.run()), "Open as a run")

    [run] = local_store().runs.newest(WORKSPACE)
    assert run.title == "results 3–4"
    assert [row.sample_id for row in local_store().results.outlines(run)] == ["b", "c"]
