"""What is wrong with a run's answers, as cards on its page and as words on its samples."""

from __future__ import annotations

import pytest

from evaluators import FakeLLM
from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator
from evaluators.records import Completion, Dataset, Labels, Sample, SentenceSupport, Support
from tests.pages.conftest import checked, finished
from tests.pages.screen import evidence, runs, said, samples, segments, settled, table
from tests.stored import stored_run
from tests.trace.test_kinds_of_unsupported import ENGLISH, says
from ui import session

DOCUMENTS = ("The tower stands in Paris. It was finished in 1889.", "Rome is in Italy.")


def sample(number, response, truth, *keys):
    supports = (
        SentenceSupport(key="a", support=Support.FULL, supporting_keys=keys)
        if keys
        else SentenceSupport(key="a", support=Support.NONE)
    )
    return Sample(
        id=f"s{number}",
        question=f"When was tower {number} finished?",
        response=response,
        retrieved_documents=DOCUMENTS,
        ground_truth=truth,
        labels=Labels(sentence_support=(supports,)),
    )


DATA = Dataset(
    name="flawed",
    samples=(
        *(sample(n, "The documents do not say.", "1889") for n in range(1, 6)),
        sample(6, "It was finished in 1889 [2].", "1889", "0b"),
        sample(7, "It was finished in 1890.", "1890"),
    ),
)


@pytest.fixture
def run():
    return finished(DATA, "trace")


def test_a_run_begins_with_its_flaws_the_most_frequent_first(open_page, run):
    at = checked(open_page("trace", run=run.id))
    shown = said(at, "header", "markdown", "caption")

    assert "What is wrong" in shown
    first, second = "Declined although there was evidence", "Answered without evidence"
    assert shown.index(first) < shown.index(second)
    # 5 of 7 by Wilson
    assert "5 of 7 answers · 71 % (36 to 92)" in shown
    assert "Whether the documents hold the answer is told by the true answers (7 answers)." in shown


def test_a_card_opens_answers_and_has_the_table_show_all(open_page, run):
    at = checked(open_page("trace", run=run.id))
    at.button(key="choose_declined_wrongly").click()
    checked(at.run())

    assert segments(at, f"filter_{run.id}").value == "Declined although there was evidence"
    assert len(samples(at)) == 5


@pytest.mark.parametrize(
    ("outcome", "expected"), [("answered with evidence", 1), ("declined rightly", 0)]
)
def test_each_way_to_answer_opens_its_answers(open_page, run, outcome, expected):
    at = checked(open_page("trace", run=run.id))
    button = at.button(key=f"choose_{outcome}")

    assert button.disabled == (not expected)
    if expected:
        button.click()
        checked(at.run())
        assert len(samples(at)) == expected


def test_what_a_judge_finds_wrong_stands_on_the_card_and_beside_the_sentence(open_page):
    """Of the three sentences of each of two answers a judge says it of two, then of one."""
    judged = []
    for answer in (says("contradicts", "adds", "unknown"), says("unknown", "adds", "unknown")):
        judge = FakeLLM([Completion(text=answer)], model="groq/judge")
        judged.append(AdvancedRAGEvaluator(llm_client=judge).score(ENGLISH))
    rows = tuple(ENGLISH.model_copy(update={"id": name}) for name in ("one", "two"))
    data = Dataset(name="judged", samples=rows)
    run = stored_run(session.store(), data, "gpt_labeling", scores=judged)

    card = said(checked(open_page("trace", run=run.id)), "caption")
    assert "contradicts the documents 1 · adds to the documents 2 · unknown kind 3" in card
    told = evidence(checked(open_page("sample", run=run.id, sample="1")))
    assert told["flaws"] == {"a": ["contradicts the documents"], "b": ["adds to the documents"]}


def test_a_metrics_run_has_what_follows_from_true_answers(open_page):
    run = finished(DATA, "answer_match")
    shown = said(checked(open_page("metrics", run=run.id)), "markdown")

    assert "Declined although there was evidence" in shown
    assert "Says what no document says" not in shown


def test_without_documents_or_flaws_nothing_is_said(open_page):
    right = sample(1, "It was finished in 1889.", "1889", "0b")
    bare = right.model_copy(update={"retrieved_documents": (), "labels": None})
    run = finished(Dataset(name="right", samples=(bare,)), "answer_match")

    at = checked(open_page("metrics", run=run.id))
    assert "What is wrong" not in said(at, "header", "markdown")


def test_a_labeller_is_tested_by_planted_errors_from_its_check(open_page):
    rows = tuple(
        sample(n, f"It was finished in {1900 + n} by the mayor of Rome.", None, "0a").model_copy(
            update={
                "retrieved_documents": (
                    f"It was finished in {1900 + n} by the mayor of Rome.",
                    f"A gate was built in {1700 + n}.",
                ),
                "labels": None,
            }
        )
        for n in range(12)
    )
    run = finished(Dataset(name="supported", samples=rows), "trace")
    at = checked(open_page("check", run=run.id))
    at.session_state[f"planted_{run.id}"] = True
    checked(at.run())
    assert "12 answers, " in said(at, "caption")

    at.button(key=f"plant_{run.id}").click()
    settled(at.run())
    tested = runs()[0]
    assert tested.title.startswith("Planted errors: ")
    page = checked(open_page("trace", run=tested.id))
    assert "Planted errors" in said(page, "header")
    [row] = [
        row for row in table(page, "Planted error") if row["Planted error"] == "None: false alarms"
    ]
    assert row["Found"] == "0 % (0 to 24)"


def test_too_few_supported_answers_cannot_be_tested(open_page, run):
    at = checked(open_page("check", run=run.id))
    at.session_state[f"planted_{run.id}"] = True
    assert "answers are called supported and have a sentence" in said(checked(at.run()))


def test_a_person_edits_the_facts_of_a_true_answer_and_the_cards_follow(open_page, run):
    at = checked(open_page("sample", run=run.id, sample="6"))
    assert "1 of 1 facts are in the answer." in said(at)
    (field,) = at.text_area
    assert field.value == "1889"

    facts = "1889\nBuilt by Gustave Eiffel\n[okay] It stands in Paris"
    at = checked(field.set_value(facts).run())

    shown = said(at)
    assert "1 of 2 vital facts are in the answer, 1 of 3 in all." in shown
    assert "Not in the answer: Built by Gustave Eiffel (nowhere)" in shown
    assert "It stands in Paris (only in the documents, okay)" in shown
    page = said(open_page("trace", run=run.id), "markdown", "caption")
    # One gives half of the vital ones and a third of all, one all: (1/2 + 1) / 7, (1/3 + 1) / 7
    assert "A fact was not retrieved?" in page
    assert "are given: 0.21 " in page
    assert "of the vital ones, 0.19 " in page
    at = checked(at.text_area[0].set_value("").run())
    assert at.text_area[0].value == "1889"
    assert "are given: 0.29 " in said(open_page("trace", run=run.id), "markdown")
