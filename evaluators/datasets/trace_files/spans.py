"""Steps of a request, however a program writes them, as spans.

Programs differ in what they call a thing and in what they wrap it: so all that a row says is laid
flat under folded names, and each field of a span is the first of its usual names that is there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from evaluators.datasets.cells import as_object, is_missing, object_in, unpack
from evaluators.datasets.trace_files.texts import found_in, given_by_tool, unpacked
from evaluators.datasets.traces import FIELDS, OBJECTS

MOST_FACTS = 5000
"""What is read of one step: its own fields and attributes."""
LONGEST_NAME = 200
MOST_LEVELS = 12
"""How deep steps lie in envelopes and in each other, and attributes in objects."""

Facts = dict[str, Any]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MISSING = ("", "nan", "NaN", "None", "null", "<NA>")
_HEX = re.compile(r"\A0x(?=[0-9a-f]{16,32}\Z)")
_NO_PARENT = (*_MISSING, "0", "0000000000000000", "AAAAAAAAAAA=")

_STEPS, _WRAPPERS = frozenset(OBJECTS["steps"]), frozenset(OBJECTS["wrappers"])
_CONTENTS = frozenset({*FIELDS["input"], *FIELDS["output"]})

_Kinds = tuple[tuple[str, re.Pattern[str]], ...]
_KINDS: _Kinds = (
    ("evaluator", re.compile("(^|_)eval|guardrail|scorer")),
    ("reranker", re.compile("rerank")),
    ("retriever", re.compile("retriev|vector_?(store|db)|^search$")),
    ("tool", re.compile("tool|function_call|^function$")),
    ("model", re.compile("llm|chat|generat|complet|embed|respon")),
)
_NAMED: _Kinds = (
    ("reranker", re.compile("rerank")),
    (
        "retriever",
        re.compile(
            "retriev|(vector|similarity|semantic|hybrid|knowledge|kb|bm25|docs?|documents?|corpus)"
            "_?search|search_?(docs|documents|index|knowledge|corpus|vector)|relevant_doc"
        ),
    ),
)
"""Names by which a step without a telling kind is known, where it also gave documents."""

_PEOPLE = frozenset({"annotation", "human", "ui"})
"""What programs write as the source of a score that a person gave."""
_BY_PEOPLE = ("wandb.annotation.", "wandb.reaction.")
"""How the feedback of people begins in Weave, which names no source."""


_WRITERS = {
    "langfuse": "Langfuse",
    "openinference": "Phoenix (OpenInference)",
    "traceloop": "OpenLLMetry",
    "mlflow": "MLflow",
}
"""How attributes begin that others than OpenTelemetry itself write into its spans."""


class Span(NamedTuple):
    """One step of a request; `kind` is retriever, reranker, tool, model, evaluator or empty.

    `found` is what it says that it found, as it stands there; `is_summary` tells that it is what a
    program says of the whole trace.
    """

    trace: str
    id: str
    parent: str
    kind: str
    name: str
    start: tuple[float, str]
    input: Any = None
    output: Any = None
    found: Any = None
    scores: Mapping[str, Any] = {}
    session: str = ""
    is_summary: bool = False
    program: str = ""
    is_named: bool = False
    """Whether its name alone tells that it searched."""

    @property
    def has_searched(self) -> bool:
        return self.kind in ("retriever", "reranker")

    @property
    def with_documents(self) -> tuple[Span, list[str] | None]:
        """The step with its kind, as far as what it gave tells that, and the texts that it found.

        `None` where there are none to read.
        """
        if self.kind in ("model", "evaluator") or self.is_summary:
            return self, None
        if self.kind or self.found is not None:
            kind = self.kind or "retriever"
            if kind == "tool" and self.found is None:
                return self, given_by_tool(self.output)
            content = self.output if self.found is None else self.found
            return self._replace(kind=kind), found_in(content)
        value = unpacked(self.output)
        # LangGraph's nodes and LangChain's tools give a message in the role of a tool
        if isinstance(value, Mapping) and "tool" in (value.get("type"), value.get("role")):
            return self._replace(kind="tool"), given_by_tool(value)
        kind = _kind(self.name, _NAMED)
        # Of a step without a kind of its own only a list can be what it found
        if kind and isinstance(value, list | Mapping) and (texts := found_in(value)):
            return self._replace(kind=kind, is_named=True), texts
        return self, None


def spans_of(row: Mapping[str, Any]) -> Iterator[Span]:
    """The steps in a row: itself, or those in an envelope, of whatever depth."""
    # Of each step the trace that it lies in, and else the id of what it lies in, and its caller
    waiting: list[tuple[Mapping[str, Any], str, str, str, int]] = [(row, "", "", "", 0)]
    while waiting:
        step, trace, around, parent, level = waiting.pop()
        facts = facts_of(step)
        span = _span(facts, trace, around, parent)
        # MLflow's own id of a trace is not that which OpenTelemetry gave its steps
        trace = trace or _text(facts, FIELDS["trace"])
        has_parent = any(name in facts for name in FIELDS["parent"])
        if span.id and (span.trace or has_parent) and level >= 0:
            yield span
        inner = []
        for name, cell in step.items():
            if _folded(name) not in _STEPS or abs(level) >= MOST_LEVELS:
                continue
            value = unpacked(cell)
            # A run lies in the run that called it, a span in an envelope
            is_within = bool(span.id) and _folded(name).startswith("child")
            # What a wrapper says was read with what it wraps
            below = -abs(level) - 1 if _folded(name) in _WRAPPERS else abs(level) + 1
            for entry in value if isinstance(value, list) else [value]:
                entry = unpacked(entry) if isinstance(entry, str) else entry
                if isinstance(entry, Mapping):
                    caller = span.id if is_within else ""
                    inner.append((entry, trace, _text(facts, ("id",)), caller, below))
        waiting += reversed(inner)


def facts_of(step: Mapping[str, Any]) -> Facts:
    """All that a step says, laid flat: `attributes.input.value` is `input.value`."""
    facts: Facts = {}
    flat: dict[str, dict[int, dict[str, Any]]] = {}
    waiting = [(_folded(name), cell, 0) for name, cell in reversed(list(step.items()))]
    while waiting and len(facts) < MOST_FACTS:
        path, cell, level = waiting.pop()
        value = _decoded(cell) if path.rpartition(".")[2] in _LISTED else cell
        if path in _WRAPPERS or path == "metadata":
            value = as_object(value)
            value = object_in(value) if isinstance(value, str) else value
        if numbered := _place_in_list(path):
            name, place, rest = numbered
            flat.setdefault(name, {}).setdefault(place, {})[rest or "text"] = value
            continue
        if not is_missing(value) and value != "":
            facts.setdefault(path, value)
        if path == "events":
            waiting += [(name, item, level + 1) for name, item in _of_events(unpacked(value))]
        # What was asked and answered is read as it stands
        is_content = path in _CONTENTS or (path in _STEPS and path not in _WRAPPERS)
        if isinstance(value, Mapping) and level < MOST_LEVELS and not is_content:
            prefix = "" if path in _WRAPPERS or path == "metadata.attributes" else f"{path}."
            inner = [(prefix + _folded(name), item, level + 1) for name, item in value.items()]
            waiting += [(_bare(name), item, depth) for name, item, depth in reversed(inner)]
    for name, places in flat.items():
        entries = [places[place] for place in sorted(places)]
        texts = [entry.get("text") for entry in entries]
        are_texts = all(isinstance(text, str) for text in texts)
        facts.setdefault(name, texts if are_texts else entries)
    return facts


_LISTED = frozenset({"attributes", "tags", "resource", "span_attributes"})


def _place_in_list(path: str) -> tuple[str, int, str] | None:
    """The list that a numbered name is of, the place in it, and what is there."""
    parts = path.split(".", MOST_LEVELS)
    for at in range(1, len(parts)):
        number = parts[at]
        if number.isdecimal() and len(number) < 7 and parts[at - 1] in OBJECTS["numbered"]:
            return ".".join(parts[:at]), int(number), ".".join(parts[at + 1 :])
    return None


def _folded(name: object) -> str:
    # What is longer is no name that is known, and would be kept
    return _folded_once(str(name)[:LONGEST_NAME])


# The steps of a file have the same few names
@lru_cache(maxsize=4096)
def _folded_once(name: str) -> str:
    return _bare(_CAMEL.sub("_", name).lower())


def _bare(name: str) -> str:
    for prefix in ("attributes.", "context.", "span_attributes.", "span_context.", "attributes_"):
        name = name.removeprefix(prefix)
    return name


def _decoded(cell: Any) -> Any:
    """Attributes as an object: OpenTelemetry and Jaeger write lists of keys and values."""
    value = as_object(cell)
    if not isinstance(value, list):
        return value
    pairs = [item for item in value if isinstance(item, Mapping) and "key" in item]
    return {str(item["key"]): _value(item.get("value"), MOST_LEVELS) for item in pairs}


def _value(value: Any, levels: int) -> Any:
    """A value of OTLP: `{"stringValue": "text"}`."""
    if not isinstance(value, Mapping) or len(value) != 1 or not levels:
        return value
    ((kind, inside),) = value.items()
    if kind in ("arrayValue", "array_value") and isinstance(inside, Mapping):
        return [_value(item, levels - 1) for item in inside.get("values") or ()]
    if kind in ("kvlistValue", "kvlist_value") and isinstance(inside, Mapping):
        pairs = [item for item in inside.get("values") or () if isinstance(item, Mapping)]
        return {str(item.get("key")): _value(item.get("value"), levels - 1) for item in pairs}
    return inside if str(kind).lower().removesuffix("value").strip("_") in _TYPES else value


_TYPES = ("string", "int", "double", "bool", "bytes")


def _of_events(events: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of a span's events; several results of a query are one list."""
    results: list[Any] = []
    scores: list[Any] = []
    for event in events[:MOST_FACTS] if isinstance(events, list) else ():
        if not isinstance(event, Mapping):
            continue
        name = str(event.get("name"))
        attributes = _decoded(event.get("attributes"))
        own = attributes if isinstance(attributes, Mapping) else {}
        if name == "db.query.result":
            results.append(own.get("db.query.result.document"))
        elif name == "gen_ai.evaluation.result":
            scores.append(own)
        else:
            yield from own.items()
    if results:
        yield "db.query.result.document", results
    if scores:
        yield "scores", scores


