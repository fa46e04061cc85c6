"""Traces: the steps of an application, one a row, which are not questions with answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.errors import DatasetError
from evaluators.text.language import say

_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Phoenix (OpenInference)", ("context.span_id", "span_kind")),
    ("Phoenix (OpenInference)", ("context.span_id", "parent_id")),
    ("Phoenix (OpenInference)", ("context.span_id", "start_time")),
    ("Phoenix (OpenInference)", ("span_kind", "parent_id")),
    ("Phoenix (OpenInference)", ("span_kind", "context")),
    ("Langfuse", ("observations", "trace")),
    ("Langfuse", ("traceId", "parentObservationId")),
    ("Langfuse", ("trace_id", "parent_observation_id")),
    ("LangSmith", ("run_type", "trace_id")),
    ("LangSmith", ("dotted_order", "trace_id")),
    ("LangSmith", ("run_type", "child_runs")),
    ("OpenTelemetry", ("resourceSpans",)),
    ("OpenTelemetry", ("resource_spans",)),
    ("OpenTelemetry", ("scopeSpans",)),
    ("OpenTelemetry", ("trace_id", "span_id")),
    ("OpenTelemetry", ("traceId", "spanId")),
    ("OpenTelemetry", ("traceID", "spanID")),
    ("OpenTelemetry", ("_spanContext",)),
    ("TruLens", ("record_attributes", "event_id")),
    ("TruLens", ("main_input", "main_output", "calls")),
    ("MLflow", ("trace_id", "spans")),
    ("MLflow", ("request_id", "spans")),
)
"""Columns or keys by which the traces of each program are known, all of one line together."""

_WRAPPED = ("context", "trace", "info", "record")
"""Objects in which a step keeps the ids of its trace."""


def check_no_trace(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Raises `DatasetError` for a trace, whose steps would be judged as if they were samples."""
    for row in rows:
        if program := trace_of(row):
            raise DatasetError(
                say(
                    "{name} is a trace of {program}: its entries are steps of an application, "
                    "not questions with answers. Traces cannot be read yet. Save a table with "
                    "the question, the answer and the documents of each request.",
                    name=name,
                    program=program,
                )
            )


def trace_of(row: Mapping[str, Any]) -> str:
    """The program whose trace an object with these keys is a part of; empty where it is none."""
    objects = [row]
    for key in _WRAPPED:
        value = row.get(key)
        if isinstance(value, Mapping):
            objects.append(value)
    for value in objects:
        for program, signs in _SIGNS:
            if value.keys() >= set(signs):
                return program
    return ""
