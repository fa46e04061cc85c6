"""Which answers people are asked to label: drawn at random inside the judge's verdicts, or chosen.

Only labels that came at random can tell what a judge's mean is worth: among answers that somebody
picked, such as the doubtful ones, the judge is wrong more often than in all of them.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from evaluators.statistics import Z95

LEAST = 5
"""Labels inside each verdict, if it has as many answers: fewer tell nothing of its errors."""

SECONDS_EACH = 30
"""What a person needs for an answer with its documents, about."""

ERRS = 0.1
"""How often a judge of whom nothing is known is taken to be wrong, in planning."""
WORST = 0.5
"""A judge that says yes or no by the toss of a coin."""


class Candidate(NamedTuple):
    """An answer that may be drawn: by its sample's position and its model's number, from 0.

    `stratum` is the judge's verdict: yes, no or mixed. `doubt` is how likely that is wrong, 0 to 1,
    or how far its labellers differ.
    """

    position: int
    model: int
    stratum: str
    doubt: float = 0.0


class QueuedAnswer(NamedTuple):
    """An answer to label, and how probable it was to be drawn among those of its verdict.

    `probability` is `None` where it was chosen, not drawn.
    """

    position: int
    model: int
    probability: float | None = None


def by_verdict(
    candidates: Iterable[Candidate],
    n: int,
    seed: int,
    before: Collection[tuple[int, int]] = (),
) -> list[QueuedAnswer]:
    """So many answers, or all, drawn at random inside each verdict, in an order of chance.

    The same seed draws the same answers in the same order, whatever the order of the candidates.
    Answers drawn `before`, by position and model, are not drawn again: with these they are one
    larger sample, and the probability is that of being in it.
    """
    chance = random.Random(seed)
    of_stratum: dict[str, list[Candidate]] = {}
    sizes: Counter[str] = Counter()
    # In an order of their own first: else the seed would not decide alone.
    for candidate in sorted(candidates):
        sizes[candidate.stratum] += 1
        if candidate[:2] not in before:
            of_stratum.setdefault(candidate.stratum, []).append(candidate)
    left = {stratum: len(own) for stratum, own in of_stratum.items()}
    drawn = []
    for stratum, count in allocate(left, n).items():
        drawn_by_now = sizes[stratum] - left[stratum] + count
        probability = drawn_by_now / sizes[stratum]
        # The same for all of a verdict, whether drawn now or before: together they are one sample.
        for candidate in chance.sample(of_stratum[stratum], count):
            drawn.append(QueuedAnswer(candidate.position, candidate.model, probability))
    # Verdicts one after the other would tell a blind labeller what the judge said, and whoever
    # stops early would have labelled one verdict only.
    chance.shuffle(drawn)
    return drawn


def allocate(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """How many of each group are drawn: in proportion, and no group less than `LEAST`.

    In all as many as n, or as there are. Where n is too small for `LEAST` of each, the groups share
    it equally as far as they go.
    """
    groups = {name: size for name, size in sorted(sizes.items()) if size}
    total = sum(groups.values())
    n = min(n, total)
    if not groups:
        return {}
    least = min(LEAST, n // len(groups))
    counts = {name: min(least, size) for name, size in groups.items()}
    while sum(counts.values()) < n:
        # One at a time to the group that is furthest behind its share.
        behind = {
            name: size / total - counts[name] / n
            for name, size in groups.items()
            if counts[name] < size
        }
        counts[max(behind, key=lambda name: behind[name])] += 1
    return counts


def by_doubt(candidates: Iterable[Candidate], n: int) -> list[QueuedAnswer]:
    """The most doubtful answers first; of those about which there is no doubt none."""
    doubtful = [candidate for candidate in candidates if candidate.doubt > 0]
    doubtful.sort(key=lambda candidate: (-candidate.doubt, candidate))
    return [QueuedAnswer(candidate.position, candidate.model) for candidate in doubtful[:n]]


def in_order(candidates: Iterable[Candidate], n: int) -> list[QueuedAnswer]:
    """The first of them in the order of the run."""
    first = sorted(candidates)[:n]
    return [QueuedAnswer(candidate.position, candidate.model) for candidate in first]


def half_width(n: int, errs: float = ERRS) -> float:
    """How far up and down the corrected mean's 95 % interval reaches with n labels, in advance.

    For a judge that is wrong on this share of its answers, whichever its verdict: with the answers
    drawn in proportion the variance is that of its errors, z * sqrt(errs * (1 - errs) / n).
    """
    return Z95 * math.sqrt(errs * (1 - errs) / n)


def labels_needed(width: float, errs: float = ERRS) -> int:
    """How many labels bring the interval to plus and minus this width; `half_width` backwards."""
    return math.ceil(errs * (1 - errs) * (Z95 / width) ** 2)


def minutes(n: int) -> int:
    """About how long these labels take a person, at least a minute."""
    return max(1, round(n * SECONDS_EACH / 60))