def _first(facts: Facts, names: Sequence[str]) -> Any:
    return next((facts[name] for name in names if name in facts), None)


def _text(facts: Facts, names: Sequence[str]) -> str:
    """The first of these that is filled, as text; of a list its first entry."""
    for name in names:
        value = facts.get(name)
        if isinstance(value, list) and value:
            value = value[0]
        text = "" if isinstance(value, dict | list) or value is None else str(value)
        # Cut first: what holds many steps is asked for its id with each of them
        if (text := text[:LONGEST_NAME].strip('" ')) not in _MISSING:
            # Python's OpenTelemetry prints ids so
            return _HEX.sub("", text)
    return ""


def _span(facts: Facts, trace: str, around: str, parent: str) -> Span:
    own_trace, own_id = trace or _text(facts, FIELDS["trace"]) or around, _text(facts, FIELDS["id"])
    has_parent = any(name in facts for name in FIELDS["parent"]) or bool(parent)
    input_, output = _first(facts, FIELDS["input"]), _first(facts, FIELDS["output"])
    # OpenTelemetry's older conventions write what was said as log records beside a step
    body = _value(facts.get("body"), MOST_LEVELS)
    event = _text(facts, ("event_name", "event.name"))
    if event == "gen_ai.user.message" and isinstance(body, Mapping):
        input_ = [{**body, "role": "user"}]
    elif event == "gen_ai.choice":
        output = body
    own_parent = _text(facts, FIELDS["parent"]) or parent
    # What is said of a whole trace has no step's id; of a table of traces it has the trace's
    is_whole = not own_id or (own_id == own_trace and own_parent in _NO_PARENT)
    if not own_trace and not has_parent:
        is_whole = not facts.keys().isdisjoint(OBJECTS["whole"])
    is_summary = is_whole and (input_ is not None or output is not None)
    if is_summary:
        own_trace, own_id = own_trace or own_id, f"{own_trace or own_id} as a whole"
    beginnings = {name.partition(".")[0] for name in facts}
    return Span(
        trace=own_trace,
        id=own_id,
        parent="" if own_parent in _NO_PARENT else own_parent,
        kind=_kind(_text(facts, FIELDS["kind"]), _KINDS),
        # Weave writes the address of an operation, with the project in it
        name=_text(facts, FIELDS["name"]).rpartition("/op/")[2],
        start=_time(_first(facts, FIELDS["start"])),
        input=input_,
        output=output,
        found=_first(facts, FIELDS["documents"]),
        scores=_scores(facts),
        session=_text(facts, FIELDS["session"]),
        is_summary=is_summary,
        program=next((_WRITERS[start] for start in _WRITERS if start in beginnings), ""),
    )


