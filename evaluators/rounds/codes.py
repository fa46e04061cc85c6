"""Codes that a class types, and the bound on how often anybody may guess one."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict, deque
from datetime import timedelta

from evaluators.errors import HostLimitError

# Nothing that looks or sounds like another: no 0 and O, 1 and I and L, 5 and S, 8 and B, U and V.
ALPHABET = "ACDEFGHJKMNPQRTWXY34679"
LENGTH = 6
"""23 ** 6 are 148 million codes.

Guessed at the most that a host takes, 120 a minute, one that holds for three hours is found by one
in 6,800 who try all the time.
"""
HOLDS = timedelta(hours=3)
"""How long a code can be typed: a double lesson and its break. The link holds until the end."""

WINDOW = 60.0
"""Seconds over which wrong codes are counted."""
WRONG_OF_ONE = 30
"""Of one address: a class sits behind one, and mistypes."""
WRONG_OF_ALL = 120
MOST_ADDRESSES = 1000
"""Addresses that are remembered: whoever comes from more is stopped by `WRONG_OF_ALL`."""


def new_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def spoken(code: str) -> str:
    """A code as it is shown: in two halves, which are easier to copy."""
    return f"{code[: LENGTH // 2]} {code[LENGTH // 2 :]}"


def typed(text: str) -> str:
    """The code that somebody meant; empty where it cannot be one."""
    # Longer text is not a code, and is not worked on.
    code = "".join(text[:40].upper().replace("-", " ").split())
    is_code = len(code) == LENGTH and set(code) <= set(ALPHABET)
    return code if is_code else ""


class Guesses:
    """Wrong codes of the last minute, by address; safe to share between threads."""

    def __init__(
        self,
        most_of_one: int = WRONG_OF_ONE,
        most_of_all: int = WRONG_OF_ALL,
    ) -> None:
        self._most_of_one = most_of_one
        self._most_of_all = most_of_all
        self._lock = threading.Lock()
        self._by_address: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()

    def check(self, address: str, now: float | None = None) -> None:
        """Raises `HostLimitError` where too many codes were wrong; before a code is looked up."""
        now = time.monotonic() if now is None else now
        with self._lock:
            own = self._by_address.get(address, deque())
            is_full = _recent(own, now) >= self._most_of_one
            if is_full or _recent(self._all, now) >= self._most_of_all:
                raise HostLimitError(
                    "Too many wrong codes came in the last minute. Scan the picture, or wait a "
                    "minute."
                )

    def wrong(self, address: str, now: float | None = None) -> None:
        """Counts a code that was none."""
        now = time.monotonic() if now is None else now
        with self._lock:
            self._all.append(now)
            self._by_address.setdefault(address, deque()).append(now)
            self._by_address.move_to_end(address)
            while len(self._by_address) > MOST_ADDRESSES:
                self._by_address.popitem(last=False)


def _recent(moments: deque[float], now: float) -> int:
    while moments and now - moments[0] > WINDOW:
        moments.popleft()
    return len(moments)


guesses = Guesses()
"""Those of this process."""
