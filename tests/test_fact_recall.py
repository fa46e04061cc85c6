"""Fact recall: what a judge is asked of each fact, what becomes of it, and the flaws that follow."""

from __future__ import annotations

import json

import pytest

from evaluators import FactRecall, FakeLLM, evaluate
from evaluators.errors import UnreadableAnswerError
from evaluators.fact_recall import MOST_FACTS, facts_said
from evaluators.records import Nugget, Sample, SampleResult, Score
from tests.runs import paid

TRUTH = "The mayor opened the bridge in 1932. It is 503 metres long. It carries eight lanes."
SAMPLE = Sample(
    id="7",
    question="What is known of the bridge?",
    response="<think>It is 503 metres long.</think>In 1932 the mayor declared it open.",
    retrieved_documents=("The bridge was opened by the mayor in 1932.", "Its length is 503 m."),
    ground_truth=TRUTH,
)
CHINESE = SAMPLE.model_copy(
    update={"response": "大桥由市长开通。", "ground_truth": ("市长", ("上海", "沪"), "北京")}
)


def said(key, attributed, given):
    return {"key": key, "reason": "Because.", "attributed": attributed, "given": given}


def answer(*verdicts):
    return json.dumps({"classification": verdicts})


DOCUMENTED = answer(said("a", True, True), said("b", True, False), said("c", False, False))


def recall(words, sample=SAMPLE):
    return FactRecall(llm_client=FakeLLM([words])).score(sample)


@pytest.mark.parametrize(
    ("words", "shares"),
    [
        (DOCUMENTED, (1, 1, 1)),
        (answer(*(said(key, True, True) for key in "abc")), (3, 0, 0)),
        (answer(*(said(key, False, False) for key in "abc")), (0, 0, 3)),
        # Known by the model, though no document holds it
        (answer(*(said(key, False, True) for key in "abc")), (3, 0, 0)),
        (answer(said("[A]", True, False), said("b.", True, False), said("c", 0, 0)), (0, 2, 1)),
    ],
)
@pytest.mark.parametrize("sample", [SAMPLE, CHINESE], ids=["English", "Chinese"])
def test_each_fact_is_given_left_out_or_not_retrieved(words, shares, sample):
    names = ("fact_recall", "facts_left_out", "facts_not_retrieved")

    assert recall(words, sample).values == {
        name: share / 3 for name, share in zip(names, shares, strict=True)
    }


def test_the_vital_nuggets_count():
    nuggets = tuple(Nugget(text=text, vital=text != "b") for text in "abc")

    score = recall(DOCUMENTED, SAMPLE.model_copy(update={"nuggets": nuggets}))

    # Given, left out and not retrieved, of which that left out is not vital
    assert [*score.values.values()] == [1 / 2, 0, 1 / 2]
    assert [fact.get("vital", True) for fact in score.details["facts"]] == [True, False, True]


def test_the_judge_reads_the_answer_without_its_reasoning_and_every_fact():
    judge = FakeLLM([DOCUMENTED])
    FactRecall(llm_client=judge).score(SAMPLE)

    (prompt,) = judge.prompts
    assert "In 1932 the mayor declared it open." in prompt.text
    assert "<think>" not in prompt.text
    for line in ("a: The mayor opened", "b: It is 503", "c: It carries"):
        assert line in prompt.text
    assert SAMPLE.retrieved_documents[1] in prompt.text


def test_a_fact_that_the_judge_leaves_out_is_asked_for_again():
    part = answer(said("a", True, True))
    judge = FakeLLM([part, DOCUMENTED])

    assert FactRecall(llm_client=judge).score(SAMPLE).values["fact_recall"] == 1 / 3
    with pytest.raises(UnreadableAnswerError, match="lacks b, c"):
        FactRecall(llm_client=FakeLLM([part] * 9)).score(SAMPLE)


@pytest.mark.parametrize("truth", ["", (), " "])
def test_a_true_answer_without_a_sentence_does_not_apply(truth):
    score = recall(DOCUMENTED, SAMPLE.model_copy(update={"ground_truth": truth}))

    assert set(score.values.values()) == {None}
    assert score.reason


def test_flaws_go_by_the_judge_where_it_was_asked(store, loopback):
    row = {
        "question": SAMPLE.question,
        "response": "The mayor opened it in 1932. It is 503 metres long. It carries eight lanes.",
        "retrieved_documents": [*SAMPLE.retrieved_documents],
        "ground_truth": TRUTH,
    }
    server = loopback(answer=lambda text: DOCUMENTED)
    by_words = evaluate([row], "trace", store=store, progress=False)
    by_judge = evaluate(
        [row],
        ["trace", "fact_recall"],
        judge="openai/gpt-6-luna",
        keys=paid.keys(server.base_url),
        store=store,
        progress=False,
    )

    def facts(results):
        (line,) = results.lines()
        return [fact["stands"] for fact in line["facts"]]

    assert facts(by_words) == ["in the answer"] * 3
    assert facts(by_judge) == ["in the answer", "only in the documents", "nowhere"]
    names = {one.name for one in by_judge.flaws().kinds}
    assert {"fact_left_out", "fact_not_retrieved"} <= names


@pytest.mark.parametrize(
    "details", [{}, {"facts": 5}, {"facts": [{}]}, {"facts": [{"text": "x", "in_answer": "?"}]}]
)
def test_facts_that_a_file_of_strangers_holds_are_read_as_far_as_they_are_some(details):
    score = Score(values={"fact_recall": 1.0}, details=details)
    result = SampleResult(position=0, status="scored", score=score)
    fact = {"text": "x", "in_answer": True, "in_documents": False}
    many = score.model_copy(update={"details": {"facts": [fact] * 1_000}})

    assert facts_said([result]) == ()
    assert len(facts_said([result.model_copy(update={"score": many})])) == MOST_FACTS
