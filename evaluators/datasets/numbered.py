"""Columns of documents that differ in their number only (context_1, context_2): also to be had as
one, of lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluators.datasets.shapes import is_called_documents, names_of
from evaluators.datasets.table import Table

_NUMBERED = re.compile(r"(.*[^\W\d_])[\W_]*(\d{1,3})[\W_]*")


def with_lists(table: Table) -> Table:
    """The table with one more column for each such group of columns; its note tells of them."""
    groups = _groups(names_of(table))
    if not groups:
        return table
    rows = [
        (number, row | {name: _filled(row, columns) for name, columns in groups.items()})
        for number, row in table.rows
    ]
    told = [
        f"{columns[0]} to {columns[-1]} are read together as {name}."
        for name, columns in groups.items()
    ]
    return replace(table, rows=rows, note=" ".join(filter(None, [table.note, *told])))


def _groups(names: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each group in the order of their numbers,
    which run from 0 or 1 without a gap.
    """
    found: dict[str, dict[int, str]] = {}
    known = frozenset(names)
    for name in names:
        parts = _NUMBERED.fullmatch(name)
        if parts and parts[1] not in known and is_called_documents(parts[1]):
            found.setdefault(parts[1], {})[int(parts[2])] = name
    return {
        name: [columns[number] for number in sorted(columns)]
        for name, columns in found.items()
        if len(columns) > 1 and min(columns) < 2 and max(columns) - min(columns) == len(columns) - 1
    }


def _filled(row: Mapping[str, Any], columns: Sequence[str]) -> list[Any]:
    return [
        cell for column in columns if (cell := row.get(column)) is not None and str(cell).strip()
    ]
