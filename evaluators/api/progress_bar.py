"""A run at work in a terminal or a notebook: a bar on the error stream, and Ctrl-C that loses
nothing.
"""

from __future__ import annotations

import sys
import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

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
EVERY = 30.0
"""Seconds after which a line tells how far it is, where no bar can be drawn; one for each tenth
comes sooner.
"""


def work(run: Run, store: Store, keys: Keys, *, progress: bool = True) -> None:
    """Starts or resumes the run and waits for its end; `progress` shows a bar on the error stream,
    or lines in a log.

    Ctrl-C stops the run, waits until nothing is written any more, and goes on as
    `KeyboardInterrupt`. Raises what `RunRegistry.start` raises, and `StoreError` where somebody
    deleted the run meanwhile.
    """
    try:
        job = registry.start(run, store, keys)
        with _Shown(run, store, progress) as shown_so_far:
            while job.is_live:
                shown_so_far.update()
                time.sleep(TICK)
            shown_so_far.update()
    except BaseException:
        registry.cancel(run.id)
        raise
    store.check()  # what was stored last may be in a file that is no longer there
    if store.runs.get(run.id) is None:
        raise StoreError(
            f"“{printable(run.title)}” was deleted while it was at work. Start it again "
            "if you still want it."
        )


class _Shown:
    """How far a run is: a bar where the error stream can draw one, else now and then a line."""

    def __init__(self, run: Run, store: Store, progress: bool) -> None:
        console = Console(stderr=True)
        self._run = run
        self._store = store
        self._in_lines = progress and not console.is_terminal and not console.is_jupyter
        self._bar = _bar(console, disable=not progress or self._in_lines)
        self._task = self._bar.add_task(printable(run.title), total=None, told="")
        self._tenths = 0
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self) -> None:
        counts = self._store.results.counts(self._run)
        done, told = counts.asked - counts.open, _told(self._run, self._store, counts)
        self._bar.update(self._task, total=counts.asked, completed=done, told=told)
        tenths = TENTHS * done // max(1, counts.asked)
        if self._in_lines and (tenths > self._tenths or time.monotonic() - self._last > EVERY):
            self._tenths, self._last = tenths, time.monotonic()
            words = f"{self._run.title}: {done:,} / {counts.asked:,}"
            print(printable(" · ".join(filter(None, [words, told]))), file=sys.stderr, flush=True)


def _bar(console: Console, disable: bool) -> Progress:
    title, told = (
        TextColumn(each, markup=False) for each in ("{task.description}", "{task.fields[told]}")
    )
    return Progress(
        title, BarColumn(), MofNCompleteColumn(), told, console=console, disable=disable
    )


def _told(run: Run, store: Store, counts: Counts) -> str:
    """What failed, what it cost, how long it will take, and what it waits for."""
    told = [f"{counts.failed:,} failed"] if counts.failed else []
    if spent := store.calls.spent(run.id).values():
        costs = [each.cost for each in spent]
        total = sum(cost for cost in costs if cost is not None)
        told.append(
            dollars(total) if None not in costs else f"{sum(each.calls for each in spent):,} calls"
        )
    if pace := registry.progress(run.id):
        told += [f"{duration(pace.seconds_left / 60)} left"] if pace.seconds_left else []
        told += [pace.waiting] if pace.waiting else []
    return " · ".join(told)
