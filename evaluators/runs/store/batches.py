"""Batches: what a run has asked of a provider that answers by tomorrow."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from evaluators.records import Call, ModelSpec, Record, Run
from evaluators.runs.store.bodies import from_body, sql_numbers, to_body
from evaluators.runs.store.calls import call_row, insert_calls
from evaluators.runs.store.database import Database


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


class BatchTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def plan(self, run_id: str, batch: Batch, requests: SentRequests) -> int:
        """Writes down what is about to be sent; the number by which the batch is known here."""
        values = (run_id, to_body(batch), json.dumps(requests))
        with self._database.transaction() as db:
            # Apart from the body, which each look reads: there may be 50,000 requests.
            query = "insert into batches (run_id, body, requests) values (?, ?, ?) returning id"
            (number,) = db.execute(query, values).fetchone()
        return int(number)

    def of_run(self, run_id: str) -> dict[int, Batch]:
        """The batches of a run by their numbers, in the order in which they were planned."""
        query = "select id, body from batches where run_id = ? order by id"
        rows = self._database.rows(query, run_id)
        return {number: from_body(Batch, body) for number, body in rows}

    def open(self, run_id: str) -> dict[int, Batch]:
        """Those that have not ended."""
        # The status stands in the body, into which SQL does not look.
        batches = self.of_run(run_id).items()
        return {number: batch for number, batch in batches if batch.status != "ended"}

    def open_beside(self, run: Run) -> dict[str, list[int]]:
        """The numbers of batches that other runs of the workspace wait for, by run."""
        query = """select id, run_id, body from batches
                   where run_id <> ? and run_id in (select id from runs where workspace = ?)"""
        numbers: dict[str, list[int]] = {}
        for number, run_id, body in self._database.rows(query, run.id, run.workspace):
            # One that is unknown to its provider will bring nothing.
            if from_body(Batch, body).status not in ("ended", "unknown"):
                numbers.setdefault(run_id, []).append(number)
        return numbers

    def requests(self, numbers: Collection[int]) -> dict[str, SentRequest]:
        """The requests of these batches: on their way, or of an ended one without an answer."""
        # One value of JSON, as SQLite takes only so many parameters.
        query = f"select requests from batches where id in {sql_numbers('?')}"
        wanted = json.dumps([*numbers])
        requests: dict[str, SentRequest] = {}
        for (body,) in self._database.rows(query, wanted):
            for key, values in json.loads(body).items():
                requests[key] = SentRequest(*values)
        return requests

    def update(self, number: int, batch: Batch) -> None:
        with self._database.transaction() as db:
            query = "update batches set body = ? where id = ?"
            db.execute(query, (to_body(batch), number))

    def end(
        self,
        run_id: str,
        number: int,
        batch: Batch,
        calls: Sequence[Call],
        unanswered: Iterable[str],
    ) -> None:
        """Keeps the answers of a batch and that it has ended, both or neither."""
        ended = to_body(batch.model_copy(update={"status": "ended"}))
        # Of these the keys are enough: they are asked at once, not read from a batch.
        left = json.dumps(dict.fromkeys(unanswered, SentRequest(0, "")))
        with self._database.transaction() as db:
            insert_calls(db, [call_row(run_id, call) for call in calls])
            query = "update batches set body = ?, requests = ? where id = ?"
            db.execute(query, (ended, left, number))

    def forget(self, number: int) -> None:
        """Nothing was sent for it."""
        with self._database.transaction() as db:
            db.execute("delete from batches where id = ?", (number,))
