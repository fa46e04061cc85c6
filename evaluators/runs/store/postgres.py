"""A run store in PostgreSQL: its connections, transactions, locks of runs and tables."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from queue import LifoQueue
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import FloatLoader

from evaluators.errors import StoreError
from evaluators.runs.lock import elsewhere
from evaluators.runs.store.database import (
    NEWEST,
    SAVED_ELSEWHERE,
    TABLES,
    UNSTORABLE,
    Database,
    check_format,
    unstorable,
)
from evaluators.runs.store.file import LOOK
from evaluators.runs.store.postgres_sql import TableKeys, by_name, translated
from evaluators.text.language import mark, say

READERS = 4
"""Connections that read at once."""
PATIENCE = 30
"""Seconds to wait for another process that writes."""

ENCODING = "UTF8"
APPLICATION = 1347179853
"""The first number of all our locks, "PLUM"."""

_DEFAULTS = {
    "application_name": "plumbline",
    "connect_timeout": 10,
    "client_encoding": "utf8",
    # A server that is gone without a word is noticed within a minute, and so are we by it.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
_SESSION = f"""set lock_timeout = '{PATIENCE}s'; set tcp_keepalives_idle = 30;
               set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3; set jit = off"""
"""Compiling a query takes longer than all but the longest of ours."""

_OUR_LOCK = f"{APPLICATION}, hashtext(current_schema() || ' ' || %s)"
"""The lock of a run, by its id."""
_BEGIN = f"""begin;
select pg_advisory_xact_lock({APPLICATION}, hashtext(current_schema() || ' writing'))"""
_THIS_SESSION = """select pid, backend_start from pg_stat_activity
                   where pid = pg_backend_pid()"""
_HAS_LOCKS = f"""select 1 from pg_stat_activity join pg_locks using (pid)
                 where pid = %s and backend_start = %s
                 and locktype = 'advisory' and classid = {APPLICATION}"""
"""By its beginning too, as a later process may have the number of an earlier one."""

NEWER = mark(
    "Install the newer version, or set PLUMBLINE_DATABASE to another database. "
    "Nothing in it was changed."
)
OLDER = mark("Set PLUMBLINE_DATABASE to another database. Nothing in it was changed.")
CANNOT_READ = mark("The run store {place} cannot be read ({why}). {remedy}")
CANNOT_WRITE = mark("The run store {place} cannot be written ({why}). {remedy}")
_LOOK_AT_SERVER = mark("Look into the log of the database, then try again.")
_START_SERVER = mark(
    "Nothing that was stored is lost. Start the database or correct PLUMBLINE_DATABASE, then "
    "reload, and resume what was at work."
)
_LOST = ("08", "28", "3D", "53", "57")
"""How the codes of a server begin that is gone, or that lets nobody in."""

_REMEDIES = {
    "53100": mark("Free space on the disk of the database, then resume."),
    "25006": mark("The server is read-only: set PLUMBLINE_DATABASE to one that can be written."),
    "3F000": mark("Make the schema that its search_path names, or let its user enter it."),
    "42P07": mark(
        "It has tables that are not Plumbline's: set PLUMBLINE_DATABASE to an empty database. "
        "Nothing in it was changed."
    ),
    "42501": mark("Give its user the right to make tables and to write them."),
    "55P03": mark("Another process is writing. Try again."),
    "40001": mark("Another process is writing. Try again."),
    "40P01": mark("Another process is writing. Try again."),
}
"""What to do, by the error codes of PostgreSQL."""


class PostgresDatabase(Database):
    """A database of PostgreSQL, safe to share between threads and processes.

    One connection writes and bears the locks of runs, a few read. A connection that is lost is
    opened anew by whoever needs it next.
    """

    def __init__(self, address: str) -> None:
        self._parameters = _parameters(address)
        self._lock = threading.RLock()  # of whoever writes
        self._writer: psycopg.Connection[Any] | None = None
        self._session: tuple[Any, ...] | None = None  # of the last writer: number and beginning
        self._readers: LifoQueue[psycopg.Connection[Any] | None] = LifoQueue()
        for _ in range(READERS):
            self._readers.put(None)
        self._runs_held: set[str] = set()
        self._runs_lost: set[str] = set()
        self._reached = -math.inf
        self._is_closed = False
        self._tables: dict[str, TableKeys] = {}
        self._translated = lru_cache(maxsize=1024)(partial(translated, tables=self._tables))
        try:
            self._make_tables()
            self._tables |= self._keys_of_tables()
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path | None:
        return None

    def check(self) -> None:
        """Raises `StoreError` where the database is gone, or a run of ours was taken over."""
        if self._runs_lost:
            raise StoreError(
                say(
                    "The connection to the database was lost, and another process went on with "
                    "what was at work here. Everything so far is kept. Look at the run again."
                )
            )
        if time.monotonic() - self._reached > LOOK:
            self.rows("select 1")

    def rows(self, query: str, *values: Any, **named: Any) -> list[Any]:
        try:
            return self._read(self._translated(query), by_name(named or values))
        except psycopg.Error as error:
            raise self._store_error(error, CANNOT_READ) from error

    def columns(self, table: str) -> list[str]:
        query = """select column_name from information_schema.columns
                   where table_schema = current_schema() and table_name = ?
                   and column_name <> 'rowid' order by ordinal_position"""
        return [name for (name,) in self.rows(query, table)]

    @contextmanager
    def transaction(self) -> Iterator[_Writing]:
        with self._lock:
            try:
                # One at a time, as SQLite has it: what a transaction reads stays true in it.
                connection = self._by_writer(_BEGIN).connection
                yield _Writing(connection, self._translated)
                connection.execute("commit")
            except (*UNSTORABLE, psycopg.DataError) as error:
                self._rollback()
                raise unstorable(error) from None
            except psycopg.Error as error:
                self._rollback()
                raise self._store_error(error, CANNOT_WRITE) from error
            except BaseException:
                self._rollback()
                raise

    def bytes_used(self) -> int:
        query = """select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class
                   where relnamespace = current_schema()::regnamespace and relkind = 'r'"""
        return int(self.rows(query)[0][0])

    def shrink(self) -> None:
        """Frees the space of what was deleted, as far as nothing lies behind it.

        What is free between other rows is used again.
        """
        # Where this fails, the server does it later.
        with suppress(psycopg.Error), closing(self._connected()) as connection:
            connection.execute(f"vacuum (skip_locked) {', '.join(self._tables)}")

    def copy_into(self, copy: sqlite3.Connection) -> None:
        raise StoreError(say(SAVED_ELSEWHERE))

    def run_lock(self, run_id: str) -> PostgresRunLock:
        return PostgresRunLock(self, run_id)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            # All before any is put back: the last one in is the first one out.
            for reader in [self._readers.get() for _ in range(READERS)]:
                if reader is not None:
                    reader.close()
            # Whoever comes later waits for none of them, and is told that it was closed.
            for _ in range(READERS):
                self._readers.put(None)
            if self._writer is not None:
                self._writer.close()

    # Locks of runs

    def take_run(self, run_id: str) -> bool:
        """Locks the run until it is given back; `False` where somebody else has it."""
        with self._lock:
            if run_id in self._runs_held or not self._try_lock(run_id):
                return False
            self._runs_held.add(run_id)
            return True

    def give_run_back(self, run_id: str) -> None:
        with self._lock:
            self._runs_lost.discard(run_id)
            self._runs_held.discard(run_id)
            # Where the connection is lost, so is the lock, at the latest with the next writer.
            with suppress(psycopg.Error):
                if self._writer is not None:
                    self._writer.execute(f"select pg_advisory_unlock({_OUR_LOCK})", (run_id,))

    def is_run_held(self, run_id: str) -> bool:
        """Whether any process has the run."""
        query = """select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2
                   and database = (select oid from pg_database where datname = current_database())
                   and classid = ? and objid::bigint
                       = hashtext(current_schema() || ' ' || ?)::bigint & 4294967295"""
        return bool(self.rows(query, APPLICATION, run_id))

    def _try_lock(self, run_id: str) -> bool:
        try:
            locked = self._by_writer(f"select pg_try_advisory_lock({_OUR_LOCK})", run_id)
            return bool(locked.fetchall()[0][0])
        except psycopg.Error as error:
            raise self._store_error(error, CANNOT_WRITE) from error

    # Connections

    def _connected(self) -> psycopg.Connection[Any]:
        if self._is_closed:
            raise psycopg.OperationalError("it was closed")
        connection = psycopg.connect(**self._parameters, autocommit=True, prepare_threshold=None)
        connection.adapters.register_loader("numeric", FloatLoader)
        connection.execute(_SESSION)
        return connection

    def _read(self, statement: str, values: Mapping[str, Any]) -> list[Any]:
        connection = self._readers.get()
        try:
            rows = None
            if connection is not None:
                rows = _unless_lost(connection, statement, values)
            if rows is None:
                connection = self._connected()
                rows = connection.execute(statement, values)
            self._reached = time.monotonic()
            return rows.fetchall()
        finally:
            self._readers.put(connection)

    def _by_writer(self, statement: str, *values: Any) -> psycopg.Cursor[Any]:
        """Executes what begins something, by a new connection where the last one is lost."""
        with self._lock:
            cursor = None
            if self._writer is not None:
                cursor = _unless_lost(self._writer, statement, values or None)
            if cursor is None:
                self._writer = self._new_writer()
                cursor = self._writer.execute(statement, values or None)
            return cursor

    def _new_writer(self) -> psycopg.Connection[Any]:
        writer = self._connected()
        try:
            self._end_last_session(writer)
            self._session = writer.execute(_THIS_SESSION).fetchone()
            self._take_runs_again(writer)
        except BaseException:
            # It has not the locks of all runs, so nothing may be written by it.
            writer.close()
            raise
        return writer

    def _end_last_session(self, writer: psycopg.Connection[Any]) -> None:
        """Ends the session of the last writer where the server, which may learn late that the
        connection was lost, still keeps our locks for it.
        """
        if self._session is None:
            return
        until = time.monotonic() + PATIENCE
        while writer.execute(_HAS_LOCKS, self._session).fetchall():
            if time.monotonic() > until:
                raise psycopg.errors.LockNotAvailable("the lost connection still has its locks")
            writer.execute("select pg_terminate_backend(%s)", self._session[:1])
            time.sleep(0.01)

    def _take_runs_again(self, writer: psycopg.Connection[Any]) -> None:
        for run_id in self._runs_held:
            locked = writer.execute(f"select pg_try_advisory_lock({_OUR_LOCK})", (run_id,))
            if not locked.fetchall()[0][0]:
                self._runs_lost.add(run_id)

    def _rollback(self) -> None:
        # Closed, or the server is gone: what is not committed is not there anyway.
        with suppress(psycopg.Error):
            if self._writer is not None:
                self._writer.execute("rollback")

    # Tables

    def _make_tables(self) -> None:
        """Makes the tables where there are none, one process after the other."""
        self._check_encoding()
        with self.transaction() as db:
            if not self._has_tables(db):
                script = TABLES.with_name("tables_postgres.sql")
                db.run_script(script.read_text(encoding="utf-8"))
                db.execute("insert into plumbline values (?)", (NEWEST,))

    def _check_encoding(self) -> None:
        ((encoding,),) = self.rows("select current_setting('server_encoding')")
        if encoding != ENCODING:
            raise StoreError(
                say(
                    "{place} keeps texts as {encoding}, in which most languages cannot be "
                    "written. Make a database with: createdb -E UTF8 -T template0 NAME",
                    place=self._place,
                    encoding=encoding,
                )
            )

    def _has_tables(self, db: _Writing) -> bool:
        """Whether there are tables of this format; raises `StoreError` for others."""
        looked = """select current_schema(), n.nspname from pg_class c
                    join pg_namespace n on n.oid = c.relnamespace
                    where c.oid = to_regclass('plumbline')"""
        found = db.execute(looked).fetchone()
        if not found:
            return False
        schema, found_in = found
        if schema != found_in:
            # Neither is taken unasked: runs would seem lost, or stand among those of others.
            raise StoreError(
                say(
                    "{place} has runs in the schema {found_in}, and new tables would be made in "
                    "{schema}. Name the one that is meant at the end of PLUMBLINE_DATABASE: "
                    "?options=-csearch_path%3D{found_in}",
                    place=self._place,
                    found_in=found_in,
                    schema=schema,
                )
            )
        row = db.execute("select version from plumbline").fetchone()
        if row is None:
            raise StoreError(
                say(
                    "{place} has the tables of Plumbline without what was in them. Restore them "
                    "with their data, or set PLUMBLINE_DATABASE to an empty database. Nothing in "
                    "it was changed.",
                    place=self._place,
                )
            )
        (version,) = row
        check_format(self._place, version, NEWER, OLDER)
        return True

    def _keys_of_tables(self) -> dict[str, TableKeys]:
        # Not from information_schema, which takes a tenth of a second.
        query = """select c.relname, a.attname, coalesce(a.attnum = any(i.indkey), false)
                   from pg_class c
                   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
                        and not a.attisdropped
                   left join pg_index i on i.indrelid = c.oid and i.indisprimary
                   where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
                   order by a.attnum"""
        tables: dict[str, TableKeys] = {}
        for table, column, is_key in self.rows(query):
            key, others = tables.get(table, TableKeys((), ()))
            key, others = ((*key, column), others) if is_key else (key, (*others, column))
            tables[table] = TableKeys(key, others)
        return tables

    # What people are told

    @property
    def _place(self) -> str:
        """Which database it is, without its password."""
        host = self._parameters.get("host") or "localhost"
        return f"{host}/{self._parameters.get('dbname') or ''}"

    def _store_error(self, error: psycopg.Error, what: str) -> StoreError:
        lines = (error.diag.message_primary or str(error)).strip().splitlines()
        why = lines[0] if lines else type(error).__name__
        password = str(self._parameters.get("password") or "")
        if password:
            why = why.replace(password, "***")
        code = error.sqlstate or ""
        remedy = _REMEDIES.get(code, _LOOK_AT_SERVER)
        if isinstance(error, psycopg.OperationalError) and (not code or code[:2] in _LOST):
            remedy = _START_SERVER
            # The next check looks again, however short ago the last one was.
            self._reached = -math.inf
        return StoreError(say(what, place=self._place, why=why, remedy=say(remedy)))


class PostgresRunLock:
    """A lock of the server, which it opens when the process that has it is gone."""

    def __init__(self, database: PostgresDatabase, run_id: str) -> None:
        self._database = database
        self._run_id = run_id
        self._is_ours = False

    def acquire(self) -> None:
        if not self._database.take_run(self._run_id):
            raise elsewhere()
        self._is_ours = True

    def release(self) -> None:
        if self._is_ours:
            self._is_ours = False
            self._database.give_run_back(self._run_id)

    def remove(self) -> None:
        pass

    @property
    def is_held(self) -> bool:
        return self._database.is_run_held(self._run_id)


class _Writing:
    """The connection that writes, within a transaction; it takes the SQL of the store."""

    def __init__(
        self, connection: psycopg.Connection[Any], translate: Callable[[str], str]
    ) -> None:
        self._connection = connection
        self._translate = translate

    def execute(
        self,
        query: str,
        values: Sequence[Any] | Mapping[str, Any] = (),
    ) -> psycopg.Cursor[Any]:
        return self._connection.execute(self._translate(query), by_name(values))

    def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> psycopg.Cursor[Any]:
        cursor = self._connection.cursor()
        cursor.executemany(self._translate(query), map(by_name, rows))
        return cursor

    def run_script(self, script: str) -> None:
        """Executes statements that are PostgreSQL's own."""
        self._connection.execute(script)


def _parameters(address: str) -> dict[str, Any]:
    try:
        _check_password(address)
        return {**_DEFAULTS, **conninfo_to_dict(address)}
    except (psycopg.Error, ValueError):
        # Its words could hold the password, or a part of it.
        raise StoreError(
            say(
                "PLUMBLINE_DATABASE cannot be read. It looks like "
                "postgresql://user:password@host:5432/name, with special characters of the "
                "password as %40 for @. Correct it and start again."
            )
        ) from None


def _check_password(address: str) -> None:
    """Raises `ValueError` where an @ or / of the password is not encoded.

    A part of it would be taken for the name of the host or the database, which are shown.
    """
    place = address.partition("://")[2].partition("?")[0]
    server, _, name = place.partition("/")
    if server.count("@") > 1 or "@" in name:
        raise ValueError("an @ that is not encoded")


def _unless_lost(
    connection: psycopg.Connection[Any],
    statement: str,
    values: Any,
) -> psycopg.Cursor[Any] | None:
    """What the statement gives; `None` where the connection is lost, which shows only now."""
    try:
        return connection.execute(statement, values)
    except psycopg.OperationalError:
        if not connection.closed:
            raise
        return None
