"""Is the other system better: every value of both, over the answers that both were judged on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from evaluators.comparison.paired import Difference, Pair, holm, paired
from evaluators.comparison.settings import Change, changes, unlike
from evaluators.comparison.sides import Matched, Side, Value, matched, titles, values_of
from evaluators.errors import ParameterError
from evaluators.records import Record
from evaluators.runs.store import Outline
from evaluators.text.printable import printable

if TYPE_CHECKING:
    from pandas import DataFrame

NEITHER_BETTER = ("context_relevance", "context_utilization")
"""Values of which a higher one is not a better answer: they tell of the documents and their use."""
EXAMPLE = 0.03
"""The difference for which the rows that are needed are said: three points."""


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

    @property
    def is_better_when_higher(self) -> bool:
        return self.name not in NEITHER_BETTER


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
        return _in_words(self)

    def to_pandas(self) -> DataFrame:
        """One row for each value: means, difference with its interval, p-values, counts."""
        from pandas import DataFrame

        return DataFrame([line(value) for value in self.values])

    def __repr__(self) -> str:
        rows = [
            f"{value.name}: {difference_in_words(value)}, {value.coverage} checked for both"
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


# Words


def line(value: Compared) -> dict[str, object]:
    """What a table says of one value; `None` where it is not known."""
    difference = value.difference
    # The names are those of the records, so that a table and the records say the same.
    of_difference = dict.fromkeys(_OF_DIFFERENCE)
    if difference:
        of_difference = {name: getattr(difference, name) for name in _OF_DIFFERENCE}
    return {
        "value": value.name,
        **of_difference,
        "rows": len(value.rows),
        "matched": value.matched,
        "only_first": value.only_first,
        "only_second": value.only_second,
    }


def difference_in_words(value: Compared) -> str:
    """The difference with its interval in points: "+6 (2 to 10)"; "none" without rows."""
    difference = value.difference
    if difference is None:
        return "none"
    points = f"{100 * difference.difference:+.1f}"
    if difference.low is None or difference.high is None:
        return points
    return f"{points} ({100 * difference.low:.1f} to {100 * difference.high:.1f})"


def _in_words(comparison: Comparison) -> str:
    alike: list[Compared] = []
    told_apart: dict[tuple[str, str], list[str]] = {}
    for value in comparison.values:
        difference = value.difference
        if difference is None:
            continue
        if not difference.is_told_apart:
            alike.append(value)
            continue
        higher = comparison.second if difference.difference > 0 else comparison.first
        how = "better" if value.is_better_when_higher else "higher"
        told_apart.setdefault((higher, how), []).append(_by_points(value.name, difference))
    parts = [f"{title} is {how} in {_listed(by)}" for (title, how), by in told_apart.items()]
    if alike:
        names = _listed([_readable(value.name) for value in alike])
        # A title stands as it was written; what begins without one gets a capital.
        parts.append(f"{names if parts else names[0].upper() + names[1:]} cannot be told apart")
        parts += _rows_needed(alike)
    return f"{'; '.join(parts) or 'No sample was checked for both'}."


def _by_points(name: str, difference: Difference) -> str:
    """By how much the higher one is higher: "adherence by 6 points (2 to 10)"."""
    sign = 1 if difference.difference > 0 else -1
    size = _points(sign * difference.difference)
    words = f"{_readable(name)} by {size} {'point' if size == '1' else 'points'}"
    if difference.low is None or difference.high is None:
        return words
    low, high = sorted((sign * difference.low, sign * difference.high))
    return f"{words} ({_points(low)} to {_points(high)})"


def _rows_needed(alike: Sequence[Compared]) -> list[str]:
    needed = [
        value.difference.rows_needed(EXAMPLE) for value in alike if value.difference is not None
    ]
    known = [rows for rows in needed if rows is not None]
    if not known:
        return []
    return [f"to tell {_points(EXAMPLE)} points apart takes about {_rounded(max(known)):,} samples"]


def _points(share: float) -> str:
    """A share in points of a hundred, with a decimal below ten."""
    return f"{100 * share:.1f}".removesuffix(".0") if abs(share) < 0.1 else f"{100 * share:.0f}"


def _rounded(rows: int) -> int:
    """To two digits: the rows that are needed are known no better."""
    step = 10 ** max(0, len(str(rows)) - 2)
    return -(-rows // step) * step


def _readable(name: str) -> str:
    return name.replace("_", " ")


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"

