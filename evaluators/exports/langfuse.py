"""Scores for Langfuse, as CSV with the fields of its API."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.exports.trace_scores import are_of_traces, trace_scores
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark
from evaluators.text.spreadsheet import as_csv

HEADINGS = ("id", "traceId", "name", "value", "dataType", "comment")


def langfuse_csv(view: RunView, by: View) -> Iterator[bytes]:
    """A row for each score, which `create_score(**row)` takes."""
    rows = trace_scores(view, by)
    yield as_csv(HEADINGS, ((*score[:4], "NUMERIC", score.comment) for score in rows))


FORMAT = ExportFormat(
    "langfuse",
    mark("Scores for Langfuse (CSV)"),
    mark("A row for each value of each trace, by its id."),
    "-langfuse.csv",
    20,
    of_run=langfuse_csv,
    is_there=are_of_traces,
)
