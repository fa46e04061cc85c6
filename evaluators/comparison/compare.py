"""Is the other system better: every value of both, over the answers that both were judged on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluators.comparison.paired import Pair, holm, paired
from evaluators.comparison.result import Compared, Comparison, RowPair
from evaluators.comparison.settings import changes, unlike
from evaluators.comparison.sides import (
    NOISE,
    Matched,
    Side,
    at_each_noise,
    matched,
    titles,
    values_of,
)
from evaluators.errors import ParameterError
from evaluators.runs.aggregate import Value


def compared(first: Side, second: Side) -> Comparison:
    """The second system against the first; raises `ParameterError` where nothing is common."""
    own, others = values_of(first), values_of(second)
    is_same_data = first.run.fingerprint == second.run.fingerprint
    partners = matched(first.rows(), second.rows(), is_same_data)
    if not partners.pairs:
        raise ParameterError(
            "These runs have no sample and no question in common. Compare runs over the same "
            "data set, or over data sets with the same questions."
        )
    common = [name for name in own if name in others]
    if not common:
        raise ParameterError(
            f"These runs have no value in common: the first has {', '.join(own) or 'none'}, the "
            f"second {', '.join(others) or 'none'}. Run the same metric on both."
        )
    values = [_compared(name, own[name], others[name], partners) for name in common]
    by_noise = []
    if NOISE in common:
        at_level = at_each_noise(own[NOISE])
        if len(at_level) > 1:
            other = others[NOISE]
            by_noise = [_compared(name, at, other, partners) for name, at in at_level.items()]
    # Holm counts all that stands together on the screen.
    together = _adjusted([*values, *by_noise])
    first_title, second_title = titles(first, second)
    return Comparison(
        first=first_title,
        second=second_title,
        values=together[: len(values)],
        by_noise=together[len(values) :],
        only_first=tuple(name for name in own if name not in others),
        only_second=tuple(name for name in others if name not in own),
        matched=len(partners.pairs),
        alone=partners.alone,
        is_same_data=is_same_data,
        changes=changes(first, second),
        warnings=unlike(first, second),
    )


class _Judged(NamedTuple):
    """A sample's value by both systems, `None` where a system was not judged, and its question."""

    positions: tuple[int, int]
    first: float | None
    second: float | None
    question: Hashable


def _compared(name: str, own: Value, other: Value, partners: Matched) -> Compared:
    judged = list(_judged_rows(own, other, partners))
    rows: list[RowPair] = []
    pairs: list[Pair] = []
    for positions, first, second, question in judged:
        if first is not None and second is not None:
            ours, theirs = positions
            rows.append(
                RowPair(
                    first_position=ours,
                    second_position=theirs,
                    first=first,
                    second=second,
                )
            )
            pairs.append(Pair(first, second, question))
    only = Counter((each.first is not None, each.second is not None) for each in judged)
    return Compared(
        name=name,
        difference=paired(pairs) if pairs else None,
        matched=len(judged),
        only_first=only[True, False],
        only_second=only[False, True],
        neither=only[False, False],
        rows=tuple(rows),
    )


def _judged_rows(own: Value, other: Value, partners: Matched) -> Iterator[_Judged]:
    ours = {row.position: row for row in own.rows}
    theirs = {row.position: row for row in other.rows}
    for position, partner in partners.pairs.items():
        # Of RGB only the samples of the value's ability have a row.
        if position in ours and partner in theirs:
            row = ours[position]
            yield _Judged(
                (position, partner),
                row.values.get(own.name),
                theirs[partner].values.get(other.name),
                # Answers to one question resemble each other, whatever noise they were given.
                row.question or position,
            )


def _adjusted(values: Sequence[Compared]) -> tuple[Compared, ...]:
    """The same with p-values that count how many are looked at together."""
    adjusted = holm([value.difference.p if value.difference else None for value in values])
    together = []
    for value, p in zip(values, adjusted, strict=True):
        difference = value.difference
        if difference is not None:
            difference = difference.model_copy(update={"adjusted": p})
        together.append(replace(value, difference=difference))
    return tuple(together)
