"""Our figures beside those of scipy and statsmodels, which are here for the tests alone."""

import math

import numpy as np
import pytest

from evaluators.comparison.paired import (
    SEED,
    Pair,
    holm,
    mcnemar,
    paired,
    rows_for_means,
    rows_for_rates,
    sign_flips,
    tango,
)
from evaluators.statistics import MANY, Z95, bootstrap_clusters, t95

# Wins, losses and rows: few and many, one side empty, both equal, almost all rows differing.
TABLES = [(5, 0, 20), (1, 7, 21), (10, 3, 50), (7, 7, 40), (12, 2, 14), (150, 86, 1600), (0, 3, 9)]


@pytest.fixture(scope="module")
def stats():
    # Seconds of import, which only the process that runs these tests pays for.
    import scipy.stats

    return scipy.stats


@pytest.mark.parametrize(("wins", "losses", "rows"), TABLES)
def test_mcnemar_is_the_exact_one_of_statsmodels_less_half_of_what_was_seen(
    stats, wins, losses, rows
):
    from statsmodels.stats.contingency_tables import mcnemar as exact

    equal = rows - wins - losses
    theirs = exact([[equal, wins], [losses, 0]], exact=True).pvalue
    seen = stats.binom.pmf(min(wins, losses), wins + losses, 0.5)

    # Of equal counts both halves hold what was seen, and the p-value stays 1.
    assert mcnemar(wins, losses) == pytest.approx(theirs - seen * (wins != losses))


def test_mcnemar_and_tango_give_the_published_figures_of_a_worked_example():
    # Airway responses of 21 children, Fagerland, Lydersen and Laake 2013 and 2014
    assert mcnemar(1, 7) == pytest.approx(0.0391, abs=5e-5)
    assert tango(1, 7, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@pytest.mark.parametrize(("wins", "losses", "rows"), TABLES)
def test_tangos_ends_are_those_of_a_score_test_whose_likelihood_is_searched(wins, losses, rows):
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import xlogy

    def score(difference):
        def unlikelihood(losing):
            chances = (losing + difference, losing, 1 - 2 * losing - difference)
            counts = (wins, losses, rows - wins - losses)
            return -xlogy(counts, np.maximum(chances, 0)).sum()

        ends = (max(0.0, -difference), (1 - difference) / 2)
        losing = minimize_scalar(
            unlikelihood, bounds=ends, method="bounded", options={"xatol": 1e-12}
        ).x
        variance = rows * (2 * losing + difference * (1 - difference))
        return (wins - losses - rows * difference) / math.sqrt(variance)

    estimate = (wins - losses) / rows
    low = brentq(lambda difference: score(difference) - Z95, -0.9999, estimate)
    high = brentq(lambda difference: score(difference) + Z95, estimate, 0.9999)

    assert tango(wins, losses, rows) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    "p_values",
    [
        [0.01, 0.04, 0.03, 0.02],
        [0.2, 0.01, 0.01, 0.9, 0.0004],
        [0.03],
        [1.0, 1.0],
        [0.04] * 6,
    ],
)
def test_holm_is_that_of_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


