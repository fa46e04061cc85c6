"""What a number knows, as people read it: by `evaluate`, `compare` and the table of a run."""

import csv

import pyarrow.parquet as pq
import pytest

from evaluators import compare, evaluate, for_paper
from evaluators.statistics import wilson
from tests.comparison.made import results


def answers(number):
    """Four of six give the true answer, and every second document holds it."""
    return {
        "question": f"When was mill {number} built?",
        "response": "In 1812." if number % 3 else "In 1900.",
        "ground_truth": "In 1812.",
        "retrieved_documents": ["It was built in 1812." if number % 2 else "It is of stone."],
    }


@pytest.mark.parametrize("metric", ["answer_match", "context_recall_lexical"])
def test_two_generators_that_say_the_same_tell_no_more_than_one(store, metric):
    rows = [answers(number) for number in range(6)]

    one = evaluate(rows, metric, store=store, progress=False)
    two = evaluate([*rows, *rows], metric, store=store, progress=False)

    alone, beside = one.summary()[metric], two.summary()[metric]
    assert (beside.low, beside.high) == pytest.approx((alone.low, alone.high))
    assert "12 of 12, 6 questions" in repr(two)
    if metric == "answer_match":
        assert (beside.low, beside.high) == pytest.approx(wilson(4, 6))


def test_published_relevance_of_two_generators_counts_a_question_once(check_data, store, tmp_path):
    [file] = (check_data / "ragbench" / "delucionqa").glob("*.parquet")
    values = pq.read_table(file)["relevance_score"].to_numpy()
    results = evaluate(file, "trace", store=store, progress=False)

    written = {path.name: path for path in for_paper(results, tmp_path)}["by_labeller.csv"]
    lines = csv.DictReader(written.read_text("utf-8-sig").splitlines())
    gold = next(
        line
        for line in lines
        if (line["labels_by"], line["value"]) == ("gold", "context_relevance")
    )
    low, high = float(gold["low"]), float(gold["high"])

    assert (len(values), gold["questions"]) == (182, "91")
    # The standard error over questions is 1.31 times that over answers.
    over_answers = 2 * 1.96 * values.std(ddof=1) / 182**0.5
    assert (high - low) / over_answers == pytest.approx(1.31, abs=0.03)


def test_two_systems_that_never_differed_may_differ_elsewhere(store):
    questions = [f"Question {number // 2}?" for number in range(8)]
    first, second = (results(store, title, questions, [1.0] * 8) for title in ("One", "Two"))

    difference = compare(first, second)["answer_match"].difference

    # Four questions tell little: a rate of none of four goes up to 49 % (Wilson), either way.
    assert (difference.low, difference.high) == pytest.approx((-0.49, 0.49), abs=0.01)


def test_of_five_answers_four_without_a_fault_do_not_tell_that_there_is_none(store):
    questions = [f"Question {number}?" for number in range(5)]
    few = results(store, "Few", questions, [1, 1, 1, 1, 0.98], metric="context_recall")

    # Values such as these may have a mean of 5 / 6, as those of beta(.5, .1) have.
    assert few.summary()["context_recall"].low < 5 / 6
