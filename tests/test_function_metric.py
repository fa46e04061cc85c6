"""A function of a sample is a metric: what it may return, and what fails with which reason."""

import numpy as np
import pytest

from evaluators import AnswerMatchAcc, Evaluator, Sample, Score, evaluate, evaluator
from evaluators.errors import OwnCodeError, ParameterError
from evaluators.function_metric import metric_of
from evaluators.runs.inputs import evaluators

SAMPLE = Sample(id="1", question="How tall?", response="It is 330 metres tall.")


def words(sample):
    """How many words the answer has."""
    return len(sample.response.split())


def test_a_function_is_a_metric_by_its_name_and_docstring():
    metric = metric_of(words)
    assert (metric.name, metric.title, type(metric).__doc__) == ("words", "Words", words.__doc__)
    assert metric.score(SAMPLE).values == {"words": 5.0}


@pytest.mark.parametrize(
    ("returned", "values"),
    [
        (3, {"given": 3.0}),
        (True, {"given": 1.0}),
        (False, {"given": 0.0}),
        (np.float32(0.5), {"given": 0.5}),
        (np.bool_(True), {"given": 1.0}),
        (None, {"given": None}),
        ({"a": 1, "b": None}, {"a": 1.0, "b": None}),
    ],
)
def test_numbers_yes_and_no_nothing_and_mappings_are_values(returned, values):
    def given(sample):
        return returned

    score = metric_of(given).score(SAMPLE)
    assert score.values == values
    assert bool(score.reason) == (returned is None)


@pytest.mark.parametrize(
    "returned",
    [float("nan"), float("inf"), 10**400, "good", ["x"], {}, {"a": "b"}, {"a": float("nan")}],
)
def test_what_is_no_value_fails_the_sample_and_says_what_to_return(returned):
    def given(sample):
        return returned

    with pytest.raises(OwnCodeError, match=r"given returned .* Return a number, True or False"):
        metric_of(given).score(SAMPLE)


def test_what_a_function_raises_fails_the_sample_with_its_words_and_line(store):
    def fragile(sample):
        return 1 / (sample.response != "x")

    rows = [{"question": "a?", "response": "x"}, {"question": "b?", "response": "y"}]
    results = evaluate(rows, [words, fragile], store=store, progress=False)
    assert results.summary()["words"].mean == 1
    assert results.summary()["fragile"].scored == 1
    (reason, _) = store.results.failures(results.run.id)[0]
    line = fragile.__code__.co_firstlineno + 1
    assert f"fragile raised ZeroDivisionError: division by zero (line {line})" in reason.message


def test_a_function_that_is_defined_anew_takes_the_place_of_the_old_one():
    def score(sample):
        return 1

    first = metric_of(score)

    def score(sample):
        return 2

    second = metric_of(score)
    assert (first.score(SAMPLE).values, second.score(SAMPLE).values) == ({"score": 1}, {"score": 2})
    assert metric_of(score) == second


async def later(sample):
    return 1


def trace(sample):
    return 1


@pytest.mark.parametrize("function", [lambda sample: 1, later, trace])
def test_a_function_without_a_name_of_its_own_is_refused(function):
    with pytest.raises(ParameterError):
        metric_of(function)


@evaluator("test_of_a_class", title="Of a class")
class OfAClass(Evaluator):
    """A metric with defaults."""

    limit: int = 3

    def score(self, sample: Sample) -> Score:
        return Score(values={"of_a_class": float(self.limit)})


def test_a_class_is_the_metric_with_its_defaults():
    assert evaluators([OfAClass, AnswerMatchAcc]) == (OfAClass(), AnswerMatchAcc())
    with pytest.raises(ParameterError, match="is not a metric"):
        evaluators([dict])
