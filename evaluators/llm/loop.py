"""One event loop on a thread of its own; synchronous code waits for what runs on it.

One for the whole process: connections belong to the loop that first used them, and all runs share
them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_starting = threading.Lock()


def loop(name: str = "plumbline-loop") -> asyncio.AbstractEventLoop:
    """The one loop of this process; it starts when it is first needed and never ends.

    One of another name is for code that is not ours, which may block it.
    """
    # `cache` alone would let two threads that come at once start two.
    with _starting:
        return _running_loop(name)


@cache
def _running_loop(name: str) -> asyncio.AbstractEventLoop:
    new_loop = asyncio.new_event_loop()
    threading.Thread(target=new_loop.run_forever, daemon=True, name=name).start()
    return new_loop


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
        # Tasks may be cancelled on their own loop only.
        loop().call_soon_threadsafe(self._cancel_all)

    async def _tracked(self, work: Coroutine[Any, Any, T]) -> T:
        if self._cancelled:
            work.close()  # Python warns of coroutines that nobody awaits
            raise asyncio.CancelledError
        task = asyncio.current_task()
        # Only tasks run coroutines on the loop.
        assert task
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def _cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()
