"""The one gate: pass, fail or cannot tell by the interval, and how many more samples would tell."""

import pytest

from evaluators.api.gate import (
    Demand,
    Measured,
    Strictness,
    comparison_rulings,
    decided,
    more_samples,
    ruled_value,
    run_rulings,
    state_of,
)
from evaluators.runs.store import Store
from evaluators.statistics import wilson
from tests.comparison.made import results

QUESTIONS = [f"Question {number}?" for number in range(20)]


@pytest.mark.parametrize(
    ("low", "high", "least", "state"),
    [
        (0.8, 0.95, 0.8, "pass"),
        (0.8 - 1e-12, 0.95, 0.8, "pass"),  # what arithmetic may lose
        (0.79, 0.95, 0.8, "cannot tell"),
        (0.6, 0.8, 0.8, "cannot tell"),
        (0.6, 0.79, 0.8, "fail"),
        (None, None, 0.8, "cannot tell"),
    ],
)
def test_the_whole_interval_lies_on_one_side_or_it_cannot_be_told(low, high, least, state):
    assert decided(Measured(0.8, low, high, 10), least) == state


def test_further_samples_take_the_threshold_out_of_the_interval():
    # Wilson's of n of n begins at n / (n + 3.8415): 0.9 takes 34.6, so 25 more than 10.
    low, high = wilson(10, 10)

    assert more_samples(Measured(1.0, low, high, 10), 0.9) == 25
    assert wilson(35, 35)[0] >= 0.9 > wilson(34, 34)[0]


def test_a_mean_below_the_threshold_takes_samples_as_well():
    # Of 20 half are right, 0.299 to 0.701; that it is below 0.6: 0.24 z² / 0.1² = 92.2, so 73 more.
    assert more_samples(Measured(0.5, *wilson(10, 20), 20), 0.6) == 73


def test_other_numbers_need_samples_by_the_square_of_the_distance():
    # The end is 0.04 away and must come to 0.01: 16 times as many as 50.
    assert more_samples(Measured(0.0, -0.04, 0.04, 50), -0.01) == 750


def test_nobody_is_told_to_check_more_than_there_are():
    close = Measured(0.8, 0.7, 0.9, 100)

    assert more_samples(close, 0.8) is more_samples(close, 0.80001) is None
    assert ruled_value("hit", close, 0.8).words == (
        "hit is 0.8 (0.7 to 0.9), which may be below the 0.8 asked for or not. It lies so close to "
        "that that more samples would hardly tell."
    )


def test_better_and_not_worse_are_told_in_words():
    store = Store(":memory:")
    old = results(store, "old", QUESTIONS, [0.0] * 20)
    new = results(store, "new", QUESTIONS, [1.0] * 20)

    from evaluators import compare

    [better] = comparison_rulings(compare(old, new), [Demand("answer_match", 0.02)])
    [less] = comparison_rulings(compare(new, old), [Demand("answer_match", 0.02)])
    [worse] = comparison_rulings(compare(new, old), [Demand("answer_match", -0.02)])

    assert better.words.startswith("answer_match of new is no less than 2 points better: +100.0 (")
    assert less.words.startswith("answer_match of old is less than 2 points better: -100.0 (")
    assert worse.words.startswith("answer_match of old is more than 2 points worse: -100.0 (")
    assert [better.state, less.state, worse.state] == ["pass", "fail", "fail"]


def test_the_worst_of_several_counts():
    run = results(Store(":memory:"), "one", QUESTIONS, [1.0] * 20)

    rulings = [
        *run_rulings(run, [Demand("answer_match", 0.5)]),  # 20 of 20: 0.84 to 1
        *run_rulings(run, [Demand("answer_match", 0.9)], Strictness()),
    ]

    assert [ruling.state for ruling in rulings] == ["pass", "cannot tell"]
    assert state_of(rulings) == "cannot tell"
    assert state_of([]) == "pass"
