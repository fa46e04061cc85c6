"""What a comparison of two systems gives: every value of both with its difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evaluators.comparison import words
from evaluators.comparison.paired import Difference
from evaluators.errors import ParameterError
from evaluators.runs.settings import Change
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


class RowPair(NamedTuple):
    """One sample's value by both systems, with where the sample stands in the data of each."""

    first_position: int
    second_position: int
    first: float
    second: float

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass(frozen=True)
class Compared:
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


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two systems side by side; `first` and `second` are what they are called.

    `values` are those that both have, `by_noise` is the accuracy of RGB at each noise level, under
    the level as its name, where there are several. `only_first` and `only_second` are the names of
    values that one of them has. `alone` are positions of samples that only the first has, then only
    the second. `changes` says what differs between the runs, `warnings` why they are not like with
    like.
    """

    first: str
    second: str
    values: tuple[Compared, ...]
    by_noise: tuple[Compared, ...]
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
        return words.sentence(self.first, self.second, self._differences())

    def against_reference(self) -> str:
        """The same of the second alone: "Better in adherence by 6 points (2 to 10)."."""
        return words.against_reference(self._differences())

    def _differences(self) -> list[words.Named]:
        return [
            (value.name, value.difference) for value in self.values if value.difference is not None
        ]

    def noise_sentence(self) -> str:
        """At which noise levels the two are told apart; empty where there are not several."""
        levels = [
            (float(value.name), value.difference)
            for value in self.by_noise
            if value.difference is not None
        ]
        return words.noise_sentence(self.first, self.second, levels) if levels else ""

    def summary(self) -> dict[str, object]:
        """All of it but the single samples, for a program."""
        return {
            "first": self.first,
            "second": self.second,
            "sentence": self.sentence(),
            "noise_sentence": self.noise_sentence(),
            "values": [value.line() for value in self.values],
            "by_noise": [value.line() for value in self.by_noise],
            "matched": self.matched,
            "without_partner": [len(alone) for alone in self.alone],
            "changes": [change.model_dump() for change in self.changes],
            "warnings": list(self.warnings),
        }

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
