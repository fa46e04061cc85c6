"""Tables with one passage a row: neighbouring rows of one question are one sample."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from evaluators.datasets.cells import unpack
from evaluators.datasets.table import Row, Table
from evaluators.text.language import say


def joined_passages(table: Table, columns: Mapping[str, str]) -> Table:
    """The table with one row for each question, whose passages are a list.

    Rows belong together that follow each other with the same id and question, hold different
    passages, and no second response. The same table where they are not so for most questions.
    """
    own_id = columns.get("id")
    question = columns.get("question")
    passages = columns.get("retrieved_documents")
    if own_id is None or question is None or passages is None:
        return table
    response = columns.get("response", "")

    def id_and_question(row: Row) -> tuple[Any, Any]:
        _, cells = row
        return cells.get(own_id), cells.get(question)

    groups = [list(group) for _, group in groupby(table.rows, id_and_question)]
    if len(groups) == len(table.rows):
        return table
    first_id, _ = id_and_question(table.rows[0])
    # Blank ids are alike and name nothing
    if first_id in (None, ""):
        return table
    rows: list[Row] = []
    several = 0
    for group in groups:
        row = _joined_row(group, passages, response)
        if row is None:
            return table
        rows.append(row)
        several += len(group) > 1
    # A few repeated rows are a mistake in a table that has one sample a row
    if 2 * several <= len(groups):
        return table
    note = say(
        "{rows:,} rows are {samples:,} samples: rows of one {column} hold one passage each.",
        rows=len(table.rows),
        samples=len(rows),
        column=own_id,
    )
    return table.with_rows(rows, note)


def _joined_row(rows: list[Row], passages: str, response: str) -> Row | None:
    """One row of several, with their passages; `None` where they do not belong together."""
    number, first = rows[0]
    texts = [cells.get(passages) for _, cells in rows]
    if len(rows) == 1:
        return number, first | {passages: texts[0]}
    responses = [cells.get(response) for _, cells in rows]
    answers = {str(answer) for answer in responses if answer}
    # Where a cell holds a list, its row is a sample of its own
    are_texts = all(isinstance(text, str) for text in map(unpack, texts))
    are_different = len(set(map(str, texts))) == len(texts)
    if len(answers) > 1 or not are_texts or not are_different:
        return None
    # Of cells that differ the first filled one counts, so the rows are laid over it backwards
    filled: dict[str, Any] = {}
    for _, cells in reversed(rows):
        for name, cell in cells.items():
            if cell not in (None, ""):
                filled[name] = cell
    kept = [text for text in texts if text != ""]
    return number, first | filled | {passages: kept}
