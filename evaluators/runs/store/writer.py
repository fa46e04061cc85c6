"""What runs write, in the order in which it came: whatever comes together is one transaction.

A transaction waits for the disk and writes whole pages, which costs the same for one result as for
a hundred.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from evaluators.errors import UnstorableError
from evaluators.records import Call, SampleResult
from evaluators.runs.store.calls import (
    answer_row,
    call_row,
    insert_calls,
    withdraw_answers,
)
from evaluators.runs.store.database import Database, storable
from evaluators.runs.store.results import insert_results, result_row

GATHER_SECONDS = 0.05
"""How long a result waits for more; a call, which was paid for, waits for nothing."""

MOST_TOGETHER = 1000
"""Entries of one transaction; others that write wait until it is done."""


Row = tuple[Any, ...]


class _Entry(NamedTuple):
    """What is stored together or not at all, and who waits for it.

    `otherwise` gives the row that takes the place of a result that cannot be stored.
    """

    calls: list[Row]
    useless: list[Row]
    results: list[Row]
    otherwise: Callable[[UnstorableError], Row] | None
    stored: Future[None]


class Writer:
    """Stores calls and results of runs on a thread of its own; any thread may put them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # `None` ends the thread.
        self._queue: SimpleQueue[_Entry | None] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._hurry = threading.Event()
        # Calls that were paid for and could not be stored; only the thread of the writer takes any.
        self._left_over: list[Row] = []

    def put_call(self, payer: str, call: Call, workspace: str = "") -> Future[None]:
        """Stores a call at once, after all that was put before; see `put_result`.

        A payer that is no run, but a batch, has its `workspace` beside it.
        """
        with storable():
            row = call_row(payer, call, workspace)
        stored = self._put([row], [], [], None)
        self.hurry()
        return stored

    def put_result(
        self,
        run_id: str,
        result: SampleResult,
        otherwise: Callable[[UnstorableError], SampleResult],
        useless: Sequence[Call] = (),
    ) -> Future[None]:
        """Stores a result soon, or where it cannot be stored, what `otherwise` makes of that.

        The answers of `useless` calls, which were put before, serve nobody again. The future is
        done once all is on the disk, and has the `StoreError` where the file cannot be written.
        """

        def row_otherwise(error: UnstorableError) -> Row:
            return result_row(run_id, otherwise(error))

        with storable():
            withdrawn = [answer_row(run_id, call) for call in useless]
        try:
            with storable():
                row = result_row(run_id, result)
        except UnstorableError as error:
            row = row_otherwise(error)
        return self._put([], withdrawn, [row], row_otherwise)

    def store_left_over(self) -> None:
        """Stores the calls of before that could not be stored; raises `StoreError`."""
        if self._left_over:
            stored = self._put([], [], [], None)
            self.hurry()
            stored.result()

    def hurry(self) -> None:
        """Stores what was put so far at once: whoever put it waits for it and brings no more."""
        self._hurry.set()

    def close(self) -> None:
        """Stores what was put before, and ends; must be the last that is asked of it."""
        with self._starting:
            if self._thread:
                self._queue.put(None)
                self._thread.join()

    def _put(
        self,
        calls: list[Row],
        useless: list[Row],
        results: list[Row],
        otherwise: Callable[[UnstorableError], Row] | None,
    ) -> Future[None]:
        entry = _Entry(calls, useless, results, otherwise, Future())
        self._queue.put(entry)
        self._start()
        return entry.stored

    def _start(self) -> None:
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._work, daemon=True, name="plumbline-writer"
                    )
                    self._thread.start()

    def _work(self) -> None:
        while (entry := self._queue.get()) is not None:
            entries = [entry]
            # Not woken by a result: to be woken by each costs more than storing one.
            self._hurry.wait(GATHER_SECONDS)
            self._hurry.clear()
            with suppress(Empty):
                while len(entries) < MOST_TOGETHER:
                    entry = self._queue.get_nowait()
                    if entry is None:
                        self._queue.put(None)
                        break
                    entries.append(entry)
            self._store(entries)

    def _store(self, entries: Sequence[_Entry]) -> None:
        error: BaseException | None = None
        try:
            # Before the results that they were paid for, which come later.
            self._store_left_over()
            with self._database.transaction() as db:
                insert_calls(db, [row for entry in entries for row in entry.calls])
                withdraw_answers(db, [row for entry in entries for row in entry.useless])
                insert_results(db, [row for entry in entries for row in entry.results])
        except UnstorableError as unstorable:
            if len(entries) > 1:
                # Whichever of them it is, the others are stored.
                for entry in entries:
                    self._store([entry])
                return
            (entry,) = entries
            if entry.otherwise:
                row = entry.otherwise(unstorable)
                self._store([entry._replace(results=[row], otherwise=None)])
                return
            error = unstorable
        # Whatever it is, those who wait must learn of it, and the others be stored.
        except BaseException as problem:
            error = problem
            self._left_over += [row for entry in entries for row in entry.calls]
        for entry in entries:
            if error is None:
                entry.stored.set_result(None)
            else:
                entry.stored.set_exception(error)

    def _store_left_over(self) -> None:
        if not self._left_over:
            return
        # A value among them that cannot be stored was no reason why they were left over.
        with suppress(UnstorableError), self._database.transaction() as db:
            # Whoever loses a connection cannot know whether the last transaction was carried out.
            insert_calls(db, self._left_over, once=True)
        self._left_over = []
