"""Data without responses: a generator answers in the TRACE and the Metrics form, and its answers
are judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.exports import formats
from evaluators.llm.catalogue import OFFLINE
from evaluators.records import Run, Sample
from evaluators.runs.inputs import load_prompt
from tests import judge
from tests.loopback import Loopback
from tests.pages.conftest import OpenPage, checked, keep_upload
from tests.pages.screen import (
    html,
    lines,
    runs,
    said,
    samples,
    segments,
    started,
    state,
    table,
)
from ui import run_views, session
from ui.trace.form import HEURISTIC, HYBRID, JURY

LUNA, MINI = "openai/gpt-6-luna", "openai/gpt-4o-mini"
READER, OF_LUNA = "Offline reader (baseline, no key)", "GPT-6 Luna"
ANSWER, OTHER = "The mill was built in 1812.", "They built it in 1812."
DOCUMENT = "The mill was built in 1812. It stands by the river."


@pytest.fixture
def provider(serving: Callable[..., Loopback]) -> Loopback:
    """OpenAI is this server: it labels by common words, says yes as a judge, and answers all else
    with a sentence.
    """

    def answer(prompt: str) -> str:
        if judge.is_labelling(prompt):
            return judge.labels_for(prompt)
        return json.dumps({"reason": "", "verdict": "yes"}) if "verdict" in prompt else OTHER

    return serving(answer)


# The forms


@pytest.mark.parametrize("page", ["trace", "metrics"])
def test_a_generator_is_offered_where_responses_are_missing(open_page, page):
    kept("told", "In May.", "In June.")
    kept("half", "In May.", None)
    kept("none", None, None)
    at = form(open_page, page, "told")
    assert "no answer" not in said(at, "markdown", "caption")
    assert "Models" not in [widget.label for widget in at.multiselect]
    assert not at.button(key=f"{page}_start").disabled

    at = form(open_page, page, "half")
    assert "1 of 2 samples has no answer: a generator answers them." in said(at, "markdown")
    assert at.multiselect(key=f"{page}_models").value == [OFFLINE.id]
    assert at.text_area(key=f"{page}_prompt_en").value == load_prompt("rgb_en")
    assert not at.button(key=f"{page}_start").disabled

    # Without a model only responses that are there can be judged.
    at = models(at, page)
    assert "Without a model, 1 sample without an answer will fail." in said(at)
    assert not at.button(key=f"{page}_start").disabled
    at = models(form(open_page, page, "none"), page)
    assert "Without one there is nothing to judge." in said(at)
    assert at.button(key=f"{page}_start").label == "Choose a model to start"
    assert at.button(key=f"{page}_start").disabled


def test_a_prompt_without_its_blanks_cannot_be_started(open_page):
    kept("none", None)
    at = form(open_page, "metrics", "none")
    at.text_area(key="metrics_prompt_en").set_value("Answer $question")
    assert "The prompt lacks $documents" in said(checked(at.run()), "error")
    assert at.button(key="metrics_start").label == "Correct the prompt to start"
    assert at.button(key="metrics_start").disabled


def test_a_metric_does_not_miss_a_response_that_a_generator_gives(open_page):
    kept("none", None, None)
    at = form(open_page, "metrics", "none")
    assert "Needs: answer, true answer. 2 of 2 samples can be judged." in said(at)
    assert not said(at, "warning")
    assert "Answer match" in at.multiselect(key="metrics_metrics").options
    # Metrics of the retriever need none.
    at.multiselect(key="metrics_metrics").set_value(["context_recall"])
    assert "no answer" not in said(checked(at.run()), "markdown")


def test_the_estimate_holds_the_calls_of_the_generators(open_page, provider):
    kept("half", "In May.", None, None)
    at = form(open_page, "trace", "half", JURY, judge=LUNA)
    at = models(at, "trace", OFFLINE.id, MINI)
    label = at.button(key="trace_start").label
    assert label.startswith("Evaluate all 3 samples, answered by each of 2 models, ")
    rows = {row["Model"]: row["Calls"] for row in table(at, "Model")}
    assert rows == {
        READER: 2,
        "GPT-4o mini": 2,
        "GPT-6 Luna (judge)": 1 + 2 * 2,
        "LLMs together": 7,
    }


def test_a_metric_s_judge_is_asked_as_often_as_estimated(open_page, provider):
    kept("half", "In May.", None)
    at = form(open_page, "metrics", "half")
    checked(at.multiselect(key="metrics_metrics").set_value(["llm_judge"]).run())
    at.selectbox(key="metrics_metric_judge").set_value(LUNA)
    at = models(checked(at.run()), "metrics", OFFLINE.id, LUNA)
    assert "This judge also answers, and may favour its own answers." in said(at)
    rows = {row["Model"]: row["Calls"] for row in table(at, "Model")}
    assert rows == {READER: 1, OF_LUNA: 1, "GPT-6 Luna (judge)": 3, "LLMs together": 4}
    started(at, "metrics")
    assert len(provider.asked) == 1 + 3


def test_hybrid_asks_for_a_doubt_as_nobody_can_be_doubtful_of_an_answer_to_come(
    open_page, provider
):
    kept("half", ANSWER, None)
    at = form(open_page, "trace", "half", HYBRID, judge=LUNA)
    assert at.button(key="trace_start").label.startswith("Evaluate all 2 samples, ")
    at = checked(at.number_input(key="trace_doubt_from").set_value(0.99).run())
    assert (
        "Judges get 0 of the answers that are there, and of those to come the ones with a doubt "
        "of 0.99 or more."
    ) in said(at)
    assert table(at, "Model")[-1]["Calls"] == 1
    at = checked(at.number_input(key="trace_doubt_from").set_value(1.01).run())
    assert "None would be judged: no doubt is above 1. Lower “Doubt from”." in said(at)
    assert at.button(key="trace_start").label == "Lower “Doubt from” to start"
    assert at.button(key="trace_start").disabled


# Runs


def test_a_trace_run_judges_what_the_offline_reader_answers(open_page):
    kept("half", "In May.", None)
    at = started(form(open_page, "trace", "half"), "trace")
    assert state(at) == "2 answers checked"
    (run,) = runs()
    assert (run.models, run.prompt) == ((OFFLINE,), load_prompt("rgb_en"))
    assert (
        f"Prompt: {run.prompt_hash} · 1 response from the data, the same for every model"
        in said(at)
    )
    assert session.store().results.responses(run) == {(0, 0): "In May.", (1, 0): ANSWER}


def test_two_generators_are_not_mixed(open_page, provider):
    run = of_two_models(open_page)
    at = open_page("trace", run=run.id)
    of_models = [line for line in lines(at) if line.title == "Context relevance"]
    assert [line.meaning.partition(". ")[0] for line in of_models] == [READER, OF_LUNA]
    assert [line.coverage for line in of_models] == ["2 of 2", "2 of 2"]
    assert {row["Model"] for row in samples(at)} == {READER}
    at = checked(segments(at, f"model_{run.id}").set_value(OF_LUNA).run())
    assert {row["Model"] for row in samples(at)} == {OF_LUNA}


def test_the_sample_shows_the_response_and_what_was_asked_for_it(open_page, provider):
    run = of_two_models(open_page)
    at = open_page("sample", run=run.id, sample="2", model="2")
    assert OTHER in html(at)
    assert f"Answer by {OF_LUNA}." in said(at)
    assert [code.value for code in at.code if "Question: When was the mill built?" in code.value]
    at = open_page("sample", run=run.id, sample="1", model="2")
    assert "The answer is from the data set; no model was asked." in said(at)


def of_two_models(open_page: OpenPage) -> Run:
    """A finished TRACE run over a given and a missing response."""
    kept("half", "In May.", None)
    started(models(form(open_page, "trace", "half"), "trace", OFFLINE.id, LUNA), "trace")
    (run,) = runs()
    return run


def exported(run: Run) -> str:
    view = run_views.latest(run)
    return formats()["csv"].whole(view).decode("utf-8-sig")


def kept(name: str, *responses: str | None) -> None:
    """An upload of one question for each response."""
    facts = {"question": "When was the mill built?", "ground_truth": "1812"}
    facts |= {"retrieved_documents": (DOCUMENT,)}
    samples = (Sample(id=f"s{n}", response=own, **facts) for n, own in enumerate(responses))
    keep_upload(name, *samples)


def form(
    open_page: OpenPage, page: str, data: str, method: str = HEURISTIC, judge: str = ""
) -> AppTest:
    """The form with this much chosen."""
    at = open_page(page)
    at.selectbox(key=f"{page}_dataset").set_value(data)
    if page == "trace":
        at.radio(key="trace_method").set_value(method)
    checked(at.run())
    if judge:
        at.multiselect(key={JURY: "trace_jury", HYBRID: "trace_hybrid"}[method]).set_value([judge])
        checked(at.run())
    return at


def models(at: AppTest, page: str, *chosen: str) -> AppTest:
    return checked(at.multiselect(key=f"{page}_models").set_value(list(chosen)).run())
