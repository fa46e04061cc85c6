"""Where a row of results came from: its sample, read again from the file that came in."""

from __future__ import annotations

import pyarrow.parquet as pq

from evaluators.batch.engine import UNREADABLE, problem_of
from evaluators.batch.folder import Folder
from evaluators.batch.kept import reading_of, source_of
from evaluators.batch.pieces import Piece, read_piece
from evaluators.batch.sources import MOST_ROWS, Fragment, Source
from evaluators.config import config
from evaluators.errors import DatasetError
from evaluators.records import Sample
from evaluators.runs.store import FileBatch
from evaluators.text.language import say
from evaluators.text.printable import printable

# Texts have no index: line after line is read up to the one that is looked for.
FARTHEST = 1_000_000
"""The last row of a text file that is looked for: a person waits some seconds for it."""


def sample_of(batch: FileBatch, name: str, number: int) -> Sample | None:
    """The sample of a row; `None` of one that never held any, as its results say.

    Raises `PlumblineError` where it cannot be read again.
    """
    source = source_of(batch)
    fragment = next((each for each in source.fragments if each.name == name), None)
    if fragment is None or not Folder(batch.folder).is_finished(fragment):
        raise DatasetError(
            say(
                "{file} is gone, or has changed since it was judged: its texts cannot be shown.",
                file=printable(name),
            )
        )
    try:
        piece = _piece_with(source, fragment, number)
    except UNREADABLE as error:
        raise DatasetError(f"{printable(name)}: {problem_of(error)}") from error
    (row,) = read_piece(piece, reading_of(batch), config())
    return row.sample if isinstance(row.sample, Sample) else None


def _piece_with(source: Source, fragment: Fragment, number: int) -> Piece:
    """The row of that number, alone."""
    if fragment.format == "Parquet":
        return _of_parquet(source, fragment, number)
    if number > FARTHEST:
        raise DatasetError(
            say(
                "Row {number:,} lies too far down in a file of text to be looked up here.",
                number=number,
            )
        )
    for piece in source.pieces(fragment):
        if number in piece.numbers():
            for row in piece.one_by_one():
                if row.numbers() == [number]:
                    return row
    raise DatasetError(say("There is no row {number:,} any more.", number=number))


def _of_parquet(source: Source, fragment: Fragment, number: int) -> Piece:
    """The row of a table, of which only those near it are read."""
    with source.system.open_input_file(fragment.path) as opened:
        file = pq.ParquetFile(opened, pre_buffer=False)
        first = 1
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if first <= number < first + rows:
                for batch in file.iter_batches(MOST_ROWS, [group], use_threads=False):
                    if number < first + batch.num_rows:
                        row = batch.slice(number - first, 1)
                        return Piece(number, row, partition=fragment.partition)
                    first += batch.num_rows
            first += rows
    raise DatasetError(say("There is no row {number:,} any more.", number=number))
