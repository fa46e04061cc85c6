"""What goes back to where traces are kept: a score for each value of each trace, by its id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Literal, NamedTuple

from evaluators import __version__
from evaluators.catalogue import labels_sentences, metric_named
from evaluators.errors import ParameterError
from evaluators.exports import ExportFormat
from evaluators.people.labels import PERSON
from evaluators.records import Run
from evaluators.runs.aggregate import View
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.spreadsheet import as_csv
from evaluators.trace.labelling import CORRECTED, GOLD, HEURISTIC, PEOPLE

_TRACE = re.compile("[0-9a-f]{32}")
"""An id as OpenTelemetry has them; another one stands among the attributes alone."""

_LANGFUSE = ("id", "traceId", "name", "value", "dataType", "comment")
_PHOENIX = ("trace_id", "name", "annotator_kind", "score", "explanation", "identifier")


Annotator = Literal["CODE", "HUMAN", "LLM"]
"""Who says a value, in Phoenix' words: CODE is what no model and no person said."""


class TraceScore(NamedTuple):
    """A value of a trace; `comment` says by whose labels and formula, as it must never be without.

    The same score of the same run has the same `id`, so that it replaces what was sent before.
    """

    id: str
    trace: str
    name: str
    value: float
    comment: str
    annotator_kind: Annotator


def trace_scores(view: RunView, by: View) -> Iterator[TraceScore]:
    """All that was judged; what does not apply and what failed is not there."""
    run = view.run
    formula = formula_of(run, by.definition) if labels_sentences(run.evaluator) else ""
    metrics = {column: run.evaluators[value.metric] for value, column in view.columns().items()}
    for row in view.merged(by):
        for name, value in row.values.items():
            if value is None:
                continue
            metric, said = metrics.get(name), [f"Plumbline run {run.id}"]
            cls = metric_named(metric.name) if metric else None
            kind: Annotator = "LLM" if cls and cls.judges != "none" and run.judges else "CODE"
            if metric and labels_sentences(metric):
                labels_by = by.by or row.by or ""
                said = [f"Labels by {labels_by}", f"formula {formula}", *said]
                kind = _kind_of(labels_by)
            key = f"{run.id}-{row.sample_id}-{name}"
            yield TraceScore(key, row.sample_id, name, value, ", ".join(said), kind)


def _kind_of(labels_by: str) -> Annotator:
    if labels_by in (PEOPLE, CORRECTED) or labels_by.startswith(PERSON):
        return "HUMAN"
    return "CODE" if labels_by in (HEURISTIC, GOLD) else "LLM"


def are_of_traces(view: RunView) -> bool:
    """Whether the answers are those of traces: a model's are not, and a number names no trace."""
    if view.run.models or view.run.repeats > 1:
        return False
    first = next(iter(view.merged()), None)
    return first is not None and not first.sample_id.isdecimal()


def langfuse_csv(run: Run, scores: Iterator[TraceScore]) -> bytes:
    """A row for each score, which `create_score(**row)` takes."""
    rows = ((*score[:4], "NUMERIC", score.comment) for score in scores)
    return as_csv(_LANGFUSE, rows, ids=("id", "traceId"))


def phoenix_csv(run: Run, scores: Iterator[TraceScore]) -> bytes:
    """A row for each annotation, as `log_trace_annotations_dataframe` takes them."""

    def cells(score: TraceScore) -> tuple[object, ...]:
        kind, comment = score.annotator_kind, score.comment
        return score.trace, score.name, kind, score.value, comment, score.id

    return as_csv(_PHOENIX, map(cells, scores), ids=("trace_id", "identifier"))


def otlp_logs(run: Run, scores: Iterator[TraceScore]) -> bytes:
    """A log record for each score, as a collector's `/v1/logs` takes them."""
    moment = str(int(datetime.fromisoformat(run.created).timestamp()) * 10**9)
    records = [_log_record(score, moment) for score in scores]
    service = _attribute("service.name", "plumbline")
    logs = {"scope": {"name": "plumbline", "version": __version__}, "logRecords": records}
    content = {"resourceLogs": [{"resource": {"attributes": [service]}, "scopeLogs": [logs]}]}
    return _json(content)


def scores_json(run: Run, scores: Iterator[TraceScore]) -> bytes:
    """A list of objects, for whatever else keeps traces, with the fields of a score."""
    return _json([score._asdict() for score in scores])


def _log_record(score: TraceScore, moment: str) -> dict[str, Any]:
    attributes = [
        _attribute("gen_ai.evaluation.name", score.name),
        {"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": score.value}},
        _attribute("gen_ai.evaluation.explanation", score.comment),
        _attribute("plumbline.trace.id", score.trace),
    ]
    record: dict[str, Any] = {
        "timeUnixNano": moment,
        "observedTimeUnixNano": moment,
        "eventName": "gen_ai.evaluation.result",
        "attributes": attributes,
    }
    return record | ({"traceId": score.trace} if _TRACE.fullmatch(score.trace) else {})


def _attribute(key: str, text: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": text}}


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode(errors="replace") + b"\n"


def _format(
    file: str,
    rank: int,
    title: str,
    meaning: str,
    write: Callable[[Run, Iterator[TraceScore]], bytes],
) -> ExportFormat:
    def of_run(view: RunView, by: View) -> Iterable[bytes]:
        if not are_of_traces(view):
            raise ParameterError(
                say(
                    "Scores go back by the ids of traces, and this run has none: a model answered, "
                    "or its data have no column id or trace_id."
                )
            )
        return [write(view.run, trace_scores(view, by))]

    name = file.partition(".")[0]
    return ExportFormat(
        name, title, meaning, f"-{file}", rank, of_run=of_run, is_there=are_of_traces
    )


_OF_EACH = mark("A row for each value of each trace, by its id.")
LANGFUSE = _format("langfuse.csv", 20, mark("Scores for Langfuse (CSV)"), _OF_EACH, langfuse_csv)
PHOENIX = _format("phoenix.csv", 21, mark("Annotations for Phoenix (CSV)"), _OF_EACH, phoenix_csv)
OTEL = _format(
    "otel.json",
    22,
    mark("Evaluation events (OTLP JSON)"),
    mark("gen_ai.evaluation.result for each value of each trace, as OpenTelemetry collects them."),
    otlp_logs,
)
SCORES = _format(
    "scores.json",
    23,
    mark("Scores by trace (JSON)"),
    mark("An object for each value of each trace: its id, name, value, and by whose labels."),
    scores_json,
)
