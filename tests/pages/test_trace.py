"""TRACE: the cards show what the metrics compute from the stored labels, under each definition."""

from __future__ import annotations

import pytest

from evaluators import evaluate
from evaluators.base import evaluator
from evaluators.records import Dataset, Sample
from evaluators.trace.definitions import DEFINITIONS, Step
from evaluators.trace.metrics import METRICS, from_score
from evaluators.trace.values import TRACE_VALUES
from evaluators.trace_evaluator import TRACEEvaluator
from tests.pages.conftest import Filled, checked, finished
from tests.pages.screen import (
    cards,
    jsonl,
    lines,
    numbers,
    runs,
    said,
    samples,
    segments,
    settled,
    state,
    value_table,
)
from ui.trace.form import HEURISTIC, JURY

TITLES = dict(
    zip(
        ("Context relevance", "Context utilization", "Completeness", "Adherence"),
        METRICS,
        strict=True,
    )
)
GOOD = {
    "question": "When?",
    "response": "It was in May.",
    "retrieved_documents": ["It was in May.", "Tea is hot."],
}


@evaluator(
    "test_labeller",
    title="Own labels",
    needs=TRACEEvaluator.needs,
    judges="none",
    evidence="sentences",
)
class OwnLabels(TRACEEvaluator):
    """Labels sentences like the heuristic, and is not one of the methods that ship."""


def test_an_empty_page_shows_the_form_and_needs_no_key(open_page):
    at = open_page("trace")
    assert "The heuristic needs no key" in said(at)
    assert at.button(key="trace_start").label == "Evaluate all 24 samples"


def test_the_cards_show_the_means_under_the_chosen_definition(open_page, filled):
    at = open_page("trace", run=filled.trace.id)
    for definition in DEFINITIONS:
        segments(at, f"definition_{filled.trace.id}").set_value(definition)
        shown = cards(checked(at.run()))
        for title, name in TITLES.items():
            assert shown[title] == f"{mean(filled, name, definition):.2f}"


def test_a_run_is_shown_by_its_own_formula(open_page):
    tower = {
        "question": "Where is the tower?",
        "response": "The tower is in Paris.",
        "retrieved_documents": ["The tower is in Paris. It opened in 1889. Bees like flowers."],
    }
    found = evaluate([tower], "trace", definition="ragbench", progress=False)

    at = open_page("trace", run=found.run.id)

    assert segments(at, f"definition_{found.run.id}").value == "ragbench"
    for title, name in TITLES.items():
        assert cards(at)[title] == f"{found.summary()[name].mean:.2f}"
    by_sentences = found.under("sentence").summary()["context_utilization"].mean
    assert cards(at)["Context utilization"] != f"{by_sentences:.2f}"


def test_of_a_formula_that_is_gone_the_page_says_what_it_shows(open_page, monkeypatch):
    found = evaluate([GOOD], "trace", definition="ragbench", progress=False)
    monkeypatch.delitem(DEFINITIONS, "ragbench")  # the last: it comes back to its place

    at = open_page("trace", run=found.run.id)

    assert segments(at, f"definition_{found.run.id}").value == "sentence"
    assert (
        "This run was counted by the formula ragbench, which is gone. Its labels are shown by "
        "sentence; choose another of: sentence, fixed_20."
    ) in said(at, "warning")


def test_a_new_definition_is_offered_explained_and_counted(open_page, filled, monkeypatch):
    own = DEFINITIONS["sentence"]._replace(
        title="Own",
        meaning="Nobody adheres.",
        adherence=lambda sentences, labels: Step(0.25, "= 0.25"),
    )
    monkeypatch.setitem(DEFINITIONS, "own", own)
    at = open_page("trace", run=filled.trace.id)
    switch = segments(at, f"definition_{filled.trace.id}")
    assert switch.options == ["Sentence", "Fixed 20", "RAGBench", "Own"]
    assert "**Own**: Nobody adheres." in switch.help
    switch.set_value("own")
    assert cards(checked(at.run()))["Adherence"] == "0.25"
    sample = open_page("sample", run=filled.trace.id, sample="1")
    assert segments(sample, f"definition_{filled.trace.id}").options[-1] == "Own"
    segments(sample, f"definition_{filled.trace.id}").set_value("own")
    assert numbers(checked(sample.run()))["adherence"] == "0.25"


def test_a_finished_run_by_the_heuristic_names_suspects_and_says_how_often_it_is_right(
    open_page, filled
):
    at = open_page("trace", run=filled.trace.id)
    assert state(at) == "24 answers checked"
    # Of one answer no sentence is relevant by its words: whether it is complete is not known.
    coverages = ["24 of 24"] * 6
    coverages[2] = "23 of 24, 1 not applicable"
    assert [line.coverage for line in lines(at)] == coverages
    # The data have labels of their own
    assert (
        "According to gold, 9 of 24 answers contain something the documents do not say: 38 % "
        "(95 % interval: 21 to 57). 8 of 24 answers to look at first (heuristic)."
    ) in said(at, "header")
    caution = "The heuristic compares words: it finds suspects, it does not count."
    assert [each.value for each in at.warning] == [caution]
    # The figures are behind its "?".
    assert next(each.help for each in at.header if each.help).replace("\\", "").replace(
        "\xa0", " "
    ) == (
        f"{caution} On these data its verdicts are right in 88 % of 24 answers; always saying yes "
        "is right in 62 %."
    )
    # Scores stand before what a sample is about.
    columns = list(samples(at)[0])
    assert columns[:5] == ["#", "Verdict", "Question", "Answer", "Context relevance"]
    assert columns[-1] == "Group"
    groups = value_table(at, "Group")
    assert len(groups) == 8
    for cells in groups.values():
        assert [whose for whose, _, _ in cells] == [value.heading for value in TRACE_VALUES]
        assert {about for _, _, about in cells} <= {"3 of 3", "2 of 3, 1 not applicable"}


