"""What all threads of a run look at: is it cancelled, does anybody watch it, why did it stop."""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import suppress

from evaluators.config import config
from evaluators.errors import PlumblineError, RunStoppedError, StoreError, WorkerError
from evaluators.llm.loop import Scope
from evaluators.records import Reason
from evaluators.runs.store import Store
from evaluators.text.language import mark

log = logging.getLogger(__name__)

CHECK_SECONDS = 0.05
"""How often a run looks whether its results can be stored."""


class RunControl:
    """Safe to share between threads; `last_seen` is when somebody last looked at the run."""

    def __init__(self, run_id: str, store: Store) -> None:
        self.scope = Scope()
        """The calls in flight, which end where the run is cancelled."""
        self.last_seen = time.monotonic()
        self._run_id = run_id
        self._store = store
        self._store_checked = -math.inf
        self._patience = config().unwatched_seconds if config().public else math.inf
        self._cancelled = threading.Event()
        self._reasons: dict[int, Reason] = {}
        self._writing = threading.Lock()
        self._logged: set[str] = set()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Stops at once: calls in flight are cut off, what is done stays."""
        # The mark first: a thread whose call is cut off looks at it.
        self._cancelled.set()
        self.scope.cancel()

    def check(self) -> None:
        """Raises where nothing more is to be paid for.

        `RunStoppedError` where nobody watches a run of a public host, `StoreError` where results
        could not be stored.
        """
        if time.monotonic() - self.last_seen > self._patience:
            message = mark(
                "Nobody watched this run, so it was paused. Resume it when you are back."
            )
            raise RunStoppedError(message, kind="unwatched")
        # It waits for what is being written. To ask for each of many free answers takes longer than
        # to judge them.
        now = time.monotonic()
        if now - self._store_checked > CHECK_SECONDS:
            self._store.check()
            self._store_checked = now

    def save_stop_reason(self, model: int, *reasons: Reason) -> None:
        """Writes down why a model's part of the run stopped; the first reason counts."""
        if not reasons:
            return
        with self._writing:
            for reason in reasons:
                self._reasons.setdefault(model, reason)
            reasons_in_order = [self._reasons[number] for number in sorted(self._reasons)]
            # Several models may have stopped for the same reason, which is said once.
            in_order = dict.fromkeys(reasons_in_order)
            # A store that is full or gone: the run's table keeps them in memory, where it can.
            with suppress(StoreError):
                self._store.runs.save_stop_reasons(self._run_id, *in_order)

    def why_stopped(self, error: Exception) -> Reason:
        """Why this error ends a part of the run: what ends in silence nobody can mend."""
        if isinstance(error, PlumblineError):
            return error.reason
        self.log_foreign(error)
        message = mark(
            "Unexpected {kind}, which stopped the run. Everything so far is kept. Resume it; "
            "if it happens again, report it."
        ).format(kind=type(error).__name__)
        return Reason(kind="unexpected", message=message)

    def log_foreign(self, error: BaseException) -> None:
        """Notes each kind of error that is not ours once; never its text, which may hold a key."""
        if isinstance(error, WorkerError):
            kind = error.foreign
        elif isinstance(error, PlumblineError):
            kind = ""
        else:
            kind = type(error).__name__
        if kind and kind not in self._logged:
            self._logged.add(kind)
            log.error("A sample failed with %s", kind)