@pytest.mark.parametrize(
    "sums",
    [
        [0.9, 0.4, 0.3, -0.2, 0.1],
        [0.5, -0.5, 0.25, 0.125],
        [1, 1, 1, -1, 1, 1, 1],
        np.random.default_rng(4).normal(0.3, 1, 11),
    ],
)
def test_every_sign_flip_is_that_of_scipys_permutation_test(stats, sums):
    theirs = stats.permutation_test(
        (sums,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue

    assert sign_flips(np.array(sums)) == pytest.approx(theirs)


@pytest.mark.parametrize("count", [20, 200])
@pytest.mark.parametrize("shift", [0.0, 0.15, 0.4])
def test_random_sign_flips_are_within_chance_of_scipys(stats, count, shift):
    sums = np.random.default_rng(count).normal(shift, 1, count)

    theirs = stats.permutation_test(
        (sums,),
        lambda values, axis: values.sum(axis=axis),
        permutation_type="samples",
        n_resamples=9999,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue

    # Four standard errors of the difference of two rates over 9,999 draws each
    chance = 4 * math.sqrt(2 * max(theirs * (1 - theirs), 1e-4) / 9999)
    assert sign_flips(sums) == pytest.approx(theirs, abs=chance)


@pytest.mark.parametrize("count", [12, 60, 400])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_the_bootstrap_is_within_chance_of_scipys(stats, count, is_clustered):
    rng = np.random.default_rng(count)
    sizes = rng.integers(1, 6, count).astype(float) if is_clustered else np.ones(count)
    sums = rng.normal(0.1, 0.4, count) * sizes
    further = math.sqrt(count / (count - 1)) * t95(count - 1)

    theirs = stats.bootstrap(
        (sums, sizes),
        lambda sums, sizes, axis: sums.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        # Ours looks as far out as a t interval, so theirs has to.
        confidence_level=1 - math.erfc(further / math.sqrt(2)),
        n_resamples=20_000,
        rng=np.random.default_rng(SEED + 1),
    ).confidence_interval

    low, high = bootstrap_clusters(sums, sizes)
    # An end of 2,000 draws is right to about a fifteenth of the half width.
    assert (low, high) == pytest.approx(tuple(theirs), abs=0.15 * (high - low) / 2)


@pytest.mark.parametrize("questions", [30, MANY + 200])
def test_the_error_over_clusters_is_that_of_a_regression_in_statsmodels(questions):
    from statsmodels.api import OLS

    rng = np.random.default_rng(questions)
    of_question = np.repeat(np.arange(questions), rng.integers(1, 4, questions))
    easy = rng.normal(0, 0.2, questions)[of_question]
    first = easy + rng.normal(0.0, 0.1, len(easy))
    second = 1.5 * easy + rng.normal(0.05, 0.1, len(easy))

    fitted = OLS(second - first, np.ones(len(easy))).fit(
        cov_type="cluster", cov_kwds={"groups": of_question}, use_t=False
    )

    ours = paired([Pair(*row) for row in zip(first, second, of_question, strict=True)])
    assert ours.difference == pytest.approx(fitted.params[0])
    assert ours.spread == pytest.approx(fitted.bse[0] * math.sqrt(len(easy)))
    if questions >= MANY:
        assert (ours.low, ours.high) == pytest.approx(tuple(fitted.conf_int()[0]))


@pytest.mark.parametrize(
    ("discordant", "difference"), [(0.2, 0.05), (0.2, 0.10), (0.3, 0.05), (0.1, 0.03), (0.5, 0.2)]
)
def test_connors_rows_give_mcnemar_a_power_of_about_80_percent(stats, discordant, difference):
    rows = rows_for_rates(discordant, difference)
    power = 0.0
    tosses = stats.binom(rows, discordant)
    for count in range(int(tosses.ppf(1e-6)), int(tosses.ppf(1 - 1e-6)) + 1):
        wins = np.arange(count + 1)
        fewer = np.minimum(wins, count - wins)
        coin = stats.binom(count, 0.5)
        p = np.where(2 * fewer == count, 1.0, 2 * coin.cdf(fewer) - coin.pmf(fewer))
        chances = stats.binom.pmf(wins, count, (discordant + difference) / (2 * discordant))
        power += tosses.pmf(count) * chances[p < 0.05].sum()

    # Connor's formula is normal, the test is not: two points to either side.
    assert power == pytest.approx(0.80, abs=0.02)


@pytest.mark.parametrize(("spread", "difference"), [(0.3, 0.05), (0.5, 0.03), (0.2, 0.1)])
def test_rows_of_means_are_those_of_statsmodels_power(spread, difference):
    from statsmodels.stats.power import NormalIndPower

    # A ratio of 0 means one sample: that of the differences.
    theirs = NormalIndPower().solve_power(
        effect_size=difference / spread, alpha=0.05, power=0.8, ratio=0
    )

    assert rows_for_means(spread, difference) == math.ceil(theirs)
