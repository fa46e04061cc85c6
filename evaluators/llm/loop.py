"""One event loop on a thread of its own: it owns the clients, and synchronous code waits for what
runs on it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_starting = threading.Lock()


def loop() -> asyncio.AbstractEventLoop:
    """The one loop of this process; it starts when it is first asked for and lives as long as the
    process.
    """
    with _starting:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    made = asyncio.new_event_loop()
    threading.Thread(target=made.run_forever, daemon=True, name="plumbline-loop").start()
    return made


class Scope:
    """What belongs together on the loop: waited for one by one, cancelled all at once."""

    def __init__(self) -> None:
        self._cancelled = False
        self._tasks: set[asyncio.Task[Any]] = set()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs the coroutine on the loop and waits until it has really ended.

        Raises `CancelledError` when the scope was cancelled before that.
        """
        return asyncio.run_coroutine_threadsafe(self._tracked(work), loop()).result()

    def cancel(self) -> None:
        """Cancels what is in flight and whatever comes later."""
        self._cancelled = True
        loop().call_soon_threadsafe(self._cancel_all)

    async def _tracked(self, work: Coroutine[Any, Any, T]) -> T:
        if self._cancelled:
            work.close()
            raise asyncio.CancelledError
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def _cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()
