"""Runs: what this workspace ran, what can be done with it, and nothing of anybody else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.catalogue import from_spec
from evaluators.records import Cell, Run, SampleResult
from evaluators.runs import samples
from tests.loopback import Loopback
from tests.pages.by_hand import save, two_models
from tests.pages.conftest import OpenPage, checked, fail
from tests.pages.screen import (
    ESCAPED,
    at_work,
    button,
    cards,
    html,
    lines,
    listed,
    open_listed,
    runs,
    said,
    select,
    settled,
    state,
    table,
)
from ui import session
from ui.parts.untrusted import plain

Serve = Callable[..., Loopback]


def test_an_empty_workspace_says_where_to_begin(open_page):
    assert "No run yet." in said(open_page("runs"))


def test_finished_runs_are_listed_with_their_coverage(open_page, filled):
    rows = listed(open_page("runs"))
    assert [rows[run.id]["State"] for run in (filled.rgb, filled.trace)] == [
        "216 answers checked",
        "24 answers checked",
    ]
    first, second, *_ = rows[filled.trace.id]["Results"].splitlines()
    assert first == "8 of 24 to look at first (heuristic)"
    assert second.endswith("· 23 / 24")
    assert rows[filled.rgb.id]["Results"].startswith("Noise robustness 88 % · 120")


def test_a_click_on_its_title_leads_to_the_run(open_page, filled):
    at = checked(open_listed(open_page("runs"), filled.trace.id))
    assert "Adherence" in cards(at)


def test_a_run_at_work_in_another_process_cannot_be_deleted(open_page):
    run = stopped_after(1)
    before = select(open_page("runs"), run.id)
    with at_work(run):
        before.button(key="runs_delete_for_good").click()  # begun there after this page was drawn
        assert "Stop it there (Ctrl-C) before you delete it" in said(checked(before.run()))
        assert runs() == [run]
        after = select(open_page("runs"), run.id)
        assert "runs_delete_for_good" not in {each.key for each in after.button}


def test_deleting_a_run_says_that_stored_answers_stay_where_there_are_any(open_page, filled):
    assert "Stored answers" not in said(select(open_page("runs"), filled.rgb.id))
    two_models()
    at = select(open_page("runs"), filled.rgb.id)
    assert "Stored answers stay. Clear them on the Settings page." in said(at)


def test_a_stopped_run_resumes_where_it_was(open_page):
    run = stopped_after(1)
    at = open_page("runs")
    assert "Stopped · 1 of 24 checked" in said(at)
    at.button(key=f"resume_{run.id}").click().run()
    assert listed(settled(at))[run.id]["State"] == "24 answers checked"
    assert not at.exception


def test_a_run_at_work_says_how_far_it_is_once_and_nothing_of_what_it_found(open_page):
    run = stopped_after(1)
    with at_work(run):
        at = open_page("trace", run=run.id)
        assert state(at) == "Running · 1 of 24 checked"
        assert "checked" not in said(at, "markdown")
        assert {re.sub("<.*?>", "", line.coverage) for line in lines(at)} == {"an estimate"}
        assert "answers" not in said(at, "header")


def test_charts_of_a_run_at_work_count_nothing_and_have_no_verdict(open_page):
    run = two_models()
    with at_work(run):
        at = open_page("rgb", run=run.id)
        charts = [chart.proto for chart in at.get("plotly_chart")]
        # Accuracy of both models over two levels of noise.
        assert charts
        for chart in charts:
            assert not re.search(r"\d of \d|right|checked|declined", chart.spec + chart.alt)
            assert not re.search("falls|rises|accuracy is", chart.alt)
        assert not [line for line in lines(at) if " of " in line.coverage]
        assert "pl-finding" not in html(at)


@pytest.mark.parametrize(("name", "head"), [("trace", "TRACE"), ("rgb", "RGB")])
def test_a_run_at_work_is_not_presented_until_it_has_ended(open_page, name, head):
    run = stopped_after(1) if name == "trace" else two_models()
    with at_work(run):
        at = open_page(name, run=run.id, present="1")
        assert [title.value for title in at.title] == [head]
    at = open_page(name, run=run.id, present="1")
    assert at.title[0].value == plain(run.title)
    assert f"present_{run.id}" in {each.key for each in open_page(name, run=run.id).button}


def test_a_run_that_ended_with_failed_samples_says_so_and_why(open_page, filled):
    for position in range(2):
        fail(filled.trace, "The line was cut. Try again.", position)
    at = open_page("trace", run=filled.trace.id)
    assert "2 of 24 failed: the results are of the other 22." in said(at, "warning")
    assert table(at, "Samples") == [
        {"Samples": 2, "Why they failed": "The line was cut. Try again."}
    ]
    details = next(box for box in at.get("popover") if box.proto.popover.label == "Details")
    assert not details.dataframe


def test_a_run_that_ended_without_failures_warns_of_nothing(open_page, filled):
    for page, run in (("trace", filled.trace), ("rgb", filled.rgb)):
        at = open_page(page, run=run.id)
        assert "failed" not in said(at, "warning")
        assert all(frame.value.columns[0] != "Samples" for frame in at.dataframe)


def test_what_a_run_has_spent_stays_when_it_is_over(open_page):
    stopped, finished = two_models(run_id="stopped", results=False), two_models(run_id="finished")
    save(stopped, Cell(0, 0))
    assert words(open_page, stopped) == "Stopped · 1 of 12 checked · $0.002 spent"
    assert words(open_page, finished) == "11 of 12 checked · 1 failed · over $0.012 spent"


def test_failed_samples_can_be_tried_again(open_page, filled):
    fail(filled.trace, "The line was cut. Try again.", 3)
    at = open_page("trace", run=filled.trace.id)
    assert state(at) == "23 of 24 checked · 1 failed"
    at.button(key=f"retry_{filled.trace.id}").click().run()
    assert state(settled(at)) == "24 answers checked"


@pytest.mark.parametrize("name", ["rgb", "trace"])
def test_a_run_without_any_result_is_shown(open_page, name):
    run = {"rgb": samples.rgb, "trace": samples.trace}[name](session.store(), "local")
    at = open_page(name, run=run.id)
    assert state(at).startswith("Stopped · 0 of")
    assert button(at, "Resume")


def test_a_run_at_rest_is_drawn_by_other_fragments_than_one_at_work(open_page):
    """Else a late tick might be run after the last drawing of the page, and leave old cards."""
    run = stopped_after(1)
    with at_work(run):
        at = open_page("trace", run=run.id)
        while_at_work = fragments(at)
    at_rest = fragments(checked(at.run()))
    assert "Stopped · 1 of 24 checked" in state(at)
    assert while_at_work
    assert at_rest
    assert not while_at_work & at_rest


def fragments(at: AppTest) -> set[str]:
    """The ids of the fragments in which the page drew its widgets."""
    widgets = at._session_state._state._new_widget_state.widget_metadata.values()
    return {widget.fragment_id for widget in widgets if widget.fragment_id}


def words(open_page: OpenPage, run: Run) -> str:
    return ESCAPED.sub(r"\1", state(open_page("rgb", run=run.id)))


def stopped_after(results: int) -> Run:
    """A TRACE run of which so many results are stored and nothing is at work."""
    store = session.store()
    run = samples.trace(store, "local")
    for position in range(results):
        sample = store.samples.get(run.fingerprint, position)
        score = from_spec(run.evaluator).score(sample)
        store.results.save(run.id, SampleResult(position=position, status="scored", score=score))
    return run
