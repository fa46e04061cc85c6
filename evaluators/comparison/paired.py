"""What pairs of values tell: the mean difference, its interval, its p-value, rows that are needed.

The first value of a pair is the first system's, the second the other's, both for the same sample.
A difference is second minus first. Pairs of one question are a cluster: they resemble each other.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from evaluators.records import Record
from evaluators.statistics import (
    MANY,
    Z95,
    Floats,
    any_mean,
    in_clusters,
    independent_count,
    root,
    standard_error,
)

Z80 = 0.841621
"""The normal distribution's quantile for a power of 80 %."""
FEWEST_TO_PLAN = 5
"""Rows below which it is not known how often two systems differ."""
FLIPS = 9999
"""Random sign flips; with the observed one they make p-values of whole ten-thousandths."""
ALL_FLIPS = 12
"""Clusters up to which every sign flip is tried: 4,096 of them."""
SEED = 0


Method = Literal["yes or no", "mean", "clusters", "yes or no in clusters"]


def in_points(share: float) -> float:
    """A share in points of a hundred, rounded as every difference and interval is shown."""
    # Adding 0 makes no zero negative.
    return round(100 * share, 1) + 0.0


class Pair(NamedTuple):
    """One sample's value by both systems, and what it resembles other samples by."""

    first: float
    second: float
    cluster: Hashable


class Difference(Record):
    """How two systems differ in one value, over the samples that both were judged on.

    `low` to `high` is the 95 % interval of the mean difference, `p` the probability of a difference
    at least as large between equal systems, `adjusted` the same after Holm over everything that is
    shown together. `clusters` is the number of different questions. `spread` is the standard
    deviation that one independent row has, by which the rows that are needed are counted.

    `low` and `high` are both `None`, never equal, where the rows do not tell how far others would
    differ: all of one question, or (of values that are not all yes or no) all differing by the
    same. Nothing can be concluded then, in neither direction.
    """

    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None = None
    rows: int
    clusters: int
    wins: int
    ties: int
    losses: int
    spread: float | None
    discordant: float | None
    method: Method | Literal[""]

    @property
    def is_told_apart(self) -> bool:
        """Whether the systems differ beyond chance, at 5 % over everything shown together.

        The interval, as it is shown, must miss 0 as well.
        """
        p = self.p if self.adjusted is None else self.adjusted
        if p is None or self.low is None or self.high is None:
            return False
        return p < 0.05 and not in_points(self.low) <= 0 <= in_points(self.high)

    @property
    def as_of_no_system(self) -> Difference:
        """The means and counts alone, where what differs says nothing of the systems."""
        unknown = dict.fromkeys(("low", "high", "p", "adjusted", "spread", "discordant"))
        return self.model_copy(update=unknown)

    def rows_needed(self, difference: float) -> int | None:
        """The rows that tell a difference of this size apart with a power of 80 %.

        `None` where the rows so far do not tell how much pairs vary.
        """
        if self.rows < FEWEST_TO_PLAN:
            return None
        if self.discordant is not None and self.method == "yes or no":
            return rows_for_rates(self.discordant, difference)
        return rows_for_means(self.spread, difference) if self.spread else None


def paired(pairs: Sequence[Pair]) -> Difference:
    """The difference of these pairs; there is at least one.

    Yes-or-no values: Tango's interval, where questions repeat for as many rows as tell the same.
    Their p-value is that of the exact McNemar test (mid-p) where no question repeats, else that of
    sign flips of whole clusters. Other values: bootstrap and sign flips of whole clusters.
    """
    # Second minus first, so that a positive difference is in favour of what came later.
    first = np.array([pair.first for pair in pairs])
    second = np.array([pair.second for pair in pairs])
    differences = second - first
    clusters = in_clusters(differences, [pair.cluster for pair in pairs])
    values = np.concatenate([first, second])
    is_binary = bool(np.isin(values, (0, 1)).all())
    wins = int((differences > 0).sum())
    losses = int((differences < 0).sum())
    method: Method = "mean"
    if not clusters.are_single:
        method = "yes or no in clusters" if is_binary else "clusters"
    elif is_binary:
        method = "yes or no"
    # Of one question nothing is known of how questions differ.
    interval: tuple[float, float] | None = None
    p: float | None = None
    if method == "yes or no":
        interval = tango(wins, losses, len(pairs))
        p = mcnemar(wins, losses)
    elif len(clusters.sums) > 1:
        p = sign_flips(clusters.sums)
        if is_binary:
            share = independent_count(clusters, worst=-1.0) / len(pairs)
            interval = tango(share * wins, share * losses, share * len(pairs))
        else:
            interval = any_mean(clusters)
    low, high = interval or (None, None)
    if interval and values.min() >= 0 and values.max() <= 1:
        # A t interval of few rows may reach beyond what shares can differ by.
        low, high = max(-1.0, interval[0]), min(1.0, interval[1])
    return Difference(
        first=float(first.mean()),
        second=float(second.mean()),
        difference=float(differences.mean()),
        low=low,
        high=high,
        p=p,
        rows=len(pairs),
        clusters=len(clusters.sums),
        wins=wins,
        ties=len(pairs) - wins - losses,
        losses=losses,
        spread=_spread_of_differences(clusters.sums, clusters.sizes),
        discordant=(wins + losses) / len(pairs) if is_binary else None,
        method=method if p is not None else "",
    )


