"""Columns of documents that differ in their number only (context_1, context_2).

They can also be had as one column of lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from evaluators.datasets.columns import names_of
from evaluators.datasets.names import is_called_documents
from evaluators.datasets.table import Row, Table
from evaluators.text.language import say
from evaluators.text.words import joined_sentences

_NUMBERED = re.compile(
    r"(.*?[^\W\d_])[\W_]*(\d{1,3})[\W_]*"
    r"(?:(?<=[\W_])(text|content|summary|snippet|passage|chunk|body))?",
    re.IGNORECASE,
)
"""A name, its number, and what of the document the column holds: "retrieved_doc_1_summary"."""


def with_lists(table: Table) -> Table:
    """The table with one more column for each such group of columns; its note names them."""
    groups = _numbered_groups(names_of(table))
    if not groups:
        return table
    rows: list[Row] = []
    for number, row in table.rows:
        lists: dict[str, Any] = {}
        for name, columns in groups.items():
            filled: list[Any] = []
            for column in columns:
                cell = row.get(column)
                # Where fewer documents were found than there are columns
                if cell is not None and str(cell).strip():
                    filled.append(cell)
            lists[name] = filled
        rows.append((number, row | lists))
    notes: list[str] = []
    for name, columns in groups.items():
        notes.append(
            say(
                "{column} to {last_column} are read together as {name}.",
                column=columns[0],
                last_column=columns[-1],
                name=name,
            )
        )
    return table.with_rows(rows, joined_sentences(notes))


def _numbered_groups(names: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each group in the order of their numbers, which run from 0 or 1 without a gap.

    Of columns that hold parts of the same documents the first are taken.
    """
    numbered: dict[tuple[str, str], dict[int, str]] = {}
    known = frozenset(names)
    for name in names:
        parts = _NUMBERED.fullmatch(name)
        if not parts:
            continue
        stem, number, part = parts.groups()
        # A column of the name without a number is there already, and may be a list of all
        if stem not in known and is_called_documents(stem):
            columns = numbered.setdefault((stem, part or ""), {})
            columns[int(number)] = name
    groups: dict[str, list[str]] = {}
    for (stem, _), columns in numbered.items():
        first, last = min(columns), max(columns)
        has_gap = last - first != len(columns) - 1
        # "doc_2019" and "doc_2020" are years
        if len(columns) > 1 and first < 2 and not has_gap:
            groups.setdefault(stem, [columns[number] for number in sorted(columns)])
    return groups
