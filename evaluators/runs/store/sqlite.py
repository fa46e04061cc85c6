"""A run store in a SQLite file: its connections, locks, transactions and tables."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from evaluators.errors import StoreError
from evaluators.runs.lock import FileRunLock
from evaluators.runs.store.database import (
    NEWEST,
    UNSTORABLE,
    Database,
    check_format,
    readable_text,
    script,
    unstorable,
)
from evaluators.runs.store.file import LOOK, StoreFile
from evaluators.text.language import mark, say

JOURNAL = 4 * 2**20
"""Bytes of the write-ahead log that stay after a large write."""
PAGES_AT_ONCE = 1000
"""Pages that are given back to the disk in one go, while nobody else reads or writes."""
PATIENCE = 30
"""Seconds to wait for another process that writes."""
LARGE = ("samples", "results")
"""Tables of texts, of which pages that show them read a lot."""

APPLICATION = 1347179853
"""What SQLite's `application_id` says of a run store, "PLUM"."""

_WORDS = {
    "text": "text",
    "serial": "integer primary key",
    "order": "",
    "order_of_id": "",
    "then_order": "",
    "unordered": " without rowid",
}
"""What stands in `tables.sql` for texts and for the order of rows, which SQLite has by itself."""
BESIDE_TABLES = f"""
pragma application_id = {APPLICATION};
create trigger runs_begin after insert on runs begin
    insert into revisions (run_id, revision, stored_samples)
    values (new.id, 0, (select count(*) from samples where fingerprint = new.fingerprint
                        and typeof(position) = 'integer'));
end;
create trigger results_come after insert on results begin
    update revisions set revision = revision + 1, results = results + 1,
        stored_results = stored_results + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger results_change after update on results begin
    update revisions set revision = revision + 1, results = results + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger person_labels_come after insert on person_labels begin
    update revisions set revision = revision + 1, stored_labels = stored_labels + 1
        where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
create trigger person_labels_go after update on person_labels begin
    update revisions set revision = revision + 1 where run_id = new.run_id;
    delete from viewed where run_id = new.run_id and position = new.position and model = new.model;
end;
"""
"""The mark of a run store, and triggers, so that no door to the store can forget them."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
RESTORE = mark(
    "Stop Plumbline and put a backup in its place (README, “Backup”), or move "
    "it away to begin a new one."
)
NEWER = mark(
    "Install the newer version, or set PLUMBLINE_DATA_DIR to another folder. "
    "Nothing in it was changed."
)
OLDER = mark("Set PLUMBLINE_DATA_DIR to another folder. Nothing in it was changed.")


class SqliteDatabase(Database):
    """One SQLite file, safe to share between threads. `path` may be ":memory:".

    Reads have connections of their own, one for the large tables and one for all others: a page
    waits neither until the results of runs are on the disk nor while others read many texts. With
    more of them threads would only wait for each other's turn of Python.
    """

    def __init__(self, path: Path | str) -> None:
        self._lock = threading.RLock()  # of whoever writes
        self._reading = {is_large: threading.RLock() for is_large in (False, True)}
        self._readers: dict[bool, sqlite3.Connection] = {}
        self._file = None if path == ":memory:" else StoreFile(Path(path))
        self._looked = -math.inf
        try:
            if self._file:
                self._file.create()
            self._db = _connection(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(_not_opened(path, error)) from error
        try:
            self._check_ours(path)
            # Of a new file only: what is deleted later makes it smaller. Another one would be
            # written to, and must open on a full disk.
            if not self._db.execute("pragma page_count").fetchone()[0]:
                self._db.execute("pragma auto_vacuum = incremental")
            _write_ahead(self._db)
            self._db.executescript("pragma synchronous = full; pragma foreign_keys = on;")
            self._db.execute(f"pragma journal_size_limit = {JOURNAL}")
            self._make_tables()
            if self._file:
                for is_large in self._reading:
                    self._readers[is_large] = _connection(path)
                    self._readers[is_large].execute("pragma query_only = on")
                self._file.opened(self._data_version())
        except BaseException as error:
            self._close_connections()
            if isinstance(error, sqlite3.Error | OSError):
                raise StoreError(_not_opened(path, error)) from error
            raise

    @property
    def path(self) -> Path | None:
        return self._file.path if self._file else None

    def run_lock(self, run_id: str) -> FileRunLock:
        return FileRunLock(self._file.locks if self._file else None, run_id)

    def check(self) -> None:
        """Raises `StoreError` where the file is gone, replaced, or changed by another program."""
        # Another thread that writes has just looked: nobody waits for it.
        if self._file is None or not self._lock.acquire(blocking=False):
            return
        try:
            # Where the check raises, the next reader looks again at once.
            self._looked = -math.inf
            self._file.check(self._data_version)
            self._looked = time.monotonic()
        finally:
            self._lock.release()

    def rows(self, query: str, *values: Any, **named: Any) -> list[Any]:
        if time.monotonic() - self._looked > LOOK:
            self.check()
        try:
            with self._reader(query) as reader:
                return reader.execute(query, named or values).fetchall()
        except UNSTORABLE as error:
            raise unstorable(error) from None
        except sqlite3.Error as error:
            # The check may tell better than SQLite why the file cannot be read.
            self.check()
            raise StoreError(_not_read(error)) from error

    def columns(self, table: str) -> list[str]:
        return [name for _, name, *_ in self.rows(f"pragma table_info({table})")]

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self.check()
            try:
                self._db.execute("begin immediate")
                yield self._db
                self._db.execute("commit")
            except (*UNSTORABLE, sqlite3.DataError) as error:
                self._rollback()
                raise unstorable(error) from None
            except sqlite3.Error as error:
                self._rollback()
                # The check may tell better than SQLite why the file cannot be written.
                self.check()
                raise StoreError(_not_written(error)) from error
            except BaseException:
                self._rollback()
                raise
            self._note_own_write()

    def bytes_used(self) -> int:
        pages, free, size = (
            self.rows(f"pragma {name}")[0][0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def shrink(self) -> None:
        """Makes the file and its write-ahead log smaller by what was deleted, a part at a time."""
        free_pages = int(self.rows("pragma freelist_count")[0][0])
        steps = [f"incremental_vacuum({PAGES_AT_ONCE})"] * -(-free_pages // PAGES_AT_ONCE)
        for step in [*steps, "wal_checkpoint(truncate)"]:
            with self._lock:
                self.check()
                # Where somebody else writes, the next deletion does it.
                with suppress(sqlite3.Error):
                    # `execute` would step once, which frees one page only.
                    self._db.executescript(f"pragma {step}")
                self._note_own_write()

    def copy_into(self, copy: sqlite3.Connection) -> None:
        # Others may write meanwhile; not where the file is gone and only this connection still
        # holds what was in it.
        try:
            self.check()
            is_there = self._file is not None
        except StoreError:
            is_there = False
        if is_there:
            with closing(sqlite3.connect(str(self.path), timeout=PATIENCE)) as reader:
                reader.backup(copy)
        else:
            with self._lock:
                self._db.backup(copy)

    def close(self) -> None:
        with self._lock, self._reading[False], self._reading[True]:
            if self._file:
                self._file.closed()
            self._close_connections()

    @contextmanager
    def _reader(self, query: str) -> Iterator[sqlite3.Connection]:
        """The connection for a query, which no other thread uses meanwhile."""
        is_large = any(table in query for table in LARGE)
        # One in memory, or that is just being opened, has its only connection.
        with self._reading[is_large] if self._readers else self._lock:
            yield self._readers.get(is_large, self._db)

    def _close_connections(self) -> None:
        for connection in (*self._readers.values(), self._db):
            connection.close()

    def _make_tables(self) -> None:
        if self._version():
            return
        with self.transaction() as db:
            # Asked again within the transaction: another process may have been faster.
            if not self._version():
                for statement in _statements(script("tables.sql", **_WORDS) + BESIDE_TABLES):
                    db.execute(statement)
                db.execute(f"pragma user_version = {NEWEST}")

    def _version(self) -> int:
        return int(self.rows("pragma user_version")[0][0])

    def _check_ours(self, path: Path | str) -> None:
        """Raises `StoreError` for another format or database, before anything is written."""
        # One look, in a transaction: another process may just be making this store.
        self._db.execute("begin")
        application, version, tables = (
            self._db.execute(query).fetchone()[0]
            for query in (
                "pragma application_id",
                "pragma user_version",
                "select count(*) from sqlite_master",
            )
        )
        self._db.execute("commit")
        if not (application or version or tables):
            return
        if application != APPLICATION:
            raise StoreError(
                say(
                    "{path} is a database, but not a run store of Plumbline. Move it away, or "
                    "set PLUMBLINE_DATA_DIR to another folder. Nothing in it was changed.",
                    path=path,
                )
            )
        check_format(path, version, NEWER, OLDER)

    def _data_version(self) -> int | None:
        """Another number whenever another connection wrote; `None` where the file is damaged."""
        with suppress(sqlite3.Error):
            return int(self._db.execute("pragma data_version").fetchone()[0])
        return None

    def _note_own_write(self) -> None:
        """Notes that a change of the file was ours; to be called with the lock after each write."""
        if self._file:
            self._looked = -math.inf
            self._file.written()
            self._looked = time.monotonic()

    def _rollback(self) -> None:
        # Closed, or the disk is gone: what is not committed is not there anyway.
        with suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("rollback")


def _connection(path: Path | str) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
    db.text_factory = readable_text
    db.create_function("holds", 2, _holds, deterministic=True)
    return db


def _holds(text: Any, folded: str) -> bool:
    """Whether the text holds the words, in whichever case; SQLite folds English letters only."""
    return isinstance(text, str) and folded in text.casefold()


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switches to WAL.

    SQLite itself does not wait for others here, so processes that start at once wait in turns.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _statements(scripts: str) -> Iterator[str]:
    # `executescript` would commit the transaction that they stand in.
    statement = ""
    for line in scripts.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _is_damaged(error: Exception) -> bool:
    # Extended codes keep the primary one in the lowest byte.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _not_opened(path: Path | str, error: Exception) -> str:
    if _is_damaged(error):
        return say(
            "The run store {path} is damaged or not a run store ({error}). {remedy}",
            path=path,
            error=error,
            remedy=say(RESTORE),
        )
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
        return say(
            "Cannot open {path} ({error}). Free disk space, then try again.", path=path, error=error
        )
    return say(
        "Cannot open {path} ({error}). Set PLUMBLINE_DATA_DIR to a writable folder.",
        path=path,
        error=error,
    )


def _not_read(error: sqlite3.Error) -> str:
    if _is_damaged(error):
        return say("The run store is damaged ({error}). {remedy}", error=error, remedy=say(RESTORE))
    return say("The run store cannot be read ({error}). Check the disk, then reload.", error=error)


def _not_written(error: sqlite3.Error) -> str:
    if _is_damaged(error):
        return say("The run store is damaged ({error}). {remedy}", error=error, remedy=say(RESTORE))
    return say(
        "The run store cannot be written ({error}). Free disk space, then resume.", error=error
    )
