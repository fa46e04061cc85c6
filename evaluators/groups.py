"""Items in groups that are not too large to be in memory together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

MOST_TOGETHER, CHARACTERS_TOGETHER = 256, 2_000_000
"""Answers of a run that are in memory together, and the characters that are stored of them."""


def in_groups(
    items: Iterable[T],
    size: Callable[[T], int],
    most: int = MOST_TOGETHER,
    largest: int = CHARACTERS_TOGETHER,
) -> Iterator[list[T]]:
    """The items in order, at most so many in a group, which is no larger than `largest` together.

    An item that is larger is a group of its own.
    """
    group: list[T] = []
    held = 0
    for item in items:
        own = size(item)
        if group and (len(group) == most or held + own > largest):
            yield group
            group, held = [], 0
        group.append(item)
        held += own
    if group:
        yield group
