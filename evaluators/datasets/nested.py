"""Questions in lists inside the rows, as SQuAD nests them.

Each becomes a row of its own, with what stands around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from evaluators.config import config
from evaluators.datasets.cells import text_of_parts
from evaluators.datasets.names import field_of
from evaluators.datasets.table import Cells, Problem, Row, Table
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say

MOST_LEVELS = 3
"""SQuAD has two, paragraphs and their questions, and its published files one more around them."""


def unfolded(table: Table, name: str) -> Table:
    """The table with a row for each question that lies in a list of its rows.

    The same table where its rows have questions themselves.
    """
    path = path_to_questions(table)
    if not path:
        return table
    rows: list[Row] = []
    most = config().rows_per_dataset
    without = 0
    for _, row in table.rows:
        inner = list(_rows_at(row, path))
        without += not inner
        rows += enumerate(inner, start=len(rows) + 1)
        # While they are made: each question takes the text around it along
        if len(rows) > most:
            raise DatasetError(
                say(
                    "{name} has more than {limit:,} questions, the limit. Split it.",
                    name=name,
                    limit=most,
                )
            )
    words = mark("The questions in {path} are the rows, numbered from 1.")
    if without:
        words = mark(
            "The questions in {path} are the rows, numbered from 1. {without:,} of {entries:,} "
            "entries hold none."
        )
    blanks = {"path": ".".join(path), "without": without, "entries": len(table.rows)}
    return table.with_rows(rows, say(words, **blanks))


def path_to_questions(table: Table) -> tuple[str, ...]:
    """The keys that lead to a list of questions in each row; empty where rows have one themselves.

    The first row tells: programs write all entries alike.
    """
    first = next((row for _, row in table.rows), {})
    return _path_to_questions(first, MOST_LEVELS)


def with_one_question_each(table: Table, path: Sequence[str]) -> Table:
    """The table with the one question that these keys lead to in each row, which keeps its number;
    a row with several is a problem.
    """
    if not path:
        return table
    rows: list[Row] = []
    problems = list(table.problems)
    for number, row in table.rows:
        # A folder may hold files of plain rows beside it
        inner = list(_rows_at(row, path)) if path[0] in row else [row]
        if len(inner) == 1:
            rows.append((number, inner[0]))
            continue
        words = mark("it holds {count:,} questions in {path}. Save the file with one a line.")
        message = say(words, count=len(inner), path=".".join(path)[:60])
        problems.append(Problem(number, message, "", "not one question"))
    return replace(table, rows=rows, problems=problems)


def _path_to_questions(row: Cells, levels: int) -> tuple[str, ...]:
    """The keys that lead to a list of questions; empty where the row has one itself."""
    if not levels or _has_question(row):
        return ()
    for key, value in row.items():
        is_list = isinstance(value, list) and bool(value)
        first = value[0] if is_list else None
        if not isinstance(first, dict):
            continue
        if _has_question(first):
            return (key,)
        deeper = _path_to_questions(first, levels - 1)
        if deeper:
            return (key, *deeper)
    return ()


def _has_question(row: Cells) -> bool:
    texts = [name for name, cell in row.items() if isinstance(cell, str) or _is_message(cell)]
    return any(field_of(name) == "question" for name in texts)


def _is_message(cell: Any) -> bool:
    """Whether an object is one text, as Amazon Bedrock writes questions and true answers."""
    return isinstance(cell, dict) and bool(text_of_parts(cell.get("content")))


def _rows_at(row: Cells, path: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The entries under these keys, each with the cells around it that it has not itself."""
    if not path:
        yield dict(row)
        return
    key, *deeper = path
    around = {name: value for name, value in row.items() if name != key}
    entries = row.get(key)
    if not isinstance(entries, list):
        return
    for entry in entries:
        if isinstance(entry, dict):
            yield from _rows_at(around | entry, deeper)
