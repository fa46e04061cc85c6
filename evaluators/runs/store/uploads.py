"""Uploaded files, as the data that was read from them."""

from __future__ import annotations

from pydantic import TypeAdapter

from evaluators.datasets.rgb import TestBed
from evaluators.errors import StoreError, UnreadableRowError
from evaluators.records import Dataset, Remedy
from evaluators.runs.store.bodies import open_workspace, to_body, why_unreadable
from evaluators.runs.store.database import Database
from evaluators.text.language import say

Upload = TestBed | Dataset
_UPLOAD: TypeAdapter[Upload] = TypeAdapter(Upload)


class UploadTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, workspace: str, upload: Upload, created: str) -> None:
        """Keeps an uploaded file for the workspace; a file of the same name replaces it."""
        with self._database.transaction() as db:
            open_workspace(db, workspace, self._database.now())
            db.execute(
                "insert or replace into uploads values (?, ?, ?, ?)",
                (workspace, upload.name, created, to_body(upload)),
            )

    def names(self, workspace: str) -> dict[str, str]:
        """The names of the workspace's uploads, each with the time it was made."""
        query = "select name, created from uploads where workspace = ? order by name"
        return dict(self._database.rows(query, workspace))

    def get(self, workspace: str, name: str) -> Upload | None:
        """The data of that name; raises `UnreadableRowError`."""
        query = "select body from uploads where workspace = ? and name = ?"
        rows = self._database.rows(query, workspace, name)
        try:
            return _UPLOAD.validate_json(rows[0][0]) if rows else None
        except (ValueError, TypeError) as error:
            message = say(
                "The upload “{file}” cannot be read ({why}).", file=name, why=why_unreadable(error)
            )
            raise UnreadableRowError(message, remedy=Remedy("delete_upload")) from error

    def raw(self, workspace: str, name: str) -> bytes:
        """The upload as it is stored, as a JSON line, whether or not it can be read."""
        where = "workspace = ? and name = ?"
        return b"".join(self._database.raw_rows("uploads", where, workspace, name))

    def rename(self, workspace: str, name: str, new: str) -> None:
        """Gives an upload another name; raises `StoreError` where other data have it."""
        upload = self.get(workspace, name)
        if upload is None:
            return
        body = to_body(upload.model_copy(update={"name": new}))
        with self._database.transaction() as db:
            if db.execute(
                "select 1 from uploads where workspace = ? and name = ?", (workspace, new)
            ).fetchone():
                raise StoreError(say("Other data are called {new}. Choose another name.", new=new))
            db.execute(
                "update uploads set name = ?, body = ? where workspace = ? and name = ?",
                (new, body, workspace, name),
            )

    def delete(self, workspace: str, name: str) -> None:
        with self._database.transaction() as db:
            db.execute("delete from uploads where workspace = ? and name = ?", (workspace, name))
        self._database.shrink()
