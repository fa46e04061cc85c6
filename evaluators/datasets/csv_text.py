"""CSV with any usual delimiter."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from evaluators.config import config
from evaluators.datasets.encoding import DAMAGED, Text
from evaluators.datasets.names import field_of
from evaluators.datasets.table import (
    MOST_COLUMNS,
    NUMBERED,
    RAW_SHOWN,
    Collector,
    Table,
    column_names,
)
from evaluators.errors import DatasetError
from evaluators.sandbox.script import HEAD, TITLE, header_at
from evaluators.text.language import mark, say

DELIMITERS = ",;\t|"
QUESTIONS = "\x1f"
"""The delimiter of a list of questions, which has none: a character that no text holds."""
_NOTES = {
    ";": mark("The cells are separated by semicolons."),
    "|": mark("The cells are separated by vertical bars."),
    QUESTIONS: mark("The first lines are questions, so each line was read as one."),
}
_ASKING = ("?", "？", "؟")
_LONGEST_NAME = 300
"""Characters: nobody writes more above a column."""
_QUOTED = re.compile('"[^"]*"')
_OPEN = ("unexpected end of data", "field larger than")
"""How the csv module tells that a quotation mark was open for too long."""


@dataclass(frozen=True)
class CsvText:
    """A CSV text: the names of its columns, none where it is blank, and the records below them,
    which are read once; `notes` say what was assumed.
    """

    names: list[str]
    records: Iterator[Record]
    format: str
    notes: tuple[str, ...]


def csv_table(text: Text, rows: Collector) -> Table:
    """The rows of a CSV file."""
    read = csv_text(text.lines(rows.longest_row), rows.name)
    for number, record in enumerate(read.records, start=1):
        add_record(rows, number, read.names, record)
    return rows.table(read.format, *text.notes, *read.notes)


def csv_text(lines: Iterator[str], name: str) -> CsvText:
    """A CSV text of any length, of which only what is looked at is in memory.

    Raises `DatasetError` where its columns cannot be told; `name` is that of the file.
    """
    # The csv module refuses fields of more than 128 KB by itself
    csv.field_size_limit(config().cell_bytes)
    first = _first_lines(lines)
    delimiter = _delimiter_of(list(filter(str.strip, first)) or [""])
    records = _records_in(chain(first, lines), delimiter)
    head = list(islice(records, HEAD))
    # Above the names may stand a title, or the `sep=;` by which Excel is told the delimiter
    title = header_at([record.cells for record in head])
    below = head[title:]
    notes = [_NOTES.get(delimiter, ""), TITLE if title else ""]
    names: list[str] = []
    if delimiter == QUESTIONS:
        names = ["question"]
    elif numbered := numbered_names([record.cells for record in below]):
        names = numbered
        notes.append(NUMBERED)
    elif below:
        names = _header_of(below.pop(0), name)
    format = "TSV" if delimiter == "\t" else "CSV"
    return CsvText(names, chain(below, records), format, tuple(map(say, filter(None, notes))))


def _first_lines(lines: Iterator[str]) -> list[str]:
    """The lines up to the second that holds anything."""
    first: list[str] = []
    filled = 0
    for line in lines:
        first.append(line)
        filled += bool(line.strip())
        if filled > 1:
            break
    return first


def _delimiter_of(filled: Sequence[str]) -> str:
    """The delimiter that stands most often between the column names; `QUESTIONS` where the first
    lines are questions.
    """
    # Two lines, for the only column of a table may be called "Any questions?"
    if all(line.rstrip('" \t\r\n').endswith(_ASKING) for line in filled):
        return QUESTIONS
    # A quoted name may hold a delimiter: "city, country"
    unquoted = _QUOTED.sub("", filled[0])
    return max(DELIMITERS, key=unquoted.count)


def numbered_names(head: Sequence[Sequence[str]]) -> list[str]:
    """Names for the columns of a table whose first record is a row as the others are; empty where
    it holds their names.

    It is a row where it holds a question above other questions, or a text as long as a document. A
    survey has questions above answers.
    """
    if len(head) < 2 or any(map(field_of, head[0])):
        return []
    first, *below = head
    is_row = any(len(cell) > _LONGEST_NAME for cell in first)
    for column in zip(first, *below, strict=False):
        is_row = is_row or all(cell.rstrip().endswith(_ASKING) for cell in column)
    return [f"column {place}" for place in range(1, len(first) + 1)] if is_row else []


class Record(NamedTuple):
    """The cells of a record, or what is wrong with its quotation marks, and how it begins.

    After one that `is_open` nothing more is read, whatever stands there.
    """

    cells: list[str]
    problem: str
    start: str
    is_open: bool = False

    def is_short(self, names: Sequence[str]) -> bool:
        """Whether it is a row that lacks cells."""
        return len(self.cells) < len(names) and any(map(str.strip, self.cells))


class _Lines:
    """The lines of a text; `record` are those of the record that is being read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: list[str] = []
        self.record: list[str] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        self.record.append(line)
        return line

    def first_alone(self) -> str:
        """The first line of the record; those after it are read again."""
        first, *others = self.record
        self._again += reversed(others)
        return first


