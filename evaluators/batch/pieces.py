"""Pieces: some rows of a file, not parsed yet, so that worker processes share that work too."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa

from evaluators.config import Config
from evaluators.datasets.csv_text import Record, add_record
from evaluators.datasets.guess import Guess
from evaluators.datasets.json_text import add_line
from evaluators.datasets.layout import Layout
from evaluators.datasets.samples import maker, read_row
from evaluators.datasets.separators import Separators
from evaluators.datasets.table import Cells, Collector, Problem, Table
from evaluators.errors import DatasetError, PlumblineError
from evaluators.records import Sample
from evaluators.sandbox.script import json_value, rows_of_batch

NumberedEntry = tuple[int, str | Record]


class Piece(NamedTuple):
    """Rows of a file: a table of Parquet, or numbered entries, lines of JSON or records of CSV.

    `first` is the number of a table's first row; `names` are the columns of CSV; `partition` are
    those that the file's folders tell, with the value that each has in all rows.
    """

    first: int = 1
    table: pa.RecordBatch | None = None
    entries: tuple[NumberedEntry, ...] = ()
    names: tuple[str, ...] = ()
    partition: tuple[tuple[str, str | None], ...] = ()

    @property
    def format(self) -> str:
        if self.table is not None:
            return "Parquet"
        return "CSV" if self.names else "JSON Lines"

    def one_by_one(self) -> Iterator[Piece]:
        """The same rows, each alone."""
        if self.table is not None:
            for at in range(self.table.num_rows):
                row = part_of(self.table, at, 1)
                yield self._replace(first=self.first + at, table=row)
        for entry in self.entries:
            yield self._replace(entries=(entry,))

    def only(self, numbers: Container[int]) -> Iterator[Piece]:
        """Those of its rows, in as few pieces as their numbers allow."""
        if entries := tuple(entry for entry in self.entries if entry[0] in numbers):
            yield self._replace(entries=entries)
        if self.table is not None:
            # The rows of a table are counted from its first: only neighbours can stay together.
            for is_wanted, neighbours in groupby(self.numbers(), numbers.__contains__):
                own = list(neighbours)
                if is_wanted:
                    table = part_of(self.table, own[0] - self.first, len(own))
                    yield self._replace(first=own[0], table=table)

    def short(self) -> list[int]:
        """The rows of CSV that have fewer cells than there are column names."""
        short = []
        for number, entry in self.entries:
            if isinstance(entry, Record) and entry.is_short(self.names):
                short.append(number)
        return short

    def numbers(self) -> list[int]:
        """The rows as a person counts them: lines of JSON, else the entries from 1."""
        if self.table is not None:
            end = self.first + self.table.num_rows
            return list(range(self.first, end))
        return [number for number, _ in self.entries]


def part_of(table: pa.RecordBatch, at: int, count: int) -> pa.RecordBatch:
    """Some rows as a table of their own: a mere slice takes the whole table along to a worker."""
    return pa.concat_batches([table.slice(at, count)])


class Reading(NamedTuple):
    """How the files of a batch are read: the column of each field, what parts documents, and how
    rows are laid out.
    """

    guess: Guess
    separators: Separators
    layout: Layout = Layout()


class ReadRow(NamedTuple):
    """A row: its number, the sample in it or why there is none, and its cells as they stand."""

    number: int
    sample: Sample | PlumblineError
    cells: Cells


def table_of(piece: Piece, limits: Config) -> Table:
    """The rows of the piece as they stand there, with problems where they cannot be read."""
    rows = Collector("The file", limits)
    if piece.table is not None:
        names = piece.table.schema.names
        for number, cells in enumerate(rows_of_batch(piece.table), start=piece.first):
            rows.add(number, _filled(names, cells))
    for number, entry in piece.entries:
        if isinstance(entry, Record):
            add_record(rows, number, piece.names, entry)
        else:
            add_line(rows, number, entry)
    told = dict(piece.partition)
    if told:
        rows.rows = [(number, {**told, **cells}) for number, cells in rows.rows]
    return Table(rows.rows, rows.problems, piece.format)


def read_piece(piece: Piece, reading: Reading, limits: Config) -> list[ReadRow]:
    """Every row of the piece, in order; one that cannot be read is there with its problem."""
    table = reading.layout.applied(table_of(piece, limits))
    make = maker(reading.guess, table.format, reading.separators)
    rows = []
    for problem in table.problems:
        error = DatasetError(problem.message)
        rows.append(ReadRow(problem.row, error, dict(piece.partition)))
    for row in table.rows:
        number, cells = row
        item = read_row(row, make)
        # A row of a test bed is refused before a batch begins.
        assert isinstance(item, Sample | Problem)
        sample = DatasetError(item.message) if isinstance(item, Problem) else item
        rows.append(ReadRow(number, sample, cells))
    # Problems come apart from rows, but results stand in the order of the file.
    return _with_blank_ones(piece, sorted(rows, key=lambda row: row.number))


def _with_blank_ones(piece: Piece, rows: list[ReadRow]) -> list[ReadRow]:
    """The rows with those in which nothing stands, which no reader tells of: none is lost."""
    numbers = piece.numbers()
    if len(rows) == len(numbers):
        return rows
    by_number = {row.number: row for row in rows}
    every = []
    for number in numbers:
        blank = DatasetError("the row is empty. Fill it in or remove it.")
        every.append(by_number.get(number) or ReadRow(number, blank, dict(piece.partition)))
    return every


def _filled(names: list[str], cells: tuple[Any, ...]) -> dict[str, Any]:
    row = {}
    for name, cell in zip(names, cells, strict=True):
        value = json_value(cell)
        if name and value is not None:
            row[name] = value
    return row
