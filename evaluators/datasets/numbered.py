"""Columns of documents that differ in their number only (context_1, context_2): also to be had as
one, of lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluators.datasets.columns import names_of
from evaluators.datasets.names import is_called_documents
from evaluators.datasets.table import Table

_NUMBERED = re.compile(
    r"(.*?[^\W\d_])[\W_]*(\d{1,3})[\W_]*"
    r"(?:(?<=[\W_])(text|content|summary|snippet|passage|chunk|body))?",
    re.IGNORECASE,
)
"""A name, its number, and what of the document the column holds: "retrieved_doc_1_summary"."""


def with_lists(table: Table) -> Table:
    """The table with one more column for each such group of columns; its note names them."""
    groups = _groups(names_of(table))
    if not groups:
        return table
    rows = [
        (number, row | {name: _filled_cells(row, columns) for name, columns in groups.items()})
        for number, row in table.rows
    ]
    words = [
        f"{columns[0]} to {columns[-1]} are read together as {name}."
        for name, columns in groups.items()
    ]
    return replace(table, rows=rows, note=" ".join(filter(None, [table.note, *words])))


def _groups(names: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each group in the order of their numbers, which run from 0 or 1 without a gap.

    Of columns that hold parts of the same documents the first are taken.
    """
    numbered: dict[tuple[str, str], dict[int, str]] = {}
    known = frozenset(names)
    for name in names:
        parts = _NUMBERED.fullmatch(name)
        if parts and parts[1] not in known and is_called_documents(parts[1]):
            numbered.setdefault((parts[1], parts[3] or ""), {})[int(parts[2])] = name
    groups: dict[str, list[str]] = {}
    for (name, _), columns in numbered.items():
        has_gap = max(columns) - min(columns) != len(columns) - 1
        if len(columns) > 1 and min(columns) < 2 and not has_gap:
            groups.setdefault(name, [columns[number] for number in sorted(columns)])
    return groups


def _filled_cells(row: Mapping[str, Any], columns: Sequence[str]) -> list[Any]:
    cells = (row.get(column) for column in columns)
    return [cell for cell in cells if cell is not None and str(cell).strip()]
