"""The columns of a table: its own, and those that lie in objects, such as "input.query"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from evaluators.datasets.cells import lists_in_time, object_in
from evaluators.datasets.names import HINTS, folded, is_called_documents
from evaluators.datasets.table import Table

LOOKED_AT = 50
"""Rows whose content a guess looks at."""

INNER_DEPTH = 3
"""promptfoo and Phoenix keep answers as deep as "response.output.text"."""

MOST_INNER = 200
"""Fields in the objects of one row that are columns of their own."""

Rows = Sequence[Mapping[str, Any]]


@lists_in_time
def names_of(table: Table) -> tuple[str, ...]:
    """The names of all columns, in the order of the file, and those of fields in objects."""
    # Rows of JSON need not have the same fields, so all of them are looked at
    names: dict[str, None] = {}
    for _, row in table.rows:
        names.update(dict.fromkeys(row))
    for row in first_rows(table):
        names.update(dict.fromkeys(name for name, _ in inner_cells(row)))
    return tuple(names)


def first_rows(table: Table) -> list[dict[str, Any]]:
    """The rows whose content a guess looks at."""
    return [row for _, row in islice(table.rows, LOOKED_AT)]


def objects_of(rows: Rows) -> set[str]:
    """The columns that hold nothing but objects, be they texts of JSON or Python."""
    objects: set[str] = set()
    others: set[str] = set()
    for row in rows:
        for name, cell in row.items():
            if object_in(cell) is not None:
                objects.add(name)
            elif cell not in (None, ""):
                others.add(name)
    return objects - others


def inner(row: Mapping[str, Any], column: str) -> Any:
    """What a field in an object of the row holds; `None` where there is none."""
    value: Any = row
    for name in column.split("."):
        value = _only_object(value)
        within = value if isinstance(value, Mapping) else object_in(value)
        if within is None:
            return None
        value = within.get(name)
    return value


def inner_cells(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields in the objects of a row, each by the names that lead to it."""
    return islice(_leaves(row), MOST_INNER)


def _leaves(row: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        # A dot in a name of its own, as OpenInference writes them, could not be told from a path
        if "." in name:
            continue
        is_answer = HINTS["response"].search(folded(name)) and not is_called_documents(name)
        inside = _only_object(value) if is_answer else value
        within = object_in(inside) if len(path) < INNER_DEPTH else None
        if within is not None:
            yield from _leaves(within, (*path, name))
        elif path:
            yield ".".join((*path, name)), value


def _only_object(value: Any) -> Any:
    """The object that a list holds alone, as Amazon Bedrock writes the answer of one model."""
    is_alone = isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)
    return value[0] if is_alone else value
