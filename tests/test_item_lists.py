"""Items in lists: what may be a column, and that every item is judged alone."""

import time
from collections import deque

import numpy as np
import pandas as pd
import pytest

from evaluators import (
    AnswerMatchAcc,
    FakeLLM,
    GEvalJudgeEvaluator,
    LLMasJudge,
    RetrieverRecall,
)
from evaluators.errors import LLMError, ParameterError
from evaluators.item_lists import at_once, averaged, item_rows, mean, outcomes


def third(number):
    if number == 2:
        raise LLMError("The judge said nothing.")
    return number / 3


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b"],
        ("a", "b"),
        deque("ab"),
        iter("ab"),
        pd.Series(["a", "b"], index=[7, 7]),
        np.array(["a", "b"]),
    ],
    ids=["list", "tuple", "deque", "iterator", "series", "array"],
)
def test_a_column_is_whatever_has_entries_in_order(column):
    assert item_rows(("x",), x=column, y=[1, 2]) == [("a", 1), ("b", 2)]


def test_a_column_that_was_not_given_is_empty():
    assert item_rows(("x",), x=["a", "b"], y=None) == [("a", None), ("b", None)]
    assert item_rows(("x",), x=[], y=None) == []


def test_a_column_that_is_needed_must_be_there():
    with pytest.raises(ParameterError, match="x is missing"):
        item_rows(("x",), x=None, y=[1])


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ParameterError) as caught:
        item_rows(("x",), x=[1], y=None, z=[1, 2])

    assert (
        str(caught.value)
        == "The lists are not equally long: x has 1, z has 2. Give one entry for each item."
    )


@pytest.mark.parametrize("way", [outcomes, at_once])
def test_an_item_that_fails_fails_alone(way):
    assert way(third, [(0,), (2,), (3,)]) == ([0.0, None, 1.0], {1: "The judge said nothing."})


@pytest.mark.parametrize("way", [outcomes, at_once])
def test_a_mistake_in_the_code_is_no_failed_item(way):
    with pytest.raises(ZeroDivisionError):
        way(lambda number: 1 / number, [(0,)])


def test_after_a_mistake_nothing_more_is_asked(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_WORKERS", "1")
    asked = []

    def judge(number):
        asked.append(number)
        time.sleep(0.05)
        return 1 / number

    with pytest.raises(ZeroDivisionError):
        at_once(judge, [(number,) for number in range(20)])
    assert len(asked) <= 2  # the second may have begun when the first came back


@pytest.mark.parametrize(
    "metric", [AnswerMatchAcc(), RetrieverRecall(), LLMasJudge(FakeLLM()), GEvalJudgeEvaluator(FakeLLM())]
)  # fmt: skip
def test_of_no_items_there_is_no_average(metric):
    result = metric.compute([], [], *([[]] if isinstance(metric, LLMasJudge) else []))

    means = result.avg_score.values() if isinstance(result.avg_score, dict) else [result.avg_score]
    assert ({*means}, result.per_item_scores, result.errors) == ({None}, [], {})
    assert getattr(result, "confidence_interval", None) is None


def test_an_average_is_over_the_judged():
    average, items = averaged(third, number=[0, 2, 3])

    assert (average, items) == (0.5, [0.0, None, 1.0])


@pytest.mark.parametrize(
    ("values", "expected"), [([], None), ([None], None), ([0.0, None, 1.0], 0.5)]
)
def test_a_mean_of_nothing_is_none(values, expected):
    assert mean(values) == expected
