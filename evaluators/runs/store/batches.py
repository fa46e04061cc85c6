"""Batches: what a run has asked of a provider that answers by tomorrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

from evaluators.errors import StoreError
from evaluators.records import Call, ModelSpec, Record, Run
from evaluators.runs.store.calls import call_row, insert_calls
from evaluators.runs.store.database import Database
from evaluators.runs.store.documents import RunDocuments
from evaluators.text.language import say


class Batch(Record):
    """One batch to one model.

    It is "planned" before it is sent, and "sending" until the provider has given it a `batch_id`:
    a process that ends in between leaves its `mark`, by which the provider is asked for it. It is
    "unknown" once the provider did not find it. `expires` and `created` are times in UTC.
    """

    spec: ModelSpec
    mark: str
    created: str
    expires: str
    status: Literal["planned", "sending", "sent", "cancelling", "unknown", "ended"] = "planned"
    batch_id: str = ""
    requests: int = 0
    answered: int = 0


class SentRequest(NamedTuple):
    """What has to be known of a request to read its answer: its tokens, and how JSON was asked."""

    tokens: int
    mode: str


SentRequests = Mapping[str, SentRequest]
"""By the key of the answer."""


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise StoreError(
            say(
                "What this run has sent to be answered by tomorrow cannot be read: the store is "
                "damaged. Go back to a backup, or start a new run."
            )
        ) from error


class Batches:
    """The batches of runs by their marks, and their requests apart, of which there may be 50,000.

    What cannot be read raises `StoreError`: without it, answers would be paid for twice.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._batches = RunDocuments(database, "batch", TypeAdapter(Batch))
        self._requests = RunDocuments(database, "requests", TypeAdapter(dict[str, SentRequest]))

    def plan(self, run_id: str, batch: Batch, requests: SentRequests) -> None:
        """Writes down what is about to be sent."""
        with self._database.transaction() as db:
            self._requests.put(db, run_id, batch.mark, dict(requests))
            if not self._batches.put(db, run_id, batch.mark, batch):
                raise StoreError(say("This run was deleted meanwhile: nothing was sent."))

    def of_run(self, run_id: str) -> list[Batch]:
        """The batches of a run, in the order in which they were planned."""
        rows = self._batches.rows(run_id)
        with _readable():
            return [self._batches.of_body(body) for _, body in reversed(rows)]

    def open(self, run_id: str) -> list[Batch]:
        """Those that have not ended."""
        # The status stands in the body, into which SQL does not look.
        return [batch for batch in self.of_run(run_id) if batch.status != "ended"]

    def open_beside(self, run: Run) -> dict[str, list[Batch]]:
        """The batches that other runs of the workspace wait for, by run."""
        query = """select distinct run_id from documents where kind = 'batch' and run_id <> ?
                   and run_id in (select id from runs where workspace = ?)"""
        beside = {}
        for (run_id,) in self._database.rows(query, run.id, run.workspace):
            # One that is unknown to its provider will bring nothing.
            batches = [batch for batch in self.open(run_id) if batch.status != "unknown"]
            if batches:
                beside[run_id] = batches
        return beside

    def requests(self, run_id: str, batches: Iterable[Batch]) -> dict[str, SentRequest]:
        """The requests of these batches: on their way, or of an ended one without an answer."""
        requests: dict[str, SentRequest] = {}
        with _readable():
            for batch in batches:
                requests |= self._requests.read(run_id, batch.mark) or {}
        return requests

    def update(self, run_id: str, batch: Batch) -> None:
        self._batches.save(run_id, batch.mark, batch)

    def end(
        self,
        run_id: str,
        batch: Batch,
        calls: Sequence[Call],
        unanswered: Iterable[str],
    ) -> None:
        """Keeps the answers of a batch and that it has ended, both or neither."""
        ended = batch.model_copy(update={"status": "ended"})
        # Of these the keys are enough: they are asked at once, not read from a batch.
        left = dict.fromkeys(unanswered, SentRequest(0, ""))
        with self._database.transaction() as db:
            insert_calls(db, [call_row(run_id, call) for call in calls])
            self._batches.put(db, run_id, batch.mark, ended)
            self._requests.put(db, run_id, batch.mark, left)

    def forget(self, run_id: str, batch: Batch) -> None:
        """Nothing was sent for it."""
        with self._database.transaction() as db:
            self._batches.drop(db, run_id, batch.mark)
            self._requests.drop(db, run_id, batch.mark)
