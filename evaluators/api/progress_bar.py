"""A run at work in a terminal or a notebook: a bar on the error stream; Ctrl-C loses nothing."""

from __future__ import annotations

import time

from evaluators.document.progress import ProgressBar
from evaluators.errors import StoreError
from evaluators.llm import Keys
from evaluators.llm.estimate import duration
from evaluators.llm.money import dollars
from evaluators.records import Run
from evaluators.runs.engine import registry
from evaluators.runs.store import Counts, Store
from evaluators.text.printable import printable

TICK = 0.1
"""Seconds between two looks at the run."""

TENTHS = 10
LINE_EVERY = 30.0
"""Seconds between two lines where no bar can be drawn; a tenth that is done has one sooner."""


def work(run: Run, store: Store, keys: Keys, *, progress: bool = True) -> None:
    """Starts or resumes the run and waits for its end.

    `progress` shows a bar on the error stream, or lines where that is a log.
    Ctrl-C stops the run, waits until nothing is written any more, and goes on as
    `KeyboardInterrupt`. Raises what `RunRegistry.start` raises, and `StoreError` where somebody
    deleted the run meanwhile.
    """
    try:
        job = registry.start(run, store, keys)
        with _Display(run, store, progress) as display:
            while job.is_live:
                display.look()
                time.sleep(TICK)
            display.look()
    except BaseException:
        registry.cancel(run.id)
        raise
    # What was stored last may be in a file that somebody has deleted or replaced meanwhile.
    store.check()
    if store.runs.get(run.id) is None:
        raise StoreError(
            f"“{printable(run.title)}” was deleted while it was at work. Start it again "
            "if you still want it."
        )


class _Display(ProgressBar):
    """How far a run is."""

    def __init__(self, run: Run, store: Store, progress: bool) -> None:
        super().__init__(run.title, show=progress)
        self._run = run
        self._store = store
        self._tenths = 0
        self._last = time.monotonic()

    def look(self) -> None:
        """Shows what the store has now."""
        counts = self._store.results.counts(self._run)
        done = counts.asked - counts.open
        words = _state_in_words(self._run, self._store, counts)
        self.update(done, counts.asked, words)
        now = time.monotonic()
        tenths = TENTHS * done // max(1, counts.asked)
        if tenths > self._tenths or now - self._last > LINE_EVERY:
            self._tenths = tenths
            self._last = now
            line = f"{self._run.title}: {done:,} / {counts.asked:,}"
            self.line(f"{line} · {words}" if words else line)


def _state_in_words(run: Run, store: Store, counts: Counts) -> str:
    """What failed, what it cost, how long it will take, and what it waits for."""
    parts = [f"{counts.failed:,} failed"] if counts.failed else []
    bills = store.calls.spent(run.id).values()
    if bills:
        costs = [bill.cost for bill in bills if bill.cost is not None]
        if len(costs) == len(bills):
            parts.append(dollars(sum(costs)))
        else:
            # A part of the money would read like all of it.
            parts.append(f"{sum(bill.calls for bill in bills):,} calls")
    if pace := registry.progress(run.id):
        if pace.seconds_left:
            parts.append(f"{duration(pace.seconds_left / 60)} left")
        if pace.waiting:
            parts.append(pace.waiting)
    return " · ".join(parts)
