"""What a comparison of two systems gives: every value of both with its difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluators.comparison import words
from evaluators.comparison.paired import Difference
from evaluators.errors import ParameterError
from evaluators.runs.aggregate import Mean
from evaluators.runs.rgb_figures import asked_and_had
from evaluators.runs.settings import Change
from evaluators.text.language import say
from evaluators.text.printable import printable
from evaluators.text.words import joined_sentences
from evaluators.values import Kind

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


Because = Literal["", "heuristic", "documents"]


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
    """How two systems compare in one value, whose means are written by its `kind`.

    `matched` samples are in the data of both. Of these `difference` counts those that both were
    judged on; `only_first` and `only_second` were judged for one of them, `neither` for none.
    `difference` is `None` where no sample was judged for both.

    `because` says why a difference is none of the systems: labels of the heuristic, or documents
    that are the same for all pairs. Then `difference` holds no interval and no p-value;
    `of_labels` has them, as far as the labels are believed. `by_heuristic` counts the pairs of
    which one was labelled by the heuristic. Of a level of noise `noise_had` are the shares that the
    prompts of both systems had, as far as they are known; of an outcome `rates` are those of both
    systems over all of their answers of which it is known.
    """

    name: str
    difference: Difference | None
    matched: int
    only_first: int
    only_second: int
    neither: int
    rows: tuple[RowPair, ...]
    because: Because = ""
    of_labels: Difference | None = None
    by_heuristic: int = 0
    noise_had: tuple[float, ...] = ()
    rates: tuple[Mean, ...] = ()
    kind: Kind = "share"

    @property
    def coverage(self) -> str:
        """Samples that both were judged on, of those that both have."""
        return f"{len(self.rows):,} / {self.matched:,}"

    @property
    def noise(self) -> str:
        """Of a level of noise that asked for and, where prompts had another one, that."""
        return asked_and_had(float(self.name), self.noise_had)

    @property
    def has_missed_noise(self) -> bool:
        """Whether the prompts had another noise than was asked for."""
        return self.noise != asked_and_had(float(self.name), ())

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
            "not_of_systems": self.because,
        }


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two systems side by side; `first` and `second` are what they are called.

    `values` are those that both have, `by_noise` is the accuracy of RGB at each noise level, under
    the level as its name, where there are several. `only_first` and `only_second` are the names of
    values that one of them has. `alone` are positions of samples that only the first has, then only
    the second. `changes` says what differs between the runs, `warnings` why they are not like with
    like. `same_documents` tells that all pairs have the same ones, `same_answers` that two
    labellers, formulas or rules are compared, and no systems. `different_labellers` says who
    judged each of two systems, where that is not the same labeller. `outcomes` are how often each
    declined although there was evidence and answered without; their p-values count these alone.
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
    same_documents: bool = False
    same_answers: bool = False
    different_labellers: str = ""
    outcomes: tuple[Compared, ...] = ()
    outcome_notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Compared:
        for value in self.values:
            if value.name == name:
                return value
        known = ", ".join(value.name for value in self.values)
        raise ParameterError(f"There is no value {name!r:.60} to compare. There are: {known}.")

    def sentence(self) -> str:
        """What was found, to be read out."""
        return self._with_reasons(
            lambda differences: words.sentence(
                self.first, self.second, differences, same_answers=self.same_answers
            )
        )

    def against_reference(self) -> str:
        """The same of the second alone: "Better in adherence by 6.0 points (2.1 to 10.0)."."""
        return self._with_reasons(
            lambda differences: words.against_reference(differences, same_answers=self.same_answers)
        )

    def _with_reasons(self, told: Callable[[Sequence[words.Named]], str]) -> str:
        """What is `told` of the systems, then of which values nothing can be."""
        judged = [value for value in self.values if value.difference]
        of_systems = self._of_systems()
        sentences = [told(of_systems)] if of_systems or not judged else []
        if guessed := self.by_heuristic():
            sentences += [guessed, say(words.WHAT_HELPS)]
        # Beside others it is among the warnings.
        if not sentences:
            sentences.append(words.of_same_documents([value.name for value in judged]))
        return joined_sentences(sentences)

    def _of_systems(self) -> list[words.Named]:
        """The differences that may be the systems'."""
        return [
            (value.name, value.difference)
            for value in self.values
            if value.difference and not value.because
        ]

    def by_heuristic(self) -> str:
        """Which values rest on labels of the heuristic, in a sentence; empty where none does."""
        guessed = [value for value in self.values if value.because == "heuristic"]
        if not guessed:
            return ""
        most = max(guessed, key=lambda value: value.by_heuristic / len(value.rows))
        names = [value.name for value in guessed] if self._of_systems() else []
        return words.by_heuristic(names, most.by_heuristic, len(most.rows))

    def most_telling(self) -> Compared | None:
        """The value whose samples are read first: one that is told apart by more than a trifle."""

        def how_telling(value: Compared) -> tuple[bool, bool, bool]:
            found = value.difference
            if found is None or value.because == "documents":
                return False, False, False
            is_more = abs(found.difference) >= words.EXAMPLE
            # One that is the same everywhere would show nothing to learn from.
            return found.is_told_apart and is_more, is_more, found.ties < found.rows

        with_rows = [value for value in self.values if value.rows]
        # Of equals the first stays.
        return max(with_rows, key=how_telling, default=None)

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
            "by_noise": [{**value.line(), "noise": value.noise} for value in self.by_noise],
            "outcomes": [
                {**value.line(), "rates": [rate.model_dump() for rate in value.rates]}
                for value in self.outcomes
            ],
            "matched": self.matched,
            "without_partner": [len(alone) for alone in self.alone],
            "same_documents": self.same_documents,
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