def tango(wins: float, losses: float, rows: float) -> tuple[float, float]:
    """The 95 % score interval of the difference of two rates over the same rows.

    Tango, Statistics in Medicine 17 (1998) 891-908: all differences that a score test at 5 % does
    not reject, given how many rows only one of the two was right on. Ends lie from -1 to 1.
    """
    estimate = (wins - losses) / rows

    def score(difference: float) -> float:
        # The most likely rate of losses if this were the true difference.
        b = -wins - losses + (2 * rows - wins + losses) * difference
        c = -losses * difference * (1 - difference)
        rate = (math.sqrt(max(0.0, b * b - 8 * rows * c)) - b) / (4 * rows)
        variance = rows * (2 * rate + difference * (1 - difference))
        distance = wins - losses - rows * difference
        if variance <= 0:
            return math.copysign(math.inf, distance) if distance else 0.0
        return distance / math.sqrt(variance)

    low = root(lambda difference: score(difference) - Z95, -1.0, estimate)
    high = root(lambda difference: score(difference) + Z95, estimate, 1.0)
    return low, high


def mcnemar(wins: int, losses: int) -> float:
    """The two-sided p-value of the exact McNemar test with mid-p (Fagerland et al. 2013).

    Between equal systems each row on which only one is right falls to either like a coin.
    """
    tosses = wins + losses
    fewer = min(wins, losses)
    if wins == losses:
        return 1.0
    # As logarithms: the numbers of ways of thousands of tosses are beyond a float.
    log_orders = math.lgamma(tosses + 1)
    log_outcomes = tosses * math.log(2)
    chances = []
    for k in range(fewer + 1):
        log_ways = log_orders - math.lgamma(k + 1) - math.lgamma(tosses - k + 1)
        chances.append(math.exp(log_ways - log_outcomes))
    return 2 * sum(chances) - chances[-1]


def sign_flips(sums: Floats) -> float:
    """The two-sided p-value of a permutation test that swaps the systems, cluster by cluster.

    Between equal systems the sign of each cluster's sum is a coin (Good, Permutation Tests, 2000).
    Every flip is tried for few clusters, `FLIPS` random ones for more; from `MANY` on their sum is
    normal.
    """
    sums = sums[sums != 0]
    count = len(sums)
    if not count:
        return 1.0
    observed = abs(float(sums.sum()))
    if count >= MANY:
        return math.erfc(observed / math.sqrt(2 * float(sums @ sums)))
    if count <= ALL_FLIPS:
        is_flipped = np.array(list(product((0, 1), repeat=count)))
        added = 0
    else:
        rng = np.random.default_rng(SEED)
        is_flipped = rng.integers(2, size=(FLIPS, count))
        # The observed one is a flip too, which no chance may leave out.
        added = 1
    # Rounding must not make equal sums differ.
    reached = np.abs(sums.sum() - 2 * (is_flipped @ sums)) >= observed - 1e-9
    return float(reached.sum() + added) / (len(is_flipped) + added)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted for being looked at together (Holm 1979); `None` stays and is not counted.

    The smallest is multiplied by their number, the next by one less, and none falls below the
    one before.
    """
    ranked = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(ranked):
        multiplied = (len(ranked) - rank) * p
        highest = max(highest, min(1.0, multiplied))
        adjusted[place] = highest
    return adjusted


def rows_for_rates(discordant: float, difference: float) -> int | None:
    """Rows that tell two rates apart with a power of 80 % at 5 % (Connor, Biometrics 43, 1987).

    `discordant` is the share of rows on which only one system is right, `difference` that of the
    rates, both from 0 to 1. `None` where no share of such rows could make the difference.
    """
    if not 0 < abs(difference) <= discordant:
        return None
    under_null = Z95 * math.sqrt(discordant)
    otherwise = Z80 * math.sqrt(discordant - difference**2)
    return math.ceil(((under_null + otherwise) / difference) ** 2)


def rows_for_means(spread: float, difference: float) -> int:
    """Rows that tell two means apart with a power of 80 % at 5 %, by the normal distribution.

    `spread` is the standard deviation of the differences of single rows, `difference` is not 0.
    """
    return math.ceil(((Z95 + Z80) * spread / difference) ** 2)


def _spread_of_differences(sums: Floats, sizes: Floats) -> float | None:
    if len(sums) < 2:
        return None
    return standard_error(sums, sizes) * math.sqrt(float(sizes.sum()))
