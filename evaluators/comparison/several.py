"""Three systems or more: a table of them all, and each against the first, the reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluators.comparison.compare import against_first
from evaluators.comparison.result import Compared, Comparison
from evaluators.comparison.sides import Side, titles, values_of
from evaluators.errors import ParameterError
from evaluators.runs.aggregate import Mean
from evaluators.text.language import say
from evaluators.text.printable import printable
from evaluators.text.scale import BY_KIND, Scale
from evaluators.text.words import joined_sentences

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class System:
    """One of several systems: its name and means, and how it compares with the reference.

    `means` are over all samples that the system was judged on, as on its run's page; a difference
    is over those that the reference was judged on as well. The reference has no `comparison`.
    """

    title: str
    means: Mapping[str, Mean]
    comparison: Comparison | None = None

    def against_reference(self, value: str) -> Compared | None:
        """How a value compares with the reference's; `None` where only one of the two has it."""
        compared = self.comparison.values if self.comparison else ()
        return next((own for own in compared if own.name == value), None)


@dataclass(frozen=True, repr=False)
class Several:
    """Three systems or more; the first is the reference that each other one is compared with.

    P-values count all comparisons together (Holm).
    """

    systems: tuple[System, ...]

    @property
    def reference(self) -> System:
        return self.systems[0]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Each other system against the reference."""
        return tuple(own.comparison for own in self.systems if own.comparison)

    @property
    def values(self) -> tuple[str, ...]:
        """The names of all values that any two systems have in common with the reference."""
        compared = {value.name for own in self.comparisons for value in own.values}
        return tuple(name for name in self.reference.means if name in compared)

    def scales(self) -> dict[str, Scale]:
        """How each of these values is written."""
        compared = (value for own in self.comparisons for value in own.values)
        return {value.name: BY_KIND[value.kind] for value in compared}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why systems are not like with like, each sentence with the system that it is about."""
        return tuple(
            say("{name}: {sentence}", name=comparison.second, sentence=warning)
            for comparison in self.comparisons
            for warning in comparison.warnings
        )

    def __getitem__(self, title: str) -> Comparison:
        for comparison in self.comparisons:
            if comparison.second == title:
                return comparison
        known = ", ".join(comparison.second for comparison in self.comparisons)
        raise ParameterError(
            f"{title!r:.60} is not compared with {self.reference.title}. There are: {known}."
        )

    def sentences(self) -> tuple[str, ...]:
        """What was found of each system, against the reference."""
        return tuple(
            say(
                "{name}: {sentence}",
                name=comparison.second,
                sentence=comparison.against_reference(),
            )
            for comparison in self.comparisons
        )

    def sentence(self) -> str:
        """What was found, to be read out."""
        return say(
            "Against {title}: {sentences}",
            title=self.reference.title,
            sentences=joined_sentences(self.sentences()),
        )

    def lines(self) -> Iterator[dict[str, object]]:
        """A row for each value of each system; of the reference without a difference."""
        for system in self.systems:
            for name in self.values:
                if name in system.means:
                    yield _line(system, name)

    def summary(self) -> dict[str, object]:
        """All of it but the single samples, for a program."""
        return {
            "reference": self.reference.title,
            "systems": list(self.lines()),
            "comparisons": [comparison.summary() for comparison in self.comparisons],
        }

    def to_pandas(self) -> DataFrame:
        """One row for each value of each system: mean, difference from the reference, p-values."""
        from pandas import DataFrame

        return DataFrame(list(self.lines()))

    def __repr__(self) -> str:
        return "\n".join(
            map(printable, [f"Against {self.reference.title}", *self.sentences(), *self.warnings])
        )


def several(sides: Sequence[Side], *, with_outcomes: bool = True) -> Several:
    """Three systems or more, the first as the reference.

    Raises `ParameterError` where one has nothing in common with it.
    """
    comparisons = against_first(sides, with_outcomes=with_outcomes)
    systems = []
    for side, title, comparison in zip(sides, titles(sides), (None, *comparisons), strict=True):
        means = {name: value.mean for name, value in values_of(side).items()}
        systems.append(System(title, means, comparison))
    return Several(tuple(systems))


def _line(system: System, name: str) -> dict[str, object]:
    mean = system.means[name]
    compared = system.against_reference(name)
    difference = compared.difference if compared else None
    return {
        "system": system.title,
        "value": name,
        "mean": mean.mean,
        "mean_low": mean.low,
        "mean_high": mean.high,
        "scored": mean.scored,
        "asked": mean.asked,
        "difference": difference and difference.difference,
        "low": difference and difference.low,
        "high": difference and difference.high,
        "p": difference and difference.p,
        "adjusted": difference and difference.adjusted,
        "told_apart": difference and difference.is_told_apart,
        "samples": len(compared.rows) if compared else None,
    }
