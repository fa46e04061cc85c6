"""From a record batch of samples to a record batch of results: one pure function for every engine.

A row is never lost: one that cannot be read, and one that a metric fails on, is a row with its
error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import TypeAdapter

from evaluators.base import Evaluator
from evaluators.batch.columns import (
    FAILED,
    NOT_APPLICABLE,
    SCORED,
    USAGE,
    MetricColumns,
    columns_of,
    schema_of,
)
from evaluators.batch.groups import Group, group_named
from evaluators.batch.pieces import Piece, Reading, ReadRow, read_piece, table_of
from evaluators.config import config
from evaluators.datasets.columns import first_rows
from evaluators.datasets.guess import Shape
from evaluators.datasets.layout import layout_of
from evaluators.datasets.mapping import Loaded, checked, separators_in
from evaluators.datasets.readers import check_samples
from evaluators.datasets.table import Table
from evaluators.declared import checks_types
from evaluators.errors import IN_PYTHON, DatasetError, PlumblineError
from evaluators.messages import as_stored
from evaluators.records import JudgeEvidence, LabelEvidence, Sample
from evaluators.runs import inputs
from evaluators.runs.scoring import Outcome, checked_score, failure_reason, outcome_of
from evaluators.surrogates import without_surrogates
from evaluators.text.words import joined_sentences

_DETAILS = TypeAdapter(dict[str, Any])

# Zero and not null: a null cost says that a price is unknown.
NOTHING_PAID: dict[str, Any] = {name: 0 for name in USAGE}


class RowOutcome(NamedTuple):
    """What all metrics say of a row, and what was paid for it."""

    outcomes: Sequence[Outcome]
    usage: Mapping[str, Any]


ScoreRow = Callable[[Sample], RowOutcome]
Each = Callable[[Callable[[ReadRow], RowOutcome], Iterable[ReadRow]], Iterable[RowOutcome]]
"""`map`, or that of an executor whose threads wait for judges."""


@checks_types("metrics")
def evaluate_record_batch(
    batch: pa.RecordBatch,
    metrics: inputs.Metric | Sequence[inputs.Metric],
    *,
    columns: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
) -> pa.RecordBatch:
    """The results of metrics that ask no judge, a row for each row of the batch.

    `columns` says which column a field is read from, such as `{"response": "answer"}`; fields that
    are not named are guessed, which differs from batch to batch: in a stream name all of them. The
    schema is that of `batch_schema`. Raises `PlumblineError` where no row could be judged.
    """
    evaluators = inputs.evaluators(metrics)
    groups = tuple(map(group_named, by))
    own_columns = columns_of(evaluators)
    piece = Piece(table=batch)
    table = table_of(piece, config())
    if not table.rows:
        error = DatasetError("No row of this batch can be read.")
        return failed_rows(piece.numbers(), error, own_columns, groups)
    _, reading = opened("The batch", table, columns or {})
    rows = read_piece(piece, reading, config())
    return results_of(rows, free_scorer(evaluators), own_columns, groups)


@checks_types("metrics")
def batch_schema(
    metrics: inputs.Metric | Sequence[inputs.Metric],
    *,
    by: Sequence[str] = (),
) -> pa.Schema:
    """The schema of what `evaluate_record_batch` gives with these metrics and groups."""
    groups = tuple(map(group_named, by))
    columns = columns_of(inputs.evaluators(metrics))
    return schema_of(columns, groups)


def opened(name: str, table: Table, columns: Mapping[str, str]) -> tuple[Loaded, Reading]:
    """The first rows of data as any file is opened, and how rows like these are read.

    Raises `DatasetError` where a column is in doubt, or a row is not a sample of its own.
    """
    check_samples(name, first_rows(table))
    layout = layout_of(table)
    table = layout.applied(table)
    check_rows(name, table)
    loaded = inputs.loaded_by_columns(name, table, columns, None, inputs.WORKSPACE)
    if loaded.guess.shape is Shape.BED:
        raise DatasetError(f"{name} is a test bed, from which prompts are made. It has no answers.")
    if loaded.total < len(table.rows) + len(table.problems):
        raise DatasetError(f"{name} has one passage a row: several rows are one sample. Join them.")
    # Rows of which none can be used are rows with their errors, where it is clear what they hold.
    if loaded.data or not loaded.guess.is_sure:
        checked(name, loaded, skip_broken=True)
    separators = separators_in(loaded.guess, table, loaded.names)
    return loaded, Reading(loaded.guess, separators, layout)


def check_rows(name: str, table: Table) -> None:
    """Raises `DatasetError` where no row can be read, with what is wrong with the first."""
    if not table.rows:
        why = "".join(f" Row {each.row}: {each.message}" for each in table.problems[:1])
        raise DatasetError(f"{name} holds no row that can be read.{why}")


def free_scorer(metrics: Sequence[Evaluator]) -> ScoreRow:
    """What scores a row by metrics that ask nobody."""

    def score_row(sample: Sample) -> RowOutcome:
        scores = [partial(checked_score, metric, sample) for metric in metrics]
        return RowOutcome([*map(outcome_of, scores)], NOTHING_PAID)

    return score_row


def results_of(
    rows: Sequence[ReadRow],
    score_row: ScoreRow,
    columns: Sequence[MetricColumns],
    groups: Sequence[Group] = (),
    each: Each = map,
) -> pa.RecordBatch:
    """The results of rows that were read, in their order."""

    def outcome(row: ReadRow) -> RowOutcome:
        if isinstance(row.sample, Sample):
            return score_row(row.sample)
        unreadable = Outcome(error=row.sample)
        return RowOutcome([unreadable] * len(columns), NOTHING_PAID)

    outcomes = list(each(outcome, rows))
    lines = []
    for row, judged in zip(rows, outcomes, strict=True):
        line = _line(row, judged, columns, groups)
        # Arrow takes no half characters: one in an id or a group would end the batch.
        for name, cell in line.items():
            line[name] = without_surrogates(cell) if isinstance(cell, str) else cell
        lines.append(line)
    return pa.RecordBatch.from_pylist(lines, schema=schema_of(columns, groups))


def failed_rows(
    numbers: Iterable[int],
    error: PlumblineError,
    columns: Sequence[MetricColumns],
    groups: Sequence[Group] = (),
) -> pa.RecordBatch:
    """Rows of which nothing could be read, not even what they are called."""
    rows = [ReadRow(number, error, {}) for number in numbers]
    return results_of(rows, free_scorer(()), columns, groups)


def _line(
    row: ReadRow,
    judged: RowOutcome,
    columns: Sequence[MetricColumns],
    groups: Sequence[Group],
) -> dict[str, Any]:
    line: dict[str, Any] = {"row": row.number, **judged.usage}
    if isinstance(row.sample, Sample):
        line["id"] = row.sample.id
    for group in groups:
        line[group.name] = group.value(row.cells)
    for metric, outcome in zip(columns, judged.outcomes, strict=True):
        line |= _cells(metric, _with_known_values(metric, outcome))
    return line


def _with_known_values(metric: MetricColumns, outcome: Outcome) -> Outcome:
    """The outcome; failed where the score has a value for which there is no column."""
    if outcome.score is None:
        return outcome
    unknown = [name for name in outcome.score.values if name not in metric.values]
    if not unknown:
        return outcome
    message = (
        # Cut off: the name is from a metric of one's own, and may be of any length.
        f"It gave the value {unknown[0]!r:.60}, for which the file has no column. "
        "Let the metric give the same values for every sample."
    )
    return Outcome(error=PlumblineError(message))


def _cells(metric: MetricColumns, outcome: Outcome) -> dict[str, Any]:
    if outcome.score is None:
        assert outcome.error
        why = failure_reason(outcome.error)
        remedy = why.remedy.worded(IN_PYTHON) if why.remedy else ""
        return {
            metric.status: FAILED,
            metric.error: why.worded(IN_PYTHON),
            metric.error_kind: why.kind,
            metric.said: _as_json(joined_sentences([why.message, remedy])),
        }
    score = outcome.score
    is_judged = any(value is not None for value in score.values.values())
    status = SCORED if is_judged else NOT_APPLICABLE
    cells: dict[str, Any] = {metric.status: status}
    for name, value in score.values.items():
        cells[metric.values[name]] = value
    said = score.evidence.reason if isinstance(score.evidence, JudgeEvidence) else ""
    cells[metric.reason] = score.reason or said or None
    cells[metric.said] = _as_json(score.reason) if score.reason else None
    if score.evidence:
        # The sentences are those of the input, cut by rule: a copy of all texts would be as large.
        without = {"sentences"} if isinstance(score.evidence, LabelEvidence) else None
        evidence = score.evidence.model_dump_json(exclude=without, exclude_defaults=True)
        cells[metric.evidence] = evidence
    if score.details:
        cells[metric.details] = _DETAILS.dump_json(score.details).decode()
    return cells


def _as_json(text: str) -> str:
    return json.dumps(as_stored(text), ensure_ascii=False)
