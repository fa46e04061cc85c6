"""Queues of answers that people label, each with its run."""

from __future__ import annotations

from contextlib import suppress

from evaluators.errors import ParameterError
from evaluators.people.queues import LabelQueue
from evaluators.runs.store.bodies import from_body, to_body
from evaluators.runs.store.database import Database
from evaluators.text.language import say


class LabelQueueTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, queue: LabelQueue) -> None:
        """Keeps a new queue; raises `ParameterError` where its run is not there (any more)."""
        query = """insert into label_queues select ?1, id, ?2, ?3 from runs where id = ?4"""
        values = (queue.id, queue.created, to_body(queue), queue.run_id)
        with self._database.transaction() as db:
            if not db.execute(query, values).rowcount:
                raise ParameterError(say("This run was deleted meanwhile, so nothing was drawn."))

    def get(self, queue_id: str) -> LabelQueue | None:
        """The queue of that id; one that cannot be read is as good as none."""
        query = "select body from label_queues where id = ?"
        return next(iter(self._read(query, queue_id)), None)

    def of_run(self, run_id: str) -> list[LabelQueue]:
        """The run's queues that can be read, newest first."""
        query = "select body from label_queues where run_id = ? order by rowid desc"
        return self._read(query, run_id)

    def _read(self, query: str, value: str) -> list[LabelQueue]:
        queues = []
        for (body,) in self._database.rows(query, value):
            # A person can draw another queue; the labels given in this one are kept with the run.
            with suppress(ValueError):
                queues.append(from_body(LabelQueue, body))
        return queues
