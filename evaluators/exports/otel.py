"""Scores as events of OpenTelemetry, `gen_ai.evaluation.result`, in OTLP JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from evaluators import __version__
from evaluators.exports import ExportFormat
from evaluators.exports.trace_scores import TraceScore, are_of_traces, trace_scores
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark

_TRACE = re.compile("[0-9a-f]{32}")
"""An id as OpenTelemetry has them; another one stands among the attributes alone."""


def otlp_logs(view: RunView, by: View) -> Iterator[bytes]:
    """A log record for each score, as a collector's `/v1/logs` takes them."""
    created = datetime.fromisoformat(view.run.created)
    moment = str(int(created.timestamp()) * 10**9)
    records = [_record(score, moment) for score in trace_scores(view, by)]
    service = _attribute("service.name", "plumbline")
    logs = {"scope": {"name": "plumbline", "version": __version__}, "logRecords": records}
    content = {"resourceLogs": [{"resource": {"attributes": [service]}, "scopeLogs": [logs]}]}
    yield json.dumps(content, ensure_ascii=False).encode(errors="replace") + b"\n"


def _record(score: TraceScore, moment: str) -> dict[str, Any]:
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


FORMAT = ExportFormat(
    "otel",
    mark("Evaluation events (OTLP JSON)"),
    mark("gen_ai.evaluation.result for each value of each trace, as OpenTelemetry collects them."),
    "-otel.json",
    22,
    of_run=otlp_logs,
    is_there=are_of_traces,
)