def test_the_card_names_parameters_that_are_not_as_usual(open_page, upload):
    upload("samples.jsonl", jsonl(GOOD))
    at = open_page("trace")
    at.selectbox(key="trace_dataset").set_value("samples.jsonl")
    at.selectbox(key="trace_chunking_strategy").set_value("sentence").run()
    at = settled(at.button(key="trace_start").click().run())
    assert "Chunking strategy: Sentence" in said(at).splitlines()
    assert "samples.jsonl" in said(at, "markdown")


def test_a_labeller_of_one_s_own_has_this_page(open_page):
    data = Dataset(name="one", samples=(Sample.model_validate(GOOD | {"id": "1"}),))
    run = finished(data, "test_labeller")
    assert cards(open_page("trace", run=run.id))["Adherence"] == "1.00"
    assert numbers(open_page("sample", run=run.id, sample="1"))["adherence"] == "1.00"
    assert not cards(open_page("metrics", run=run.id))


def test_a_verdict_counts_what_is_not_and_what_is_partly_supported(open_page, upload):
    response = "The Falcon lasts 30 hours. Its rival costs 50 dollars. It is sold in Berlin."
    documents = ["The Falcon lasts 20 hours. It is sold in Berlin."]
    answer = {"question": "How long?", "response": response, "retrieved_documents": documents}
    upload("samples.jsonl", jsonl(answer))
    at = open_page("trace")
    at.selectbox(key="trace_dataset").set_value("samples.jsonl").run()
    at.button(key="trace_start").click()
    (row,) = samples(settled(at.run()))
    assert row["Verdict"] == "1 not, 1 partly, of 3 sentences"


def test_a_sample_without_a_response_fails_with_the_remedy(open_page, upload):
    upload("samples.jsonl", jsonl(GOOD, {**GOOD, "response": None}))
    at = open_page("trace")
    at.selectbox(key="trace_dataset").set_value("samples.jsonl").run()
    at.multiselect(key="trace_models").set_value([]).run()
    at = settled(at.button(key="trace_start").click().run())
    assert state(at) == "1 of 2 checked · 1 failed"
    # "It was in May." has no content word: nothing says what is relevant, and so what is complete.
    coverages = ["1 of 2, 1 failed"] * 6
    coverages[2] = "0 of 2, 1 not applicable, 1 failed"
    assert [line.coverage for line in lines(at)] == coverages
    assert [row["Verdict"][:23] for row in samples(at)] == [
        "1 sentence supported",
        "failed: Sample 2: respo",
    ]
    assert "response missing" in said(open_page("sample", run=runs()[0].id, sample="2"), "error")


def test_odd_samples_are_judged_and_can_be_opened(open_page, upload):
    rows = [
        {**GOOD, "response": ""},
        {**GOOD, "retrieved_documents": []},
        {**GOOD, "retrieved_documents": ["", "  "]},
        {**GOOD, "question": "？", "response": "🙂", "retrieved_documents": ["🙂"]},
    ]
    # Beside a usual one: data in which no sample has documents are refused before the run.
    upload("samples.jsonl", jsonl(*rows, GOOD))
    at = open_page("trace")
    at.selectbox(key="trace_dataset").set_value("samples.jsonl").run()
    at.button(key="trace_start").click()
    assert state(settled(at.run())) == "5 answers checked"
    assert not at.exception
    for number in range(1, 5):
        shown = open_page("sample", run=runs()[0].id, sample=str(number))
        assert "adherence" in numbers(shown)


@pytest.mark.parametrize("method", [HEURISTIC, JURY])
def test_windows_that_would_not_move_are_refused_before_anything_is_stored(open_page, method):
    at = checked(open_page("trace").radio(key="trace_method").set_value(method).run())
    at.number_input(key="trace_chunk_size").set_value(100)
    at.number_input(key="trace_chunk_overlap").set_value(100)
    assert "chunk_overlap" in said(checked(at.run()), "error")
    assert at.button(key="trace_start").label == "Correct the settings to start"
    assert at.button(key="trace_start").disabled
    assert runs() == []


def test_an_embedding_model_that_is_not_there_is_refused_with_the_remedy(open_page):
    at = open_page("trace")
    at.text_input(key="trace_embedding_model").set_value("sentence-transformers/x")
    remedy = 'pip install "sentence-transformers==6.2.0"'
    # Told before anybody presses.
    assert remedy in said(checked(at.run()), "error").replace("\\", "")
    assert at.button(key="trace_start").disabled


def test_an_unknown_run_in_the_address_leads_to_the_form(open_page, filled):
    at = open_page("trace", run="unknown")
    assert "There is no such run here" in said(at)
    assert not at.metric


def mean(filled: Filled, name: str, definition: str) -> float:
    scores = (
        from_score(score, sample, definition)
        for _, sample, score in filled.store.results.scored(filled.trace)
    )
    values = [value for score in scores if (value := getattr(score, name)) is not None]
    return sum(values) / len(values)


def test_what_the_widgets_of_an_earlier_page_were_given_is_let_go(open_page, filled):
    def widgets(at):
        return {*at.session_state._state._state._new_widget_state.widget_metadata}

    at = open_page("trace", run=filled.trace.id)
    of_the_run = {name for name in widgets(at) if filled.trace.id in name}
    for _ in range(2):
        at = checked(at.switch_page("../pages/home.py").run())
    assert of_the_run
    assert not of_the_run & widgets(at)
