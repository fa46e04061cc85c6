"""A worker process of a batch: it reads pieces of files and scores their rows.

A request is a line, a pickled `Request` as base64; the answer is an Arrow stream as base64, or JSON
with the reason why the piece as a whole failed.
"""

from __future__ import annotations

import base64
import pickle
from typing import NamedTuple

import pyarrow as pa

from evaluators.batch.columns import MetricColumns
from evaluators.batch.function import Each, ScoreRow, free_scorer, results_of
from evaluators.batch.groups import Group
from evaluators.batch.pieces import Piece, Reading, read_piece
from evaluators.catalogue import from_spec
from evaluators.config import Config
from evaluators.errors import WorkerError
from evaluators.messages import STORED
from evaluators.records import EvaluatorSpec, ModelSpec, Reason
from evaluators.runs import worker
from evaluators.runs.scoring import failure_reason


class Task(NamedTuple):
    """What is to be done with every piece: how it is read, and which metrics judge it.

    `judges` are those that the metrics ask, where workers may ask them.
    """

    reading: Reading
    metrics: tuple[EvaluatorSpec, ...]
    columns: tuple[MetricColumns, ...]
    groups: tuple[Group, ...]
    limits: Config
    judges: tuple[ModelSpec, ...] = ()
    has_cap: bool = False


class Request(NamedTuple):
    """A piece, and what is to be done with it."""

    piece: Piece
    task: Task

    def line(self) -> bytes:
        return base64.b64encode(pickle.dumps(self))


def main() -> None:
    """Works until the input ends."""
    worker.serve(answered)


def answered(line: bytes) -> bytes:
    """Does what a line requests."""
    # Written by the process that started this one, and by nobody else.
    request: Request = pickle.loads(base64.b64decode(line))
    try:
        return base64.b64encode(_as_stream(scored(request)))
    except (Exception, SystemExit) as error:
        return failure_reason(error).model_dump_json(context=STORED).encode()


def scored(request: Request) -> pa.RecordBatch:
    """The results of the piece."""
    piece, task = request
    return results_by(free_row_scorer(task), piece, task)


def free_row_scorer(task: Task) -> ScoreRow:
    """What scores a row by the metrics of a task that asks no judge."""
    return free_scorer([from_spec(spec) for spec in task.metrics])


def results_by(
    score_row: ScoreRow,
    piece: Piece,
    task: Task,
    each: Each = map,
) -> pa.RecordBatch:
    """The results of a piece, its rows scored so."""
    rows = read_piece(piece, task.reading, task.limits)
    return results_of(rows, score_row, task.columns, task.groups, each)


def read_answer(line: bytes) -> pa.RecordBatch:
    """The results in an answer; raises `WorkerError` with the reason where there are none."""
    # No base64 begins so.
    if line.startswith(b"{"):
        reason = Reason.model_validate_json(line)
        raise WorkerError(reason.message, kind=reason.kind, remedy=reason.remedy)
    # Arrow and not pickle: a worker has read what strangers wrote.
    with pa.ipc.open_stream(base64.b64decode(line)) as stream:
        return stream.read_next_batch()


def _as_stream(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]
