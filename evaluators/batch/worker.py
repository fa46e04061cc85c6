"""What workers are to do with a piece of a file, be they processes or actors of Ray."""

from __future__ import annotations

import base64
from typing import NamedTuple

import pyarrow as pa

from evaluators.batch.columns import MetricColumns
from evaluators.batch.function import Each, ScoreRow, free_scorer, results_of
from evaluators.batch.groups import Group
from evaluators.batch.pieces import Piece, Reading, read_piece
from evaluators.catalogue import from_spec
from evaluators.config import Config
from evaluators.records import EvaluatorSpec
from evaluators.runs.worker import Reply


class Task(NamedTuple):
    """What is to be done with every piece: how it is read, and which metrics judge it."""

    reading: Reading
    metrics: tuple[EvaluatorSpec, ...]
    columns: tuple[MetricColumns, ...]
    groups: tuple[Group, ...]
    limits: Config

    def results(
        self,
        piece: Piece,
        score_row: ScoreRow | None = None,
        each: Each = map,
    ) -> pa.RecordBatch:
        """The results of the rows of a piece; where nothing judges them, the metrics do."""
        rows = read_piece(piece, self.reading, self.limits)
        if score_row is None:
            score_row = free_scorer([from_spec(spec) for spec in self.metrics])
        return results_of(rows, score_row, self.columns, self.groups, each)


class PieceRequest(NamedTuple):
    """A piece, and what is to be done with it."""

    task: Task
    piece: Piece

    def reply(self) -> Reply:
        batch = self.task.results(self.piece)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        return Reply(rows=base64.b64encode(sink.getvalue()).decode())


def batch_in(reply: Reply) -> pa.RecordBatch:
    """The results of a piece."""
    with pa.ipc.open_stream(base64.b64decode(reply.rows)) as stream:
        return stream.read_next_batch()
