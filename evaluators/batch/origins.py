"""Where a row of results came from: its sample, read again from the file that came in."""

from __future__ import annotations

from evaluators.batch.engine import UNREADABLE, problem_of
from evaluators.batch.kept import judged_files, reading_of, source_of
from evaluators.batch.pieces import read_piece
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
    fragment = judged_files(batch, source, [name])[name]
    if number > FARTHEST and fragment.format != "Parquet":
        raise DatasetError(
            say(
                "Row {number:,} lies too far down in a file of text to be looked up here.",
                number=number,
            )
        )
    try:
        # Of a table only the rows near it are read.
        piece = next(source.pieces(fragment, after=number - 1), None)
    except UNREADABLE as error:
        raise DatasetError(f"{printable(name)}: {problem_of(error)}") from error
    row = next(piece.one_by_one()) if piece else None
    if row is None or row.numbers() != [number]:
        raise DatasetError(say("There is no row {number:,} any more.", number=number))
    (read,) = read_piece(row, reading_of(batch), config())
    return read.sample if isinstance(read.sample, Sample) else None
