"""Numbers of the tests are worked out by hand, or stand in the sources that are named."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.comparison.paired import (
    ALL_FLIPS,
    Pair,
    holm,
    mcnemar,
    paired,
    rows_for_means,
    rows_for_rates,
    sign_flips,
    tango,
)
from evaluators.statistics import Z95, bootstrap_clusters
from tests.benchmarks import comparing

REPETITIONS = 150


def pairs(first, second, clusters=None):
    clusters = clusters or range(len(first))
    return [Pair(*values) for values in zip(first, second, clusters, strict=True)]


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (5, 0, 2 / 32 - 1 / 32),
        (0, 5, 2 / 32 - 1 / 32),
        # 2 (1 + 13 + 78 + 286) - 286 of 8,192 ways
        (10, 3, 470 / 8192),
        (7, 7, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_counts_the_ways_of_a_coin(wins, losses, p):
    assert mcnemar(wins, losses) == pytest.approx(p)


def test_mcnemar_of_thousands_is_near_the_normal_distribution():
    z = (5100 - 4900) / math.sqrt(10_000)

    assert mcnemar(5100, 4900) == pytest.approx(math.erfc(z / math.sqrt(2)), abs=1e-3)


def score_of_tango(difference, wins, losses, rows):
    """The score statistic with the rates that are likeliest among all with this difference."""
    losing = np.linspace(max(0.0, -difference), (1 - difference) / 2, 200_001)[1:-1]
    winning = losing + difference
    equal = 1 - winning - losing
    likelihood = (
        wins * np.log(winning) + losses * np.log(losing) + (rows - wins - losses) * np.log(equal)
    )
    best = losing[likelihood.argmax()]
    variance = rows * (2 * best + difference * (1 - difference))
    return (wins - losses - rows * difference) / math.sqrt(variance)


@pytest.mark.parametrize(("wins", "losses", "rows"), [(40, 20, 160), (12, 2, 50), (1, 9, 44)])
def test_tangos_interval_ends_where_the_score_test_begins_to_reject(wins, losses, rows):
    low, high = tango(wins, losses, rows)

    assert score_of_tango(low, wins, losses, rows) == pytest.approx(Z95, abs=2e-3)
    assert score_of_tango(high, wins, losses, rows) == pytest.approx(-Z95, abs=2e-3)


@pytest.mark.parametrize("rows", [1, 10, 100])
def test_tangos_interval_of_systems_that_never_differ_is_that_of_wilson_on_both_sides(rows):
    end = Z95**2 / (Z95**2 + rows)

    assert tango(0, 0, rows) == pytest.approx((-end, end))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60))
def test_tangos_interval_holds_the_difference_and_turns_with_the_systems(wins, losses, equal):
    rows = wins + losses + equal
    low, high = tango(wins, losses, rows)

    assert -1 <= low <= (wins - losses) / rows <= high <= 1
    assert tango(losses, wins, rows) == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize(
    ("sums", "p"),
    [
        # All of 2 ** 3 flips: only +++ and --- reach the sum of three
        ([1.0, 1.0, 1.0], 2 / 8),
        ([0.1, 0.2, -0.3], 1.0),
        # |±3 ±1| reaches 2 in every flip
        ([3.0, -1.0], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5, 0.0], 1.0),
    ],
)
def test_every_sign_flip_is_tried_for_few_clusters(sums, p):
    assert sign_flips(np.array(sums)) == pytest.approx(p)


def test_random_sign_flips_agree_with_all_of_them():
    sums = np.array([0.9, 0.4, 0.3, 0.3, 0.2, 0.2, 0.1, -0.1, -0.2, -0.3, 0.5, 0.4])

    # A thirteenth that changes nothing makes them random
    together = sign_flips(np.append(sums, 1e-12))

    assert len(sums) == ALL_FLIPS
    assert together == pytest.approx(sign_flips(sums), abs=0.01)


def test_many_equal_clusters_are_judged_by_the_normal_distribution():
    sums = np.resize([1.0, -1.0, 1.0], 3000)

    assert sign_flips(sums) == pytest.approx(math.erfc(1000 / math.sqrt(2 * 3000)))


def test_the_bootstrap_is_as_wide_as_a_t_interval_where_values_are_normal():
    values = np.random.default_rng(3).normal(size=20)

    low, high = bootstrap_clusters(values, np.ones(20))

    assert (high - low) / 2 == pytest.approx(2.093 * values.std(ddof=1) / math.sqrt(20), rel=0.1)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        # Holm 1979: 4 x .01, 3 x .02, 2 x .03 raised to the one before, .04 too
        ([0.01, 0.04, 0.03, 0.02], [0.04, 0.06, 0.06, 0.06]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([None, 0.01, None, 0.5], [None, 0.02, None, 0.5]),
        ([], []),
    ],
)
def test_p_values_are_adjusted_by_holm(p_values, adjusted):
    assert holm(p_values) == pytest.approx(adjusted)


@pytest.mark.parametrize(
    ("discordant", "difference", "rows"),
    [(0.2, 0.05, 626), (0.2, 0.10, 155), (0.3, 0.05, 940), (0.1, 0.03, 870), (0.2, -0.05, 626)],
)
def test_needed_rows_of_rates_are_those_of_connor(discordant, difference, rows):
    assert rows_for_rates(discordant, difference) == rows


@pytest.mark.parametrize(("discordant", "difference"), [(0.05, 0.1), (0.0, 0.05), (0.2, 0.0)])
def test_no_number_of_rows_makes_an_impossible_difference(discordant, difference):
    assert rows_for_rates(discordant, difference) is None


def test_needed_rows_of_means():
    # (1.96 + .8416)² x .3² / .05² = 282.6
    assert rows_for_means(0.3, 0.05) == 283


def test_yes_or_no_values_of_different_questions():
    difference = paired(pairs([1, 1, 0, 0, 1, 0], [1, 0, 1, 1, 1, 1]))

    assert (difference.wins, difference.ties, difference.losses) == (3, 2, 1)
    assert (difference.first, difference.second) == (0.5, pytest.approx(5 / 6))
    assert difference.difference == pytest.approx(1 / 3)
    assert difference.p == pytest.approx(2 * 5 / 16 - 4 / 16)
    assert (difference.low, difference.high) == pytest.approx(tango(3, 1, 6))
    assert (difference.method, difference.rows, difference.clusters) == ("yes or no", 6, 6)


def test_repeated_questions_are_one_cluster_and_tell_less():
    first, second = [0, 0, 0, 1, 1, 1] * 4, [1, 1, 1, 1, 1, 1] * 4
    questions = [question for question in range(8) for _ in range(3)]

    apart = paired(pairs(first, second))
    together = paired(pairs(first, second, questions))

    found = (together.method, together.clusters, together.rows)
    assert found == ("yes or no in clusters", 8, 24)
    assert together.p == pytest.approx(2 / 2**4)
    assert together.p > apart.p
    assert together.high - together.low > apart.high - apart.low


@pytest.mark.parametrize(("first", "second"), [([0.5], [0.7]), ([0.5, 0.2], [0.7, 0.3])])
def test_of_one_question_no_interval_is_given(first, second):
    difference = paired(pairs(first, second, ["same"] * len(first)))

    assert (difference.low, difference.high, difference.p) == (None, None, None)
    assert not difference.is_told_apart
    assert difference.rows_needed(0.05) is None


@pytest.mark.parametrize("questions", [2, 5, 48])
def test_systems_that_never_differed_may_differ_on_other_questions(questions):
    rows = [question for question in range(questions) for _ in range(5)]

    difference = paired(pairs([1] * len(rows), [1] * len(rows), rows))

    # All five rows of a question say the same, so they are one row
    assert (difference.low, difference.high) == pytest.approx(tango(0, 0, questions))
    assert difference.p == 1


def test_yes_or_no_rows_of_one_question_count_as_the_fewer_that_tell_the_same():
    # Won, lost and won by halves, then two equal questions; two rows each.
    first, second = [0, 0, 1, 1, 0, 1, 1, 1, 1, 1], [1, 1, 0, 0, 1, 1, 1, 1, 1, 1]

    difference = paired(pairs(first, second, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]))

    # Sums 2, -2, 1, 0, 0 of two rows each, with a quarter of a question won and of one lost: 1 of 11
    # rows = .0909; between them (3.30579 + 4.76033 + .66942 + 2 * .03306 + .25 * (3.30579 +
    # 4.76033)) / 2 = 5.40909 over 4.5 degrees = 1.20202, within the third .5 over 5.5 = .09091, so
    # of questions (1.20202 - .09091) / 2 = .55556 of .64646 in all = .85938; 10 / 1.85938
    telling = 5.37815
    expected = tango(0.3 * telling, 0.2 * telling, telling)
    assert (difference.low, difference.high) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("first", "second", "clusters"),
    [
        ([0.2, 0.3, 0.4], [0.4, 0.5, 0.6], None),
        ([0.5] * 8, [0.5] * 8, None),
        ([0.1, 0.2, 0.3] * 7, [0.2, 0.3, 0.4] * 7, None),
    ],
)
def test_questions_that_all_differ_by_the_same_tell_nothing_of_others(first, second, clusters):
    difference = paired(pairs(first, second, clusters))

    assert (difference.low, difference.high) == (None, None)
    assert difference.p is not None


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]),
            st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]),
            st.integers(0, 5),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_no_interval_of_a_difference_has_no_width(rows):
    difference = paired([Pair(*row) for row in rows])

    if difference.low is None:
        assert difference.high is None
    else:
        assert difference.high - difference.low > 1e-6
        assert difference.low - 1e-9 <= difference.difference <= difference.high + 1e-9


def test_of_few_rows_the_interval_is_that_of_t_and_how_many_are_needed_is_not_said():
    difference = paired(pairs([0.5, 0.4, 0.4], [0.6, 0.6, 0.7]))

    # Differences .1, .2, .3: mean .2, standard error .1 / sqrt(3), and t of two degrees is 4.303
    half = 4.3027 * 0.1 / math.sqrt(3)
    assert (difference.low, difference.high) == pytest.approx((0.2 - half, 0.2 + half))
    assert difference.rows_needed(0.03) is None


def test_shares_cannot_differ_by_more_than_one():
    # 12.706 times the standard error of .25 would reach beyond
    difference = paired(pairs([0.2, 0.3], [0.8, 0.4]))

    assert (difference.low, difference.high) == (-1, 1)


def test_one_yes_or_no_row_tells_nothing_apart():
    difference = paired(pairs([0], [1]))

    assert difference.p == 1 / 2
    assert not difference.is_told_apart


@pytest.mark.parametrize("kind", comparing.KINDS)
def test_equal_systems_are_seldom_told_apart(kind):
    alarms = sum(
        paired(comparing.pairs(kind, 50, 0.0, seed)).is_told_apart for seed in range(REPETITIONS)
    )

    # Of 150 at most 6 % and three standard errors of a rate of 5 %
    assert alarms <= (0.06 + 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)) * REPETITIONS


@pytest.mark.parametrize("kind", ["yes or no", "clusters"])
def test_of_four_equal_systems_any_is_seldom_told_apart(kind):
    alarms = sum(comparing.any_told_apart(kind, 50, seed) for seed in range(REPETITIONS))

    assert alarms <= (0.06 + 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)) * REPETITIONS


def test_more_rows_are_needed_for_a_smaller_difference():
    difference = paired(pairs([0.2, 0.5, 0.9, 0.4] * 2, [0.3, 0.4, 0.9, 0.8] * 2))
    needed = [difference.rows_needed(size) for size in (0.2, 0.1, 0.05, 0.01)]

    assert all(few < many for few, many in pairwise(needed))
