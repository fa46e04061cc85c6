"""Intervals that stand beside rates and means, and the agreement of two labellers beyond chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Z95 = 1.959964
"""The normal distribution's quantile that 95 % intervals of two sides reach to."""
RESAMPLES = 1000
# Many values resample too slowly for a screen, and their mean is normal enough.
MANY = 1000
"""Values from which on an interval is that of the normal distribution."""


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


def clustered(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The 95 % interval of the rate of yes-or-no values that come in groups, such as questions.

    Values of a group resemble each other, so they tell less than as many independent ones. Wilson's
    interval is taken for as many values as tell the same: rate (1 - rate) / V, where V is the
    variance of the rate by the linearised ratio estimator over groups (Cochran, Sampling
    Techniques, 1977, section 11.7). For V one group of only ones and one of only zeros is added:
    where all groups are equal nothing is known of how they differ (the idea of Agresti and Coull,
    1998). No group is empty.
    """
    sizes = np.array([len(group) for group in groups], dtype=float)
    sums = np.array([sum(group) for group in groups], dtype=float)
    total = sizes.sum()
    mean_size = sizes.mean()
    sizes = np.append(sizes, (mean_size, mean_size))
    sums = np.append(sums, (mean_size, 0.0))
    rate = sums.sum() / sizes.sum()
    squares = float(((sums - rate * sizes) ** 2).sum())
    variance = len(sizes) / (len(sizes) - 1) * squares / sizes.sum() ** 2
    telling = min(float(total), float(rate * (1 - rate) / variance))
    share = float(sums[:-2].sum() / total)
    return wilson(share * telling, telling)


def bootstrap(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of a mean (Efron 1979), seeded."""
    data = np.asarray(values)
    count = len(data)
    rng = np.random.default_rng(seed)
    means = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(count, size=count)
        means.append(data[drawn].mean())
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Wilson where the values are yes or no, otherwise bootstrap, or normal from `MANY` values on.

    `None` below two values: of the spread nothing is known.
    """
    if len(values) < 2:
        return None
    if all(value in (0, 1) for value in values):
        return wilson(sum(values), len(values))
    if len(values) < MANY:
        return bootstrap(values)
    return normal(values)


def normal(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean by the central limit theorem."""
    data = np.asarray(values)
    half = Z95 * float(data.std(ddof=1)) / math.sqrt(len(data))
    mean = float(data.mean())
    low = max(float(data.min()), mean - half)
    high = min(float(data.max()), mean + half)
    return low, high


def kappa(table: Sequence[Sequence[int]]) -> float | None:
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
