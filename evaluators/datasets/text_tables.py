"""Texts and their tables: read in this process, or told by a child that reads them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import IO, NamedTuple

from evaluators.config import config
from evaluators.datasets.csv_text import csv_table
from evaluators.datasets.encoding import Text, text_of
from evaluators.datasets.encoding_guess import EncodingGuess
from evaluators.datasets.json_text import json_table
from evaluators.datasets.table import Collector, Row, Table
from evaluators.errors import DatasetError
from evaluators.messages import as_stored
from evaluators.sandbox.script import Message, ParsingLimits, line_of

PIECE = 2**20
"""Characters of a text that are told at a time."""


def text_table(data: bytes, rows: Collector, encoding: str = "") -> Table:
    """The rows of a CSV or JSON text; raises `DatasetError` where there are none."""
    text = text_of(rows.name, data, rows.limits, encoding)
    start = next(text.pieces(), "")
    is_json = _is_json(rows.name, start)
    table = json_table(text, rows) if is_json else csv_table(text, rows)
    return replace(table, encoding=text.guess)


class PlainText(NamedTuple):
    """How a text begins, how it is written, what was assumed, and by what that was guessed."""

    start: str
    encoding: str
    notes: tuple[str, ...]
    guess: EncodingGuess | None

    @classmethod
    def of(cls, text: Text, most: int) -> PlainText:
        return cls(text.start(most), text.encoding, text.notes, text.guess)


# What a child says of a text


def of_table(data: bytes, limits: ParsingLimits) -> Iterator[Message | bytes]:
    """Its table, and nothing of the rows before all of it was read."""
    try:
        yield from _table(data, limits)
    except DatasetError as error:
        yield _error(error)


def of_plain(data: bytes, limits: ParsingLimits) -> Iterator[Message | bytes]:
    """How it begins, in pieces, and how it is written."""
    try:
        text = text_of(limits["name"], data, config())
        plain = PlainText.of(text, limits["first"] or 0)
    except DatasetError as error:
        yield _error(error)
        return
    yield {"plain": [plain.encoding, as_stored(plain.notes), plain.guess]}
    for at in range(0, len(plain.start), PIECE):
        yield {"text": plain.start[at : at + PIECE]}


def _error(error: DatasetError) -> Message:
    return {"error": [as_stored(error.message), asdict(error.remedy) if error.remedy else None]}


def _table(data: bytes, limits: ParsingLimits) -> Iterator[Message | bytes]:
    first, part = limits["first"], limits["part"]
    rows = Collector(limits["name"], config(), first, part, make_rows=RowsOnDisk)
    table = text_table(data, rows, limits["encoding"])
    described = {
        "format": table.format,
        "note": as_stored(table.note),
        "parts": table.parts,
        "doubt": as_stored(table.doubt),
        "encoding": table.encoding,
    }
    yield {"table": described}
    for problem in table.problems:
        words = as_stored(problem.message)
        yield {"problem": [problem.row, words, problem.raw, problem.kind]}
    assert isinstance(table.rows, RowsOnDisk)
    yield from table.rows.messages()


class RowsOnDisk(list[Row]):
    """Rows that are only counted here: a file without a name holds the messages that tell them."""

    def __init__(self) -> None:
        super().__init__()
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._count = 0

    def append(self, row: Row) -> None:
        self._file.write(line_of({"row": row}))
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def messages(self) -> Iterator[bytes]:
        self._file.seek(0)
        return iter(self._file)


def _is_json(name: str, start: str) -> bool:
    """Whether a text begins as JSON does; the name decides where it does not, or where it could be
    a column name.
    """
    suffix = "." + name.lower().removesuffix(".gz").rpartition(".")[2]
    # A column may be called "[id]"; an object with a name in quotes is JSON whatever the file says
    begins = start.lstrip("\ufeff \t\r\n")[:200]
    if suffix in (".csv", ".tsv"):
        return bool(re.match(r'\[?\s*\{\s*"', begins))
    return suffix in (".json", ".jsonl", ".ndjson") or begins.startswith(("{", "["))
