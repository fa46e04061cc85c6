"""Which column means what, as a person said for files with the same columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from pydantic import TypeAdapter

from evaluators.runs.store.bodies import open_workspace
from evaluators.runs.store.database import Database

MOST_MAPPINGS = 100
_MAPPING: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


class SavedMappingTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(
        self,
        workspace: str,
        columns: Iterable[str],
        mapping: Mapping[str, str],
    ) -> None:
        """Keeps which column means what in files with these columns.

        Of many mappings the oldest is forgotten.
        """
        created = datetime.now(UTC).isoformat()
        body = json.dumps(dict(mapping))
        values = (workspace, _columns_hash(columns), created, body)
        delete_oldest = """delete from saved_mappings where workspace = ?1 and columns not in
                           (select columns from saved_mappings where workspace = ?1
                            order by rowid desc limit ?2)"""
        with self._database.transaction() as db:
            open_workspace(db, workspace, self._database.now())
            db.execute("insert or replace into saved_mappings values (?, ?, ?, ?)", values)
            db.execute(delete_oldest, (workspace, MOST_MAPPINGS))

    def get(self, workspace: str, columns: Iterable[str]) -> dict[str, str] | None:
        """The column for each field as a person last said for files with these columns.

        Their order does not matter. A mapping that cannot be read is as if nothing had been said:
        the person is asked again.
        """
        query = "select body from saved_mappings where workspace = ? and columns = ?"
        for (body,) in self._database.rows(query, workspace, _columns_hash(columns)):
            with suppress(ValueError, TypeError):
                return _MAPPING.validate_json(body)
        return None

    def delete(self, workspace: str, columns: Iterable[str]) -> None:
        query = "delete from saved_mappings where workspace = ? and columns = ?"
        with self._database.transaction() as db:
            db.execute(query, (workspace, _columns_hash(columns)))


def _columns_hash(columns: Iterable[str]) -> str:
    in_order = sorted(set(columns))
    text = json.dumps(in_order)
    return hashlib.sha256(text.encode()).hexdigest()
