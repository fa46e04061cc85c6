"""The workers of the local engine: processes of this machine that judge piece after piece."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from evaluators.batch.pieces import Piece
from evaluators.batch.worker import Request, Task, read_answer
from evaluators.runs.pool import Pool


class Processes:
    """`size` processes; one that has ended is replaced by another."""

    def __init__(self, task: Task, size: int, program: str = "evaluators.batch.worker") -> None:
        self.size = size
        self._task = task
        self._pool = Pool(size, program=program)

    @property
    def is_broken(self) -> bool:
        return self._pool.is_broken

    def start(self) -> None:
        self._pool.start()

    def results(self, piece: Piece, is_cancelled: Callable[[], bool]) -> pa.RecordBatch:
        """The results of a piece; raises `WorkerError` where its process ended, or it failed."""
        line = Request(piece, self._task).line()
        return self._pool.exchange(line, read_answer, is_cancelled)

    def close(self) -> None:
        self._pool.close()
