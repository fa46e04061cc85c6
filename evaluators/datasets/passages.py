"""Tables with one passage a row: neighbouring rows of one question are one sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from evaluators.datasets.cells import unpack
from evaluators.datasets.table import Row, Table


def joined_passages(table: Table, columns: Mapping[str, str]) -> Table:
    """The table with one row for each question, whose passages are a list.

    Rows belong together that follow each other with the same id and question, hold different
    passages, and no second response. The same table where they are not so for most questions.
    """
    keys = [columns.get(field) for field in ("id", "question", "retrieved_documents")]
    if None in keys:
        return table
    own_id, question, passages = (str(key) for key in keys)
    response = columns.get("response", "")
    groups = [
        list(rows)
        for _, rows in groupby(table.rows, lambda row: (row[1].get(own_id), row[1].get(question)))
    ]
    if len(groups) == len(table.rows) or groups[0][0][1].get(own_id) in (None, ""):
        return table
    joined = [_joined_row(rows, passages, response) for rows in groups]
    several = [row for rows, row in zip(groups, joined, strict=True) if row and len(rows) > 1]
    if 2 * len(several) <= len(groups) or not all(joined):
        return table
    rows = [row for row in joined if row is not None]
    note = (
        f"{len(table.rows):,} rows are {len(rows):,} samples: rows of one {own_id} hold one "
        "passage each."
    )
    return replace(table, rows=rows, note=" ".join(filter(None, [table.note, note])))


def _joined_row(rows: list[Row], passages: str, response: str) -> Row | None:
    """One row of several, with their passages; `None` where they do not belong together."""
    texts = [cells.get(passages) for _, cells in rows]
    if len(rows) > 1:
        answers = {str(cells.get(response)) for _, cells in rows if cells.get(response)}
        are_texts = all(isinstance(text, str) and isinstance(unpack(text), str) for text in texts)
        if len(answers) > 1 or not are_texts or len(set(texts)) < len(texts):
            return None
    number, first = rows[0]
    filled: dict[str, Any] = {}
    for _, cells in reversed(rows):
        filled |= {name: cell for name, cell in cells.items() if cell not in (None, "")}
    kept = [text for text in texts if text not in (None, "")]
    return number, first | filled | {passages: kept if len(rows) > 1 else texts[0]}
