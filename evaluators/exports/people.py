"""Labels that people gave, as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.runs import export, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark


def people_csv(view: RunView, by: View) -> Iterator[bytes]:
    """A row for each label; they are the same by every view."""
    yield export.people_csv(view.run, view.people, run_facts.titles(view.run))


FORMAT = ExportFormat(
    "people",
    mark("People's labels (CSV)"),
    mark("A row for each label that people gave: who, when, blind, how it was drawn."),
    "-people.csv",
    4,
    of_run=people_csv,
    is_there=lambda view: bool(view.people),
    of_view=False,
)
