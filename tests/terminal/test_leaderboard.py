"""`leaderboard` in the terminal, and its files."""

import csv
import io
import json
import zipfile

import pytest

from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import FINE, WRONG
from tests.comparison.made import results
from tests.comparison.test_leaderboard import ALL_RIGHT, FIRST, LARGE, SMALL, TWO_RIGHT


@pytest.fixture
def runs():
    store = local_store()
    results(store, "one", FIRST, TWO_RIGHT, models=(SMALL,))
    results(store, "two", FIRST, ALL_RIGHT, models=(LARGE,))


def test_runs_are_ranked_in_a_table(plumbline, runs):
    found = plumbline("leaderboard", "one", "last")

    assert found.exit_code == FINE
    assert "Answer match: large alone has rank 1 of 2 systems." in found.stdout
    assert "#2, 0.20 (0.06 to 0.51), 10 of 10" in found.stdout


def test_json_has_a_place_for_each_system(plumbline, runs):
    found = json.loads(plumbline("leaderboard", "one", "two", "--json").stdout)

    assert [(own["system"], own["rank"]) for own in found["places"]] == [("large", 1), ("small", 2)]


def test_a_zip_for_a_paper_and_a_report_are_written(plumbline, runs, data_folder):
    plumbline("leaderboard", "one", "two", "--paper", "b.zip", "--report", "b.html")

    with zipfile.ZipFile("b.zip") as files:
        assert {"leaderboard.svg", "leaderboard.tex", "leaderboard.csv"} <= {*files.namelist()}
        rows = [*csv.DictReader(io.StringIO(files.read("leaderboard.csv").decode("utf-8-sig")))]
        latex = files.read("leaderboard.tex").decode()
    assert [(row["system"], row["rank"], row["scored"]) for row in rows] == [
        ("large", "1", "10"),
        ("small", "2", "10"),
    ]
    assert "small & 2 & 0.20 & 0.06 to 0.51 & 10 of 10 & -80.0 (-94.3 to -30.0) & 0.004" in latex
    report = (data_folder / "b.html").read_text()
    assert "large alone has rank 1 of 2 systems." in report
    assert "What was compared" in report


def test_a_run_that_is_named_twice_is_refused(plumbline, runs):
    found = plumbline("leaderboard", "two", "last")

    assert found.exit_code == WRONG
    assert "A run is named twice. Name each once." in found.stderr
