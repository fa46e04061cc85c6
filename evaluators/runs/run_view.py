"""A run as it was at one moment: its results without texts, and what is worked out of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

from evaluators.catalogue import leads
from evaluators.records import Cell, Run, Sample, Score
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Mean, View
from evaluators.runs.store import Counts, Outline, Store
from evaluators.trace.agreement import Agreement, agreement
from evaluators.trace.labelling import CORRECTED, Correction

LAST_CHOICES = 3
"""Of what depends on a choice, such as a view, the results for so many choices are kept."""

WHAT_COUNTS = View()
"""The labels of the run with a person's corrections, by the usual definition."""

T = TypeVar("T")


class RunVersion(NamedTuple):
    """What the results of a run depend on: while it stays the same, so do they."""

    counts: Counts
    corrections: Mapping[Cell, Sequence[Correction]]

    @classmethod
    def read(cls, store: Store, run: Run) -> RunVersion:
        counts = store.results.counts(run)
        return cls(counts, store.corrections.by_cell(run.id))


@dataclass(frozen=True, eq=False)
class RunView:
    """A run with an outline of every cell, read once for all that is shown of it.

    What is worked out of the outlines is kept beside them. One view may serve several threads: at
    worst two of them work out the same thing.
    """

    store: Store
    run: Run
    version: RunVersion
    rows: Sequence[Outline]
    """Every cell, sample by sample, with the values that the labellers themselves gave."""

    _kept: dict[str, dict[Hashable, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, store: Store, run: Run, version: RunVersion | None = None) -> RunView:
        # The version first: with an older one than its outlines a view is only read once more.
        version = version or RunVersion.read(store, run)
        return cls(store, run, version, store.results.outlines(run))

    @property
    def counts(self) -> Counts:
        return self.version.counts

    @property
    def corrections(self) -> Mapping[Cell, Sequence[Correction]]:
        return self.version.corrections

    def of_metric(self, number: int) -> list[Outline]:
        """The rows of one of the run's metrics, by its number from 0."""
        return aggregate.of_metric(self.rows, number)

    def counted(self, view: View = WHAT_COUNTS) -> Sequence[Outline]:
        """The rows with their TRACE values as the view counts them."""
        as_stored = view == WHAT_COUNTS and not self.corrections
        if as_stored or leads(self.run.evaluator.name) != "trace":
            return self.rows

        def count() -> Sequence[Outline]:
            return aggregate.viewed(self.rows, self.scored(), view, self.corrections)

        return self._once("counted", view, count)

    def merged(self, view: View = WHAT_COUNTS) -> Sequence[Outline]:
        """One row for each answer with the values of all metrics, under the names of `columns`."""
        if len(self.run.evaluators) == 1:
            return self.counted(view)
        return self._once("merged", view, lambda: aggregate.merged(self.counted(view)))

    def columns(self) -> Mapping[tuple[int, str], str]:
        """What each value is called in the merged rows, by metric and its own name."""
        return self._once("columns", None, lambda: aggregate.value_titles(self.rows))

    def failed_metrics(self) -> Mapping[Cell, Sequence[int]]:
        """The numbers of the metrics that failed, by answer; without answers for which none did."""

        def find() -> dict[Cell, list[int]]:
            failed: dict[Cell, list[int]] = {}
            for row in self.rows:
                if row.status == "failed":
                    cell = Cell(row.position, row.model)
                    failed.setdefault(cell, []).append(row.metric)
            return failed

        return self._once("failed", None, find)

    def labellers(self) -> Sequence[str]:
        """Whose labels can be looked at; every sample is read for it."""

        def find() -> list[str]:
            names = aggregate.labellers(self.run, self.scored())
            if self.corrections:
                names.append(CORRECTED)
            return names

        return self._once("labellers", None, find)

    def means_by_labeller(
        self, model: int, definition: str, values: Sequence[str]
    ) -> Mapping[str, Mapping[str, Mean]]:
        """The means of one model's answers by each labeller, over the samples it labelled.

        Every sample is read once for each labeller.
        """

        def work_out() -> dict[str, dict[str, Mean]]:
            rows = aggregate.of_model(self.of_metric(0), model)
            means = {}
            for labeller in self.labellers():
                view = View(definition, labeller)
                labelled = aggregate.viewed(rows, self.scored(), view, self.corrections)
                means[labeller] = {name: aggregate.summarise(labelled, name) for name in values}
            return means

        return self._once("means", (model, definition, tuple(values)), work_out)

    def agreements(self, model: int) -> Sequence[Agreement]:
        """How far any two labellers of one model's answers agree; every sample is read for it."""

        def compare() -> list[Agreement]:
            of_model = (
                (cell, sample, score)
                for cell, sample, score in self.scored()
                if cell.model == model
            )
            return agreement(of_model, self.corrections)

        return self._once("agreements", model, compare)

    # Not kept: with their texts the samples of a large run would not fit into memory.
    def scored(self) -> Iterator[tuple[Cell, Sample, Score]]:
        """Every cell that the first metric scored, with its sample and score, read anew."""
        return self.store.results.scored(self.run)

    def _once(self, kind: str, choice: Hashable, make: Callable[[], T]) -> T:
        kept = self._kept.setdefault(kind, {})
        value = kept.get(choice)
        if value is None:
            kept[choice] = value = make()
            # A copy of the keys, as another thread may keep something meanwhile.
            for earlier in list(kept)[:-LAST_CHOICES]:
                kept.pop(earlier, None)
        return cast(T, value)
