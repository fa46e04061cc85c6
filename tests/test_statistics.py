"""Intervals and kappa by values worked out by hand, the bootstrap by its seed and its bounds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.statistics import (
    auroc,
    auroc_interval,
    clustered,
    clustered_mean,
    in_clusters,
    independent_count,
    interval,
    kappa,
    kappa_interval,
    krippendorff,
    krippendorff_interval,
    rmse,
    rmse_interval,
    t95,
    wilson,
    within_groups,
)


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # 4 of 7: rate .5714, z² 3.8415; centre (.5714 + .2744) / 1.5488 = .5461;
        # half 1.96 / 1.5488 * sqrt(.5714 * .4286 / 7 + 3.8415 / 196) = .2957
        (4, 7, 0.2505, 0.8418),
        # 0 of 10: centre and half are both 3.8415 / 20 / 1.38415 = .1388
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        # 50 of 100: half 1.96 / 1.038415 * sqrt(.0025 + .000096) = .0962
        (50, 100, 0.4038, 0.5962),
        # 1 of 1: 1 / (1 + 3.8415) = .2065
        (1, 1, 0.2065, 1.0),
    ],
)
def test_the_wilson_interval_is_as_worked_by_hand(successes, total, low, high):
    assert wilson(successes, total) == pytest.approx((low, high), abs=0.0001)


@given(total=st.integers(1, 10_000), data=st.data())
def test_the_wilson_interval_holds_its_rate_and_stays_within_bounds(total, data):
    successes = data.draw(st.integers(0, total))

    low, high = wilson(successes, total)

    assert 0 <= low < high <= 1
    assert low - 1e-9 <= successes / total <= high + 1e-9


@given(successes=st.integers(0, 50))
def test_successes_and_failures_have_mirrored_intervals(successes):
    low, high = wilson(successes, 50)

    assert wilson(50 - successes, 50) == pytest.approx((1 - high, 1 - low))


def of(groups):
    """Values in groups as clusters."""
    values = [value for group in groups for value in group]
    return in_clusters(values, [number for number, group in enumerate(groups) for _ in group])


@pytest.mark.parametrize(
    ("groups", "telling"),
    [
        # With a quarter of a group of ones and of one of zeros: 3.5 of 9 = .38889; between groups
        # (1.49383 + .04938 + 2 * .60494 + .25 * (.60494 + 1.49383)) / 2 = 1.63889 over 3.5 degrees
        # = .46825, within them .5 over 4.5 = .11111, sizes all 2: of groups (.46825 - .11111) / 2 =
        # .17857 of .28968 in all = .61644; 8 / (1 + .61644 * (2 - 1))
        ([[1, 1], [1, 0], [0, 0], [0, 0]], 4.94915),
        # Each group says one thing: as many as groups
        ([[1] * 5, [1] * 5, [1] * 5, [0] * 5], 4),
        ([[1] * 5] * 24, 24),
        # Every group is half right, which no chance does, but no more tell than there are
        ([[1, 0]] * 18, 36),
        # A value is in a group of (16 + 4) / 6 = 3.33 on average
        ([[1, 1, 1, 1], [0, 0]], 1.8),
        ([[1], [0], [1]], 3),
    ],
)
def test_values_in_groups_count_as_many_as_tell_the_same(groups, telling):
    assert independent_count(of(groups)) == pytest.approx(telling, abs=0.0001)


@pytest.mark.parametrize(
    ("groups", "low", "high"),
    [
        # As many as 10 groups tell: 5 of them right
        ([[1, 1]] * 5 + [[0, 0]] * 5, *wilson(5, 10)),
        # 9 of 10: below two failures the end is Byar's, 1 * (1 - 1 / 9 - 1.644854 / 3)³ = .03955
        ([[1, 1]] * 9 + [[0, 0]], wilson(9, 10)[0], 1 - 0.003955),
        ([[0, 0]] * 10, *wilson(0, 10)),
        # Groups that differ in size, each all right or all wrong: a value is in one of (4 * 16 + 4)
        # / 20 = 3.4, so 20 / 3.4 = 5.8824 tell as many; Student's quantile for 7 degrees
        ([[1] * 4, [0] * 4, [1], [0]] * 2, *wilson(5.8824 / 2, 5.8824, 2.3646)),
    ],
)
def test_a_rate_in_groups_has_wilsons_interval_and_a_wider_end_where_successes_are_rare(
    groups, low, high
):
    assert clustered(of(groups)) == pytest.approx((low, high), abs=0.00001)


@given(st.lists(st.lists(st.sampled_from((0.0, 1.0)), min_size=1, max_size=6), min_size=1))
def test_the_interval_of_groups_holds_its_rate_and_is_no_narrower_than_wilsons(groups):
    values = [value for group in groups for value in group]

    low, high = clustered(of(groups))

    assert 0 <= low < high <= 1
    assert low - 1e-9 <= sum(values) / len(values) <= high + 1e-9
    alone = wilson(sum(values), len(values))
    assert high - low >= alone[1] - alone[0] - 1e-9


@given(
    verdicts=st.lists(st.sampled_from((0.0, 1.0)), min_size=2, max_size=40),
    times=st.integers(2, 10),
)
def test_asking_the_same_again_narrows_no_interval(verdicts, times):
    low, high = clustered(of([[verdict] * times for verdict in verdicts]))

    once = wilson(sum(verdicts), len(verdicts))
    assert low <= once[0] + 1e-9
    assert high >= once[1] - 1e-9


@pytest.mark.parametrize("values", [[0.1, 0.5, 0.6, 0.9], [-3.0, 2.0, 5.0]])
def test_copies_of_values_give_the_interval_of_the_values_themselves(values):
    alone = clustered_mean(of([[value] for value in values]))

    assert clustered_mean(of([[value] * 5 for value in values])) == pytest.approx(alone)
    assert clustered_mean(of([values])) is None
    assert clustered_mean(of([[0.25] * 3] * 4)) is None


def test_of_groups_that_differ_in_size_the_interval_is_that_of_as_many_as_tell_the_same():
    # Between groups, around 2.5: 4 * 1.5² + 2 * 3² = 27 over 1 degree, within them 0: all alike, so
    # a value is in a group of (16 + 4) / 6 = 3.33, and 1.8 tell; sizes (6 - 20 / 6) / 1 = 2.667;
    # variance 27 / 2.667 = 10.125, error sqrt(10.125 / 1.8) = 2.3717, times 12.7062
    found = clustered_mean(of([[1.0] * 4, [5.5] * 2]))

    assert found == pytest.approx((2.5 - 30.135, 2.5 + 30.135), abs=0.001)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.3, 1.0]) | st.floats(-2, 2), st.integers(0, 9)),
        min_size=2,
        max_size=40,
    ),
    st.booleans(),
)
def test_no_interval_has_no_width_and_each_holds_its_mean(pairs, are_single):
    values = [value for value, _ in pairs]

    found = interval(values, None if are_single else [key for _, key in pairs])

    if found is not None:
        low, high = found
        assert high - low > 1e-10
        assert low - 1e-9 <= sum(values) / len(values) <= high + 1e-9


@pytest.mark.parametrize(
    ("groups", "deviation"),
    [
        # Around 2/3: 1/9 + 1/9 + 4/9 = 2/3, over 2 + 2 degrees
        ([[1, 0, 1], [1, 1, 1]], math.sqrt(1 / 6)),
        # Around .5 and .3: .02 + .02, over 1 + 1 degrees
        ([[0.4, 0.6], [0.2, 0.4]], math.sqrt(0.02)),
        ([[0.4], [0.6, 0.6]], 0.0),
        ([[0.4], [0.6]], None),
        ([], None),
    ],
)
def test_the_spread_within_groups_is_as_worked_by_hand(groups, deviation):
    assert within_groups(groups) == (deviation if deviation is None else pytest.approx(deviation))


def answers_to(prompts, times, rng, *, yes_or_no):
    """Answers to each prompt resemble each other: some prompts are easy, some are hard."""
    easy = rng.beta(1, 1, size=prompts)
    if yes_or_no:
        return (rng.random((prompts, times)) < easy[:, None]).astype(float)
    return np.clip(easy[:, None] + rng.normal(0, 0.1, size=(prompts, times)), 0, 1)


@pytest.mark.parametrize(("yes_or_no", "of_clusters"), [(True, clustered), (False, clustered_mean)])
def test_intervals_of_correlated_repeats_hold_the_truth_and_naive_ones_do_not(
    yes_or_no, of_clusters
):
    # Prompts are evenly easy or hard, so the mean of all there could be is .5.
    rng = np.random.default_rng(11)
    held = naively = 0
    for _ in range(300):
        answers = answers_to(40, 5, rng, yes_or_no=yes_or_no)
        low, high = of_clusters(of(answers.tolist()))
        held += low <= 0.5 <= high
        low, high = clustered_mean(in_clusters(answers.ravel()))
        naively += low <= 0.5 <= high

    # 300 repetitions of 95 % have a standard error of 1.3 points.
    assert 0.92 <= held / 300 <= 0.98
    assert naively / 300 < 0.85


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_the_interval_of_shares_holds_their_mean_and_stays_among_shares(values):
    found = interval(values)

    if found is None:
        assert max(values) - min(values) < 1e-9
    else:
        low, high = found
        assert 0 <= low <= sum(values) / len(values) + 1e-9
        assert sum(values) / len(values) - 1e-9 <= high <= 1


def test_the_interval_of_values_beyond_shares_is_not_cut():
    # Mean 2, deviation sqrt(2), standard error 1, times 12.7062 of one degree of freedom
    assert interval([1.0, 3.0]) == pytest.approx((2 - 12.7062, 2 + 12.7062))


def test_the_interval_of_a_few_is_that_of_t():
    # Mean 5; deviations -1, 0, 1: sqrt(2 / 2) = 1, over sqrt(3) = .57735, times 4.3027
    assert interval([4.0, 5.0, 6.0]) == pytest.approx((2.5159, 7.4841), abs=0.0001)


def test_the_interval_of_shares_is_wilsons_for_as_many_verdicts_as_tell_the_same():
    # Mean .5; with a twentieth of a 0 and of a 1 the squares are .02 + .05 * .5 = .045, over 2.1
    # degrees .0214286; 3 * .25 / .0214286 = 35 verdicts. Student's 4.3027² = 18.513: half 4.3027 /
    # (1 + 18.513 / 35) * sqrt(.25 / 35 + 18.513 / (4 * 35²)) = .29409
    assert interval([0.4, 0.5, 0.6]) == pytest.approx((0.2059, 0.7941), abs=0.0001)


@pytest.mark.parametrize("count", [2, 4, 6, 10, 20])
def test_95_of_100_intervals_hold_the_truth_of_a_few_values_too(count):
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        low, high = interval(rng.beta(8, 2, count).tolist())
        # The mean of beta(8, 2) is 8 / 10.
        held += low <= 0.8 <= high

    # The values lean to one side, which costs a few points where there are few of them.
    assert held / 400 >= 0.91


def test_the_interval_comes_close_to_the_normal_one_of_many_values():
    # 400 values, half 0.2 and half 0.8: the standard error of the mean is .3 / sqrt(400) = .015,
    # times 1.96 = .029
    assert interval([0.2, 0.8] * 200) == pytest.approx((0.471, 0.529), abs=0.004)


def test_the_interval_of_many_values_is_the_normal_one():
    # 0.2 and 0.8, 500 of each: mean .5; deviation sqrt(1000 * .09 / 999) = .30015; 1.96 * .30015 /
    # sqrt(1000) = .0186
    assert interval([0.2, 0.8] * 500) == pytest.approx((0.4814, 0.5186), abs=0.0001)


@pytest.mark.parametrize(
    ("values", "method"),
    [
        ([1, 0, 1.0], wilson(2, 3)),
        ([0.0, 0.0], wilson(0, 2)),
        ([True, False], wilson(1, 2)),
        # With a twentieth of a 0 and of a 1 variance .205 / 1.1: 2 * .25 / .18636 = 2.683 verdicts
        ([0.2, 0.8], wilson(2.68293 / 2, 2.68293, 12.7062)),
        ([0.5] * 10, None),
        ([1.0], None),
        ([0.5], None),
        ([], None),
    ],
)
def test_yes_and_no_get_wilson_and_everything_else_an_interval_where_a_spread_is_known(
    values, method
):
    assert interval(values) == pytest.approx(method, abs=1e-5)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # Equal 35 of 50 = .7; by chance .5 * .6 + .5 * .4 = .5; (.7 - .5) / .5
        ([[20, 5], [10, 15]], 0.4),
        # Equal 45 + 15 = 60 of 100; by chance .7 * .6 + .3 * .4 = .54; .06 / .46
        ([[45, 25], [15, 15]], 3 / 23),
        # Three verdicts, equal 14 of 20 = .7; rows 5, 6, 9, columns 6, 5, 9:
        # by chance (30 + 30 + 81) / 400 = .3525; .3475 / .6475
        ([[4, 1, 0], [1, 3, 2], [1, 1, 7]], 139 / 259),
        ([[3, 0], [0, 4]], 1.0),
        # Never equal: by chance .5; -.5 / .5
        ([[0, 5], [5, 0]], -1.0),
        # One of them always says the same: equal as often as by chance
        ([[6, 4], [0, 0]], 0.0),
        ([[10, 0], [0, 0]], None),
        ([[0, 0], [0, 0]], None),
    ],
)
def test_kappa_is_as_worked_by_hand(table, expected):
    assert kappa(table) == (expected if expected is None else pytest.approx(expected))


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_kappa_is_the_same_from_either_side_and_at_most_one(table):
    found, turned = kappa(table), kappa([list(column) for column in zip(*table, strict=True)])

    assert found == (turned if turned is None else pytest.approx(turned))
    assert found is None or -1 <= found <= 1 + 1e-9


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        # Student's table for 97.5 % (Abramowitz and Stegun, table 26.10)
        (1, 12.706),
        (2, 4.303),
        (4, 2.776),
        (5, 2.571),
        (10, 2.228),
        (14, 2.145),
        (30, 2.042),
        (49, 2.010),
        (120, 1.980),
        (10**6, 1.960),
        # An effective number of labels need not be whole: that of the degrees below
        (1.9, 12.706),
    ],
)
def test_students_quantile_is_that_of_the_table(degrees, expected):
    assert t95(degrees) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("scores", "truths", "expected"),
    [
        # True .9 and .4, false .5 and .1: three of the four pairs are in order
        ([0.9, 0.5, 0.4, 0.1], [1, 0, 1, 0], 3 / 4),
        # True .9 and .5, false .5 and .1: one pair is equal, which is half right
        ([0.9, 0.5, 0.5, 0.1], [1, 0, 1, 0], 3.5 / 4),
        ([0.3, 0.3, 0.3], [1, 0, 1], 1 / 2),
        ([0.1, 0.9], [1, 0], 0),
        ([0.2, 0.8], [1, 1], None),
        ([0.2, 0.8], [0, 0], None),
        ([], [], None),
    ],
)
def test_auroc_counts_the_pairs_that_are_in_order(scores, truths, expected):
    assert auroc(scores, truths) == expected


@given(st.lists(st.tuples(st.sampled_from((0.0, 0.25, 0.5, 1.0)), st.booleans()), max_size=30))
def test_auroc_of_turned_scores_is_mirrored(cases):
    scores, truths = [score for score, _ in cases], [truth for _, truth in cases]
    area = auroc(scores, truths)

    turned = auroc([-score for score in scores], truths)
    assert turned == (None if area is None else pytest.approx(1 - area))


def test_rmse_weighs_large_differences_more():
    # .1, .1 and .4: (.01 + .01 + .16) / 3 = .06
    assert rmse([0.1, 0.5, 0.9], [0.2, 0.4, 0.5]) == pytest.approx(math.sqrt(0.06))


# Four observers, twelve units, of which some are missing: section C of Krippendorff, Computing
# Krippendorff's Alpha-Reliability (2011), where nominal alpha is 0.743.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def test_krippendorffs_alpha_is_that_of_the_worked_example():
    units = zip(*OBSERVERS, strict=False)
    counts = [[unit.count(value) for value in "12345"] for unit in units]
    assert krippendorff(counts) == pytest.approx(0.743, abs=0.0005)


@pytest.mark.parametrize(
    ("counts", "alpha"),
    [
        ([[3, 0], [0, 3]], 1.0),
        ([[3, 0], [3, 0]], None),  # one value alone
        ([[1, 0], [0, 1]], None),  # nobody beside another
        ([[1, 1], [1, 1]], -0.5),  # o_cc = 0, n_c = 2 each: (3 * 0 - 4) / (12 - 4)
        ([], None),
    ],
)
def test_krippendorffs_alpha_at_its_ends(counts, alpha):
    assert krippendorff(counts) == alpha


def test_kappa_has_an_interval_over_answers_by_leaving_out_each():
    # Together [[3, 1], [1, 4]]; the error is that of kappa without each of the three in turn
    tables = np.array([[[2, 0], [0, 1]], [[1, 1], [0, 1]], [[0, 0], [1, 2]]], dtype=float)
    without = [kappa(tables.sum(axis=0) - table) for table in tables]
    middle = sum(without) / 3
    error = math.sqrt(2 / 3 * sum((each - middle) ** 2 for each in without))
    together = kappa([[3, 1], [1, 4]])

    low, high = kappa_interval(tables)

    # On the scale of Fisher's z, whose slope is 1 / (1 - kappa ** 2)
    half = 4.3027 * error / (1 - together**2)
    assert math.atanh(low) == pytest.approx(math.atanh(together) - half, abs=1e-3)
    assert math.atanh(high) == pytest.approx(math.atanh(together) + half, abs=1e-3)


@pytest.mark.parametrize(
    "tables", [[[[2, 0], [0, 1]]], [[[1, 0], [0, 1]]] * 5, [[[1, 0], [0, 0]]] * 3]
)
def test_answers_that_all_agree_tell_nothing_of_how_far_kappa_may_be_off(tables):
    assert kappa_interval(np.array(tables, dtype=float)) is None


@pytest.mark.parametrize("kind", ["kappa", "alpha"])
def test_the_interval_of_agreement_holds_the_truth_over_answers_of_many_sentences(kind):
    # Half the sentences are a yes. A second labeller changes a tenth of the labels, in half of the
    # answers three tenths: kappa is 1 - 2 * .2 = .6
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(300):
        wrong = rng.choice((0.1, 0.3), size=(30, 1))
        first = rng.random((30, 8)) < 0.5
        second = first ^ (rng.random((30, 8)) < wrong)
        if kind == "kappa":
            codes = 2 * first + second
            tables = [np.bincount(row, minlength=4).reshape(2, 2) for row in codes]
            low, high = kappa_interval(np.array(tables, dtype=float))
        else:
            yes = first.astype(int).ravel() + second.ravel()
            counts = np.column_stack([2 - yes, yes])
            low, high = krippendorff_interval(counts, np.repeat(np.arange(30), 8))
        held += low <= 0.6 <= high

    assert held / 300 >= 0.91


def test_an_auroc_has_an_interval_with_a_width_where_all_are_told_apart_too():
    low, high = auroc_interval(1.0, 10, 10)

    # 1 - low is z times its own error by Hanley and McNeil
    pairs = 1 + 9 * ((1 - low) / (2 - low) + low / (1 + low))
    assert 1 - low == pytest.approx(1.959964 * math.sqrt(low * (1 - low) * pairs / 100), abs=1e-6)
    assert high == pytest.approx(1)
    assert auroc_interval(None, 0, 3) is None


def test_the_interval_of_an_rmse_is_the_root_of_that_of_the_squares():
    low, high = interval([0.01, 0.04, 0.09])

    found = rmse_interval([0.1, 0.2, 0.3], [0.0, 0.0, 0.0])

    assert found == pytest.approx((math.sqrt(low), math.sqrt(high)))
    # Labellers that never differed may differ elsewhere.
    high = math.sqrt(wilson(0, 2)[1])
    assert rmse_interval([0.1, 0.2], [0.1, 0.2]) == pytest.approx((0, high))
