"""CSV with any usual delimiter."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from evaluators.config import config
from evaluators.datasets.encoding import DAMAGED, Text
from evaluators.datasets.table import MOST_COLUMNS, RAW_SHOWN, Collector, Table, column_names
from evaluators.errors import DatasetError
from evaluators.sandbox.script import HEAD, TITLE, header_at

DELIMITERS = ",;\t|"
QUESTIONS = "\x1f"
"""The delimiter of a list of questions, which has none: a character that no text holds."""
_NOTES = {
    ";": "The cells are separated by semicolons.",
    "|": "The cells are separated by vertical bars.",
    QUESTIONS: "The first lines are questions, so each line was read as one.",
}
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
    title = _lines_of_the_title(text, delimiter)
    _read_records(text, rows, delimiter, csv.QUOTE_MINIMAL, title)
    is_tsv = delimiter == "\t"
    if is_tsv and rows.problems:
        plain = Collector(rows.name, rows.limits, rows.first)
        _read_records(text, plain, delimiter, csv.QUOTE_NONE, title)
        if len(plain.problems) < len(rows.problems):
            rows = plain
    about_title = TITLE if title else ""
    about_delimiter = _NOTES.get(delimiter, "")
    return rows.table("TSV" if is_tsv else "CSV", *text.notes, about_delimiter, about_title)


def delimiter_of(text: Text, longest: int) -> str:
    """The delimiter that stands most often between the column names.

    `QUESTIONS` where the file begins with questions.
    """
    filled = filter(str.strip, text.lines(longest))
    first = list(islice(filled, 2))
    # Two lines, for the only column of a table may be called "Any questions?"
    if all(line.rstrip('" \t\r\n').endswith(("?", "？")) for line in first):
        return QUESTIONS
    # A quoted name may hold a delimiter: "city, country"
    unquoted = _QUOTED.sub("", first[0])
    return max(DELIMITERS, key=unquoted.count)


def _lines_of_the_title(text: Text, delimiter: str) -> int:
    """How many records stand above the column names: a title, or the `sep=;` by which Excel is told
    the delimiter.
    """
    reader = csv.reader(text.lines(_LOOKED_AT), delimiter=delimiter)
    try:
        head = list(filter(None, islice(reader, HEAD)))
        return header_at(head)
    # Broken quotation marks are told by the reading proper, with their line
    except csv.Error:
        return 0


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
) -> None:
    csv.field_size_limit(rows.limits.cell_bytes)
    lines = _Lines(text.lines(rows.longest_row))
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)  # type: ignore[arg-type]
    names = ["question"] if delimiter == QUESTIONS else []
    number = 0
    for cells, problem in _csv_records(reader):
        if not cells and not problem:
            # A blank line is not a row, nor how the next one begins
            lines.start = ""
            continue
        if title:
            title -= 1
        elif not names:
            names = _header(cells, problem, rows.name)
        else:
            number += 1
            misfit = (problem, "quotation marks") if problem else _misfit(cells, names)
            _add(rows, number, names, cells, misfit, lines.start)
        lines.start = ""


def _csv_records(reader: Reader) -> Iterator[tuple[list[str], str]]:
    """Each record, or what is wrong with it; after that the next line begins anew, if a quotation
    mark is not open.
    """
    is_open = False
    while not is_open:
        first = reader.line_num + 1
        try:
            yield next(reader), ""
        except StopIteration:
            return
        except csv.Error as error:
            # Else the next line would be read as the inside of a text that never ends
            is_open = reader.line_num > first and str(error).startswith(_OPEN)
            yield [], _quoting_problem(str(error), first, reader.line_num, is_open)


def _quoting_problem(what: str, first: int, last: int, is_open: bool) -> str:
    if is_open or what.startswith(_OPEN[0]):
        return (
            "a quotation mark opens here and does not close, so no row after it was read. "
            "Close or remove it."
        )
    if what.startswith(_OPEN):
        return f"a cell is larger than {config().cell_bytes:,} bytes. Cut it."
    lines = f" It runs from line {first} to {last}." if last > first else ""
    return f"{what}.{lines} Check its quotation marks."


def _header(cells: list[str], problem: str, name: str) -> list[str]:
    if problem:
        raise DatasetError(f"The column names of {name} cannot be read: {problem}")
    if len(cells) > MOST_COLUMNS:
        raise DatasetError(
            f"{name} has {len(cells):,} columns; the limit is {MOST_COLUMNS:,}. Leave some out."
        )
    if not any(cell.strip() for cell in cells):
        raise DatasetError(f"{name} has no column names. Write them into its first line.")
    return column_names(cells)


def _misfit(cells: list[str], names: list[str]) -> tuple[str, str]:
    """What is said of cells that are no row, and the kind of problem; empty where they are one."""
    beyond = cells[len(names) :]
    # Excel ends rows with delimiters for columns that hold nothing
    if any(map(str.strip, beyond)):
        message = (
            f"{len(cells)} cells for {len(names)} column names. Quote cells that hold the "
            "delimiter."
        )
        return message, "many cells"
    # Most cells are ASCII, which is known faster than searched
    if any(DAMAGED.search(cell) for cell in cells if not cell.isascii()):
        return "it holds bytes that fit no character. Save the file as UTF-8.", "damaged"
    return "", ""


def _add(
    rows: Collector,
    number: int,
    names: list[str],
    cells: list[str],
    misfit: tuple[str, str],
    start: str,
) -> None:
    message, kind = misfit
    if message:
        rows.reject(number, message, start, kind)
    elif any(map(str.strip, cells)):
        missing = len(names) - len(cells)
        padded = [*cells, *[None] * missing]
        # A column without a name is mostly pandas' index, or a delimiter at the end of each line
        row = {name: cell for name, cell in zip(names, padded, strict=False) if name}
        rows.add(number, row)
