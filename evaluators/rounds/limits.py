"""How often strangers may guess a code, and how fast a participant may label."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque

from evaluators.errors import HostLimitError

WINDOW = 60.0
"""Seconds over which is counted."""
MOST_REMEMBERED = 10_000
"""Of how many is remembered how often: a bound on memory."""


class RateLimit:
    """What was done in the last minute, by whom; safe to share between threads."""

    def __init__(
        self,
        most_of_one: int,
        most_of_all: float,
        refusal: str,
    ) -> None:
        self._most_of_one = most_of_one
        self._most_of_all = most_of_all
        self._refusal = refusal
        self._lock = threading.Lock()
        self._by_whom: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()

    def check(self, who: str, now: float | None = None) -> None:
        """Raises `HostLimitError` where one, or all together, did it too often."""
        now = time.monotonic() if now is None else now
        with self._lock:
            own = self._by_whom.get(who, deque())
            is_full = _recent(own, now) >= self._most_of_one
            if is_full or _recent(self._all, now) >= self._most_of_all:
                raise HostLimitError(self._refusal)

    def count(self, who: str, now: float | None = None) -> None:
        """Counts that somebody did it."""
        now = time.monotonic() if now is None else now
        with self._lock:
            # Without a limit for all together these moments would only fill memory.
            if self._most_of_all < math.inf:
                self._all.append(now)
            self._by_whom.setdefault(who, deque()).append(now)
            self._by_whom.move_to_end(who)
            while len(self._by_whom) > MOST_REMEMBERED:
                # Who did it longest ago, as each count moves its own to the end.
                self._by_whom.popitem(last=False)


def _recent(moments: deque[float], now: float) -> int:
    while moments and now - moments[0] > WINDOW:
        moments.popleft()
    return len(moments)


wrong_codes = RateLimit(
    # A class sits behind one address, and mistypes.
    most_of_one=30,
    most_of_all=120,
    refusal="Too many wrong codes came in the last minute. Scan the picture, or wait a minute.",
)
"""Those that came to this process, by the visitor's address."""

labels_given = RateLimit(
    # Two a second: nobody reads faster, a script may.
    most_of_one=120,
    most_of_all=math.inf,
    refusal="That was too fast: the label was not kept. Wait a minute.",
)
"""Those that came to this process, by the participant's token."""
