"""Corrected means by values worked out by hand, by their properties, and by seeded simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.people.correction import (
    EstimatedMean,
    Stratum,
    corrected_mean,
    corrected_rate,
    effective_number,
    labelled_mean,
    labelled_rate,
    mean_half_with_more,
    rate_half_with_more,
    tuning,
    worth,
)
from evaluators.statistics import wilson
from tests.people.simulation import SCENARIOS, simulated


@pytest.mark.parametrize(
    ("strata", "mean"),
    [
        # 80 said yes, 20 no; of 40 and 10 labels 36 and 2 are a yes: .8 * .9 + .2 * .2
        ([Stratum(80, 40, 36), Stratum(20, 10, 2)], 0.76),
        # 25 of each: the labels alone would say 22 + 5 of 50 = .54
        ([Stratum(800, 25, 22), Stratum(200, 25, 5)], 0.8 * 0.88 + 0.2 * 0.2),
        # A jury: yes, mixed, no
        ([Stratum(50, 10, 10), Stratum(30, 6, 3), Stratum(20, 4, 0)], 0.5 + 0.15),
        # No label among the 10 that were called no: half of them may be a yes
        ([Stratum(90, 30, 27), Stratum(10, 0, 0)], 0.9 * 0.9 + 0.1 * 0.5),
        # All verdicts equal: the labels alone
        ([Stratum(100, 50, 40), Stratum(0, 0, 0)], 0.8),
    ],
)
def test_the_corrected_rate_weighs_each_verdicts_labels_by_its_answers(strata, mean):
    estimate = corrected_rate(strata)

    assert estimate.mean == pytest.approx(mean)
    assert estimate.low <= mean <= estimate.high


@pytest.mark.parametrize(
    ("stratum", "low", "high"),
    [
        # Jeffreys' intervals (Brown, Cai and DasGupta 2001, table 5): n = 7, x = 2; n = 10, x = 5
        (Stratum(10**6, 7, 2), 0.065, 0.648),
        (Stratum(10**6, 10, 5), 0.224, 0.776),
        # All right: Beta(10.5, .5) has 2.5 % below .783; the mean, 1, is in the interval
        (Stratum(10**6, 10, 10), 0.783, 1.0),
        (Stratum(10**6, 10, 0), 0.0, 0.217),
        # One label
        (Stratum(10**6, 1, 1), 0.147, 1.0),
        # None: Beta(1/2, 1/2) is the arcsine law, sin²(pi / 2 * .025) = .0015
        (Stratum(10**6, 0, 0), 0.0015, 0.9985),
    ],
)
def test_of_one_verdict_the_interval_is_that_of_jeffreys(stratum, low, high):
    estimate = corrected_rate([stratum])

    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.02)


def test_few_judged_answers_are_uncertain_too():
    many = corrected_rate([Stratum(1500, 20, 20), Stratum(500, 20, 0)])
    few = corrected_rate([Stratum(30, 20, 20), Stratum(10, 10, 0)])

    # Labels say that the judge is right; then 30 of 40 have a standard error of .068
    assert few.half > 1.96 * 0.068 * 0.9 > many.half


def test_without_any_judged_answer_there_is_nothing_to_correct():
    with pytest.raises(ValueError, match="no answer was judged"):
        corrected_rate([Stratum(0, 0, 0)])


def test_the_same_labels_give_the_same_interval():
    strata = [Stratum(80, 40, 36), Stratum(20, 10, 2)]

    assert corrected_rate(strata) == corrected_rate(strata)
    assert corrected_rate(strata) != corrected_rate(strata, seed=1)


_STRATUM = st.integers(1, 500).flatmap(
    lambda judged: st.integers(0, judged).flatmap(
        lambda labelled: st.builds(
            Stratum, st.just(judged), st.just(labelled), st.integers(0, labelled)
        )
    )
)


@given(st.lists(_STRATUM, min_size=1, max_size=3))
def test_a_corrected_rate_lies_in_its_interval_and_in_bounds(strata):
    estimate = corrected_rate(strata)

    assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1


@given(st.lists(_STRATUM, min_size=1, max_size=3))
def test_yes_and_no_have_mirrored_corrections(strata):
    turned = [Stratum(judged, count, count - yes) for judged, count, yes in strata]
    estimate, mirrored = corrected_rate(strata), corrected_rate(turned)

    assert mirrored.mean == pytest.approx(1 - estimate.mean)
    # Other draws: their ends differ by a few hundredths of the width
    assert mirrored.high == pytest.approx(1 - estimate.low, abs=0.05)


def test_labels_alone_have_wilsons_interval():
    estimate = labelled_rate([1, 1, 1, 0])

    assert estimate.mean == 0.75
    assert (estimate.low, estimate.high) == wilson(3, 4)


def test_labels_drawn_with_unequal_probabilities_count_for_what_they_stand_for():
    # 2 of 4 among those drawn one in ten, 0 of 4 among those drawn one in two: 10 of (40 + 8) * .5
    weights = [10] * 4 + [2] * 4
    estimate = labelled_rate([1, 1, 0, 0, 0, 0, 0, 0], weights)

    # Kish: 48² / (4 * 100 + 4 * 4) = 2304 / 416 = 5.538
    assert estimate.mean == pytest.approx(20 / 48)
    assert effective_number(np.array(weights)) == pytest.approx(5.538, abs=0.001)
    assert (estimate.low, estimate.high) == pytest.approx(
        wilson(20 / 48 * 5.5385, 5.5385), abs=1e-4
    )


@pytest.mark.parametrize(
    ("judge", "labelled", "people", "lambda_"),
    [
        # Covariance: deviations -.3, -.1, .1, .3 of both: .2 / 3 = .06667; variance of all eight
        # .4 / 7 = .05714; over (1 + 4/4) * .05714
        ([0.2, 0.4, 0.6, 0.8], [0.2, 0.4, 0.6, 0.8], [0.2, 0.4, 0.6, 0.8], 0.06667 / 0.11429),
        # Against the judge: never below 0
        ([0.2, 0.4, 0.6, 0.8], [0.2, 0.4, 0.6, 0.8], [0.8, 0.6, 0.4, 0.2], 0),
        # A timid judge would be stretched: never above 1
        ([0.5, 0.5] * 50, [0.4, 0.6], [0.0, 1.0], 1),
        # It always says the same
        ([0.5, 0.5], [0.5, 0.5], [0.0, 1.0], 0),
        # One label
        ([0.2, 0.4], [0.2], [0.2], 0),
    ],
)
def test_the_judge_is_trusted_as_far_as_it_goes_with_people(judge, labelled, people, lambda_):
    arrays = (np.array(values, dtype=float) for values in (judge, labelled, people))

    assert tuning(*arrays) == pytest.approx(lambda_, abs=0.0001)


def test_the_corrected_mean_is_as_worked_by_hand():
    # lambda .58333 as above. People are .1 below the judge: errors .2 - .1 - .58333 * .2 = -.01667,
    # .06667, .15, .23333, mean .10833; plus .58333 * .5 = .29167: .4
    judge = [0.2, 0.4, 0.6, 0.8]
    people = [0.1, 0.3, 0.5, 0.7]

    estimate = corrected_mean(judge, judge, people)

    # Squares of errors 2 * (.125² + .04167²) = .03472, + .25, / 12 = .02373; of the judge's mean
    # .58333² * .06667 / 4 = .00567; root of both .17146, times Student's 3.1824 for 3 degrees
    assert estimate.mean == pytest.approx(0.4)
    assert (estimate.low, estimate.high) == pytest.approx((0.0, 0.9457), abs=0.0002)


def test_without_unlabelled_answers_the_mean_is_that_of_the_labels():
    people = [0.1, 0.3, 0.5, 0.7]

    assert corrected_mean([], people, people) == labelled_mean(people)
    assert labelled_mean(people).mean == pytest.approx(0.4)


def test_one_label_tells_nothing_of_the_spread():
    assert labelled_mean([0.7]) == EstimatedMean(mean=0.7, low=0.0, high=1.0)


@pytest.mark.parametrize("alone", [labelled_mean, labelled_rate])
def test_no_label_is_no_mean(alone):
    with pytest.raises(ValueError, match="no label"):
        alone([])


def test_without_any_disagreement_the_mean_is_still_not_certain():
    judge = [0.0, 0.5, 1.0, 1.0] * 5
    estimate = corrected_mean(judge * 50, judge, judge)

    assert estimate.mean == pytest.approx(0.625)
    assert estimate.half > 0.04


_UNIT = st.floats(0, 1)


@given(
    pairs=st.lists(st.tuples(_UNIT, _UNIT), min_size=1, max_size=30),
    others=st.lists(_UNIT, max_size=30),
)
def test_a_corrected_mean_lies_in_its_interval_and_in_bounds(pairs, others):
    judge, people = zip(*pairs, strict=True)
    estimate = corrected_mean(others, judge, people)

    assert 0 <= estimate.low <= estimate.mean + 1e-9
    assert estimate.mean - 1e-9 <= estimate.high <= 1


def test_labels_are_worth_what_alone_would_be_as_narrow():
    # 50 * (.097 / .074)² = 85.9
    alone = EstimatedMean(mean=0.85, low=0.753, high=0.947)
    corrected = EstimatedMean(mean=0.85, low=0.776, high=0.924)

    assert worth(50, alone, corrected) == 86


def test_twenty_more_labels_narrow_the_interval_by_the_root_of_their_number():
    strata = [Stratum(788, 39, 37), Stratum(212, 11, 5)]
    half = corrected_rate(strata).half

    # Jeffreys' half label of each kind weighs less among more, the verdicts' shares stay as they are
    assert rate_half_with_more(strata) == pytest.approx(half * math.sqrt(50 / 70), rel=0.04)


def test_more_labels_than_answers_cannot_be():
    strata = [Stratum(30, 20, 18), Stratum(10, 10, 3)]

    # All of the 10 are labelled already: only the 20 can become 30
    assert (
        rate_half_with_more(strata, more=1000)
        == corrected_rate([Stratum(30, 30, 27), Stratum(10, 10, 3)]).half
    )


def test_more_labels_narrow_a_mean_too():
    rng = np.random.default_rng(0)
    judge = rng.random(1000).tolist()
    people = np.clip(np.array(judge[:50]) + rng.normal(0, 0.2, 50), 0, 1).tolist()
    half = corrected_mean(judge[50:], judge[:50], people).half

    assert (
        half * math.sqrt(50 / 70) * 0.98
        < mean_half_with_more(judge[50:], judge[:50], people)
        < half
    )


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_the_corrected_rate_holds_the_true_one_about_95_times_in_100(scenario):
    held, _ = simulated(scenario, repetitions=200, seed=17)

    # 200 repetitions have a standard error of .015; the full simulation is a benchmark
    assert held.share == pytest.approx(0.955, abs=0.04)
