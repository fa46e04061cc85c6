"""What the pages of a large run show, worked out at its end: by a worker process, where one can."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from evaluators.catalogue import metric_named, ships
from evaluators.errors import WorkerError
from evaluators.runs import pool
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.runs.worker import Reply


class PrepareRequest(NamedTuple):
    """A run in a store that is a file."""

    path: Path
    run_id: str

    def reply(self) -> Reply:
        with closing(Store(self.path)) as store:
            run = store.runs.get(self.run_id)
            if run:
                RunView.read(store, run).prepare(lambda: True)
        return Reply()


def prepare(view: RunView, is_cancelled: Callable[[], bool]) -> None:
    """Works it out until it is done or nobody wants it; later it is only looked up.

    For 2,000 answers that takes seconds, which the threads of all pages would share.
    """
    path = view.store.path
    metrics = [metric_named(spec.name) for spec in view.run.evaluators]
    # A worker knows no metric of one's own.
    if path and all(metric and ships(metric) for metric in metrics):
        # What takes a worker too long, or too much memory, is finished here.
        with suppress(WorkerError, CancelledError):
            pool.shared().run(PrepareRequest(path, view.run.id), is_cancelled)
            return
    view.prepare(lambda: not is_cancelled())
