"""What every database of a run store does: rows, transactions, locks of runs."""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import Any, Protocol

from pydantic_core import PydanticSerializationError

from evaluators.errors import StoreError, UnstorableError
from evaluators.runs.lock import RunLock
from evaluators.text.language import mark, say

NEWEST = 31
"""The format of the tables. Those before the first release are not read."""

UNSTORABLE = (OverflowError, RecursionError, UnicodeError, PydanticSerializationError)
"""Raised for one value: beyond 64 bits, half a character, or a record in a knot."""

SAVED_ELSEWHERE = mark(
    "These runs are kept in PostgreSQL: save them with pg_dump, or as your server's backups do it."
)


def wall_clock() -> datetime:
    return datetime.now(UTC)


class Cursor(Protocol):
    """What a statement gave: its rows, and how many it changed."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """The connection that writes, within a transaction."""

    def execute(
        self,
        query: str,
        values: Sequence[Any] | Mapping[str, Any] = ...,
        /,
    ) -> Cursor: ...

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Cursor: ...


class Database(ABC):
    """One database, safe to share between threads.

    Its SQL is what SQLite and PostgreSQL have in common, with the placeholders (`?`, `?1`,
    `:name`) and the JSON functions of SQLite.
    """

    now: Callable[[], datetime] = staticmethod(wall_clock)
    """By which visits of workspaces are written; a public host counts by a clock of its own."""

    @property
    @abstractmethod
    def path(self) -> Path | None:
        """Where the file is; `None` where there is none."""

    @abstractmethod
    def check(self) -> None:
        """Raises `StoreError` where nothing could be stored now."""

    @abstractmethod
    def rows(self, query: str, *values: Any, **named: Any) -> list[Any]:
        """All rows of a query, as they are outside of a transaction; raises `StoreError`.

        Its values are given in their order or by their names.
        """

    @abstractmethod
    def columns(self, table: str) -> list[str]:
        """The names of a table's columns, in their order."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Connection]:
        """The connection that writes, all or nothing; one writes at a time, in all processes.

        Raises `UnstorableError` for a value that cannot be stored, `StoreError` where nothing can
        be written.
        """

    @abstractmethod
    def bytes_used(self) -> int:
        """Bytes that are in use."""

    @abstractmethod
    def shrink(self) -> None:
        """Gives the space of what was deleted back, as far as that is possible."""

    @abstractmethod
    def copy_into(self, copy: sqlite3.Connection) -> None:
        """Copies everything, as it is at one moment, into an empty database.

        Raises `StoreError` where that is another program's work.
        """

    @abstractmethod
    def run_lock(self, run_id: str) -> RunLock:
        """The right to work on one run."""

    @abstractmethod
    def close(self) -> None: ...

    def raw_rows(self, table: str, where: str, *values: Any) -> Iterator[bytes]:
        """Rows of a table as JSON lines, whether or not what is in them can be read."""
        names = self.columns(table)
        listed = ", ".join(f'"{name}"' for name in names)
        query = f"select {listed} from {table} where {where} order by rowid"
        for row in self.rows(query, *values):
            cells = {
                name: readable_text(cell) if isinstance(cell, bytes) else cell
                for name, cell in zip(names, row, strict=True)
            }
            line = json.dumps({"table": table, **cells}, ensure_ascii=False)
            yield line.encode(errors="replace") + b"\n"


def script(name: str, **words: str) -> str:
    """An SQL script of the store; `words` take the place of those with a `$` in it."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    # In the functions of PostgreSQL a $ is its own.
    return Template(text).substitute(words) if words else text


def check_format(place: object, version: int, newer: str, older: str) -> None:
    """Raises `StoreError` for the tables of another version of Plumbline, with what to do."""
    if version > NEWEST:
        raise StoreError(
            say(
                "The run store {path} is of a newer version of Plumbline (format {version}; this "
                "one knows {newest}). {remedy}",
                path=place,
                version=version,
                newest=NEWEST,
                remedy=say(newer),
            )
        )
    if version < NEWEST:
        raise StoreError(
            say(
                "The run store {path} was made before the first release (format {version}; this "
                "version knows {newest}). Export its runs as run files with the version that made "
                "it, and open these here. {remedy}",
                path=place,
                version=version,
                newest=NEWEST,
                remedy=say(older),
            )
        )


def readable_text(data: bytes) -> str:
    """Damaged characters are shown as such; SQLite's module would end the whole query."""
    return data.decode("utf-8", errors="replace")


@contextmanager
def storable() -> Iterator[None]:
    """Raises `UnstorableError` for a value that cannot be stored."""
    try:
        yield
    except UNSTORABLE as error:
        raise unstorable(error) from None


def unstorable(error: BaseException) -> UnstorableError:
    """What is raised for a value that cannot be stored."""
    # Only its class is named: its text may hold what was to be stored.
    kind = type(error).__name__
    return UnstorableError(
        say("This cannot be stored ({kind}). Try again; if it happens again, report it.", kind=kind)
    )
