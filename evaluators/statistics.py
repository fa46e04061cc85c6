"""Intervals that stand beside rates and means, and the agreement of two labellers beyond chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

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
Z90 = 1.644854
"""The same for 90 % intervals, and 95 % ones of one side."""
RESAMPLES = 2000
FEW = 6
"""Clusters below which no sign flip reaches 5 %, and resampling knows too little of the others."""
# Many values resample too slowly for a screen, and their mean is normal enough.
MANY = 1000
"""Values from which on an interval is that of the normal distribution."""

ROUNDING = 1e-9
"""What arithmetic may lose: three times 0.1 is not 0.3, and values are equal all the same."""
ADDED = 0.25
"""How much a cluster of ones and one of zeros count that are added to yes-or-no values.

Half of it lets intervals of ten clusters and fewer hold the truth in less than 92 of 100, all of a
cluster makes them a tenth wider; see tests/benchmarks/intervals.py.
"""
ADDED_TO_SHARES = 0.05
"""The same for other values from 0 to 1, of which each tells more: how they spread."""
RARE = 2
"""Independent successes, or failures, below which Wilson's interval of clusters is too narrow."""

Floats = NDArray[np.float64]


class Clusters(NamedTuple):
    """What intervals need of values that come in clusters, such as the answers to a question.

    Of each cluster its sum and size; of all values the squares around the mean of their cluster,
    added up, the least and the most.
    """

    sums: Floats
    sizes: Floats
    within: float
    least: float
    most: float

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def are_single(self) -> bool:
        """Whether no value resembles another."""
        return len(self.sums) == int(self.sizes.sum())


def in_clusters(
    values: Sequence[float] | Floats,
    keys: Iterable[Hashable] | NDArray[np.int64] | None = None,
) -> Clusters:
    """Values whose key is the same are one cluster; without keys each is one of its own.

    There is at least one value, and a key for each.
    """
    each = np.asarray(values, dtype=float)
    least, most = float(each.min()), float(each.max())
    if keys is None:
        return Clusters(each, np.ones(len(each)), 0.0, least, most)
    if isinstance(keys, np.ndarray):
        places = np.unique(keys, return_inverse=True)[1]
    else:
        numbers: dict[Hashable, int] = {}
        places = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    sums: Floats = np.bincount(places, each).astype(float)
    sizes = np.bincount(places).astype(float)
    around = each - (sums / sizes)[places]
    return Clusters(sums, sizes, float(around @ around), least, most)