@lru_cache(maxsize=4096)
def _kind(word: str, kinds: _Kinds) -> str:
    folded = re.sub(r"[\W_]+", "_", _CAMEL.sub("_", word).casefold())
    return next((kind for kind, pattern in kinds if pattern.search(folded)), "")


def _time(value: Any) -> tuple[float, str]:
    """By what steps are put in order: a number, or a time as ISO writes it."""
    if isinstance(value, list):
        value = None
    try:
        return float(value), ""
    except (TypeError, ValueError, OverflowError):
        # A time zone and a T make no difference within one file
        return 0.0, str(value or "").replace("T", " ")[:40]


def _scores(facts: Facts) -> dict[str, Any]:
    """What others said of the trace, by name; of people's feedback the name says so."""
    scores: dict[str, Any] = {}
    for name in FIELDS["scores"]:
        entries = facts.get(name)
        entries = unpack(entries) if isinstance(entries, str) else entries
        for entry in entries[:100] if isinstance(entries, list) else ():
            if isinstance(entry, Mapping):
                _add_score(scores, entry)
    stats = object_in(facts.get("feedback_stats")) or {}
    for key, stat in list(stats.items())[:100]:
        if isinstance(stat, Mapping):
            scores[str(key)] = stat.get("avg", stat.get("values"))
    name = _text(facts, ("ai.observability.eval_root.metric_name",))
    if name and "ai.observability.eval_root.score" in facts:
        scores[name] = facts["ai.observability.eval_root.score"]
    kept = {name[:60]: value for name, value in scores.items() if _is_score(value)}
    return {name: value[:60] if isinstance(value, str) else value for name, value in kept.items()}


def _is_score(value: Any) -> bool:
    # An integer may be larger than any float, and NaN is larger and smaller than none.
    is_number = isinstance(value, int | float) and abs(value) <= sys.float_info.max
    return is_number or (isinstance(value, str) and value not in _MISSING)


def _add_score(scores: dict[str, Any], entry: Mapping[str, Any]) -> None:
    facts = {}
    for name, value in entry.items():
        inside = value.items() if isinstance(value, Mapping) else [("", value)]
        for inner, item in inside:
            facts[f"{_folded(name)}.{_folded(inner)}".strip(".")] = item
    name = _text(facts, FIELDS["score_name"])
    value = next((facts[key] for key in FIELDS["score_value"] if _is_score(facts.get(key))), None)
    source = _text(facts, ("source", "source.source_type", "annotator_kind", "source_type"))
    if name and value is not None:
        is_person = source.casefold() in _PEOPLE or name.startswith(_BY_PEOPLE)
        by_person = " (person)" if is_person else ""
        scores[name + by_person] = value
