"""Sample: whatever stands in the address, a sample with its sentences, verdicts and neighbours."""

import pytest

from evaluators.records import (
    Labelling,
    Labels,
    SampleResult,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.runs import samples
from evaluators.trace.metrics import arithmetic, from_score, to_score, trace_scores
from tests.pages.conftest import checked, fail
from tests.pages.screen import button, cards, evidence, html, press, runs, said, segments, table


def test_without_a_run_the_page_says_where_to_find_one(open_page):
    assert "Open a run and select a row there." in said(open_page("sample"))


def test_an_unknown_run_says_where_to_find_one(open_page, filled):
    assert "There is no such run here" in said(open_page("sample", run="unknown", sample="1"))


@pytest.mark.parametrize(
    ("number", "shown"),
    [("24", 24), ("25", 24), ("0", 1), ("-3", 1), ("1.5", 1), ("²", 1), ("9" * 5000, 24)],
)
def test_any_number_in_the_address_leads_to_a_sample(open_page, filled, number, shown):
    at = open_page("sample", run=filled.trace.id, sample=number)
    assert f"Sample {shown} of 24" in said(at)
    assert at.query_params["sample"] == str(shown)


def test_the_buttons_lead_to_the_neighbours_and_back(open_page, filled):
    at = open_page("sample", run=filled.trace.id, sample="23")
    assert "Sample 24 of 24" in said(press(at, "Next"))
    assert button(checked(at.run()), "Next").disabled
    assert "Sample 23 of 24" in said(press(at, "Previous"))
    assert "Adherence" in cards(press(at, "Back to the run"))
    assert at.query_params["run"] == filled.trace.id


def test_the_neighbours_are_those_that_the_table_shows(open_page, filled):
    for position in (3, 10):
        fail(filled.rgb, "No. Wait.", position)
    at = open_page("rgb", run=filled.rgb.id)
    checked(segments(at, f"filter_{filled.rgb.id}").set_value("Failed").run())
    at.switch_page("../pages/sample.py")
    at.query_params.update({"run": filled.rgb.id, "sample": "4"})
    assert "Sample 4 of 216 · 1 of 2 in the table" in said(checked(at.run()))
    assert button(at, "Previous").disabled
    assert "Sample 11 of 216 · 2 of 2 in the table" in said(press(at, "Next"))
    assert button(checked(at.run()), "Next").disabled
    at.query_params["sample"] = "6"  # a link to one that the table does not show
    assert "Sample 6 of 216" in said(checked(at.run()))
    assert "in the table" not in said(at)


def test_a_trace_sample_marks_every_sentence_and_works_out_every_number(open_page, filled):
    at = open_page("sample", run=filled.trace.id, sample="1")
    _, sample, score = next(filled.store.results.scored(filled.trace))
    scores = from_score(score, sample)
    sentences = len(scores.sentences.response) + len(scores.sentences.document_keys)
    assert html(at).count('class="pl-s') == sentences
    assert html(at).count(">supported<") == [
        s.support for s in scores.labels.sentence_support
    ].count(Support.FULL)
    for line in arithmetic(scores).values():
        assert line in said(at, "text")


def test_a_run_is_shown_by_the_sentences_that_were_labelled_however_they_are_cut_today(
    open_page, filled
):
    _, sample, _ = next(filled.store.results.scored(filled.trace))
    sentences = Sentences(
        documents=((Sentence(key="0a", text="The tower was"), Sentence(key="0b", text="built.")),),
        response=(Sentence(key="a", text="Birds fly. Fish swim."),),
    )
    support = SentenceSupport(key="a", support=Support.FULL, supporting_keys=("0b",))
    labels = Labels(relevant_keys=("0b",), utilized_keys=("0b",), sentence_support=(support,))
    score = to_score(
        trace_scores(sentences, labels), sample, [Labelling(by="heuristic", labels=labels)]
    )
    filled.store.results.save(
        filled.trace.id, SampleResult(position=0, status="scored", score=score)
    )

    at = open_page("sample", run=filled.trace.id, sample="1")

    assert html(at).count('class="pl-s') == 3
    assert "Birds fly. Fish swim." in html(at)
    assert "= relevant sentences / all document sentences = 1 / 2 = 0.50" in said(at, "text")
    assert "A run keeps the sentences that were labelled." in said(at)


def test_the_evidence_view_is_told_what_each_response_sentence_rests_on(open_page, filled):
    view = evidence(open_page("sample", run=filled.trace.id, sample="1"))
    _, sample, score = next(filled.store.results.scored(filled.trace))
    scores = from_score(score, sample)
    first = scores.labels.sentence_support[0]
    assert view["restsOn"]["a"] == list(first.supporting_keys)
    assert view["said"][0]["of"]["a"].startswith(f"supported by {', '.join(first.supporting_keys)}")
    assert view["question"] == sample.question
    assert view["answer"] == [[each.key, each.text] for each in scores.sentences.response]


def test_an_rgb_sample_shows_answer_documents_rules_and_prompt(open_page, filled):
    at = open_page("sample", run=filled.rgb.id, sample="1")
    assert "On what date did the 2023 Lanternwick Tide Festival begin?" in said(at, "text")
    assert "Noise robustness · noise 0 %" in said(at)
    assert html(at).count("<h3>Document") == 5
    assert "Does it find the true answer in the documents? " in said(at, "header")
    assert [row["Asked"] for row in table(at, "Asked")]
    assert "Question: On what date" in at.code[0].value


@pytest.mark.parametrize("position", [0, 130, 160, 215])
def test_samples_of_every_ability_open(open_page, filled, position):
    at = open_page("sample", run=filled.rgb.id, sample=str(position + 1))
    assert f"Sample {position + 1} of 216" in said(at)


def test_a_failed_sample_shows_the_error_as_text(open_page, filled):
    error = "The judge wrote ![x](http://127.0.0.1:9/x.png). Try again."
    fail(filled.trace, error)
    at = open_page("sample", run=filled.trace.id, sample="1")
    assert error in said(at, "error")
    assert "Retry failed on the run's page tries it again" in said(at)
    assert "![" not in at.error[0].value


def test_a_sample_without_a_result_says_so(open_page, filled):
    run = samples.trace(filled.store, "local")
    assert "Not judged yet" in said(open_page("sample", run=run.id, sample="1"))
    assert len(runs()) == 3
