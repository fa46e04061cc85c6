"""What goes back to where traces are kept: a score for each value of each trace, by its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evaluators.catalogue import labels_sentences
from evaluators.runs.aggregate import View
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import RunView


class TraceScore(NamedTuple):
    """A value of a trace; `comment` says by whose labels and formula, as it must never be without.

    The same score of the same run has the same `id`, so that it replaces what was sent before.
    """

    id: str
    trace: str
    name: str
    value: float
    comment: str


def trace_scores(view: RunView, by: View) -> Iterator[TraceScore]:
    """All that was judged; what does not apply and what failed is not there."""
    run = view.run
    formula = formula_of(run, by.definition) if labels_sentences(run.evaluator) else ""
    for row in view.merged(by):
        labels_by = by.by or row.by
        said = [
            f"Labels by {labels_by}" if labels_by else "",
            f"formula {formula}" if formula else "",
            f"Plumbline run {run.id}",
        ]
        for name, value in row.values.items():
            if value is not None:
                key = f"{run.id}-{row.sample_id}-{name}"
                yield TraceScore(key, row.sample_id, name, value, ", ".join(filter(None, said)))


def are_of_traces(view: RunView) -> bool:
    """Whether the answers are those of traces: a model's are not, and a number names no trace."""
    if view.run.models or view.run.repeats > 1:
        return False
    first = next(iter(view.merged()), None)
    return first is not None and not first.sample_id.isdecimal()
