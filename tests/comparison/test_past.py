"""What past runs over the same data tell of how often two systems differ."""

import pytest

from evaluators.comparison.past import differing
from evaluators.runs.run_view import RunView
from tests.comparison.made import MODELS, results

QUESTIONS = [f"Question {number}?" for number in range(8)]
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
NEW = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def measured(store, data="made"):
    return differing(store.runs.newest("local", 9), data, lambda run: RunView.read(store, run))


@pytest.mark.parametrize("is_one_run", [True, False])
def test_two_models_or_runs_differ_on_a_share_of_the_samples(store, is_one_run):
    if is_one_run:
        results(store, "Both", QUESTIONS, OLD, NEW, models=MODELS)
    else:
        results(store, "Old", QUESTIONS, OLD)
        results(store, "New", QUESTIONS, NEW)

    past = measured(store)

    # On the second and the seventh of eight
    assert (past.share, past.value) == (2 / 8, "answer_match")
    assert len({past.first, past.second}) == 2


@pytest.mark.parametrize(
    "runs",
    [
        {},
        {"Alone": OLD},
        {"Old": OLD, "Copy": OLD},
        {"Old": OLD, "Failed": ["failed"] * 8},
        {"Old": [0.2] * 8, "Not yes or no": [0.3] * 8},
    ],
)
def test_without_two_that_differ_in_a_yes_or_no_value_nothing_is_told(store, runs):
    for title, values in runs.items():
        results(store, title, QUESTIONS, values)

    assert measured(store) is None


def test_runs_over_other_data_tell_nothing(store):
    results(store, "Both", QUESTIONS, OLD, NEW, models=MODELS)

    assert measured(store, "another") is None
