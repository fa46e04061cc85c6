"""A run with all of it."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.exports import ExportFormat
from evaluators.run_files.writing import written
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark


def run_file(view: RunView, by: View) -> Iterator[bytes]:
    yield written(view.store, view.run)


FORMAT = ExportFormat(
    "plumbline",
    mark("Whole run"),
    mark("One file, which opens as this run on any machine: Runs, Open a run file."),
    ".plumbline",
    0,
    of_run=run_file,
    is_text=False,
)
