"""Batches over files: where each one's results lie, and what they came to; never the rows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from evaluators.records import Record
from evaluators.runs.store.bodies import Unreadable, from_body, to_body, why_unreadable
from evaluators.runs.store.database import Database


class FileBatch(Record):
    """A batch over files, known by the `folder` of its results.

    `settings` are those that all its results have in common, `reading` is how its files are read,
    `summary` what its manifest holds once it is whole. `created` is a time in UTC.
    """

    id: str
    created: str
    title: str
    folder: str
    settings: Mapping[str, Any]
    reading: Mapping[str, Any]
    summary: Mapping[str, Any]


class FileBatchTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, workspace: str, batch: FileBatch) -> None:
        """Keeps the batch in place of what it was, and of another that had the same folder."""
        query = "delete from file_batches where workspace = ? and (id = ? or folder = ?)"
        values = (batch.id, workspace, batch.folder, batch.created, to_body(batch))
        with self._database.transaction() as db:
            db.execute(query, (workspace, batch.id, batch.folder))
            db.execute("insert into file_batches values (?, ?, ?, ?, ?)", values)

    def get(self, workspace: str, batch_id: str) -> FileBatch | None:
        """The workspace's batch of that id; `None` also for one that cannot be read."""
        query = "select body from file_batches where workspace = ? and id = ?"
        for (body,) in self._database.rows(query, workspace, batch_id):
            with suppress(ValueError):
                return from_body(FileBatch, body)
        return None

    def newest(self, workspace: str, limit: int) -> tuple[list[FileBatch], list[Unreadable]]:
        """The workspace's batches, newest first, and those among them that cannot be read."""
        query = """select id, body from file_batches where workspace = ?
                   order by created desc, id limit ?"""
        batches: list[FileBatch] = []
        lost: list[Unreadable] = []
        for batch_id, body in self._database.rows(query, workspace, limit):
            try:
                batches.append(from_body(FileBatch, body))
            except ValueError as error:
                lost.append(Unreadable(name=batch_id, reason=why_unreadable(error)))
        return batches, lost

    def delete(self, workspace: str, batch_id: str) -> None:
        """Forgets the batch; its files stay where they are."""
        query = "delete from file_batches where workspace = ? and id = ?"
        with self._database.transaction() as db:
            db.execute(query, (workspace, batch_id))
