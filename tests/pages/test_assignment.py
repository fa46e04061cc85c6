"""An assignment's link on its page: the form is filled in, and nothing runs without a click."""

from __future__ import annotations

import base64
import re

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.records import Dataset, Run
from evaluators.runs import assignment, inputs
from evaluators.runs.engine import create_run
from evaluators.runs.examples import INVENTED
from evaluators.runs.plan import RunPlan
from tests.pages.conftest import checked
from tests.pages.screen import runs, said, settled
from tests.pages.test_run_again import LUNA, SOL, made, samples
from tests.runs.test_assignment import HOSTILE, TRACE, token
from ui import session
from ui.trace.form import JURY


def link(plan: RunPlan) -> str:
    """What stands in the link for a run that is not here."""
    run = made(plan)
    session.store().runs.delete(run.id)
    return assignment.token_of(run)


def test_the_link_on_a_run_fills_the_form_and_the_new_run_says_how_to_hand_it_in(open_page, filled):
    at = open_page("trace", run=filled.trace.id)
    [shown] = re.findall(r"\?assignment=(\S+)", " ".join(code.value for code in at.code))
    filled.store.runs.delete(filled.trace.id)
    before = len(runs())

    at = open_page("trace", assignment=shown)

    assert "assignment" not in at.query_params
    assert len(runs()) == before
    assert at.button(key="trace_start").label == "Evaluate all 24 samples"
    assert "Assignment: look at the settings, press Start" in said(at)
    assert "Against the assignment: nothing changed yet." in said(at)
    at.button(key="trace_start").click()
    at = settled(checked(at.run()))
    assert runs()[0].evaluators == filled.trace.evaluators
    assert "To hand it in: Share, Whole run." in said(at)


def test_on_a_public_host_the_link_leads_nobody_to_the_workspace(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    at = open_page("trace", run=INVENTED)
    own = at.query_params["w"]

    run_link, assignment_link = [code.value for code in at.code if code.value.startswith("?")]

    assert own in run_link
    assert own not in assignment_link
    padded = assignment_link.partition("?assignment=")[2] + "=="
    assert own not in base64.urlsafe_b64decode(padded).decode()
    visit = open_page("trace", assignment=padded.rstrip("="))
    assert visit.query_params["w"] != own
    assert "Assignment: look at the settings" in said(visit)


def test_a_judge_without_a_key_is_asked_for(open_page):
    plan = RunPlan(samples(), inputs.evaluators(["gpt_labeling"]), judges=(LUNA,))

    at = open_page("trace", assignment=link(plan))

    assert at.selectbox(key="trace_judge").value is None
    assert "It asks GPT-6 Luna, which cannot be asked here yet." in said(at)
    assert at.button(key="trace_start").label == "Choose a judge to start"


def test_of_a_jury_those_with_a_key_are_preset(open_page, serving):
    serving(lambda prompt: "{}")
    mini = LUNA.model_copy(update={"model": "gpt-4o-mini"})
    plan = RunPlan(samples(), inputs.evaluators(["gpt_labeling"]), judges=(LUNA, SOL, mini))

    at = open_page("trace", assignment=link(plan))

    assert at.radio(key="trace_method").value == JURY
    assert at.multiselect(key="trace_jury").value == [LUNA.id, mini.id]
    assert "It asks GPT-6 Sol, which" in said(at)
    assert not runs()


def test_a_link_waits_for_data_that_are_not_here_yet(open_page):
    mine = Dataset(name="mine <b>", samples=samples().samples[:3])
    at = open_page("trace", assignment=link(RunPlan(mine, inputs.evaluators(["trace"]), seed=4)))
    assert "The data set “mine <b>” is not here." in said(at)
    assert at.number_input(key="trace_seed").value == 0

    session.store().uploads.save(session.workspace(), mine.name, mine)

    at = checked(at.run())
    assert "is not here" not in said(at)
    assert at.selectbox(key="trace_dataset").value == mine.name
    assert at.number_input(key="trace_seed").value == 4


def test_data_of_the_hub_are_named_and_their_name_filled_in(open_page):
    part = {"id": "owner/name", "config": "default", "split": "test", "rows": 30}
    at = open_page("trace", assignment=token({**TRACE, "data": "name test", "hub": part}))

    assert "takes 30 rows of owner/name (default, test) from Hugging Face" in said(at)
    at.switch_page("../pages/datasets.py")
    at = checked(at.run())
    assert at.text_input(key="hub_id").value == "owner/name"
    assert at.session_state["hub_rows"] == 30


def test_an_upload_gets_a_hint_that_others_need_it(open_page):
    mine = Dataset(name="mine", samples=samples().samples[:1])
    run: Run = create_run(
        session.store(), RunPlan(mine, inputs.evaluators(["trace"])), workspace="local"
    )

    at = open_page("trace", run=run.id)

    assert "Others need the data as well: hand out the file of “mine”." in said(at)


@pytest.mark.parametrize("name", ["not base64", "markup as a metric", "a parameter's value"])
def test_a_hostile_link_is_refused_and_the_form_stays_as_it_is(open_page, name):
    at = open_page("trace", assignment=HOSTILE[name][0])

    assert HOSTILE[name][1] in said(at)
    assert at.number_input(key="trace_chunk_size").value == 512
    assert not runs()


@pytest.mark.parametrize(
    ("page", "link", "words"),
    [
        ("rgb", TRACE, "belongs to another page"),
        ("metrics", TRACE, "belongs to another page"),
        ("trace", {**TRACE, "data": "![x](http://evil/x.png)"}, "“![x](http://evil/x.png)” is not"),
        ("trace", {**TRACE, "data": ENGLISH_BED}, f"“{ENGLISH_BED}” is not here"),
        ("trace", {**TRACE, "sample": 1_000_000}, "Assignment: look at the settings"),
        ("trace", {**TRACE, "model": ["a/<b>", "a/<b>"]}, "Assignment: look at the settings"),
        (
            "rgb",
            {"data": ENGLISH_BED, "evaluators": [{"name": "rgb"}], "model": ["x/y"]},
            "It asks y, which",
        ),
    ],
)
def test_a_link_that_does_not_fit_is_no_error_of_the_page(open_page, page, link, words):
    at = open_page(page, assignment=token(link))

    assert words in said(at)
    assert not runs()
    assert TRACE_SAMPLES in session.sources()
