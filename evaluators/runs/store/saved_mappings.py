"""Which column means what, as a person said for files with the same columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from pydantic import TypeAdapter

from evaluators.runs.store.database import Database
from evaluators.runs.store.documents import WorkspaceDocuments

MOST_MAPPINGS = 100
_MAPPING: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


class SavedMappings:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._documents = WorkspaceDocuments(database, "mapping", _MAPPING)

    def save(
        self,
        workspace: str,
        columns: Iterable[str],
        mapping: Mapping[str, str],
    ) -> None:
        """Keeps which column means what in files with these columns.

        Of many mappings the oldest is forgotten.
        """
        key = _columns_hash(columns)
        delete_oldest = """delete from documents where workspace = ?1 and kind = 'mapping'
                           and key not in
                           (select key from documents where workspace = ?1 and kind = 'mapping'
                            order by rowid desc limit ?2)"""
        with self._database.transaction() as db:
            # What is said again is the newest.
            self._documents.drop(db, workspace, key)
            self._documents.put(db, workspace, key, dict(mapping))
            db.execute(delete_oldest, (workspace, MOST_MAPPINGS))

    def get(self, workspace: str, columns: Iterable[str]) -> dict[str, str] | None:
        """The column for each field as a person last said for files with these columns.

        Their order does not matter. A mapping that cannot be read is as if nothing had been said:
        the person is asked again.
        """
        return self._documents.get(workspace, _columns_hash(columns))

    def delete(self, workspace: str, columns: Iterable[str]) -> None:
        self._documents.delete(workspace, _columns_hash(columns))


def _columns_hash(columns: Iterable[str]) -> str:
    in_order = sorted(set(columns))
    text = json.dumps(in_order)
    return hashlib.sha256(text.encode()).hexdigest()
