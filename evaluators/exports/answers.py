"""Answers with all that was judged, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.runs.aggregate import View
from evaluators.runs.answer_rows import AnswerRows
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark


def answer_lines(view: RunView, by: View) -> Iterator[bytes]:
    """A line for each sample and model; null for what does not apply or was not judged."""
    for line in AnswerRows(view, by).lines():
        yield json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n"


FORMAT = ExportFormat(
    "jsonl",
    mark("Results with texts (JSON lines)"),
    mark("With documents and true answers: as an upload it gets the same scores again."),
    "-results.jsonl",
    2,
    of_run=answer_lines,
)
