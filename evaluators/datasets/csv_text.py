"""CSV with any usual delimiter."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

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
_LOOKED_AT = 2**16
"""Characters of a line that tell whether a title stands above the column names."""
_OPEN = ("unexpected end of data", "field larger than")
"""How the csv module tells that a quotation mark was open for too long."""


class Reader(Protocol):
    """What `csv.reader` gives."""

    line_num: int

    def __next__(self) -> list[str]: ...


def csv_table(text: Text, rows: Collector) -> Table:
    """The rows of a CSV file.

    In one that is separated by tabs, quotation marks may be mere text.
    """
    delimiter = delimiter_of(text, rows.longest_row)
    head = _head(text, delimiter)
    title = header_at(head)
    names = ["question"] if delimiter == QUESTIONS else numbered_names(head[title:])
    _read_records(text, rows, delimiter, csv.QUOTE_MINIMAL, title, names)
    is_tsv = delimiter == "\t"
    if is_tsv and rows.problems:
        plain = rows.anew()
        _read_records(text, plain, delimiter, csv.QUOTE_NONE, title, names)
        if len(plain.problems) < len(rows.problems):
            rows = plain
    about_title = TITLE if title else ""
    about_names = say(NUMBERED) if names and delimiter != QUESTIONS else ""
    about_delimiter = _NOTES.get(delimiter, "")
    format = "TSV" if is_tsv else "CSV"
    return rows.table(format, *text.notes, about_delimiter, about_title, about_names)


def delimiter_of(text: Text, longest: int) -> str:
    """The delimiter that stands most often between the column names.

    `QUESTIONS` where the file begins with questions.
    """
    filled = filter(str.strip, text.lines(longest))
    first = list(islice(filled, 2))
    # Two lines, for the only column of a table may be called "Any questions?"
    if all(line.rstrip('" \t\r\n').endswith(_ASKING) for line in first):
        return QUESTIONS
    return delimiter_between(first[0])


def delimiter_between(names: str) -> str:
    """The delimiter that stands most often between these column names."""
    # A quoted name may hold a delimiter: "city, country"
    unquoted = _QUOTED.sub("", names)
    return max(DELIMITERS, key=unquoted.count)


def _head(text: Text, delimiter: str) -> list[list[str]]:
    """The first records, none where quotation marks are broken: the reading proper tells which."""
    reader = csv.reader(text.lines(_LOOKED_AT), delimiter=delimiter)
    try:
        return list(filter(None, islice(reader, HEAD)))
    except csv.Error:
        return []


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
    """The lines of a text; `start` is how the current row begins."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.start = ""

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        room = max(0, RAW_SHOWN - len(self.start))
        self.start += line[:room]
        return line


def _read_records(
    text: Text,
    rows: Collector,
    delimiter: str,
    quoting: int,
    title: int,
    names: list[str],
) -> None:
    csv.field_size_limit(rows.limits.cell_bytes)
    number = 0
    for record in records_in(text.lines(rows.longest_row), delimiter, quoting):
        if title:
            title -= 1
        elif not names:
            names = header_of(record, rows.name)
        else:
            number += 1
            add_record(rows, number, names, record)


def records_in(
    lines: Iterator[str],
    delimiter: str,
    quoting: int = csv.QUOTE_MINIMAL,
) -> Iterator[Record]:
    """The records of a CSV file one by one; blank lines are left out."""
    own = _Lines(lines)
    reader = csv.reader(own, delimiter=delimiter, quoting=quoting, strict=True)  # type: ignore[arg-type]
    for cells, problem, is_open in _csv_records(reader):
        # A blank line is not a row, nor how the next one begins
        if cells or problem:
            yield Record(cells, problem, own.start, is_open)
        own.start = ""


def _csv_records(reader: Reader) -> Iterator[tuple[list[str], str, bool]]:
    """Each record, or what is wrong with it, and whether a quotation mark is open; after that, if
    none is, the next line begins anew.
    """
    is_open = False
    while not is_open:
        first = reader.line_num + 1
        try:
            yield next(reader), "", False
        except StopIteration:
            return
        except csv.Error as error:
            # Else the next line would be read as the inside of a text that never ends
            is_open = reader.line_num > first and str(error).startswith(_OPEN)
            yield [], _quoting_problem(str(error), first, reader.line_num, is_open), is_open


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


def header_of(record: Record, name: str) -> list[str]:
    """The names of the columns; raises `DatasetError` where a record cannot hold them."""
    cells = record.cells
    if record.problem:
        raise DatasetError(
            say(
                "The column names of {name} cannot be read: {problem}",
                name=name,
                problem=record.problem,
            )
        )
    if len(cells) > MOST_COLUMNS:
        raise DatasetError(
            say(
                "{name} has {cells:,} columns; the limit is {most:,}. Leave some out.",
                name=name,
                cells=len(cells),
                most=MOST_COLUMNS,
            )
        )
    if not any(cell.strip() for cell in cells):
        raise DatasetError(
            say("{name} has no column names. Write them into its first line.", name=name)
        )
    return column_names(cells)


def _misfit(cells: list[str], names: list[str]) -> tuple[str, str]:
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
    names: list[str],
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
