"""Votes: of several labels of one thing the most frequent counts, a tie goes to the stricter one.

One rule for the judges of a jury, for people who label the same answer, and for a class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from evaluators.text.language import mark

Label = TypeVar("Label")
RULE = mark("The most frequent label counts, a tie goes to the stricter one.")


def most_frequent(
    votes: Iterable[Label] | Mapping[Label, int],
    strictest_first: Sequence[Label],
) -> list[Label]:
    """The labels with the most votes, or the highest counts, the strictest first: that one counts.

    Several are a tie; without votes there is none.
    """
    counts = Counter(votes)
    most = max(counts.values(), default=0)
    return [label for label in strictest_first if most and counts[label] == most]
