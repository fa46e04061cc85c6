"""How long an answer is waited for: a few times as long as slow answers of its kind took.

A call that hangs is given up and tried again. A second one beside it (a hedged request) would be
paid for twice wherever the first was only slow.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

LEAST_SECONDS = 5.0
"""Nothing is given up sooner: a server may be loading its model."""

TIMES_SLOW = 4.0
"""So many times as long as a slow answer one may take."""

LONGER = (1.0, 2.0, 16.0)
"""How many times as long on each try: what hangs may hang twice, at the end of a run.

The last one is for an answer that really takes so long.
"""

SLOW = 0.9
"""The share of answers that came faster than a slow one; 2 in 100 hang where many do."""

ENOUGH = 8
"""Answers from which what is slow is known; until then each is waited for as long as allowed."""

REMEMBERED = 100
"""Answers that count, the newest: a provider is slower at some hours."""


class GivenUpError(TimeoutError):
    """No answer came within so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


class _Attempt(NamedTuple):
    key: str
    started: float
    timeout: asyncio.Timeout


class Patience:
    """The seconds for an attempt at one kind of request, `most` at the most; on the event loop."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._took: deque[float] = deque(maxlen=REMEMBERED)
        self._given_up: Counter[str] = Counter()
        """By the key of the request, until it is answered."""
        self._attempts: set[_Attempt] = set()
        self._usual = most

    def seconds(self, key: str) -> float:
        """How long the request is waited for now; longer when it was given up before."""
        tried = min(self._given_up[key], len(LONGER) - 1)
        return min(self._most, self._usual * LONGER[tried])

    @asynccontextmanager
    async def attempt(self, key: str) -> AsyncIterator[None]:
        """Raises `GivenUpError` where the block takes too long.

        What is too long may become known while it waits.
        """
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.seconds(key)) as limit:
                attempt = _Attempt(key, started, limit)
                self._attempts.add(attempt)
                try:
                    yield
                finally:
                    self._attempts.discard(attempt)
        except TimeoutError:
            seconds = self.seconds(key)
            self._given_up[key] += 1
            # Where many take so long, it is the provider that is slow.
            self._note(seconds)
            raise GivenUpError(seconds) from None
        self._given_up.pop(key, None)
        self._note(asyncio.get_running_loop().time() - started)

    def _note(self, seconds: float) -> None:
        self._took.append(seconds)
        if len(self._took) < ENOUGH:
            return
        slow = sorted(self._took)[int(SLOW * len(self._took))]
        usual = min(self._most, max(LEAST_SECONDS, TIMES_SLOW * slow))
        if usual == self._usual:
            return
        self._usual = usual
        now = asyncio.get_running_loop().time()
        for attempt in self._attempts:
            # Never in the past: one that has waited for longer is given up at once.
            end = max(now, attempt.started + self.seconds(attempt.key))
            if not attempt.timeout.expired():
                attempt.timeout.reschedule(end)
