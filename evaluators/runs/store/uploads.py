"""Uploaded files, as the data that was read from them."""

from __future__ import annotations

from pydantic import TypeAdapter

from evaluators.datasets.rgb import TestBed
from evaluators.errors import StoreError, UnreadableRowError
from evaluators.records import Dataset, Remedy
from evaluators.runs.store.bodies import why_unreadable
from evaluators.runs.store.database import Database
from evaluators.runs.store.documents import WorkspaceDocuments
from evaluators.text.language import say

Upload = TestBed | Dataset
_UPLOAD: TypeAdapter[Upload] = TypeAdapter(Upload)


class Uploads(WorkspaceDocuments[Upload]):
    """The uploads of workspaces by their names."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, "upload", _UPLOAD)

    def names(self, workspace: str) -> dict[str, str]:
        """The names of the workspace's uploads, each with the time it was made."""
        query = f"select key, created from documents where {self._own} order by key"
        return dict(self._database.rows(query, workspace, self._kind))

    def get(self, workspace: str, name: str) -> Upload | None:
        """The data of that name; raises `UnreadableRowError`."""
        try:
            return self.read(workspace, name)
        except ValueError as error:
            message = say(
                "The upload “{file}” cannot be read ({why}).", file=name, why=why_unreadable(error)
            )
            raise UnreadableRowError(message, remedy=Remedy("delete_upload")) from error

    def rename(self, workspace: str, name: str, new: str) -> None:
        """Gives an upload another name; raises `StoreError` where other data have it."""
        upload = self.get(workspace, name)
        if upload is None:
            return
        with self._database.transaction() as db:
            if new in self.names(workspace):
                raise StoreError(say("Other data are called {new}. Choose another name.", new=new))
            self.drop(db, workspace, name)
            self.put(db, workspace, new, upload.model_copy(update={"name": new}))

    def delete(self, workspace: str, name: str) -> None:
        super().delete(workspace, name)
        self._database.shrink()
