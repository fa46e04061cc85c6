"""Intervals that stand beside rates and means, and the agreement of two labellers beyond chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959964
"""The normal distribution's quantile that 95 % intervals of two sides reach to."""
T95_OF_FEW = (12.7062, 4.3027, 3.1824, 2.7764)
"""Student's quantile for 1 to 4 degrees of freedom."""
T95_TERMS = np.array(
    [
        [1 / 4, 1 / 4, 0, 0, 0],
        [3 / 96, 16 / 96, 5 / 96, 0, 0],
        [-15 / 384, 17 / 384, 19 / 384, 3 / 384, 0],
        [-945 / 92160, -1920 / 92160, 1482 / 92160, 776 / 92160, 79 / 92160],
    ]
)
"""The expansion's factors of z, z³, z⁵, z⁷ and z⁹: a row for each power of the degrees."""
RESAMPLES = 2000
FEW = 6
"""Clusters below which no sign flip reaches 5 %, and resampling knows too little of the others."""
# Many values resample too slowly for a screen, and their mean is normal enough.
MANY = 1000
"""Values from which on an interval is that of the normal distribution."""

Floats = NDArray[np.float64]


def wilson(successes: float, total: float) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate (Wilson, JASA 1927); `total` is above 0.

    Both ends lie from 0 to 1.
    """
    rate = successes / total
    z2 = Z95**2
    shrink = 1 + z2 / total
    centre = (rate + z2 / (2 * total)) / shrink
    variance = rate * (1 - rate) / total + z2 / (4 * total**2)
    half = Z95 / shrink * math.sqrt(variance)
    # Rounding can put an end slightly beyond a rate of 0 or 1.
    return max(0.0, centre - half), min(1.0, centre + half)


def within_groups(groups: Sequence[Sequence[float]]) -> float | None:
    """The standard deviation of values around the mean of their group, over all groups together.

    The root of the squares over all groups by their degrees of freedom, the number of values less
    that of groups; `None` where no group has two values.
    """
    squares = 0.0
    degrees = 0
    for group in groups:
        mean = sum(group) / len(group)
        squares += sum((value - mean) ** 2 for value in group)
        degrees += len(group) - 1
    return math.sqrt(squares / degrees) if degrees else None


def clustered(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The 95 % interval of the rate of yes-or-no values that come in groups, such as questions.

    Wilson's interval for as many independent values as tell the same. No group is empty.
    """
    telling = independent_count(groups)
    share = sum(map(sum, groups)) / sum(map(len, groups))
    return wilson(share * telling, telling)


def independent_count(groups: Sequence[Sequence[float]]) -> float:
    """How many independent yes-or-no values tell as much as these, which come in groups.

    Values of a group resemble each other, so it is fewer: rate (1 - rate) / V, where V is the
    variance of the rate by the linearised ratio estimator over groups (Cochran, Sampling
    Techniques, 1977, section 11.7). For V one group of only ones and one of only zeros is added:
    where all groups are equal nothing is known of how they differ (the idea of Agresti and Coull,
    1998). No group is empty; above 0, and as many as values at most.
    """
    sizes = np.array([len(group) for group in groups], dtype=float)
    sums = np.array([sum(group) for group in groups], dtype=float)
    total = float(sizes.sum())
    mean_size = sizes.mean()
    sizes = np.append(sizes, (mean_size, mean_size))
    sums = np.append(sums, (mean_size, 0.0))
    rate = float(sums.sum() / sizes.sum())
    telling = rate * (1 - rate) / standard_error(sums, sizes) ** 2
    # As many as there are groups where each holds copies of one value: the two that were added
    # make it one more, and asking the same again must not narrow an interval.
    telling *= len(groups) / (len(groups) + 1)
    # Groups of opposites tell more than their size, which is not believed.
    return min(total, telling)


