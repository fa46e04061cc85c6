"""Values as CSV, for spreadsheets and programs: of each answer, and of each table for a paper."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain

from evaluators.catalogue import labels_sentences
from evaluators.exports import ExportFormat
from evaluators.paper.table import PaperTable
from evaluators.runs import export, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.answer_rows import facts
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark
from evaluators.text.spreadsheet import safe


def values_csv(view: RunView, by: View) -> Iterator[bytes]:
    """A row for each answer, with its text where a model gave it, which is nowhere else."""
    run = view.run
    yield export.results_csv(
        view.merged(by),
        run_facts.titles(run),
        view.store.results.responses(run),
        formula_of(run, by.definition) if labels_sentences(run.evaluator) else "",
        export.labelling_prompt(run),
        facts(view, by),
        by.by or "",
        view.damage().reasons,
    )


def as_csv(table: PaperTable) -> bytes:
    """The numbers in full, a line for each mean, in UTF-8 with a mark as spreadsheets want it.

    What does not apply is an empty cell; text that looks like a formula is quoted by an apostrophe.
    """
    columns = list(dict.fromkeys(chain.from_iterable(table.records)))
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    for record in table.records:
        cells = [record.get(column) for column in columns]
        writer.writerow(safe(cell) if isinstance(cell, str) else cell for cell in cells)
    # A text may hold half a character, which UTF-8 cannot write.
    return file.getvalue().encode("utf-8-sig", errors="replace")


FORMAT = ExportFormat(
    "csv",
    mark("Results (CSV)"),
    mark("A row for each sample and model, for spreadsheets: values, status, tags and notes."),
    ".csv",
    1,
    of_run=values_csv,
    of_table=as_csv,
)
