"""Runs of a RAG system of one's own on the pages: opened, and resumed where it is not at hand."""

import re

import pytest

from evaluators import Cap, evaluate
from evaluators.datasets.bundled import ENGLISH_BED
from evaluators.llm.own import HTTPSystem
from evaluators.records import Ability
from tests.pages.screen import evidence, html, said, segments
from ui import session

FOUND = "The tower was built in 1889."
QUESTIONS = [{"question": "When was it built?", "ground_truth": "1889"}, {"question": "Who?"}]


def ask(question):
    return {"response": "In 1889.", "retrieved_documents": [FOUND]}


@pytest.mark.parametrize(
    ("page", "data", "metrics", "options"),
    [
        ("rgb", ENGLISH_BED, "rgb", {"ability": "noise_robustness", "sample": 2}),
        ("trace", QUESTIONS, "trace", {}),
        ("metrics", QUESTIONS, "answer_match", {}),
    ],
)
def test_its_run_and_its_sample_are_shown_with_what_it_retrieved(
    open_page, page, data, metrics, options
):
    run = evaluate(data, metrics, system=ask, store=session.store(), progress=False, **options).run
    at = open_page(page, run=run.id)
    assert not at.exception
    assert "ask" in said(at)
    at = open_page("sample", run=run.id, sample="1", model="1")
    assert not at.exception
    shown = re.sub(r"<[^>]*>", "", html(at)) + str(evidence(at) if page == "trace" else "")
    shown += said(at, "text", "markdown")
    assert FOUND in shown


def test_a_run_of_a_function_cannot_go_on_in_the_app_and_says_where(open_page):
    run = evaluate(
        QUESTIONS,
        "answer_match",
        system=ask,
        cap=Cap(calls=1),
        store=session.store(),
        progress=False,
    ).run
    at = open_page("metrics", run=run.id)
    (resume,) = (each for each in at.button if "esume" in each.label)
    at = resume.click().run()
    assert not at.exception
    assert "ask is a RAG system that is not at hand" in said(at)


@pytest.mark.parametrize(
    ("body", "on"),
    [
        ('{"question": "{{question}}"}', [Ability.NOISE, Ability.INTEGRATION]),
        ('{"question": "{{question}}", "documents": "{{documents}}"}', list(Ability)),
    ],
)
def test_rgb_begins_without_what_a_system_with_documents_of_its_own_cannot_be_asked(
    open_page, body, on
):
    session.keep_key(HTTPSystem(name="mine", address="http://127.0.0.1:9/ask", body=body).access())
    at = open_page("rgb", new=ENGLISH_BED)
    at = at.multiselect(key="rgb_models").set_value(["system/mine"]).run()
    assert not at.exception
    place = "" if on == list(Ability) else "_without_documents"
    assert segments(at, f"rgb_abilities_{ENGLISH_BED}{place}").value == on
    reason = "mine looks for its own documents. Rejection and planted errors are tested by"
    assert (reason in said(at)) is bool(place)
    # Nobody can be asked by tomorrow, so there is no choice.
    assert not [each for each in at.radio if each.key in ("rgb_now", "rgb_when")]
    session.forget_key("system/mine")
