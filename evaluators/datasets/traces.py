"""Traces: the steps of an application, one a row, which are not questions with answers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from evaluators.config import ROOT
from evaluators.datasets.names import ANSWER, LONGEST, field_of, folded
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from evaluators.text.strangers_json import strangers_json

_TABLES = tomllib.loads((ROOT / "data" / "traces.toml").read_text(encoding="utf-8"))


def _words(table: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(words.split()) for name, words in _TABLES[table].items()}


FIELDS, OBJECTS, TEXTS = map(_words, ("fields", "objects", "texts"))
"""What programs call the fields of a step, the objects in it, and the texts in these."""
CAPTURE: dict[str, str] = {
    program: entry["capture"] for program, entry in _TABLES["programs"].items()
}
"""How contents are switched on, by program."""
_SOME_PROGRAM = mark("an application")
_SIGNS = [(program or _SOME_PROGRAM, {*signs.split()}) for program, signs in _TABLES["signs"]]
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
            if keys.keys() >= signs:
                return program
        for program, pattern in _ATTRIBUTES:
            if any(pattern.search(key[:LONGEST]) for key in value):
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