def wilson(successes: float, total: float, quantile: float = Z95) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate (Wilson, JASA 1927); `total` is above 0.

    Both ends lie from 0 to 1.
    """
    rate = successes / total
    z2 = quantile**2
    shrink = 1 + z2 / total
    centre = (rate + z2 / (2 * total)) / shrink
    variance = rate * (1 - rate) / total + z2 / (4 * total**2)
    half = quantile / shrink * math.sqrt(variance)
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


def clustered(clusters: Clusters) -> tuple[float, float]:
    """The 95 % interval of the rate of yes-or-no values in clusters.

    Wilson's for as many independent values as tell the same, with Student's quantile where
    clusters differ in size: then the few large ones tell how they spread. Where these are fewer
    than `RARE` successes, or failures, that end is the lower 5 % limit of a Poisson count, as
    Brown, Cai and DasGupta (Statistical Science 16, 2001, section 4.1.1) advise.
    """
    telling = independent_count(clusters)
    rate = clusters.mean
    quantile = t95(len(clusters.sums) - 1) if np.ptp(clusters.sizes) else Z95
    low, high = wilson(rate * telling, telling, quantile)
    fewest_yes = _fewest(rate * telling) / telling
    fewest_no = _fewest((1 - rate) * telling) / telling
    return min(low, fewest_yes), max(high, 1 - fewest_no)


def _fewest(count: float) -> float:
    """The lower 5 % limit of a rare count, by Byar (Breslow and Day 1987, section 2.3)."""
    if not 0 < count < RARE:
        return count
    cube_root = 1 - 1 / (9 * count) - Z90 / (3 * math.sqrt(count))
    return count * max(0.0, cube_root) ** 3


def independent_count(clusters: Clusters, worst: float = 0.0) -> float:
    """How many independent yes-or-no values tell as much as these, which come in clusters.

    Values of a cluster resemble each other, so it is fewer; above 0, and as many as values at most.
    `worst` is -1 for differences of such values, as 1 is best for both.
    """
    return _telling(clusters, (worst, 1.0), ADDED).values


class _Telling(NamedTuple):
    """So many independent values with this mean and variance tell as much of the mean."""

    values: float
    mean: float
    variance: float


def _telling(clusters: Clusters, ends: tuple[float, ...], added: float) -> _Telling:
    """As Kish (Survey Sampling, 1965, section 8.2): values / (1 + likeness * (size - 1)).

    The likeness of values in a cluster is their intraclass correlation by the analysis of variance
    (Donner, International Statistical Review 54, 1986), from 0 to 1; the size is that of the
    cluster which a value is in, on average over values. Unlike the spread of the clusters' sums
    this does not rest on the few largest clusters. A cluster of each of the `ends` is added, of
    which each counts as `added`: where all are equal nothing is known of how others differ (the
    idea of Agresti and Coull, The American Statistician 52, 1998).
    """
    count = len(clusters.sums)
    values = float(clusters.sizes.sum())
    sums = np.append(clusters.sums, np.array(ends) * values / count)
    sizes = np.append(clusters.sizes, np.full(len(ends), values / count))
    weights = np.append(np.ones(count), np.full(len(ends), added))
    total = float(weights @ sizes)
    mean = float(weights @ sums) / total
    between = float(weights @ ((sums - mean * sizes) ** 2 / sizes))
    degrees = float(weights.sum()) - 1
    mean_size = (total - float(weights @ sizes**2) / total) / degrees
    of_values = clusters.within / (total - 1 - degrees) if clusters.within else 0.0
    # Clusters of opposites tell more than their values, which is not believed.
    of_clusters = max(0.0, (between / degrees - of_values) / mean_size)
    variance = of_clusters + of_values
    size = float(clusters.sizes @ clusters.sizes) / values
    return _Telling(values / (1 + of_clusters / variance * (size - 1)), mean, variance)


def clustered_mean(clusters: Clusters) -> tuple[float, float] | None:
    """The 95 % interval of the mean of values in clusters, such as answers to one prompt.

    Values from 0 to 1 that have this mean and spread tell as much as so many that are 0 or 1:
    Wilson's interval for these, with Student's quantile. Of other values that of `any_mean`.
    `None` for a single cluster, or where all values are the same: nothing is known of how others
    differ.
    """
    if clusters.least < 0 or clusters.most > 1:
        return any_mean(clusters)
    if len(clusters.sums) < 2 or clusters.most - clusters.least < ROUNDING:
        return None
    telling = _telling(clusters, (0.0, 1.0), ADDED_TO_SHARES)
    of_yes_or_no = telling.mean * (1 - telling.mean)
    count = telling.values * of_yes_or_no / telling.variance
    return wilson(clusters.mean * count, count, t95(len(clusters.sums) - 1))


def any_mean(clusters: Clusters) -> tuple[float, float] | None:
    """The same of values that may be any number: clusters are drawn, see `bootstrap_clusters`.

    Of clusters that differ in size the few large ones would be drawn often or not at all: below
    `MANY` of these it is Student's interval for as many independent values as tell the same.
    """
    if len(clusters.sums) < 2 or clusters.most - clusters.least < ROUNDING:
        return None
    are_alike = np.ptp(clusters.sizes) == 0 and np.ptp(clusters.sums) > ROUNDING
    if are_alike or len(clusters.sums) >= MANY:
        return bootstrap_clusters(clusters.sums, clusters.sizes)
    telling = _telling(clusters, (), 0.0)
    half = t95(len(clusters.sums) - 1) * math.sqrt(telling.variance / telling.values)
    return clusters.mean - half, clusters.mean + half


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


def interval(
    values: Sequence[float] | Floats,
    keys: Iterable[Hashable] | NDArray[np.int64] | None = None,
) -> tuple[float, float] | None:
    """The 95 % interval of a mean; values with the same key, such as a question, are a cluster.

    Wilson's where the values are yes or no, `clustered` where they come in clusters; of others
    `clustered_mean`. `None` below two values, and where it is not known how others differ. Its ends
    are never equal.
    """
    if len(values) < 2:
        return None
    clusters = in_clusters(values, keys)
    if not np.isin(values, (0, 1)).all():
        return clustered_mean(clusters)
    if clusters.are_single:
        return wilson(float(clusters.sums.sum()), len(values))
    return clustered(clusters)


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


def auroc_interval(
    area: float | None,
    positives: float,
    negatives: float,
) -> tuple[float, float] | None:
    """The 95 % score interval of an AUROC over so many true and false cases.

    All areas from which the measured one lies within the normal quantile of their own error (Hanley
    and McNeil 1982), as Newcombe (Statistics in Medicine 25, 2006, method 5)
    advises: it has a width where all are told apart as well.
    """
    if area is None:
        return None
    others = (positives + negatives) / 2 - 1

    def deviation(true: float) -> float:
        pairs = 1 + others * ((1 - true) / (2 - true) + true / (1 + true))
        error = math.sqrt(true * (1 - true) * pairs / (positives * negatives))
        return (area - true) / error if error else math.inf * (area - true or 1)

    low = root(lambda true: deviation(true) - Z95, 0.0, area)
    high = root(lambda true: deviation(true) + Z95, area, 1.0)
    return low, high


def rmse_interval(
    values: Sequence[float],
    truths: Sequence[float],
    keys: Iterable[Hashable] | None = None,
) -> tuple[float, float] | None:
    """The 95 % interval of `rmse`: the roots of that of the mean squared difference."""
    squares = [(value - truth) ** 2 for value, truth in zip(values, truths, strict=True)]
    ends = interval(squares, keys)
    return (math.sqrt(max(0.0, ends[0])), math.sqrt(ends[1])) if ends else None


def root(score: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function passes 0, by halving the range often enough for ten digits."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if score(middle) > 0 else (low, middle)
    return (low + high) / 2


def rmse(values: Sequence[float], truths: Sequence[float]) -> float:
    """The root of the mean squared difference; raises `ValueError` for different lengths."""
    squares = [(value - truth) ** 2 for value, truth in zip(values, truths, strict=True)]
    return math.sqrt(math.fsum(squares) / len(truths))


def kappa(table: Sequence[Sequence[float]] | Floats) -> float | None:
    """Cohen's kappa (1960) of a square table of counts.

    One labeller's verdicts stand in rows, the other's in columns. `None` without any verdict, and
    where both always gave one and the same: chance alone would agree as much.
    """
    return _or_none(_kappas(np.asarray(table, dtype=float)[None]))


def tables_of_verdicts(
    keys: Iterable[Hashable],
    first: Sequence[float],
    second: Sequence[float],
    weights: Sequence[float] | None = None,
) -> Floats:
    """The tables for `kappa_interval` of yes-or-no verdicts: a unit's are those with its key.

    Each verdict of two labellers stands for as many as its weight says, else for one.
    """
    numbers: dict[Hashable, int] = {}
    units = [numbers.setdefault(key, len(numbers)) for key in keys]
    tables = np.zeros((len(numbers), 2, 2))
    for place, unit in enumerate(units):
        row, column = int(first[place]), int(second[place])
        tables[unit, row, column] += weights[place] if weights else 1
    return tables


def kappa_interval(tables: Floats) -> tuple[float, float] | None:
    """The 95 % interval of kappa over units, such as answers, of which each has a table."""
    return _jackknife(_kappas, tables)


def _kappas(counts: Floats) -> Floats:
    total = counts.sum(axis=(1, 2))
    products = (counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_chance = products / total**2
        agreed = np.trace(counts, axis1=1, axis2=2) / total
        kappas: Floats = np.where(by_chance == 1, np.nan, (agreed - by_chance) / (1 - by_chance))
    return kappas


def _or_none(values: Floats) -> float | None:
    return None if np.isnan(values[0]) else float(values[0])


def _jackknife(
    figures: Callable[[Floats], Floats],
    parts: Floats,
) -> tuple[float, float] | None:
    """The 95 % interval of a figure of agreement, by leaving out each unit in turn.

    `figures` gives it of sums over units (Efron and Stein 1981; Student's quantile). It is taken on
    the scale of Fisher's z (1921), as a figure near 1 has more room below than above. `None` below
    two units, where it is not defined without one of them, and where every unit says the same.
    """
    count = len(parts)
    if count < 2:
        return None
    total = parts.sum(axis=0)
    figure = float(figures(total[None])[0])
    without = figures(total - parts)
    if np.isnan(without).any() or np.ptp(without) < ROUNDING or abs(figure) >= 1:
        return None
    around = without - without.mean()
    error = math.sqrt((count - 1) / count * float(around @ around))
    half = t95(count - 1) * error / (1 - figure**2)
    centre = math.atanh(figure)
    return math.tanh(centre - half), math.tanh(centre + half)


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
    return _or_none(_alphas(_of_units(counts).sum(axis=0)[None]))


def krippendorff_interval(
    counts: NDArray[np.int64],
    keys: NDArray[np.int64],
) -> tuple[float, float] | None:
    """Its 95 % interval over the units' keys, such as the answers of their sentences."""
    parts = np.zeros((int(keys.max()) + 1 if len(keys) else 0, counts.shape[1] + 1))
    np.add.at(parts, keys, _of_units(counts))
    return _jackknife(_alphas, parts[parts.any(axis=1)])


def _of_units(counts: Sequence[Sequence[int]] | NDArray[np.int64]) -> Floats:
    """Of each unit how often it was given each value, and its coincidences of equal ones."""
    given = np.asarray(counts, dtype=float)
    given = given * (given.sum(axis=1, keepdims=True) > 1)
    others = np.maximum(1, given.sum(axis=1, keepdims=True) - 1)
    equal: Floats = (given * (given - 1) / others).sum(axis=1, keepdims=True)
    return np.hstack([given, equal])


def _alphas(sums: Floats) -> Floats:
    of_value, equal = sums[:, :-1], sums[:, -1]
    total = of_value.sum(axis=1)
    by_chance = (of_value * (of_value - 1)).sum(axis=1)
    most = total * (total - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        alphas: Floats = np.where(
            by_chance == most, np.nan, ((total - 1) * equal - by_chance) / (most - by_chance)
        )
    return alphas
