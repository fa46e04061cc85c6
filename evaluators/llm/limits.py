"""Limits: requests go out in order, as fast as the provider's plan allows and no faster.

How a provider counts is not known beforehand. A sliding log of what was sent keeps within the
limits of servers that look back over a minute as well as of those that refill a bucket, but wastes
part of a bucket. Where the headers show that a server refills (Groq's and OpenAI's do), its own
count therefore takes the place of the log.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import secrets
import time
from bisect import bisect_right, insort
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import takewhile
from typing import NamedTuple

from evaluators.config import config
from evaluators.errors import LLMError, RunStoppedError
from evaluators.llm import Access
from evaluators.llm.catalogue import Limits, find, title
from evaluators.llm.durations import parse_duration
from evaluators.llm.providers import PROVIDERS, Kind, Span
from evaluators.records import ModelSpec

MOST_LIMITERS = 500
"""From so many on, limiters that nobody uses just now are forgotten."""

MARGIN = 0.02
"""Part of a minute by which a request may reach the server later than another that was sent with
it.
"""
TOLERANCE = 1.15
"""A request may be estimated at so many times the tokens per minute: it is sent, and the server
decides.
"""
LONGEST_WAIT = 1.5
"""Minutes that a daily limit may hold up a run before it stops."""
LONGEST_BACKOFF = 30
"""Seconds to pause at most after a refusal that names no time."""
NEXT_TRY = 5.0
"""Seconds after a pause in which the next refusal may be expected."""

PLAN: dict[Kind, str] = {
    ("requests", "minute"): "rpm",
    ("tokens", "minute"): "tpm",
    ("requests", "day"): "rpd",
    ("tokens", "day"): "tpd",
}
"""The field of `Limits` that holds each limit."""


@dataclass(eq=False)
class Ticket:
    """One request that waits or went out; `tokens` is what it may use at most."""

    tokens: int
    sent: float = math.nan


class Entry(NamedTuple):
    """So much counts until `end`."""

    end: float
    amount: int


class Word(NamedTuple):
    """What an answer's headers say of one limit; `reset` is in how many seconds nothing counts any
    more.
    """

    limit: int
    used: int
    reset: float | None


class Window:
    """At most `limit` in any `seconds`: what counts is our own log, and what the server told on top
    of it.
    """

    def __init__(self, limit: int, seconds: float, margin: float) -> None:
        self.limit = limit
        self.is_named = False
        """Whether the provider itself named the limit; else it is the free plan's, which may not be
        this account's.
        """
        self._seconds = seconds
        self._margin = margin
        self._log: OrderedDict[Ticket, Entry] = (
            OrderedDict()
        )  # in the order of their ends, as they were sent
        self._logged = 0
        self._told: list[Entry] = []  # in the order of their ends
        self._told_of = (
            -math.inf
        )  # when the newest request was sent that is in what the server told
        self._matches = 0

    def wait(self, amount: int, now: float) -> float:
        """Seconds until so much fits; more than the limit fits where nothing else counts."""
        over = self._used(now) + min(amount, self.limit) - self.limit
        if over <= 0:
            return 0.0
        for entry in merge(self._log.values(), self._told):
            over -= entry.amount
            if over <= 0:
                break
        return entry.end - now

    def add(self, ticket: Ticket, amount: int) -> None:
        self._log[ticket] = Entry(ticket.sent + self._seconds + self._margin, amount)
        self._logged += amount

    def remove(self, ticket: Ticket) -> None:
        if entry := self._log.pop(ticket, None):
            self._logged -= entry.amount

    def refund(self, ticket: Ticket, used: int) -> None:
        """Counts what the request used in the place of what it might have used."""
        if entry := self._log.get(ticket):
            self._log[ticket] = entry._replace(amount=used)
            self._logged += used - entry.amount

    def hear(self, ticket: Ticket, word: Word, now: float) -> None:
        """Believes what the answer to this request told: a bucket in everything, any other that
        more is used.
        """
        self.limit, self.is_named = word.limit, True
        if self._is_bucket(word):
            self._believe(ticket, word.used, now)
        elif (more := word.used - self._used(now)) > 0:
            rest = self._seconds if word.reset is None else min(word.reset, self._seconds)
            insort(self._told, Entry(now + rest + self._margin, more))

    def _used(self, now: float) -> int:
        for ticket, _ in list(takewhile(lambda sent: sent[1].end <= now, self._log.items())):
            self.remove(ticket)
        del self._told[: bisect_right(self._told, now, key=_end)]
        return self._logged + sum(entry.amount for entry in self._told)

    def _is_bucket(self, word: Word) -> bool:
        """Whether the last two resets were just when a bucket would be full again; at the limit any
        server's are.
        """
        if word.used < 0.97 * word.limit:
            refill = word.used / word.limit * self._seconds
            fits = word.reset is not None and abs(word.reset - refill) < 0.01 * self._seconds
            self._matches = self._matches + 1 if fits else 0
        return self._matches >= 2

    def _believe(self, ticket: Ticket, used: int, now: float) -> None:
        """Puts the server's count in the place of the log, except for what it may not have seen
        yet.
        """
        self.remove(ticket)
        recent = ticket.sent - self._margin
        if self._told_of > recent:  # which of the two arrived first is not known
            used = max(used, sum(entry.amount for entry in self._told if entry.end > now))
        for earlier in list(takewhile(lambda other: other.sent <= recent, self._log)):
            self.remove(earlier)
        self._told = self._given_back(used, now)
        self._told_of = max(self._told_of, ticket.sent)

    def _given_back(self, used: int, now: float) -> list[Entry]:
        """How a bucket gives back what is used, in steps of a fiftieth of the limit."""
        step, second = max(1, self.limit // 50), self._seconds / self.limit
        return [
            Entry(now + self._margin + min(start + step, used) * second, min(step, used - start))
            for start in range(0, used, step)
        ]


class Limiter:
    """Lets the requests to one model with one key go, first in, first out; lives on the event loop.

    `free` are the limits until the headers name others; `header_names` are a provider's own.
    `concurrency` requests go at once, more with every success, half after a refusal. `minute` is in
    seconds.
    """

    def __init__(
        self,
        free: Limits | None,
        *,
        header_names: Mapping[Kind, str],
        name: str = "this model",
        concurrency: int = 32,
        most: int = 64,
        minute: float = 60.0,
    ) -> None:
        self._header_names = header_names
        self._name = name
        self._places = concurrency
        self._most = most
        self._minute = minute
        self._windows: dict[Kind, Window] = {
            kind: self._window(kind, limit)
            for kind, field in PLAN.items()
            if (limit := getattr(free, field, None))
        }
        self._queue: dict[Ticket, asyncio.Future[None]] = {}
        self._in_flight: set[Ticket] = set()
        self._paused_until = self._opens = self._slowed = self._heard = -math.inf
        self._refusals = 0
        self._timer: asyncio.TimerHandle | None = None
        self._clock: Callable[[], float] = time.monotonic

    @property
    def waiting(self) -> float:
        """Seconds until the limits let the next request go, 0.0 for now; may be read from any
        thread.
        """
        return max(0.0, self._opens - self._clock())

    @property
    def is_refused(self) -> bool:
        """Whether the provider's last word was to wait, and its pause is on or just over; from any
        thread.
        """
        return self._refusals > 0 and self._clock() < self._paused_until + NEXT_TRY

    @property
    def unanswered(self) -> float:
        """Seconds for which requests have been out and none was answered; may be read from any
        thread.
        """
        return self._clock() - self._heard if self._in_flight else 0.0

    @property
    def is_idle(self) -> bool:
        return not self._queue and not self._in_flight

    @property
    def minute_tokens(self) -> int | None:
        """What the plan grants in a minute, as far as that is known;
        may be read from any thread.
        """
        window = self._windows.get(("tokens", "minute"))
        return window.limit if window else None

    async def acquire(self, tokens: int) -> Ticket:
        """Waits until a request that may use so many tokens may go; whoever gets a ticket gives it
        back.

        Raises `LLMError` where it can never fit, `RunStoppedError` where only another day brings
        room.
        """
        self._check_size(tokens)
        ticket = Ticket(tokens)
        loop = asyncio.get_running_loop()
        self._clock = loop.time
        self._queue[ticket] = turn = loop.create_future()
        self._dispatch()
        try:
            await turn
        except asyncio.CancelledError:
            self._queue.pop(ticket, None)
            self._forget(ticket)
            self._dispatch()
            raise
        return ticket

    def settle(self, ticket: Ticket, used_tokens: int, headers: Mapping[str, str]) -> None:
        """The request was answered: what it did not use is given back, unless the headers count
        otherwise.
        """
        self._in_flight.discard(ticket)
        self._heard = self._clock()
        if ticket.sent > self._slowed:
            self._refusals = 0
            self._places = min(self._most, self._places + 1)
        for (unit, _), window in self._windows.items():
            if unit == "tokens" and used_tokens:
                window.refund(ticket, used_tokens)
        self._hear(ticket, headers, used_tokens)
        self._dispatch()

    def refused(self, ticket: Ticket, wait: float | None, headers: Mapping[str, str]) -> None:
        """The provider asked to wait: everything pauses, and fewer go at once."""
        self._forget(ticket)
        self._heard = self._clock()
        if ticket.sent > self._slowed:  # once for all that were in flight together
            self._slowed = self._heard
            self._places = max(1, self._places // 2)
            self._refusals += 1
        pause = wait or min(LONGEST_BACKOFF, 2 ** (self._refusals - 1)) * self._minute / 60
        self._paused_until = max(self._paused_until, self._clock() + pause)
        self._hear(ticket, headers)
        self._dispatch()

    def failed(self, ticket: Ticket) -> None:
        """There was no answer: the server may count the request all the same."""
        self._in_flight.discard(ticket)
        self._dispatch()

    def _check_size(self, tokens: int) -> None:
        window = self._windows.get(("tokens", "minute"))
        if window and window.is_named and tokens > TOLERANCE * window.limit:
            raise LLMError(
                f"One request ({tokens:,} tokens incl. answer budget) exceeds your plan's "
                f"{window.limit:,} tokens per "
                "minute. Lower the answer budget or choose another model."
            )

    def _dispatch(self) -> None:
        """Lets go who may, in order, and sets the clock for the next."""
        if self._timer:
            self._timer.cancel()
        now, self._opens = self._clock(), self._paused_until
        while self._queue and len(self._in_flight) < self._places:
            ticket, turn = next(iter(self._queue.items()))
            day = self._wait(ticket, "day", now)
            if day > LONGEST_WAIT * self._minute and not self._in_flight:
                self._stop(day)
                return
            wait = max(day, self._wait(ticket, "minute", now), self._paused_until - now)
            if wait > 0:
                self._opens = now + wait
                self._timer = asyncio.get_running_loop().call_later(wait, self._dispatch)
                return
            del self._queue[ticket]
            if not turn.done():
                self._send(ticket, now)
                turn.set_result(None)

    def _send(self, ticket: Ticket, now: float) -> None:
        ticket.sent = now
        if not self._in_flight:
            self._heard = now
        self._in_flight.add(ticket)
        for kind, window in self._windows.items():
            window.add(ticket, _amount(kind, ticket))

    def _wait(self, ticket: Ticket, span: Span, now: float) -> float:
        windows = ((kind, window) for kind, window in self._windows.items() if kind[1] == span)
        return max(
            (window.wait(_amount(kind, ticket), now) for kind, window in windows), default=0.0
        )

    def _stop(self, seconds: float) -> None:
        """Sends away all who wait."""
        resume_at = datetime.now(UTC) + timedelta(seconds=seconds)
        when = f"{resume_at:%Y-%m-%d %H:%M} UTC"
        message = (
            f"The daily limit for {self._name} is reached. Everything so far is kept; resume "
            f"after {when}."
        )
        for turn in self._queue.values():
            if not turn.done():
                turn.set_exception(RunStoppedError(message, kind="limits", resume_at=resume_at))
        self._queue.clear()

    def _forget(self, ticket: Ticket) -> None:
        self._in_flight.discard(ticket)
        for window in self._windows.values():
            window.remove(ticket)

    def _hear(self, ticket: Ticket, headers: Mapping[str, str], used_tokens: int = 0) -> None:
        """Takes limits and counts from the headers; another plan's limits make the free plan's
        void.

        A limit below what was used just now is none: believed, it would end the run.
        """
        heard = {kind: _word(headers, name) for kind, name in self._header_names.items()}
        words = {kind: word for kind, word in heard.items() if word}
        if (told := words.get(("tokens", "minute"))) and TOLERANCE * told.limit < used_tokens:
            del words["tokens", "minute"]
        if any(
            kind in words and window.limit != words[kind].limit
            for kind, window in self._windows.items()
        ):
            self._windows = {
                kind: window for kind, window in self._windows.items() if kind in words
            }
        for kind, word in words.items():
            window = self._windows.setdefault(kind, self._window(kind, word.limit))
            window.hear(ticket, word, self._clock())

    def _window(self, kind: Kind, limit: int) -> Window:
        return Window(
            limit, self._minute * (1440 if kind[1] == "day" else 1), MARGIN * self._minute
        )


def limiter_for(access: Access, spec: ModelSpec) -> Limiter:
    """The one limiter of this process for the endpoint, the key and the model."""
    key = digest(access), spec.id
    if found := _limiters.get(key):
        return found
    if len(_limiters) >= MOST_LIMITERS:
        for old in [old for old, limiter in list(_limiters.items()) if limiter.is_idle]:
            _limiters.pop(old, None)
    return _limiters.setdefault(key, _limiter(spec))


def digest(access: Access) -> str:
    """Stands for the endpoint and the key as long as this process lives; neither can be read from
    it.
    """
    text = f"{access.base_url}\0{access.key.get_secret_value()}"
    return hashlib.blake2b(text.encode(), key=_secret).hexdigest()


_limiters: dict[tuple[str, str], Limiter] = {}
_secret = secrets.token_bytes(32)


def _limiter(spec: ModelSpec) -> Limiter:
    """Carefully at first with a custom endpoint: it may be a laptop."""
    model, workers, provider = find(spec.id), config().workers, PROVIDERS[spec.provider]
    return Limiter(
        model.free if model else None,
        name=title(spec),
        header_names=provider.limit_headers,
        concurrency=min(4, workers) if provider.is_custom else workers,
        most=workers if provider.is_custom else 2 * workers,
    )


def _end(entry: Entry) -> float:
    return entry.end


def _amount(kind: Kind, ticket: Ticket) -> int:
    return 1 if kind[0] == "requests" else ticket.tokens


def _word(headers: Mapping[str, str], name: str) -> Word | None:
    """What the headers of this name say of a limit; `None` where that is nothing or no sense."""
    limit = _count(headers.get(name.format("limit"), ""))
    remaining = _count(headers.get(name.format("remaining"), ""))
    if not limit or remaining is None or remaining > limit:
        return None
    return Word(limit, limit - remaining, parse_duration(headers.get(name.format("reset"), "")))


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else None
