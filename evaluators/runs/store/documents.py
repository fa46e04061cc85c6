"""Documents: what a workspace or a run keeps of one kind, each under a key of its own, as JSON."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import TypeAdapter

from evaluators.messages import STORED
from evaluators.runs.store.bodies import Unreadable, open_workspace, readable
from evaluators.runs.store.database import Connection, Database

D = TypeVar("D")

EVERY = 10**9
"""More documents than there are."""


class Documents(Generic[D]):
    """The documents of one kind.

    One that takes the place of another stands where that one stood. One that cannot be read is
    as if it were not there, and can be saved as it is.
    """

    owner: ClassVar[Literal["workspace", "run_id"]]
    _row: ClassVar[str]
    """The row of a new document, of no owner that is gone."""

    def __init__(self, database: Database, kind: str, adapter: TypeAdapter[D]) -> None:
        self._database = database
        self._kind = kind
        self._adapter = adapter
        self._own = f"{self.owner} = ? and kind = ?"

    def get(self, owner: str, key: str) -> D | None:
        with suppress(ValueError):
            return self.read(owner, key)
        return None

    def read(self, owner: str, key: str) -> D | None:
        """The same, but raises `ValueError` for one that cannot be read."""
        query = f"select body from documents where {self._own} and key = ?"
        rows = self._database.rows(query, owner, self._kind, key)
        return self.of_body(rows[0][0]) if rows else None

    def of_any(self, key: str) -> D | None:
        """The document under a key that nobody can guess, whoever owns it."""
        query = "select body from documents where kind = ? and key = ?"
        for (body,) in self._database.rows(query, self._kind, key):
            with suppress(ValueError):
                return self.of_body(body)
        return None

    def count(self, owner: str) -> int:
        """How many there are, whether or not they can be read."""
        query = f"select count(*) from documents where {self._own}"
        return int(self._database.rows(query, owner, self._kind)[0][0])

    def newest(self, owner: str, limit: int = EVERY) -> dict[str, D]:
        """Those that can be read by their keys, newest first."""
        return self._read(owner, limit)[0]

    def by_key(self, owner: str) -> dict[str, D]:
        """The same in the order of their keys."""
        return dict(sorted(self.newest(owner).items()))

    def unreadable(self, owner: str, limit: int = EVERY) -> list[Unreadable]:
        """Those among the newest that cannot be read."""
        return self._read(owner, limit)[1]

    def raw(self, owner: str, key: str) -> bytes:
        """The document as it is stored, as a JSON line, whether or not it can be read."""
        where = f"{self._own} and key = ?"
        return b"".join(self._database.raw_rows("documents", where, owner, self._kind, key))

    def save(self, owner: str, key: str, document: D) -> None:
        """Keeps the document in place of an earlier one, where its owner is still there."""
        with self._database.transaction() as db:
            self.put(db, owner, key, document)

    def put(self, db: Connection, owner: str, key: str, document: D) -> bool:
        """The same within a transaction; `False` where its owner is gone."""
        query = f"""insert into documents ({self.owner}, kind, key, created, body) {self._row}
                    on conflict ({self.owner}, kind, key)
                    do update set created = excluded.created, body = excluded.body"""
        body = self._adapter.dump_json(document, exclude_defaults=True, context=STORED).decode()
        row = owner, self._kind, key, datetime.now(UTC).isoformat(), body
        return bool(db.execute(query, row).rowcount)

    def delete(self, owner: str, key: str) -> None:
        with self._database.transaction() as db:
            self.drop(db, owner, key)

    def drop(self, db: Connection, owner: str, key: str) -> None:
        """The same within a transaction."""
        db.execute(f"delete from documents where {self._own} and key = ?", (owner, self._kind, key))

    def of_body(self, body: Any) -> D:
        """The document that a row holds; raises `ValueError` where it holds none."""
        if not isinstance(body, str):
            raise ValueError("not text")
        return self._adapter.validate_json(body)

    def rows(self, owner: str, limit: int = EVERY) -> list[tuple[str, Any]]:
        """Keys and bodies, newest first."""
        query = f"""select key, body from documents where {self._own}
                    order by rowid desc limit ?"""
        return self._database.rows(query, owner, self._kind, limit)

    def _read(self, owner: str, limit: int) -> tuple[dict[str, D], list[Unreadable]]:
        return readable(self.rows(owner, limit), lambda _key, body: self.of_body(body))


class WorkspaceDocuments(Documents[D]):
    """Documents of workspaces, which move and go with them."""

    owner = "workspace"
    _row = "values (?1, ?2, ?3, ?4, ?5)"

    def put(self, db: Connection, owner: str, key: str, document: D) -> bool:
        open_workspace(db, owner, self._database.now())
        return super().put(db, owner, key, document)


class RunDocuments(Documents[D]):
    """Documents of runs, which go with them."""

    owner = "run_id"
    _row = "select id, ?2, ?3, ?4, ?5 from runs where id = ?1"
