"""Accepted answers: the groups of a true answer, and how a judge reads one of them."""

from __future__ import annotations

from collections.abc import Iterable

from evaluators.records import Accepted

Spellings = tuple[str, ...]
"""One required answer in all its accepted spellings; any of them will do."""


def groups(truth: Accepted | None) -> list[Spellings]:
    """The required answers with their spellings, as they are; none without a true answer."""
    if truth is None:
        return []
    required = (truth,) if isinstance(truth, str) else truth
    spellings_of_each: list[Spellings] = []
    for group in required:
        # A bare text is an answer with one spelling.
        spellings_of_each.append((group,) if isinstance(group, str) else tuple(group))
    return spellings_of_each


def spellings(truth: Accepted | None) -> list[str]:
    """Every spelling of every required answer."""
    return [spelling for group in groups(truth) for spelling in group]


def on_one_line(group: Iterable[str]) -> str:
    """The spellings that are not blank, on one line: "New York / NYC"."""
    # None of them may hold the divider, or a judge would read one spelling as two.
    lines = []
    for spelling in group:
        line = " ".join(spelling.split())
        lines.append(line.replace(" / ", "/"))
    return " / ".join(filter(None, lines))
