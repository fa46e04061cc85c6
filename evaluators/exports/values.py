"""Values as CSV, for spreadsheets and programs: of each answer, and of each table for a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from evaluators.catalogue import labels_sentences
from evaluators.exports import ExportFormat
from evaluators.paper.table import PaperTable
from evaluators.runs import run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.answer_rows import UNREADABLE, facts
from evaluators.runs.formulas import formula_of, labelling_prompt
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Outline
from evaluators.text.language import mark
from evaluators.text.spreadsheet import as_csv

Column = tuple[str, Callable[[Outline], object]]
"""A heading, and what stands below it in the row of an answer."""


def values_csv(view: RunView, by: View) -> Iterator[bytes]:
    """A row for each answer, with its text where a model gave it, which is nowhere else.

    A value that does not apply is an empty cell, and so is one of a metric that failed. Of what
    most runs do not have, such as repeats, groups or several models, there is no column.
    """
    run, rows = view.run, view.merged(by)
    columns = [*_columns_of_samples(view, rows), *_columns_of_labels(view, by, rows)]
    for name in dict.fromkeys(chain.from_iterable(row.values for row in rows)):
        columns.append(_column_of_value(name))
    columns.append(("question", lambda row: row.question))
    if responses := view.store.results.responses(run):
        columns.append(("response", lambda row: responses.get((row.position, row.model))))
    facts_of = facts(view, by)
    for name in dict.fromkeys(chain.from_iterable(facts_of.values())):
        columns.append(_column_of_fact(name, facts_of))
    headings = [heading for heading, _ in columns]
    cells = [cell for _, cell in columns]
    yield as_csv(headings, ([cell(row) for cell in cells] for row in rows))


def _columns_of_samples(view: RunView, rows: Sequence[Outline]) -> Iterator[Column]:
    """Which answer a row is of, and what became of it."""
    models = run_facts.titles(view.run)
    yield "sample", lambda row: row.position + 1
    yield "id", lambda row: row.sample_id
    if any(row.repeat > 1 for row in rows):
        yield "repeat", lambda row: row.repeat
    if len(models) > 1:
        yield "model", lambda row: models[row.model]
    if any(row.situation for row in rows):
        yield "group", lambda row: row.situation
    if any(row.ability for row in rows):
        yield "ability", lambda row: row.ability
        yield "noise", lambda row: row.noise
    reasons = view.damage().reasons

    def why_unreadable(row: Outline) -> str:
        return reasons.get(Answer(row.position, row.model), "")

    yield "status", lambda row: UNREADABLE if why_unreadable(row) else row.status or "open"
    if reasons:
        yield "error", why_unreadable


def _columns_of_labels(view: RunView, by: View, rows: Sequence[Outline]) -> Iterator[Column]:
    """Who labelled and corrected, and by which formula and prompt; of RGB and metrics none."""
    if by.by or any(row.by or row.corrected for row in rows):
        yield "labels_by", lambda row: by.by or row.by
        yield "corrections", lambda row: row.corrected
    if labels_sentences(view.run.evaluator):
        definition = formula_of(view.run, by.definition)
        yield "definition", lambda row: definition
    if prompt := labelling_prompt(view.run):
        yield "labelling_prompt", lambda row: prompt


def _column_of_value(name: str) -> Column:
    return name, lambda row: row.values.get(name)


def _column_of_fact(name: str, facts_of: Mapping[Answer, Mapping[str, object]]) -> Column:
    return name, lambda row: facts_of.get(Answer(row.position, row.model), {}).get(name)


def table_csv(table: PaperTable) -> bytes:
    """The numbers in full, a line for each mean; what does not apply is an empty cell."""
    columns = list(dict.fromkeys(chain.from_iterable(table.records)))
    return as_csv(columns, ([record.get(name) for name in columns] for record in table.records))


FORMAT = ExportFormat(
    "csv",
    mark("Results (CSV)"),
    mark("A row for each sample and model, for spreadsheets: values, status, tags and notes."),
    ".csv",
    1,
    of_run=values_csv,
    of_table=table_csv,
)
