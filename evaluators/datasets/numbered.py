"""Columns of documents that differ in their number only (context_1, context_2).

They can also be had as one column of lists.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from evaluators.datasets.columns import names_of
from evaluators.datasets.names import LONGEST, is_called_documents
from evaluators.datasets.table import Row, Table
from evaluators.text.language import say
from evaluators.text.words import joined_sentences

_NUMBERED = re.compile(
    r"(.*?[^\W\d_])[\W_]*(\d{1,3})[\W_]*"
    r"(?:(?<=[\W_])(text|content|summary|snippet|passage|chunk|body))?",
    re.IGNORECASE,
)
"""A name, its number, and what of the document the column holds: "retrieved_doc_1_summary"."""


class Numbered(NamedTuple):
    """Columns that differ in their number, by what is alike: the name, and what of it they hold."""

    name: str
    part: str


def with_lists(table: Table, every: Collection[Numbered]) -> Table:
    """The table with one more column for each of these groups of columns; its note names them."""
    if not every:
        return table
    found = _columns(names_of(table))
    groups = {group: [*found.get(group, {}).values()] for group in every}
    rows: list[Row] = []
    for number, row in table.rows:
        lists: dict[str, Any] = {}
        for group, columns in groups.items():
            filled: list[Any] = []
            for column in columns:
                cell = row.get(column)
                # Where fewer documents were found than there are columns
                if cell is not None and str(cell).strip():
                    filled.append(cell)
            lists[group.name] = filled
        rows.append((number, row | lists))
    notes: list[str] = []
    for group, columns in groups.items():
        if columns:
            notes.append(
                say(
                    "{column} to {last_column} are read together as {name}.",
                    column=columns[0],
                    last_column=columns[-1],
                    name=group.name,
                )
            )
    return table.with_rows(rows, joined_sentences(notes))


def numbered_columns(names: Collection[str]) -> tuple[Numbered, ...]:
    """The groups among these columns whose numbers run from 0 or 1 without a gap.

    Of columns that hold parts of the same documents the first are taken.
    """
    known = frozenset(names)
    groups: dict[str, Numbered] = {}
    for group, columns in _columns(names).items():
        first, last = min(columns), max(columns)
        has_gap = last - first != len(columns) - 1
        # A column of the name without a number is there already, and may be a list of all
        is_free = group.name not in known
        # "doc_2019" and "doc_2020" are years
        if is_free and len(columns) > 1 and first < 2 and not has_gap:
            groups.setdefault(group.name, group)
    return tuple(groups.values())


def _columns(names: Collection[str]) -> dict[Numbered, dict[int, str]]:
    """The columns of documents that have a number, in the order of these numbers."""
    found: dict[Numbered, dict[int, str]] = {}
    for name in names:
        parts = _NUMBERED.fullmatch(name) if len(name) <= LONGEST else None
        if parts and is_called_documents(parts[1]):
            group = Numbered(parts[1], parts[3] or "")
            found.setdefault(group, {})[int(parts[2])] = name
    return {group: dict(sorted(columns.items())) for group, columns in found.items()}
