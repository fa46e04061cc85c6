"""Rows of a run that cannot be read are counted against what was stored, and said at every door."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from evaluators.api.results import Results
from evaluators.exports import formats
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Run
from evaluators.runs import samples
from evaluators.runs.run_view import RunView
from evaluators.terminal import files as kinds
from evaluators.terminal.cli import main
from evaluators.terminal.exit_codes import FINE, INCOMPLETE
from tests.pages.conftest import Filled, finish
from tests.pages.screen import said
from ui import session

SAMPLE = "where position = 1 and fingerprint = :fingerprint"
RESULT = "where position = 2 and run_id = :run"
LABELLED = "where position = 3 and fingerprint = :fingerprint"
LABEL = "where position = 3 and run_id = :run"


class Case(NamedTuple):
    """What is done to the file, what is lost by it, and at which place it can be named."""

    statement: str
    words: str
    place: int | None


# What else a row may be in place of what was stored: `tests/runs/test_unreadable_rows.py`.
CASES = {
    "a letter of an answer is another one": Case(
        f"update samples set body = replace(body, 'e', 'f') {SAMPLE}", "1 sample", 1
    ),
    "half of the samples are gone": Case(
        "delete from samples where position < 12 and fingerprint = :fingerprint", "12 samples", 1
    ),
    "a value is another one": Case(
        f"""update results set "values" = replace("values", '.', '.1') {RESULT}""", "1 result", 2
    ),
    "a result is at no place": Case(f"update results set position = 'x' {RESULT}", "1 result", 2),
    "a result is gone": Case(f"delete from results {RESULT}", "1 result", 2),
    "a labelled sample is none": Case(f"update samples set body = '{{' {LABELLED}", "1 sample", 3),
    "a labelled result is none": Case(f"update results set body = '{{' {LABEL}", "1 result", 3),
    "a label is none": Case(f"update person_labels set label = 'x' {LABEL}", "1 label", None),
    "a label is gone": Case(f"delete from person_labels {LABEL}", "1 label", None),
}


@pytest.fixture
def run(filled: Filled) -> Run:
    """A finished run with two labels by a person, of which one is taken back; one like it after it."""
    for position in (3, 4):
        made = PersonLabel(label="relevant", key="0a", value="no", created="2026-01-01T10:00:00")
        filled.store.person_labels.save(filled.trace.id, Cell(position), made)
    filled.store.person_labels.withdraw_all(filled.trace.id, Cell(4), "you")
    finish(samples.trace(filled.store, "local"), filled.store)
    return filled.trace


def last_run() -> str:
    return session.store().runs.ids("local")[0]


def damage(folder: Path, run: Run, statement: str) -> None:
    with sqlite3.connect(folder / "plumbline.sqlite3") as db:
        values = {"run": run.id, "fingerprint": run.fingerprint}
        assert db.execute(statement, values).rowcount > 0
    db.close()


COMMANDS = [
    ("show", "{run}"),
    ("show", "{run}", "--json"),
    ("card", "{run}"),
    ("report", "{run}", "-o", "{folder}/report.html"),
    ("compare", "{run}", "last"),
    *(
        ("export", "{run}", "--format", kind, "-o", "{folder}/file")
        for kind in formats()
        if kind != "eval_results"  # refuses this run: it is for RGB
    ),
    ("export", "{run}", "--format", kinds.PAPER, "-o", "{folder}/file"),
    ("export", "{run}", "--format", kinds.RAW, "-o", "{folder}/file"),
]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_door_says_how_many_rows_cannot_be_read(
    run, filled, data_folder, open_page, case, capsys
):
    before = RunView.read(filled.store, run).counts.asked
    damage(data_folder, run, case.statement)
    sentence = f"The store is damaged: {case.words} of this run cannot be read"

    for command in COMMANDS:
        given = [part.format(run=run.id, folder=data_folder) for part in command]
        done = CliRunner().invoke(main, given)
        assert (done.exit_code, sentence in done.stderr) == (INCOMPLETE, True), (
            command,
            done.stderr,
        )
        if "--json" in command:
            lost = json.loads(done.stdout)["unreadable"]
            assert sum(lost.values()) == int(case.words.split()[0])
    assert sentence in (data_folder / "report.html").read_text()

    results = Results(run, filled.store)
    assert results.counts.asked == before
    results.summary()
    results.summary()
    assert sentence in repr(results)
    assert capsys.readouterr().err.count(sentence) == 1
    table = results.to_pandas()
    view = RunView.read(filled.store, run)
    rows = list(csv.DictReader(io.StringIO(formats()["csv"].whole(view).decode("utf-8-sig"))))
    assert len(table) == len(rows) == before
    if case.place is not None:
        for own in (table.iloc[case.place], rows[case.place]):
            assert own["status"] == "unreadable"
            assert "cannot be read" in own["error"] or "has no sample" in own["error"]

    assert sentence in said(open_page("trace", run=run.id))
    # Of a label it is known that it is gone, of a pair which one.
    assert sentence in said(open_page("compare", first=f"{run.id}.1", second=f"{last_run()}.1"))


def test_no_door_says_so_where_every_row_is_as_it_was_stored(
    run, filled, data_folder, open_page, capsys
):
    for command in COMMANDS:
        given = [part.format(run=run.id, folder=data_folder) for part in command]
        done = CliRunner().invoke(main, given)
        assert (done.exit_code, "damaged" in done.stderr) == (FINE, False), (command, done.stderr)
    results = Results(run, filled.store)
    assert "damaged" not in repr(results)
    assert "unreadable" not in set(results.to_pandas()["status"])
    assert capsys.readouterr().err == ""
    assert "damaged" not in said(open_page("trace", run=run.id))
