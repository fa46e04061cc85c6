"""The workspaces of a public host: opened by tokens that it issued, limited, expiring unused."""

from __future__ import annotations

import math
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from evaluators.config import config
from evaluators.errors import HostLimitError, StoreError
from evaluators.records import Remedy, Run
from evaluators.runs.store import Store
from evaluators.runs.store.database import wall_clock
from evaluators.text.language import say
from evaluators.text.remembered import made_once

TOKEN = re.compile(r"[A-Za-z0-9_-]{22,86}")
"""The name of a workspace: at least 128 bits that nobody can guess."""

# Of 22 characters and a number each: a few megabytes.
REMEMBERED = 20_000
"""Tokens in memory.

One under which nothing is kept is nowhere else, so that a visit writes nothing.
"""

# Workspaces expire after days: a write for every click would only wear the disk.
VISIT = 300.0
"""Seconds after which another visit is written down."""

SWEEP = 3600.0
"""Seconds between two looks for workspaces that have expired."""

EXPIRED = "expired "
"""What stands before the token of a workspace that is being deleted: no visitor's begins so."""

MB = 2**20


class Workspaces:
    """The workspaces in a store of a public host; safe to share between threads."""

    def __init__(self, store: Store, wall: Callable[[], datetime] = wall_clock) -> None:
        self._store = store
        # When the last visit was written down, the longest unseen token first.
        self._visits: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()
        self._next_sweep = -math.inf
        self._wall = wall
        now, noted_wall = wall(), store.workspaces.noted_wall()
        self._began = self._start_of_clock(now, noted_wall)
        self._furthest = max(now, noted_wall or now)
        self._started = time.monotonic()
        store.database.now = self._now

    def issue(self) -> str:
        """A new token, under which nothing is kept yet."""
        token = secrets.token_urlsafe(16)
        self._remember(token)
        return token

    def admits(self, token: str) -> bool:
        """Whether this host issued the token and has not let it expire; this counts as a visit."""
        with self._lock:
            last = self._visits.get(token)
            if last is not None:
                self._visits.move_to_end(token)
        if last is None:
            # The pattern first: what cannot be a token does not reach the store.
            is_known = TOKEN.fullmatch(token) and self._store.workspaces.knows(token)
            if not is_known:
                return False
        if last is None or time.monotonic() - last > VISIT:
            self._remember(token)
            # A full disk must not keep anybody from reading.
            with suppress(StoreError):
                self._store.workspaces.visit(token)
            self._sweep_sometimes()
        return True

    def move(self, token: str) -> str:
        """Gives all that is kept under the token a new one, which is returned.

        The old one leads nowhere any more.
        """
        new = self.issue()
        self._store.workspaces.move(token, new)
        self._forget(token)
        return new

    def check_room(self, token: str, incoming: int = 0) -> None:
        """Raises `HostLimitError` where a public host has no room for these bytes."""
        limits = config()
        if not limits.public:
            return
        self._sweep_sometimes()
        if not self._store.workspaces.knows(token):
            self._check_new()
        used = self._store.workspaces.bytes_of(token)
        if used + incoming > limits.workspace_bytes:
            raise HostLimitError(
                say(
                    "Your uploads and runs take up {used}, this would add {incoming}, and this "
                    "host keeps {most} for each visitor. Delete some first.",
                    used=_megabytes(used),
                    incoming=_megabytes(incoming),
                    most=_megabytes(limits.workspace_bytes),
                )
            )
        # What has expired goes first; only then is anybody refused.
        if self._store.bytes_used() + incoming > limits.store_bytes:
            self.sweep()
        if self._store.bytes_used() + incoming > limits.store_bytes:
            most = _megabytes(limits.store_bytes)
            raise HostLimitError(
                say(
                    "This host has no space left: its store may take {most}. Delete something "
                    "of yours, try again tomorrow, or run Plumbline on your own machine.",
                    most=most,
                )
            )

    def check_run(self, run: Run, samples: int, size: int) -> None:
        """Raises `HostLimitError` where a public host takes no run of this size or this visitor.

        `size` is what its samples, and results that it brings along, take up.
        """
        limits = config()
        if not limits.public:
            return
        cells = samples * max(1, len(run.models)) * len(run.evaluators)
        if cells > limits.cells_per_run:
            raise HostLimitError(
                say(
                    "This run has {cells:,} samples to score; this host allows {most:,}. "
                    "Choose fewer samples, noise levels, models or metrics, or run Plumbline "
                    "on your own machine.",
                    cells=cells,
                    most=limits.cells_per_run,
                )
            )
        count, most_kept = len(self._store.runs.ids(run.workspace)), limits.runs_kept_per_visitor
        if count >= most_kept:
            raise HostLimitError(
                say(
                    "This host keeps {most} runs for each visitor, and you have {count}.",
                    most=most_kept,
                    count=count,
                ),
                remedy=Remedy("delete_a_run"),
            )
        self.check_room(run.workspace, size)

    def sweep(self) -> None:
        """Deletes what nobody visited for too long, and gives the space back to the disk."""
        self._next_sweep = time.monotonic() + SWEEP
        # A jump that is taken back stays noted, or it would add its days again when it comes back.
        self._store.workspaces.note_clock(max(self._wall(), self._furthest + self._running()))
        before = self._now() - timedelta(days=config().workspace_days)
        for token in self._store.workspaces.unvisited_since(before):
            runs = self._store.runs.ids(token)
            # A run at work is watched by somebody, or will be stopped soon.
            if any(self._store.run_lock(run_id).is_held for run_id in runs):
                continue
            self._forget(token)
            gone = EXPIRED + token.removeprefix(EXPIRED)
            # Renamed first, at once: nobody comes back to a half of it.
            self._store.workspaces.move(token, gone)
            self._store.workspaces.delete(gone)

    def _sweep_sometimes(self) -> None:
        """Sweeps beside the pages, at most once an hour."""
        with self._lock:
            is_due = config().public and time.monotonic() >= self._next_sweep
            # Set under the lock, so that only one thread sweeps.
            if is_due:
                self._next_sweep = time.monotonic() + SWEEP
        if is_due:
            threading.Thread(
                target=self._sweep_quietly,
                daemon=True,
                name="plumbline sweep",
            ).start()

    def _sweep_quietly(self) -> None:
        # In an hour it is tried again.
        with suppress(StoreError):
            self.sweep()

    def _check_new(self) -> None:
        """Raises `HostLimitError` where this host makes no further workspace now."""
        limits = config()
        now = self._now()
        new = self._store.workspaces.created_between(now - timedelta(minutes=1), now)
        if new >= limits.workspaces_per_minute:
            raise HostLimitError(
                say(
                    "{count} new visitors a minute are the most that this host takes. Nothing "
                    "was kept yet: try again in a minute.",
                    count=limits.workspaces_per_minute,
                )
            )
        if self._workspaces_in_all() >= limits.workspaces_in_all:
            self.sweep()
        if self._workspaces_in_all() >= limits.workspaces_in_all:
            raise HostLimitError(
                say(
                    "This host keeps {count:,} workspaces, and has that many. Try again "
                    "tomorrow, or run Plumbline on your own machine.",
                    count=limits.workspaces_in_all,
                )
            )

    def _workspaces_in_all(self) -> int:
        ever = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
        return self._store.workspaces.created_between(*ever)

    def _now(self) -> datetime:
        """The host's own clock, by which workspaces expire: one that is set wrong changes nothing.

        It counts the time that processes ran, and at most half of what a workspace is kept for
        between two of them.
        """
        return self._began + self._running()

    def _running(self) -> timedelta:
        return timedelta(seconds=time.monotonic() - self._started)

    def _start_of_clock(self, wall: datetime, noted_wall: datetime | None) -> datetime:
        noted = self._store.workspaces.newest_visit()
        if noted is None:
            return wall
        most = timedelta(days=config().workspace_days) / 2
        # By the wall's clock both times, and its furthest: one that is as wrong at each start, or
        # at every second one, adds nothing more.
        between = wall - (noted_wall or noted)
        return noted + min(max(between, timedelta()), most)

    def _remember(self, token: str) -> None:
        with self._lock:
            self._visits[token] = time.monotonic()
            self._visits.move_to_end(token)
            while len(self._visits) > REMEMBERED:
                self._visits.popitem(last=False)

    def _forget(self, token: str) -> None:
        with self._lock:
            self._visits.pop(token, None)


@made_once
def of(store: Store) -> Workspaces:
    """The workspaces in this store."""
    return Workspaces(store)


def _megabytes(size: int) -> str:
    return f"{size / MB:,.1f} MB" if size < 10 * MB else f"{size / MB:,.0f} MB"
