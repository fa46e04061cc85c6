"""What is held in memory for all visitors: within a limit, and only while it is in use."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar, cast

from evaluators.config import config

IDLE = 600.0
"""Seconds after which what nobody used is let go."""

LOOK = 60.0
"""Seconds between two looks for it."""

WORTH_RETURNING = 8 * 2**20
"""Bytes from which memory is given back to the system at once; that takes some milliseconds."""

T = TypeVar("T")


class _Entry(NamedTuple):
    value: Any
    version: object
    size: int
    used: float


class Held:
    """Values by key, within `most()` bytes: the least recently used go first.

    Safe to share between threads.
    """

    def __init__(
        self,
        most: Callable[[], int],
        idle: float = IDLE,
        look: float = LOOK,
    ) -> None:
        self._most = most
        self._idle = idle
        self._look = look
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        # Reentrant, because what is loaded may read something else that is held.
        self._loading = threading.RLock()
        self._keeper: threading.Timer | None = None

    @property
    def size(self) -> int:
        """Bytes of all that is held."""
        with self._lock:
            return sum(entry.size for entry in self._entries.values())

    def find(self, key: Hashable, version: object = None) -> Any | None:
        """What is held under the key in that version, if anything; it counts as used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.version != version:
                return None
            self._entries[key] = entry._replace(used=time.monotonic())
            self._entries.move_to_end(key)
            return entry.value

    def read(
        self,
        key: Hashable,
        load: Callable[[], T],
        version: object = None,
        size: Callable[[T], int] | None = None,
    ) -> T:
        """What is held under the key, loaded where it is not there.

        Another `version` takes the place of the one before; `size` gives its bytes where weighing
        it would take long.
        """
        value = self.find(key, version)
        if value is None:
            # One at a time: loading takes memory. And all who wait for the same thing share it.
            with self._loading:
                value = self.find(key, version)
                if value is None:
                    value = load()
                    self.keep(key, value, (size or weight)(value), version)
        return cast(T, value)

    def keep(
        self,
        key: Hashable,
        value: object,
        size: int,
        version: object = None,
    ) -> None:
        """Holds a value of this size in bytes; one that is larger than the limit is not held."""
        with self._lock:
            self._entries.pop(key, None)
            if size > self._most():
                return
            self._entries[key] = _Entry(value, version, size, time.monotonic())
            total, dropped = sum(entry.size for entry in self._entries.values()), 0
            while total - dropped > self._most():
                dropped += self._entries.popitem(last=False)[1].size
            self._look_later()
        if dropped > WORTH_RETURNING:
            give_back()

    def drop(self, key: Hashable) -> None:
        with self._lock:
            entry = self._entries.pop(key, None)
        if entry and entry.size > WORTH_RETURNING:
            # Without this the entry would still be in use when the memory is given back.
            del entry
            give_back()

    def _drop_idle(self) -> None:
        before = time.monotonic() - self._idle
        with self._lock:
            self._keeper = None
            kept = OrderedDict(
                (key, entry) for key, entry in self._entries.items() if entry.used > before
            )
            self._entries = kept
            if kept:
                self._look_later()
        give_back()

    def _look_later(self) -> None:
        if self._keeper is None:
            self._keeper = threading.Timer(self._look, self._drop_idle)
            # A timer that is not a daemon would keep the process from ending.
            self._keeper.daemon = True
            self._keeper.start()


def weight(value: object) -> int:
    """Bytes of a value with all that is in it; what occurs twice is counted twice."""
    size, to_come = 0, [value]
    while to_come:
        part = to_come.pop()
        size += sys.getsizeof(part)
        if isinstance(part, str | bytes):
            continue
        if isinstance(part, list | tuple):
            to_come.extend(part)
        elif isinstance(part, dict):
            to_come.extend(part)
            to_come.extend(part.values())
        elif hasattr(part, "__dict__"):
            to_come.append(vars(part))
    return size


def give_back() -> None:
    """Returns unused memory to the system."""
    gc.collect()
    # The C library of most Linux systems keeps freed memory for later unless it is asked; other
    # systems have no such function.
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


held = Held(lambda: config().held_bytes)
"""The one of this process: parsed data, results without their texts, files that were read last."""
