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


def wilson(successes: float, total: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate (Wilson, JASA 1927); `total` is above 0.

    Both ends lie from 0 to 1.
    """
    rate, z2 = successes / total, Z95**2
    centre = (rate + z2 / (2 * total)) / (1 + z2 / total)
    half = Z95 / (1 + z2 / total) * math.sqrt(rate * (1 - rate) / total + z2 / (4 * total**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of a mean (Efron 1979), seeded."""
    data, rng = np.asarray(values), np.random.default_rng(seed)
    means = [data[rng.integers(len(data), size=len(data))].mean() for _ in range(RESAMPLES)]
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
    return bootstrap(values) if len(values) < MANY else normal(values)


def normal(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean by the central limit theorem."""
    data = np.asarray(values)
    half = Z95 * float(data.std(ddof=1)) / math.sqrt(len(data))
    mean, least, most = float(data.mean()), float(data.min()), float(data.max())
    return max(least, mean - half), min(most, mean + half)


def kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's kappa (1960) of a square table of counts.

    One labeller's verdicts stand in rows, the other's in columns. `None` without any verdict, and
    where both always gave one and the same: chance alone would agree as much.
    """
    counts = np.asarray(table, dtype=float)
    total = counts.sum()
    by_chance = float(counts.sum(axis=0) @ counts.sum(axis=1)) / total**2 if total else 1.0
    if by_chance == 1:
        return None
    agreed = float(counts.trace() / total)
    return (agreed - by_chance) / (1 - by_chance)
