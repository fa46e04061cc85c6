"""Metrics from a prompt that a workspace keeps, by title."""

from __future__ import annotations

from evaluators.records import EvaluatorSpec
from evaluators.runs.store.bodies import (
    Unreadable,
    from_body,
    open_workspace,
    to_body,
    why_unreadable,
)
from evaluators.runs.store.database import Database


class SavedMetricTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, workspace: str, title: str, spec: EvaluatorSpec) -> None:
        """Keeps a metric for the workspace; one of the same title is replaced."""
        with self._database.transaction() as db:
            open_workspace(db, workspace, self._database.now())
            db.execute(
                "insert or replace into saved_metrics values (?, ?, ?)",
                (workspace, title, to_body(spec)),
            )

    def by_title(self, workspace: str) -> dict[str, EvaluatorSpec]:
        """The workspace's metrics by title; without the `unreadable` ones."""
        return self._read(workspace)[0]

    def unreadable(self, workspace: str) -> list[Unreadable]:
        return self._read(workspace)[1]

    def raw(self, workspace: str, title: str) -> bytes:
        """The metric as it is stored, as a JSON line, whether or not it can be read."""
        where = "workspace = ? and title = ?"
        return b"".join(self._database.raw_rows("saved_metrics", where, workspace, title))

    def delete(self, workspace: str, title: str) -> None:
        query = "delete from saved_metrics where workspace = ? and title = ?"
        with self._database.transaction() as db:
            db.execute(query, (workspace, title))

    def _read(self, workspace: str) -> tuple[dict[str, EvaluatorSpec], list[Unreadable]]:
        query = "select title, body from saved_metrics where workspace = ? order by title"
        specs: dict[str, EvaluatorSpec] = {}
        unreadable = []
        for title, body in self._database.rows(query, workspace):
            try:
                specs[title] = from_body(EvaluatorSpec, body)
            except ValueError as error:
                unreadable.append(Unreadable(name=title, reason=why_unreadable(error)))
        return specs, unreadable
