"""Annotations of traces for Phoenix, as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.exports.trace_scores import TraceScore, are_of_traces, trace_scores
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark
from evaluators.text.spreadsheet import as_csv

HEADINGS = ("trace_id", "name", "annotator_kind", "score", "explanation", "identifier")


def phoenix_csv(view: RunView, by: View) -> Iterator[bytes]:
    """A row for each annotation, as `log_trace_annotations_dataframe` takes them."""

    def cells(score: TraceScore) -> tuple[object, ...]:
        # Phoenix has CODE for what no model and no person said
        kind = "CODE" if "heuristic" in score.comment or "Labels" not in score.comment else "LLM"
        return score.trace, score.name, kind, score.value, score.comment, score.id

    yield as_csv(HEADINGS, map(cells, trace_scores(view, by)))


FORMAT = ExportFormat(
    "phoenix",
    mark("Annotations for Phoenix (CSV)"),
    mark("A row for each value of each trace, by its id."),
    "-phoenix.csv",
    21,
    of_run=phoenix_csv,
    is_there=are_of_traces,
)
