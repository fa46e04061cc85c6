"""The columns of a file of results: those of the row, those of each metric, and what was paid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from evaluators.base import Evaluator
from evaluators.batch.groups import Group
from evaluators.dry_run import dry_score
from evaluators.errors import ParameterError
from evaluators.records import Sample
from evaluators.text.normalise import slug
from evaluators.trace_evaluator import TRACEEvaluator

SCORED, NOT_APPLICABLE, FAILED = "scored", "not_applicable", "failed"
"""What becomes of a row by a metric; no row has any other state."""

USAGE = {
    "calls": pa.int64(),
    "cached": pa.int64(),
    "prompt_tokens": pa.int64(),
    "answer_tokens": pa.int64(),
    "cost": pa.float64(),
}
"""What a row took of judges, all metrics together; `cost` in US dollars, null without a price."""

_OF_A_ROW = {"row": pa.int64(), "id": pa.string()}

# It has all that a metric may need, so that the names of values are known before any file is read.
_MADE_UP = Sample(
    id="1",
    question="How tall is the tower?",
    response="The tower is 330 metres tall.",
    retrieved_documents=("The tower is 330 metres tall.",),
    ground_truth="The tower is 330 metres tall.",
    gold_documents=("The tower is 330 metres tall.",),
)


class MetricColumns(NamedTuple):
    """The columns of one metric: how they begin, and the column of each of its values by name.

    `is_estimate` tells that the heuristic labels all of its rows, or those that no judge does.
    """

    key: str
    values: dict[str, str]
    is_estimate: bool = False

    @property
    def status(self) -> str:
        return f"{self.key}_status"

    @property
    def reason(self) -> str:
        return f"{self.key}_reason"

    @property
    def error(self) -> str:
        return f"{self.key}_error"

    @property
    def error_kind(self) -> str:
        return f"{self.key}_error_kind"

    @property
    def evidence(self) -> str:
        """Labels or a judge's words, as JSON."""
        return f"{self.key}_evidence"

    @property
    def details(self) -> str:
        """Whatever else the metric tells, as JSON."""
        return f"{self.key}_details"

    @property
    def said(self) -> str:
        """The reason or the error as `messages` stores it: the app says it in other languages."""
        return f"{self.key}_said"

    def fields(self) -> dict[str, Any]:
        said = (self.reason, self.error, self.error_kind, self.said)
        texts = (*said, self.evidence, self.details)
        return {
            self.status: pa.string(),
            **dict.fromkeys(self.values.values(), pa.float64()),
            **dict.fromkeys(texts, pa.string()),
        }


def has_failed(status: pa.RecordBatch) -> pa.Array:
    """Which rows failed by one of the metrics, of which these are the columns of their status."""
    return reduce(pc.or_, [pc.equal(column, FAILED) for column in status.columns])


def columns_of(
    metrics: Iterable[Evaluator],
    *,
    has_judge: bool = False,
) -> tuple[MetricColumns, ...]:
    """The columns of each metric, none called as those of another.

    Raises `ParameterError` for a metric whose values cannot be known before it has judged.
    """
    taken: set[str] = {*_OF_A_ROW, *USAGE}
    every: list[MetricColumns] = []
    for number, metric in enumerate(metrics, start=1):
        key = slug(metric.name)
        # The same metric twice, with other parameters: its place tells it apart.
        if any(other.key == key for other in every):
            key = f"{key}_{number}"
        names = _value_names(metric, has_judge)
        plain = MetricColumns(key, {})
        values = {name: _free_name(name, number, taken) for name in names}
        taken |= {*values.values(), *plain.fields()}
        every.append(MetricColumns(key, values, _is_estimate(metric)))
    return tuple(every)


def schema_of(columns: Iterable[MetricColumns], groups: Sequence[Group] = ()) -> pa.Schema:
    """The schema of the results."""
    # Fixed before a row is read: of a column that is empty throughout Arrow would guess no type.
    by_group = {group.name: pa.string() for group in groups}
    fields = _OF_A_ROW | by_group
    for metric in columns:
        fields |= metric.fields()
    return pa.schema(list((fields | USAGE).items()))


def columns_in(schema: pa.Schema) -> tuple[MetricColumns, ...]:
    """The columns of each metric, read from the schema: a metric of one's own may be gone."""
    columns: list[MetricColumns] = []
    for field in schema:
        metric = MetricColumns(field.name.removesuffix("_status"), {})
        has_status = pa.types.is_string(field.type) and field.name == metric.status
        if has_status and {metric.reason, metric.error, metric.evidence} <= {*schema.names}:
            columns.append(metric)
        elif columns and pa.types.is_floating(field.type) and field.name != "cost":
            columns[-1].values[field.name] = field.name
    return tuple(columns)


def _value_names(metric: Evaluator, has_judge: bool) -> list[str]:
    """The names of a metric's values, by a dry run over a made-up sample."""
    if metric.evidence == "rules":
        raise ParameterError(
            f"{metric.title} is counted for each ability over prompts that are composed. "
            "Use run in place of batch, or another metric."
        )
    # All TRACE methods give the same values, and the heuristic does so without a judge.
    cheap = TRACEEvaluator() if metric.evidence == "sentences" else metric
    # A judge that agrees to everything cannot please every metric; to nothing to judge all say so.
    nothing_to_judge = _MADE_UP.model_copy(update={"ground_truth": None})
    for sample in (_MADE_UP, nothing_to_judge):
        score = dry_score(cheap, sample, has_judge=has_judge)
        if score:
            return list(score.values)
    raise ParameterError(
        f"{metric.title} does not say which values it gives before it has judged, and a file "
        "needs a column for each. Use run in place of batch."
    )


def _is_estimate(metric: Evaluator) -> bool:
    # A hybrid asks judges of those rows that the heuristic doubts.
    return isinstance(metric, TRACEEvaluator) or metric.least_doubt > 0


def _free_name(name: str, number: int, taken: Iterable[str]) -> str:
    """The name of a value's column; one that is taken gets the metric's number, as in a run."""
    return f"{name} ({number})" if name in taken else name


def joined(parts: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    """Results of the same rows by different metrics, side by side; what was paid is summed up."""
    arrays = []
    for name in schema.names:
        own = [part.column(name) for part in parts if name in part.schema.names]
        # Null for a cost that is unknown makes the sum unknown as well.
        arrays.append(reduce(pc.add, own) if name in USAGE else own[0])
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