def _records_in(lines: Iterator[str], delimiter: str) -> Iterator[Record]:
    """The records of a CSV file one by one; blank lines are left out.

    In one that is separated by tabs, quotation marks that cannot be such are mere text.
    """
    own = _Lines(lines)
    reader = csv.reader(own, delimiter=delimiter, strict=True)
    is_open = False
    while not is_open:
        own.record = []
        first = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if delimiter == "\t":
                line = own.first_alone()
                yield Record(line.rstrip("\r\n").split("\t"), "", line[:RAW_SHOWN])
                continue
            # Else the next line would be read as the inside of a text that never ends
            is_open = reader.line_num > first and str(error).startswith(_OPEN)
            problem = _quoting_problem(str(error), first, reader.line_num, is_open)
            yield Record([], problem, "".join(own.record)[:RAW_SHOWN], is_open)
        else:
            # A blank line is not a row
            if cells:
                yield Record(cells, "", "".join(own.record)[:RAW_SHOWN])


def _quoting_problem(what: str, first: int, last: int, is_open: bool) -> str:
    if is_open or what.startswith(_OPEN[0]):
        return say(
            "a quotation mark opens here and does not close, so no row after it was "
            "read. Close or remove it."
        )
    if what.startswith(_OPEN):
        return say(
            "a cell is larger than {cell_bytes:,} bytes. Cut it.", cell_bytes=config().cell_bytes
        )
    words = mark("{problem}. Check its quotation marks.")
    if last > first:
        words = mark(
            "{problem}. It runs from line {first:d} to {last:d}. Check its quotation marks."
        )
    return say(words, problem=what, first=first, last=last)


def _header_of(record: Record, name: str) -> list[str]:
    """The names of the columns; raises `DatasetError` where a record cannot hold them."""
    cells = record.cells
    words = ""
    if record.problem:
        words = mark("The column names of {name} cannot be read: {problem}")
    elif len(cells) > MOST_COLUMNS:
        words = mark("{name} has {cells:,} columns; the limit is {most:,}. Leave some out.")
    elif not any(cell.strip() for cell in cells):
        words = mark("{name} has no column names. Write them into its first line.")
    if words:
        blanks = {"problem": record.problem, "cells": len(cells), "most": MOST_COLUMNS}
        raise DatasetError(say(words, name=name, **blanks))
    return column_names(cells)


def _misfit(cells: list[str], names: Sequence[str]) -> tuple[str, str]:
    """What is said of cells that are no row, and the kind of problem; empty where they are one."""
    beyond = cells[len(names) :]
    # Excel ends rows with delimiters for columns that hold nothing
    if any(map(str.strip, beyond)):
        message = say(
            "{cells:d} cells for {heads:d} column names. Quote cells that hold the delimiter.",
            cells=len(cells),
            heads=len(names),
        )
        return message, "many cells"
    # Most cells are ASCII, which is known faster than searched
    if any(DAMAGED.search(cell) for cell in cells if not cell.isascii()):
        return say("it holds bytes that fit no character. Save the file as UTF-8."), "damaged"
    return "", ""


def add_record(
    rows: Collector,
    number: int,
    names: Sequence[str],
    record: Record,
) -> None:
    """One row, or why it cannot be used; a record without any text is not a row."""
    cells = record.cells
    message, kind = record.problem, "quotation marks"
    if not message:
        message, kind = _misfit(cells, names)
    if message:
        rows.reject(number, message, record.start, kind)
    elif any(map(str.strip, cells)):
        missing = len(names) - len(cells)
        padded = [*cells, *[None] * missing]
        # A column without a name is mostly pandas' index, or a delimiter at the end of each line
        row = {name: cell for name, cell in zip(names, padded, strict=False) if name}
        rows.add(number, row)
        if record.is_short(names):
            rows.short.append(number)
