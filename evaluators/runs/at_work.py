"""A run at work in a terminal or a notebook: a bar on the error stream, and Ctrl-C that loses nothing."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from evaluators.llm import Keys
from evaluators.llm.estimate import duration, money
from evaluators.runs.engine import registry
from evaluators.runs.given import shown
from evaluators.runs.store import Counts, Store
from evaluators.types import Run

TICK = 0.1
"""Seconds between two looks at the run."""


def work(run: Run, store: Store, keys: Keys, *, progress: bool = True) -> None:
    """Starts or resumes the run and waits for its end; `progress` shows a bar on the error stream.

    Ctrl-C stops the run, waits until nothing is written any more, and goes on as `KeyboardInterrupt`. Raises what
    `RunRegistry.start` raises.
    """
    try:
        job = registry.start(run, store, keys)
        with _bar(disable=not progress) as bar:
            task = bar.add_task(shown(run.title), total=None, told="")
            while job.is_live:
                _update(bar, task, run, store)
                time.sleep(TICK)
            _update(bar, task, run, store)
    except BaseException:
        registry.cancel(run.id)
        raise


def _bar(disable: bool) -> Progress:
    title, told = (TextColumn(each, markup=False) for each in ("{task.description}", "{task.fields[told]}"))
    return Progress(title, BarColumn(), MofNCompleteColumn(), told, console=Console(stderr=True), disable=disable)


def _update(bar: Progress, task: TaskID, run: Run, store: Store) -> None:
    counts = store.counts(run)
    bar.update(task, total=counts.asked, completed=counts.asked - counts.open, told=_told(run, store, counts))


def _told(run: Run, store: Store, counts: Counts) -> str:
    """What failed, what it cost, how long it will take, and what it waits for."""
    told = [f"{counts.failed:,} failed"] if counts.failed else []
    if spent := store.spent(run.id).values():
        costs = [each.cost for each in spent]
        total = sum(cost for cost in costs if cost is not None)
        told.append(money(total, total) if None not in costs else f"{sum(each.calls for each in spent):,} calls")
    if pace := registry.progress(run.id):
        told += [f"{duration(pace.seconds_left / 60)} left"] if pace.seconds_left else []
        told += [pace.waiting] if pace.waiting else []
    return " · ".join(told)
