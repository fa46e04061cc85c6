"""Labels that people gave, as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.people.records import PersonLabel
from evaluators.runs import run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark
from evaluators.text.spreadsheet import as_csv


def people_csv(view: RunView, by: View) -> Iterator[bytes]:
    """A row for each label that people gave and did not take back, in the order of the run.

    They are the same by every view. Times are in UTC. `blind` says whether the labeller's labels
    were hidden, `drawn` and `probability` how the answer came before the person, `queue` in which
    queue it stood. A `verdict` is what a value is in the person's eyes, yes or no.
    """
    columns, rows = people_rows(view)
    yield as_csv(columns, rows)


def people_rows(view: RunView) -> tuple[list[str], list[list[object]]]:
    """The columns of people's labels, and their rows."""
    models = run_facts.titles(view.run)
    has_models = len(models) > 1
    fields = [name for name in PersonLabel.model_fields if name != "sentence"]
    rows = []
    for cell, labels in sorted(view.people.items()):
        place = [cell.position + 1, *([models[cell.model]] if has_models else [])]
        metric = view.run.evaluators[cell.metric].name
        for label in labels:
            values = label.model_dump(mode="json")
            rows.append([*place, metric, *(values[name] for name in fields)])
    return ["sample", *(["model"] if has_models else []), "metric", *fields], rows


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
