"""The engine: pieces of files go to workers, processes or actors of Ray, and come back in order."""

from __future__ import annotations

import csv
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from threading import Event
from typing import NamedTuple, Self

import pyarrow as pa

from evaluators.batch.columns import joined
from evaluators.batch.function import ScoreRow, failed_rows
from evaluators.batch.groups import Group
from evaluators.batch.pieces import Piece, Reading, table_of
from evaluators.batch.sources import Fragment, Source
from evaluators.batch.worker import PieceRequest, Task, batch_in
from evaluators.config import config
from evaluators.datasets.columns import first_rows
from evaluators.datasets.guess import Shape
from evaluators.datasets.readers import check_samples
from evaluators.datasets.table import Cells
from evaluators.errors import DatasetError, PlumblineError, WorkerError
from evaluators.runs.worker import Workers
from evaluators.text.printable import first_line, printable

AHEAD = 2
"""Pieces that wait beside those at work, so that no process waits for the disk."""

# By chance it may die of something else, such as a machine that is out of memory for a moment.
TRIES = 2
"""How often a piece may end its worker, or take too long, before its rows are told apart."""

PLAIN_SHAPES = (Shape.PLAIN, Shape.RAGAS, Shape.ADALFLOW)
"""Shapes of which only the mapped columns are read."""

UNREADABLE = (
    DatasetError,
    OSError,
    EOFError,
    ValueError,
    csv.Error,
    zlib.error,
    pa.ArrowException,
)
"""What readers raise where a file is damaged, or is not what its name says."""


PiecesOf = Callable[[Source, Fragment, set[str] | None], Iterator[Piece]]
"""Gives the pieces of a file with these columns: all, or those that are still to be judged."""


class Step(NamedTuple):
    """What the reader came to: a piece of a file, its end, or why it cannot be read on."""

    fragment: Fragment
    piece: Piece | None = None
    problem: str = ""


class Engine:
    """Workers and threads that judge pieces; as a context it ends them.

    Workers do the `task`. What `own` has of it is done in this process, where `score_row` judges
    the rows, in so many `threads`.
    """

    def __init__(
        self,
        task: Task,
        workers: Workers,
        schema: pa.Schema,
        own: Task,
        score_row: ScoreRow,
        threads: int = 1,
    ) -> None:
        self.schema = schema
        self._task = task
        self._workers = workers
        self._own = own
        self._score_row = score_row
        self._is_cancelled = Event()
        self._pieces = ThreadPoolExecutor(workers.size, "plumbline-pieces")
        self._rows = ThreadPoolExecutor(threads, "plumbline-rows")
        self._ahead = workers.size + AHEAD

    def __enter__(self) -> Self:
        # Where this process does everything, workers would only take memory.
        if self._task.metrics:
            self._workers.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_cancelled.set()
        # Before the threads are waited for: they wait for workers, at work on a slow row.
        self._workers.close()
        for threads in (self._pieces, self._rows):
            threads.shutdown(wait=True, cancel_futures=True)

    def results(self, steps: Iterator[Step]) -> Iterator[tuple[Step, Future[pa.RecordBatch]]]:
        """Each step in its order, a piece with its results to come; some are worked on ahead."""
        waiting: deque[tuple[Step, Future[pa.RecordBatch]]] = deque()
        for step in steps:
            # Nobody waits for a file's end: it only keeps its place among the pieces.
            begun = self._pieces.submit(self._judged, step.piece) if step.piece else Future()
            waiting.append((step, begun))
            # Written in order: behind a slow piece nothing more is begun, so that memory stays
            # bounded.
            if len(waiting) > self._ahead:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()

    def _judged(self, piece: Piece) -> pa.RecordBatch:
        parts = []
        if self._task.metrics:
            parts.append(self._by_workers(piece))
        if self._own.metrics:
            parts.append(self._own.results(piece, self._score_row, self._rows.map))
        return joined(parts, self.schema)

    def _by_workers(self, piece: Piece) -> pa.RecordBatch:
        # A stranger may have ended the worker, such as a machine that went down.
        for _ in range(TRIES):
            try:
                reply = self._workers.run(
                    PieceRequest(self._task, piece), self._is_cancelled.is_set
                )
                return batch_in(reply)
            except WorkerError as failure:
                if self._workers.is_broken:
                    raise
                error = failure
        # One of its rows did it: the others are not to suffer.
        if len(piece.numbers()) == 1:
            return failed_rows(piece.numbers(), error, self._task.columns, self._task.groups)
        batches = [self._by_workers(row) for row in piece.one_by_one()]
        table = pa.Table.from_batches(batches)
        # One batch again: beside it stand those of this process for all rows.
        return table.combine_chunks().to_batches()[0]


def steps(
    source: Source,
    fragments: Collection[Fragment],
    reading: Reading,
    required: Collection[str],
    groups: Collection[Group],
    pieces_of: PiecesOf = Source.pieces,
) -> Iterator[Step]:
    """All pieces of all files one after the other; a file that cannot be read ends with why."""
    for fragment in fragments:
        try:
            names = source.columns(fragment)
            pieces = pieces_of(source, fragment, _wanted(names, reading, groups))
            first = next(pieces, None)
            # What holds no samples needs another remedy than columns
            if first:
                _check_samples(fragment, names, first)
            _check_columns(names, required)
            for piece in chain([first] if first else [], pieces):
                yield Step(fragment, piece)
        except UNREADABLE as error:
            yield Step(fragment, problem=problem_of(error))
        else:
            # Also of a file without rows: it has a file of results as the others do.
            yield Step(fragment)


def problem_of(error: Exception) -> str:
    """Why a file cannot be read, in a sentence."""
    if isinstance(error, PlumblineError):
        return error.message
    what = first_line(error)
    return f"It is damaged, or not what its name says ({what}). Mend it or take it away."


def has_column(names: Collection[str], column: str) -> bool:
    """Whether a column, or the object that it lies in, is among these."""
    return column in names or column.partition(".")[0] in names


def _check_samples(fragment: Fragment, names: Collection[str] | None, piece: Piece) -> None:
    """Raises `DatasetError` for a file of steps among files of samples, and the like."""
    # Of a table only the columns that are needed are read
    first: Sequence[Cells] = [dict.fromkeys(names or ())]
    if piece.table is None:
        first = first_rows(table_of(piece, config()))
    check_samples(fragment.name, first)


def _check_columns(names: Collection[str] | None, required: Collection[str]) -> None:
    """Raises `DatasetError` where a file lacks a column that the first one has."""
    # A row of JSON has its own fields: where one is missing, that row alone fails.
    if names is None:
        return
    lacking = [column for column in required if not has_column(names, column)]
    if lacking:
        there = ", ".join(printable(name)[:30] for name in list(names)[:12])
        raise DatasetError(
            f"It has no column {printable(lacking[0])[:60]} (it has: {there}). Give all files the "
            "same columns, or evaluate them apart."
        )


def _wanted(
    names: Collection[str] | None,
    reading: Reading,
    groups: Collection[Group],
) -> set[str] | None:
    """The columns that are read of a table; `None` for all of them."""
    grouped = [group.column for group in groups]
    mapped = [*reading.guess.columns.values(), *grouped]
    is_plain = reading.guess.shape in PLAIN_SHAPES
    if names is None or not is_plain or "separator" in reading.guess.columns:
        return None
    # Such as the documents of context_1, context_2, which no column of the file is called.
    if not all(has_column(names, column) for column in mapped):
        return None
    wanted = {column if column in names else column.partition(".")[0] for column in mapped}
    # Where no column is mapped to the id, one of that name is it.
    return wanted | {"id"}
