"""Where nothing is known of how others differ, every door says why there is no interval."""

from __future__ import annotations

from evaluators.api.results import Results
from evaluators.paper.tables import tables_of_run
from evaluators.records import Dataset, Sample
from evaluators.report.run_report import run_report
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import NO_INTERVAL, NO_INTERVAL_OF_GROUPS
from tests.comparison.made import results
from tests.pages.screen import said
from ui import session


def run_of(*groups: str) -> Results:
    """A run with one question, answered with 0.5 or 1.0, for each of these groups."""
    samples = [
        Sample(id=str(n), question=f"Question {n}?", response="Yes.", situation=group)
        for n, group in enumerate(groups)
    ]
    values = [1.0 if n % 2 else 0.5 for n in range(len(samples))]
    return results(session.store(), "Mine", Dataset(name="made", samples=tuple(samples)), values)


def report_of(found: Results) -> str:
    return run_report(RunView.read(found.store, found.run), found.view)


def test_one_answer_has_no_interval_and_every_door_says_why(open_page):
    found = run_of("")
    at = open_page("metrics", run="Mine")
    assert NO_INTERVAL in said(at, "caption")
    assert NO_INTERVAL in found.findings()
    assert NO_INTERVAL in " ".join(str(found).split())
    assert NO_INTERVAL in report_of(found)


def test_a_group_of_one_has_no_interval_and_every_door_says_why(open_page):
    found = run_of("A", "A", "B")
    at = open_page("metrics", run="Mine")
    assert NO_INTERVAL_OF_GROUPS in said(at, "caption")
    assert NO_INTERVAL not in said(at, "caption")
    assert NO_INTERVAL_OF_GROUPS in report_of(found)
    [of_groups] = [
        table
        for table in tables_of_run(RunView.read(found.store, found.run))
        if table.name == "by_group"
    ]
    assert NO_INTERVAL_OF_GROUPS.removesuffix(".") in of_groups.caption


def test_where_every_value_has_an_interval_nothing_is_said(open_page):
    found = run_of("A", "A", "B", "B")
    at = open_page("metrics", run="Mine")
    assert "no interval" not in said(at, "caption")
    assert "no interval" not in report_of(found)
    assert "no interval" not in str(found)
