"""Traces: the steps of an application, one a row, which are not questions with answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from evaluators.datasets.names import ANSWER, field_of, folded
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from evaluators.text.strangers_json import strangers_json

_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Phoenix (OpenInference)", ("context_span_id",)),
    ("Phoenix (OpenInference)", ("span_kind", "parent_id")),
    ("Phoenix (OpenInference)", ("span_kind", "context")),
    ("Langfuse", ("observations", "trace")),
    ("Langfuse", ("parent_observation_id",)),
    ("Langfuse", ("bookmarked", "input", "output")),
    ("LangSmith", ("run_type", "inputs")),
    ("LangSmith", ("run_type", "trace_id")),
    ("LangSmith", ("run_type", "child_runs")),
    ("LangSmith", ("dotted_order",)),
    ("LangSmith", ("parent_run_id",)),
    ("LangChain", ("run_id", "parent_ids")),
    ("Braintrust", ("span_id", "root_span_id")),
    ("Jaeger", ("trace_id", "spans", "processes")),
    ("Weave", ("op_name", "inputs")),
    ("Weave", ("op_name", "started_at")),
    ("MLflow", ("trace_id", "trace_location")),
    ("MLflow", ("trace_id", "trace_metadata")),
    ("MLflow", ("request_id", "request_metadata")),
    ("Opik", ("trace", "spans")),
    ("Opik", ("trace_id", "project_id")),
    ("Opik", ("trace_id", "project_name")),
    ("Opik", ("project_id", "start_time", "input")),
    ("Opik", ("project_name", "start_time", "input")),
    ("Zipkin", ("trace_id", "local_endpoint")),
    ("Zipkin", ("trace_id", "duration", "timestamp")),
    ("OpenTelemetry", ("resource_spans",)),
    ("OpenTelemetry", ("scope_spans",)),
    ("OpenTelemetry", ("resource_logs",)),
    ("OpenTelemetry", ("scope_logs",)),
    ("OpenTelemetry", ("instrumentation_library_spans",)),
    ("OpenTelemetry", ("span_context",)),
    ("TruLens", ("record_attributes", "event_id")),
    ("TruLens", ("main_input", "main_output", "calls")),
    ("MLflow", ("trace_id", "spans")),
    ("MLflow", ("request_id", "spans")),
    ("OpenTelemetry", ("trace_id", "span_id")),
    ("OpenTelemetry", ("parent_span_id",)),
    ("OpenTelemetry", ("trace_id", "parent_id")),
    # A step that was timed, of whatever program
    (mark("an application"), ("start_time", "end_time", "input", "output")),
    (mark("an application"), ("start_time", "end_time", "inputs", "outputs")),
    (mark("an application"), ("started_at", "ended_at", "input", "output")),
    (mark("an application"), ("started_at", "ended_at", "inputs", "output")),
    (mark("an application"), ("started_at", "ended_at", "inputs", "outputs")),
)
"""Columns or keys by which the traces of each program are known, all of one line together, as
`folded` writes them; the most particular first."""

_ATTRIBUTES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Phoenix (OpenInference)", re.compile(r"(^|[._])openinference[._]")),
    ("OpenLLMetry", re.compile(r"(^|[._])traceloop[._]")),
    ("OpenTelemetry", re.compile(r"(^|[._])gen_ai[._]")),
    ("Phoenix (OpenInference)", re.compile(r"^(attributes[._])?llm\.")),
)
"""How attributes of steps are called."""

_WRAPPED = re.compile(
    "context|trace|info|record|attributes|span_?attributes|tags|column [0-9]+"
    "|batches|traces|spans|runs|calls|steps|data"
)
"""Objects in which a step keeps the ids of its trace or its attributes, and lists of steps;
the entries of a list without a name, as Zipkin has them, are numbered."""

_PARENT = re.compile("parent_(id|ids|span_id|run_id|observation_id)")

_OF_STEPS = frozenset({"input", "inputs", "output", "outputs", "prompt", "completion"})
"""What steps call what they were given and what they gave."""

_ANSWERS = frozenset(ANSWER)


def check_no_trace(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Raises `DatasetError` for a trace, whose steps would be judged as if they were samples."""
    for row in rows:
        if program := trace_of(row):
            raise DatasetError(
                say(
                    "{name} is a trace of {program}: its entries are steps of an application, "
                    "not questions with answers. Read all its steps together from a file, or save "
                    "a table with the question, the answer and the documents of each request.",
                    name=name,
                    program=say(program),
                )
            )


def trace_of(row: Mapping[str, Any]) -> str:
    """The program whose trace an object with these keys is a part of; empty where it is none."""
    if _is_sample(row):
        return ""
    for value in _objects(row):
        keys = {folded(key): key for key in value}
        for program, signs in _SIGNS:
            if keys.keys() >= set(signs):
                return program
        for program, pattern in _ATTRIBUTES:
            if any(map(pattern.search, value)):
                return program
    return ""


def _is_sample(row: Mapping[str, Any]) -> bool:
    """Whether a row says what was asked, answered and retrieved, and belongs to no other step.

    People keep the ids and attributes of a request beside its question.
    """
    if any(cell and _PARENT.fullmatch(folded(name)) for name, cell in row.items()):
        return False
    fields = {field_of(name) for name in row if folded(name) not in _OF_STEPS}
    is_answered = "response" in fields or not _ANSWERS.isdisjoint(map(folded, row))
    is_grounded = bool(fields & {"retrieved_documents", "gold_documents", "ground_truth"})
    return "question" in fields and is_answered and is_grounded


def _objects(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The row, and the objects in it that may hold ids or attributes of a step."""
    yield row
    for name, cell in row.items():
        if not _WRAPPED.fullmatch(name):
            continue
        value = cell
        if isinstance(cell, str):
            with suppress(ValueError):
                value = strangers_json(cell)
        if isinstance(value, Mapping):
            yield value
        elif isinstance(value, list):
            # OpenTelemetry writes attributes as a list of keys and values
            items = [item for item in value if isinstance(item, Mapping)]
            yield {str(item["key"]): item.get("value") for item in items if "key" in item}
            yield from items[:1]
