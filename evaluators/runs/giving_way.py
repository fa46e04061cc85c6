"""Runs give way to pages: while somebody's page is drawn, answers are taken up at a slower pace.

All threads of a process share Python's lock, and those of a run would take whatever is free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

ANSWERS_A_SECOND = 100
"""So many answers of all runs together are taken up while a page is drawn: each takes some three
milliseconds of the lock."""
LOOK = 0.05
"""Seconds between two looks whether the page is there."""

_lock = threading.Lock()
_drawn = 0
_next = 0.0


@contextmanager
def drawing() -> Iterator[None]:
    """Around the drawing of a page that somebody waits for."""
    global _drawn, _next
    with _lock:
        _drawn += 1
    try:
        yield
    finally:
        with _lock:
            _drawn -= 1
            if not _drawn:
                _next = 0.0


def give_way() -> None:
    """Waits for the turn of the next answer; at once where no page is drawn."""
    global _next
    with _lock:
        if not _drawn:
            return
        # Each thread has a turn of its own, the one behind the last that was given away.
        turn = _next = max(time.monotonic(), _next + 1 / ANSWERS_A_SECOND)
    while _drawn and (left := turn - time.monotonic()) > 0:
        time.sleep(min(left, LOOK))
