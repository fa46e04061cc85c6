"""Scores by trace id, as JSON, for whatever else keeps traces."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.exports.trace_scores import are_of_traces, trace_scores
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark


def scores_json(view: RunView, by: View) -> Iterator[bytes]:
    """A list of objects: id, trace, name, value, comment."""
    scores = [score._asdict() for score in trace_scores(view, by)]
    yield json.dumps(scores, ensure_ascii=False).encode(errors="replace") + b"\n"


FORMAT = ExportFormat(
    "scores",
    mark("Scores by trace (JSON)"),
    mark("An object for each value of each trace: its id, name, value, and by whose labels."),
    "-scores.json",
    23,
    of_run=scores_json,
    is_there=are_of_traces,
)