def clustered_mean(groups: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of values that come in groups, such as answers to one prompt.

    Whole groups are drawn, see `bootstrap_clusters`; no group is empty. Of values from 0 to 1 it
    stays there. `None` for a single group, or where all values are the same: nothing is known of
    how others differ.
    """
    values = np.array([value for group in groups for value in group], dtype=float)
    sums = np.array([sum(group) for group in groups], dtype=float)
    sizes = np.array([len(group) for group in groups], dtype=float)
    return _clustered_interval(values, sums, sizes)


def _clustered_interval(
    values: Floats,
    sums: Floats,
    sizes: Floats,
) -> tuple[float, float] | None:
    if len(sums) < 2 or values.min() == values.max():
        return None
    low, high = bootstrap_clusters(sums, sizes)
    # Student's t of a few reaches beyond what a share can be.
    if values.min() >= 0 and values.max() <= 1:
        return max(0.0, low), min(1.0, high)
    return low, high


def bootstrap_clusters(sums: Floats, sizes: Floats) -> tuple[float, float]:
    """The 95 % interval of the mean over clusters with these sums and sizes, by resampling them.

    Percentiles are taken further out for few clusters, as a percentile interval is too narrow there
    by the factor of a t interval with n in place of n - 1 (Hesterberg, The American Statistician
    69, 2015). Below `FEW` clusters it is the t interval itself; from `MANY` on the normal
    distribution stands in.
    """
    count = len(sums)
    if not FEW <= count < MANY:
        mean = float(sums.sum() / sizes.sum())
        quantile = Z95 if count >= MANY else t95(count - 1)
        half = quantile * standard_error(sums, sizes)
        return mean - half, mean + half
    # One seed for all, so that the same clusters have the same interval wherever they are shown.
    rng = np.random.default_rng(0)
    drawn = rng.integers(count, size=(RESAMPLES, count))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    further = math.sqrt(count / (count - 1)) * t95(count - 1)
    tail = math.erfc(further / math.sqrt(2)) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return float(low), float(high)


def standard_error(sums: Floats, sizes: Floats) -> float:
    """That of the mean over clusters, by the linearised ratio estimator (Cochran 1977, 11.7)."""
    count = len(sums)
    total = float(sizes.sum())
    mean = float(sums.sum()) / total
    residuals = sums - mean * sizes
    squares = float(residuals @ residuals)
    return math.sqrt(count / (count - 1) * squares) / total


def interval(values: Sequence[float] | Floats) -> tuple[float, float] | None:
    """The 95 % interval of a mean: Wilson's where the values are yes or no, else `clustered_mean`.

    `None` below two values: of the spread nothing is known.
    """
    if len(values) < 2:
        return None
    # A batch has millions of them.
    each = np.asarray(values, dtype=float)
    if np.isin(each, (0, 1)).all():
        return wilson(float(each.sum()), len(each))
    return _clustered_interval(each, each, np.ones(len(each)))


def t95(degrees: float) -> float:
    """Student's quantile that 95 % intervals of two sides reach to; `degrees` is 1 or more.

    Four terms of the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5), right to three digits
    from five degrees on; below that the table of whole degrees.
    """
    if degrees < 5:
        return T95_OF_FEW[int(degrees) - 1]
    powers = Z95 ** np.arange(1, 10, 2)
    terms = T95_TERMS @ powers / degrees ** np.arange(1, 5)
    return Z95 + float(terms.sum())


def auroc(scores: Sequence[float], truths: Sequence[bool]) -> float | None:
    """How likely a true case has a higher score than a false one; equal scores count half.

    The area under the ROC curve, by ranks (Mann and Whitney 1947). `None` where all are true or
    all false: then there is nothing to tell apart.
    """
    values = np.asarray(scores, dtype=float)
    is_true = np.asarray(truths, dtype=bool)
    positives = int(is_true.sum())
    negatives = len(is_true) - positives
    if not positives or not negatives:
        return None
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    # Equal scores share the middle of the ranks that they take up.
    last = np.cumsum(times)
    ranks = (last - (times - 1) / 2)[place]
    above = float(ranks[is_true].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


def rmse(values: Sequence[float], truths: Sequence[float]) -> float:
    """The root of the mean squared difference; raises `ValueError` for different lengths."""
    squares = [(value - truth) ** 2 for value, truth in zip(values, truths, strict=True)]
    return math.sqrt(math.fsum(squares) / len(truths))


def kappa(table: Sequence[Sequence[float]]) -> float | None:
    """Cohen's kappa (1960) of a square table of counts.

    One labeller's verdicts stand in rows, the other's in columns. `None` without any verdict, and
    where both always gave one and the same: chance alone would agree as much.
    """
    counts = np.asarray(table, dtype=float)
    total = counts.sum()
    if not total:
        return None
    in_columns = counts.sum(axis=0)
    in_rows = counts.sum(axis=1)
    by_chance: float = float(in_columns @ in_rows) / total**2
    if by_chance == 1:
        return None
    agreed = float(counts.trace() / total)
    return (agreed - by_chance) / (1 - by_chance)


def krippendorff(counts: Sequence[Sequence[int]] | NDArray[np.int64]) -> float | None:
    """Krippendorff's alpha for nominal values of any number of labellers, some of them missing.

    A row of `counts` is a unit, with how many labellers gave it each value; units that fewer than
    two labelled are left out. 1 is full agreement, 0 what chance gives; `None` where fewer than two
    different values were given. ((n - 1) sum o_cc - sum n_c (n_c - 1)) / (n (n - 1) - sum n_c
    (n_c - 1)) over the coincidences o (Krippendorff, Computing Krippendorff's Alpha-Reliability,
    2011, section B).
    """
    if not len(counts):
        return None
    given = np.asarray(counts, dtype=float)
    given = given[given.sum(axis=1) > 1]
    of_value = given.sum(axis=0)
    total = of_value.sum()
    by_chance = float((of_value * (of_value - 1)).sum())
    if not total or by_chance == total * (total - 1):
        return None
    others = given.sum(axis=1, keepdims=True) - 1
    equal = float((given * (given - 1) / others).sum())
    alpha = ((total - 1) * equal - by_chance) / (total * (total - 1) - by_chance)
    return float(alpha)
