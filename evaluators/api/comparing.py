"""Two runs, two models of a run, or two labellers of a run, compared from Python."""

from __future__ import annotations

from typing import Any

from evaluators.api.evaluation import Results
from evaluators.comparison.compare import compared
from evaluators.comparison.result import Comparison
from evaluators.comparison.sides import Side
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.records import Run
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView


def compare(
    first: Results,
    second: Results | None = None,
    *,
    models: tuple[int | str, int | str] = (0, 0),
    labels: tuple[str, str] | None = None,
) -> Comparison:
    """Whether the second is better than the first, over the samples that both were judged on.

    Of one run alone two `models` are compared, by number from 0, id or title, or two labellers by
    name (`labels=("heuristic", "gold")`). What is looked at together counts in the p-values (Holm).
    Raises `ParameterError` for an unknown model or labeller, where both sides are the same, and
    where the runs have no sample, question or value in common.
    """
    results = (first, second or first)
    sides = []
    for number, own in enumerate(results):
        by = labels[number] if labels else None
        sides.append(side(own, models[number], by))
    if _are_same(*sides):
        raise ParameterError(
            "Both sides are the same. Name another run, two models or two labellers."
        )
    return compared(*sides)


def side(results: Results, model: int | str = 0, by: str | None = None) -> Side:
    """One side of a comparison; raises `ParameterError` for an unknown model or labeller."""
    view = RunView.read(results.store, results.run)
    if by is not None and by not in view.labellers():
        known = ", ".join(view.labellers()) or "nobody"
        raise ParameterError(f"{by!r:.60} did not label this run. Labellers: {known}.")
    return Side(
        view,
        _number_of(model, results.run),
        View(results.definition, by, results.policy),
    )


def _are_same(first: Side, second: Side) -> bool:
    ours, theirs = ((side.run.id, side.model, side.counted) for side in (first, second))
    return ours == theirs


def _number_of(model: int | str, run: Run) -> int:
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
