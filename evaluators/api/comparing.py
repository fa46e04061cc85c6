"""Runs, models of a run, or labellers of a run, compared from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from evaluators.api.results import Results, open_run
from evaluators.api.shown import Shown
from evaluators.comparison import groups
from evaluators.comparison.compare import compared
from evaluators.comparison.leaderboard import Leaderboard
from evaluators.comparison.leaderboard import leaderboard as ranked
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several, several
from evaluators.comparison.sides import Side
from evaluators.declared import checks_types
from evaluators.document.blocks import Blocks
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.named_files import write_file
from evaluators.records import Remedy, Run
from evaluators.report.comparison_report import comparison_document, comparison_report
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView

Model = int | str
Judged = Results | str | Path
"""A run, or what `open_run` takes: a run file, or a finished batch over files."""


@dataclass(frozen=True, repr=False)
class _OfSides(Shown):
    """What was compared, beside what came of it: a report needs both."""

    sides: tuple[Side, ...] = field(default=(), kw_only=True)

    @checks_types()
    def report(self, path: str | Path) -> Path:
        """Writes a report: one HTML page that opens offline and prints on A4; at most 6 MB."""
        assert isinstance(self, Comparison | Several | Leaderboard)
        return write_file(path, comparison_report(self, self.sides))

    def document(self) -> Blocks:
        assert isinstance(self, Comparison | Several | Leaderboard)
        return comparison_document(self)


@dataclass(frozen=True, repr=False)
class ComparisonOfSides(_OfSides, Comparison):
    """A comparison of two systems that can write a report."""


@dataclass(frozen=True, repr=False)
class SeveralSides(_OfSides, Several):
    """A comparison of three systems or more that can write a report."""


@overload
def compare(
    first: Judged,
    second: Judged,
    /,
    *,
    models: Sequence[Model] = ...,
    labels: str | Sequence[str] = ...,
) -> ComparisonOfSides: ...


@overload
def compare(
    first: Judged,
    /,
    *,
    models: tuple[Model, Model] = ...,
    labels: tuple[str, str] = ...,
) -> ComparisonOfSides: ...


@overload
def compare(
    first: Judged,
    /,
    *others: Judged,
    models: Sequence[Model] = ...,
    labels: str | Sequence[str] = ...,
) -> SeveralSides: ...


@overload
def compare(
    first: Judged,
    /,
    *,
    models: Sequence[Model] = ...,
    labels: str | Sequence[str] = ...,
    by: str,
) -> ComparisonOfSides | SeveralSides: ...


@checks_types()
def compare(
    first: Judged,
    /,
    *others: Judged,
    models: Sequence[Model] = (),
    labels: str | Sequence[str] = (),
    by: str = "",
) -> ComparisonOfSides | SeveralSides:
    """Whether the second is better than the first, over the samples that both were judged on.

    Each is the results of a run, or what `open_run` takes, such as what a batch over files gave.
    Of one run alone two `models` are compared, by number from 0, id or title, or two labellers by
    name (`labels=("heuristic", "gold")`). Of two systems each is counted by its run's own labeller,
    or both by the one that `labels="gold"` names; what people say (`labels="corrected"`) counts
    there only for samples that they labelled on both sides. Three or more runs, models or labellers
    are each compared with the first one. What is looked at together counts in the p-values (Holm).
    `by="prompt_version"` compares the groups of one run, by the column that the data were read
    with as `group`: question by question, the best one first, p-values over all pairs of groups.
    Raises `ParameterError` for an unknown model or labeller, where two sides are the same, where
    people's labels would count on one side alone, and where a side has no sample, question or value
    in common with the first, and for a column by which the run has not 2 to 20 groups.
    """
    runs = [own if isinstance(own, Results) else open_run(own) for own in (first, *others)]
    return compared_sides(chosen_sides(runs, models, labels, by))


@dataclass(frozen=True, repr=False)
class LeaderboardOfRuns(_OfSides, Leaderboard):
    """A leaderboard that can write a report."""


@checks_types()
def leaderboard(
    runs: Judged | Sequence[Judged],
    *,
    values: Sequence[str] = (),
    labels: str = "",
) -> LeaderboardOfRuns:
    """Every model of these runs by data set or ability, with ranks that can be told apart.

    Each run is the results of one, or what `open_run` takes; the systems are its models, or its
    answers where these were given with the data. A column is a value over the same questions, by
    the same labeller, formula and parameters: what differs in any of these has a column of its own.
    Without `values` (names as in `Results.summary`) these are the verdicts on abilities of RGB and
    the first value of each other metric. Each is counted by its run's own labeller, or all by the
    one that `labels="gold"` names.

    In each column every two systems are compared as by `compare`, question by question; a rank is 1
    and one more for each system that is shown to be better, with p-values over all pairs of all
    columns (Holm). Of labels by the heuristic, of values of which a higher one is no better answer,
    and below 80 % of the answers checked nobody has a rank. Up to 50 systems are ranked; of many
    each is compared with the best of its column alone.
    Raises `ParameterError` for an unknown labeller or value, for a run that is named twice, and
    where no two systems have a value over the same questions.
    """
    several = [runs] if isinstance(runs, Results | str | Path) else runs
    results = [own if isinstance(own, Results) else open_run(own) for own in several]
    sides = []
    for own in results:
        for model in range(max(1, len(own.run.models))):
            sides.append(side(own, model, labels or own.labels))
    return LeaderboardOfRuns(**vars(ranked(sides, values)), sides=tuple(sides))


def compared_sides(sides: Sequence[Side]) -> ComparisonOfSides | SeveralSides:
    """Two systems as a pair; more than two each against the first."""
    if len(sides) > 2:
        return SeveralSides(**vars(several(sides)), sides=tuple(sides))
    return ComparisonOfSides(**vars(compared(*sides)), sides=tuple(sides))


def chosen_sides(
    results: Sequence[Results],
    models: Sequence[Model] = (),
    labels: str | Sequence[str] = (),
    by: str = "",
) -> list[Side]:
    """Which systems are compared: these runs, or these models, labellers or groups of one run.

    Raises `ParameterError` as `compare` does.
    """
    labels = (labels,) if isinstance(labels, str) else labels
    if by:
        return _groups(results, models, labels, by)
    count = max(2, *map(len, (results, models, labels)))
    # One labeller for all, where the sides are systems.
    if len(labels) == 1 and (len(results) > 1 or models):
        labels = [labels[0]] * count
    if len(results) == 1:
        results = [results[0]] * count
    for name, chosen in (("runs", results), ("models", models), ("labels", labels)):
        if chosen and len(chosen) != count:
            raise ParameterError(
                f"There are {count} sides and {len(chosen)} {name}. Name one for each side."
            )
    whose: Sequence[str | None] = labels or [own.labels for own in results]
    found = list(map(side, results, models or [0] * count, whose))
    if len({(side.run.id, side.model, side.counted) for side in found}) < count:
        (one, *_), words = found, "Two sides are the same. Name another run, other models or other"
        by_groups = Remedy("compare_groups", groups.column_of(one.run))
        remedy = by_groups if groups.can_be_compared(one.view) else None
        raise ParameterError(f"{words} labellers.", remedy=remedy)
    return found


def _groups(
    results: Sequence[Results], models: Sequence[Model], labels: Sequence[str], by: str
) -> list[Side]:
    for name, chosen in (("runs", results), ("models", models), ("labels", labels)):
        if len(chosen) > 1:
            raise ParameterError(
                f"Groups of one run are compared, and there are {len(chosen)} {name}. Name one."
            )
    [own] = results
    whose = labels[0] if labels else own.labels
    return groups.sides(side(own, models[0] if models else 0, whose), by)


def side(results: Results, model: Model = 0, by: str | None = None) -> Side:
    """One side of a comparison; raises `ParameterError` for an unknown model or labeller."""
    view = RunView.read(results.store, results.run)
    view.check_labeller(by)
    return Side(
        view,
        _number_of(model, results.run),
        View(results.definition, by, results.policy),
    )


def _number_of(model: Model, run: Run) -> int:
    names: dict[Any, int] = {}
    for number, spec in enumerate(run.models):
        # Of two copies of a model the first one has the name; a terminal has no numbers.
        for name in (number, str(number), spec.id, model_title(spec)):
            names.setdefault(name, number)
    if model in names:
        return names[model]
    # Answers that were given with the data have no model.
    if model in (0, "0") and not run.models:
        return 0
    known = ", ".join(f"{place} ({spec.id})" for place, spec in enumerate(run.models))
    raise ParameterError(
        f"There is no model {model!r:.60} in this run. "
        + (f"There are: {known}." if known else "Its answers were given with the data.")
    )
