"""The benchmark of intervals in short: cells that held the truth least often before."""

import numpy as np
import pytest

from tests.benchmarks.intervals import (
    MARGIN,
    RATES,
    SHARES,
    SIZES,
    always_right_against,
    held,
    pairs_of,
)

REPETITIONS = 200
CHANCE = 4.6
"""Three standard errors of 95 % in so many draws."""


@pytest.mark.parametrize("questions", [5, 24, 100])
@pytest.mark.parametrize("failing", [0.02, 0.10])
def test_a_system_that_never_failed_passes_no_gate_by_an_interval_without_width(questions, failing):
    drawn = [always_right_against(failing, questions, seed) for seed in range(REPETITIONS)]

    holds = sum(each.low <= -failing <= each.high for each in drawn)
    assert 100 * holds / REPETITIONS >= 93 - CHANCE
    if failing == 0.10:
        assert sum(each.low >= -MARGIN for each in drawn) <= 0.05 * REPETITIONS


@pytest.mark.parametrize("likeness", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("values", ["yes 0.5", "yes 0.95", "uniform", "90 % ones"])
def test_questions_asked_unequally_often_have_intervals_that_hold_the_truth(values, likeness):
    sizes = np.resize(SIZES["unequal"], 24).tolist()

    found = held({**RATES, **SHARES}[values], sizes, likeness, REPETITIONS)

    assert found.percent >= 92 - CHANCE


@pytest.mark.parametrize("likeness", [0.0, 0.6, 1.0])
def test_differences_over_questions_asked_unequally_often_hold_the_truth(likeness):
    sizes = np.resize(SIZES["unequal"], 24).tolist()
    drawn = [pairs_of(0.1, sizes, likeness, seed) for seed in range(REPETITIONS)]

    holds = sum(each.low <= 0.1 <= each.high for each in drawn)
    assert 100 * holds / REPETITIONS >= 93 - CHANCE


@pytest.mark.parametrize("count", [5, 10, 20])
def test_a_few_values_that_are_nearly_all_one_have_intervals_that_hold_the_truth(count):
    found = held(SHARES["beta(.5, .1)"], [1] * count, repetitions=REPETITIONS)

    assert found.percent >= 90


def test_values_that_spread_evenly_have_intervals_no_wider_than_students():
    found = held(SHARES["uniform"], [1] * 10, repetitions=REPETITIONS)

    # 2 * 2.262 * sqrt(1 / 12 / 10) = .413
    assert found.width < 0.413
