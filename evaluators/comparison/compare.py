"""Is the other system better: every value of both, over the answers that both were judged on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from evaluators.comparison import words
from evaluators.comparison.paired import Difference, Pair, holm, paired
from evaluators.comparison.settings import changes, unlike
from evaluators.comparison.sides import Matched, Side, Value, matched, titles, values_of
from evaluators.errors import ParameterError
from evaluators.records import Record
from evaluators.runs.settings import Change
from evaluators.runs.store import Outline
from evaluators.text.printable import printable

if TYPE_CHECKING:
    from pandas import DataFrame

_OF_DIFFERENCE = (
    "first",
    "second",
    "difference",
    "low",
    "high",
    "p",
    "adjusted",
    "clusters",
    "wins",
    "ties",
    "losses",
)


class RowPair(Record):
    """One sample's value by both systems, with where the sample stands in the data of each."""

    first_position: int
    second_position: int
    first: float
    second: float

    @property
    def difference(self) -> float:
        return self.second - self.first


class Compared(Record):
    """How two systems compare in one value.

    `matched` samples are in the data of both. Of these `difference` counts those that both were
    judged on; `only_first` and `only_second` were judged for one of them, `neither` for none.
    `difference` is `None` where no sample was judged for both.
    """

    name: str
    difference: Difference | None
    matched: int
    only_first: int
    only_second: int
    neither: int
    rows: tuple[RowPair, ...]

    @property
    def coverage(self) -> str:
        """Samples that both were judged on, of those that both have."""
        return f"{len(self.rows):,} / {self.matched:,}"

    def line(self) -> dict[str, object]:
        """What a table says of the value; `None` where it is not known."""
        # The names are those of the records, so that a table and the records say the same.
        of_difference = dict.fromkeys(_OF_DIFFERENCE)
        if self.difference:
            of_difference = {name: getattr(self.difference, name) for name in _OF_DIFFERENCE}
        return {
            "value": self.name,
            **of_difference,
            "samples": len(self.rows),
            "matched": self.matched,
            "only_first": self.only_first,
            "only_second": self.only_second,
        }


class Comparison(Record):
    """Two systems side by side; `first` and `second` are what they are called.

    `values` are those that both have, `only_first` and `only_second` the names of those that one of
    them has. `alone` are positions of samples that only the first has, then only the second.
    `changes` says what differs between the runs, `warnings` why they are not like with like.
    """

    first: str
    second: str
    values: tuple[Compared, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    matched: int
    alone: tuple[tuple[int, ...], tuple[int, ...]]
    is_same_data: bool
    changes: tuple[Change, ...]
    warnings: tuple[str, ...]

    def __getitem__(self, name: str) -> Compared:
        for value in self.values:
            if value.name == name:
                return value
        known = ", ".join(value.name for value in self.values)
        raise ParameterError(f"There is no value {name!r:.60} to compare. There are: {known}.")

    def sentence(self) -> str:
        """What was found, to be read out."""
        differences = [
            (value.name, value.difference) for value in self.values if value.difference is not None
        ]
        return words.sentence(self.first, self.second, differences)

    def to_pandas(self) -> DataFrame:
        """One row for each value: means, difference with its interval, p-values, counts."""
        from pandas import DataFrame

        return DataFrame([value.line() for value in self.values])

    def __repr__(self) -> str:
        rows = [
            f"{value.name}: {words.in_points(value.difference)}, {value.coverage} checked for both"
            for value in self.values
        ]
        title = f"{self.second} against {self.first}"
        return "\n".join(map(printable, [title, *rows, self.sentence(), *self.warnings]))


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
    first_title, second_title = titles(first, second)
    return Comparison(
        first=first_title,
        second=second_title,
        values=_adjusted(values),
        only_first=tuple(name for name in own if name not in others),
        only_second=tuple(name for name in others if name not in own),
        matched=len(partners.pairs),
        alone=partners.alone,
        is_same_data=is_same_data,
        changes=changes(first, second),
        warnings=unlike(first, second),
    )


def _compared(name: str, own: Value, other: Value, partners: Matched) -> Compared:
    ours = {row.position: row for row in own.rows}
    theirs = {row.position: row for row in other.rows}
    rows: list[RowPair] = []
    pairs: list[Pair] = []
    one_sided = {(True, False): 0, (False, True): 0, (False, False): 0}
    count = 0
    for position, partner in partners.pairs.items():
        # Of RGB only the samples of the value's ability have a row.
        if position not in ours or partner not in theirs:
            continue
        count += 1
        first = ours[position].values.get(own.name)
        second = theirs[partner].values.get(other.name)
        if first is None or second is None:
            one_sided[first is not None, second is not None] += 1
            continue
        rows.append(
            RowPair(
                first_position=position,
                second_position=partner,
                first=first,
                second=second,
            )
        )
        pairs.append(Pair(first, second, _cluster(ours[position])))
    return Compared(
        name=name,
        difference=paired(pairs) if pairs else None,
        matched=count,
        only_first=one_sided[True, False],
        only_second=one_sided[False, True],
        neither=one_sided[False, False],
        rows=tuple(rows),
    )


def _cluster(row: Outline) -> Hashable:
    """Answers to the same question resemble each other, whatever noise they were given."""
    return row.question or row.position


def _adjusted(values: Sequence[Compared]) -> tuple[Compared, ...]:
    """The same with p-values that count how many are looked at together."""
    adjusted = holm([value.difference.p if value.difference else None for value in values])
    together = []
    for value, p in zip(values, adjusted, strict=True):
        difference = value.difference
        if difference is not None:
            difference = difference.model_copy(update={"adjusted": p})
        together.append(value.model_copy(update={"difference": difference}))
    return tuple(together)
