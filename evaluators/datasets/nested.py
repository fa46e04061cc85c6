"""Questions in lists inside the rows, as SQuAD nests them: each becomes a row of its own, with what
stands around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from evaluators.config import config
from evaluators.datasets.names import field_of
from evaluators.datasets.table import Row, Table
from evaluators.errors import DatasetError

MOST_LEVELS = 3


def unfolded(table: Table, name: str) -> Table:
    """The table with a row for each question that lies in a list of its rows; the same table where
    its rows have questions themselves.
    """
    first = next((row for _, row in table.rows), {})
    path = _path_to_questions(first, MOST_LEVELS)
    if not path:
        return table
    rows: list[Row] = []
    most = config().rows_per_dataset
    without = 0
    for _, row in table.rows:
        inner = list(_rows_at(row, path))
        without += not inner
        rows += [(len(rows) + at, cells) for at, cells in enumerate(inner, start=1)]
        if len(rows) > most:
            raise DatasetError(f"{name} has more than {most:,} questions, the limit. Split it.")
    words = f"The questions in {'.'.join(path)} are the rows, numbered from 1."
    if without:
        words += f" {without:,} of {len(table.rows):,} entries hold none."
    return replace(table, rows=rows, note=" ".join(filter(None, [table.note, words])))


def _path_to_questions(row: Mapping[str, Any], levels: int) -> tuple[str, ...]:
    """The keys that lead to a list of questions; empty where the row has one itself."""
    if not levels or _has_question(row):
        return ()
    for key, value in row.items():
        first = value[0] if isinstance(value, list) and value else None
        if not isinstance(first, dict):
            continue
        if _has_question(first):
            return (key,)
        if deeper := _path_to_questions(first, levels - 1):
            return (key, *deeper)
    return ()


def _has_question(row: Mapping[str, Any]) -> bool:
    return any(field_of(name) == "question" and isinstance(row[name], str) for name in row)


def _rows_at(row: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The entries under these keys, each with the cells around it that it has not itself."""
    if not path:
        yield dict(row)
        return
    around = {key: value for key, value in row.items() if key != path[0]}
    entries = row.get(path[0])
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield from _rows_at({**around, **entry}, path[1:])
