"""Tables with one passage a row: the rows of one question are one sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluators.datasets.cells import unpack
from evaluators.datasets.table import Row, Table
from evaluators.text.language import say


class Joined(NamedTuple):
    """A table with a row for each sample; `doubt` says why a person should look at that."""

    table: Table
    doubt: str = ""


def joined_passages(table: Table, columns: Mapping[str, str]) -> Joined:
    """The table with one row for each sample, whose passages are a list.

    Rows belong together that have the same id and question and were answered by the same model. A
    second answer begins another sample, a passage that comes again is dropped. The same table where
    most questions have one row, as a few repeated rows are a mistake.
    """
    question = columns.get("question")
    passages = columns.get("retrieved_documents")
    if question is None or passages is None:
        return Joined(table)
    own_id = columns.get("id")
    names = [
        columns[field] for field in ("id", "question", "generator", "group") if field in columns
    ]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in table.rows:
        _, cells = row
        key = tuple(str(cells.get(name, "")) for name in names)
        groups.setdefault(key, []).append(row)
    # Blank ids and questions are alike and name nothing
    if len(groups) == len(table.rows) or not all(next(iter(groups))[: 1 + bool(own_id)]):
        return Joined(table)
    samples: list[list[Row]] = []
    several = 0
    for group in groups.values():
        own = _samples_of(group, passages, columns.get("response", ""))
        samples += own
        counts = [len({str(cells.get(passages)) for _, cells in rows}) for rows in own]
        several += max(counts) > 1
    is_one_question = len(groups) == 1 and not own_id
    if 2 * several <= len(groups) or is_one_question:
        # A question alone may well be asked twice
        return Joined(table, _doubt(own_id) if several and own_id else "")
    rows = sorted((_joined_row(sample, passages) for sample in samples), key=lambda row: row[0])
    note = say(
        "{rows:,} rows are {samples:,} samples: rows of one {column} hold one passage each.",
        rows=len(table.rows),
        samples=len(rows),
        column=own_id or question,
    )
    # The same question may have been asked several times, and found other passages each time
    return Joined(table.with_rows(rows, note), "" if own_id else note)


def _doubt(column: str) -> str:
    return say(
        "Some rows have the same {column} and other passages: they may be one sample, of which "
        "each row holds a passage.",
        column=column[:30],
    )


def _samples_of(rows: list[Row], passages: str, response: str) -> list[list[Row]]:
    """The rows of each sample of a question."""
    samples: list[list[Row]] = []
    answer = ""
    for row in rows:
        _, cells = row
        own = str(cells.get(response) or "")
        # Where a cell holds a list, its row is a sample of its own
        is_text = isinstance(unpack(cells.get(passages)), str)
        is_other = bool(own and answer and own != answer)
        if not samples or is_other or not is_text:
            samples.append([row])
            answer = own
        else:
            samples[-1].append(row)
            answer = answer or own
    return samples


def _joined_row(rows: list[Row], passages: str) -> Row:
    """One row of several, with their passages."""
    number, first = rows[0]
    if len(rows) == 1:
        return number, first
    # Of cells that differ the first filled one counts, so the rows are laid over it backwards
    filled: dict[str, Any] = {}
    for _, cells in reversed(rows):
        for name, cell in cells.items():
            if cell not in (None, ""):
                filled[name] = cell
    texts = dict.fromkeys(cells.get(passages) for _, cells in rows)
    kept = [text for text in texts if text not in (None, "")]
    return number, first | filled | {passages: kept}
