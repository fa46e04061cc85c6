"""Turns at what only a few may do at once on a host: first come, first served, within limits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evaluators.errors import HostLimitError
from evaluators.text.language import say


class Turns:
    """A queue for what at most `most()` may do at once.

    Who has waited `patience` seconds is refused.
    """

    def __init__(self, doing: str, most: Callable[[], int], patience: float) -> None:
        self._doing = doing
        self._most = most
        self._patience = patience
        self._queue: list[object] = []  # those whose turn it is come first
        self._moved = threading.Condition()

    @contextmanager
    def turn(self, waits: Callable[[], object] = lambda: None) -> Iterator[None]:
        """The block runs when its turn has come; `waits` is called before, if it has to wait.

        Raises `HostLimitError` where it would have to wait too long.
        """
        ticket = object()
        with self._moved:
            self._queue.append(ticket)
            is_next = self._is_next(ticket)
        try:
            if not is_next:
                waits()
                with self._moved:
                    is_next = self._moved.wait_for(lambda: self._is_next(ticket), self._patience)
            if not is_next:
                raise HostLimitError(
                    say(
                        "This host is busy {doing} for others. Try again in a minute.",
                        doing=say(self._doing),
                    )
                )
            yield
        finally:
            with self._moved:
                self._queue.remove(ticket)
                self._moved.notify_all()

    def _is_next(self, ticket: object) -> bool:
        return self._queue.index(ticket) < self._most()
