"""One event loop on a thread of its own: it owns the clients, and synchronous code waits for what runs on it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The loop of this process; it starts when it is first asked for and lives as long as the process."""
    made = asyncio.new_event_loop()
    threading.Thread(target=made.run_forever, daemon=True, name="plumbline-loop").start()
    return made


class Scope:
    """What belongs together on the loop: waited for one by one, cancelled all at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._futures: set[Future[Any]] = set()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs the coroutine on the loop and waits for it; raises `CancelledError` when the scope was cancelled."""
        with self._lock:
            if self._cancelled:
                work.close()
                raise CancelledError
            future = asyncio.run_coroutine_threadsafe(work, loop())
            self._futures.add(future)
        try:
            return future.result()
        finally:
            with self._lock:
                self._futures.discard(future)

    def cancel(self) -> None:
        """Cancels what is in flight and whatever comes later."""
        with self._lock:
            self._cancelled = True
            futures = tuple(self._futures)
        for future in futures:
            future.cancel()
