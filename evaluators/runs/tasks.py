"""What a run has still to do, answer by answer, and the samples for it, read ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import groupby, islice
from typing import NamedTuple

from evaluators.datasets.sampling import in_random_order
from evaluators.errors import UnreadableRowError
from evaluators.records import Run, Sample
from evaluators.runs.store import Store

# One query for many instead of one each; few enough that large samples do not fill the memory.
READ_AHEAD = 16
"""Samples that are read together."""


class Task(NamedTuple):
    """One answer to be judged: a sample and a model, with the metrics that have not scored it."""

    position: int
    model: int
    metrics: tuple[int, ...]


def open_tasks(store: Store, run: Run) -> list[Task]:
    """The run's open cells, those of one answer together, in the order in which they are done."""
    cells = store.results.open_cells(run)
    tasks = []
    for (position, model), own in groupby(cells, key=lambda cell: cell[:2]):
        metrics = tuple(cell.metric for cell in own)
        tasks.append(Task(position, model, metrics))
    if not run.models and not run.judges:
        return tasks
    # Every model goes through the samples in the same random order, so that whatever a run got
    # done before it stopped is a fair part of the data, on which models and runs compare.
    ids = store.samples.ids(run.fingerprint)
    order = in_random_order(ids, run.seed or 0)
    turns = {position: turn for turn, position in enumerate(order)}
    # Everything is asked once before anything is repeated: more questions tell more than repeats.
    tasks.sort(key=lambda task: (run.repeat_of(task.position), turns[task.position], task))
    return tasks


class SamplePrefetch:
    """Samples, each taken once, read some at a time in the order in which their turn comes."""

    def __init__(
        self,
        store: Store,
        fingerprint: str,
        positions: Iterable[int],
    ) -> None:
        self._store = store
        self._fingerprint = fingerprint
        self._to_come = iter(positions)
        self._read: dict[int, Sample | UnreadableRowError] = {}
        self._turn = threading.Lock()

    def take(self, position: int) -> Sample:
        """The sample; raises `UnreadableRowError` for one that cannot be read."""
        with self._turn:
            while position not in self._read:
                # Nothing to come any more: another thread's turn may have passed this one by.
                positions = [*islice(self._to_come, READ_AHEAD)] or [position]
                self._read |= self._store.samples.get_many(self._fingerprint, positions)
            sample = self._read.pop(position)
        if isinstance(sample, UnreadableRowError):
            raise sample
        return sample
