"""How often somebody may guess a code or join, and how fast one may label."""

from __future__ import annotations

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
        refusal: str,
    ) -> None:
        self._most_of_one = most_of_one
        self._refusal = refusal
        self._lock = threading.Lock()
        self._by_whom: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, who: str, now: float | None = None) -> None:
        """Raises `HostLimitError` where one did it too often."""
        now = time.monotonic() if now is None else now
        with self._lock:
            own = self._by_whom.get(who, deque())
            if _recent(own, now) >= self._most_of_one:
                raise HostLimitError(self._refusal)

    def count(self, who: str, now: float | None = None) -> None:
        """Counts that somebody did it."""
        now = time.monotonic() if now is None else now
        with self._lock:
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
    # Whoever mistypes looks again; the length of a code is what holds against many sessions.
    most_of_one=10,
    refusal="Too many wrong codes came from here. Scan the picture, or wait a minute.",
)
"""Those of one session: many behind one address must not lock out each other."""

joins_of_session = RateLimit(
    most_of_one=3,
    refusal="You joined too often. Wait a minute, then join again.",
)
"""By session and place: a tab is one person, who may have lost a name."""

joins = RateLimit(
    # A class comes at once from one address, and does not fill all places of a round.
    most_of_one=45,
    refusal="Very many joined from here in the last minute. Wait a minute, then join again.",
)
"""By address and place."""

labels_given = RateLimit(
    # Two a second: nobody reads faster, a script may.
    most_of_one=120,
    refusal="That was too fast: the label was not kept. Wait a minute.",
)
"""Those that came to this process: of a round by the token, else by the tab and the run."""

sign_ins = RateLimit(
    # As with joins: a class comes at once from one address.
    most_of_one=60,
    refusal="Very many signed in from here in the last minute. Wait a minute, then try again.",
)
"""Those that an address began."""
