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
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import takewhile
from typing import NamedTuple

from evaluators.config import config
from evaluators.errors import LLMError, RunStoppedError
from evaluators.llm import Access
from evaluators.llm.catalogue import PlanLimits, find, model_title
from evaluators.llm.durations import parse_duration
from evaluators.llm.providers import PROVIDERS, LimitKind, Span
from evaluators.records import ModelSpec
from evaluators.text.language import say

OWN_AT_ONCE = 4
"""Questions that a judge of a person's own is asked side by side."""

MOST_LIMITERS = 500
"""From this number on, limiters that nobody uses are forgotten; visitors bring new keys."""

MARGIN = 0.02
"""Part of a minute by which a request may reach the server later than another sent with it."""

TOLERANCE = 1.15
"""A request may be estimated at this multiple of the tokens per minute: the server decides then.

Tokens are estimated from bytes; a request that is a little too large by that may well fit.
"""

LONGEST_WAIT = 1.5
"""Minutes that a daily limit may hold up a run before it stops."""

LONGEST_BACKOFF = 30
"""Seconds to pause at most after a refusal that names no time."""

LONGEST_REFUSED = 10
"""Minutes in which everything is refused and nothing answered, after which runs stop."""

NEXT_TRY = 5.0
"""Seconds after a pause in which the next refusal may be expected."""

RECENT = 40
"""Answers and refusals, the newest, by which a refusal is one of many or a rare one."""

RARE = 0.25
"""The share of refusals up to which fewer requests at once would not help.

Above a limit of a minute nearly all are refused; of a provider that refuses some by chance, each
pause would halve what goes until one request a second is left.
"""

NEARLY_USED_UP = 0.97
"""The part of a limit from which a reset no longer tells a bucket from a window.

A bucket that is used up is full again after the whole time, which is what a window says as well.
"""

SAME_RESET = 0.01
"""How far from a bucket's a reset may be to be taken for one, as a part of the window's time.

The numbers in headers are rounded.
"""

RESETS_TO_BE_SURE = 2
"""So many such resets in a row show a bucket: one alone may come about in a window by chance."""

REFILL_STEPS = 50
"""A bucket refills all the time; we count it in this number of steps.

More would make the list of what counts longer, and fewer would let requests go later than they may:
a step of a minute's limit is 1.2 seconds.
"""

PLAN_FIELDS: dict[LimitKind, str] = {
    ("requests", "minute"): "rpm",
    ("tokens", "minute"): "tpm",
    ("requests", "day"): "rpd",
    ("tokens", "day"): "tpd",
}
"""The field of `PlanLimits` that holds each limit."""


@dataclass(eq=False)
class Permit:
    """One request that waits or went out; `tokens` is what it may use at most."""

    tokens: int
    sent: float = math.nan


class Entry(NamedTuple):
    """So much counts until `end`."""

    end: float
    amount: int


class HeaderReading(NamedTuple):
    """What an answer's headers say of one limit; after `reset` seconds nothing counts any more."""

    limit: int
    used: int
    reset: float | None


class RateWindow:
    """At most `limit` in any `seconds`.

    What counts is our own log of what was sent, and what the server reported on top of it.
    """

    def __init__(self, limit: int, seconds: float, margin: float) -> None:
        self.limit = limit
        self.is_named = False
        """Whether the provider itself named the limit.

        Else it is the free plan's, which may not be this account's.
        """
        self._seconds = seconds
        self._margin = margin
        # In the order in which they were sent, which is that of their ends. A permit is taken out
        # of the middle when it fails.
        self._log: OrderedDict[Permit, Entry] = OrderedDict()
        self._logged = 0
        # In the order of their ends.
        self._reported: list[Entry] = []
        # When the newest request was sent that is counted in what the server reported.
        self._reported_up_to = -math.inf
        self._bucket_resets = 0

    def wait(self, amount: int, now: float) -> float:
        """Seconds until so much fits; more than the limit fits where nothing else counts."""
        # What is larger than the limit goes when nothing else counts.
        counted = min(amount, self.limit)
        over = self._used(now) + counted - self.limit
        if over <= 0:
            return 0.0
        for entry in merge(self._log.values(), self._reported):
            over -= entry.amount
            if over <= 0:
                break
        return entry.end - now

    def add(self, permit: Permit, amount: int) -> None:
        end = permit.sent + self._seconds + self._margin
        self._log[permit] = Entry(end, amount)
        self._logged += amount

    def remove(self, permit: Permit) -> None:
        if entry := self._log.pop(permit, None):
            self._logged -= entry.amount

    def refund(self, permit: Permit, used: int) -> None:
        """Counts what the request used in the place of what it might have used."""
        if entry := self._log.get(permit):
            self._log[permit] = entry._replace(amount=used)
            self._logged += used - entry.amount

    def update(self, permit: Permit, reading: HeaderReading, now: float) -> None:
        """Takes over what the headers of this request's answer say.

        A bucket is believed in everything. Any other server is only believed that more is used
        than we know of: whoever was asked last may not know of all requests.
        """
        self.limit, self.is_named = reading.limit, True
        if self._is_bucket(reading):
            self._resync(permit, reading.used, now)
            return
        more = reading.used - self._used(now)
        if more > 0:
            # Nothing counts for longer than the window, whatever the header says.
            reset = self._seconds
            if reading.reset is not None:
                reset = min(reading.reset, self._seconds)
            insort(self._reported, Entry(now + reset + self._margin, more))

    def _used(self, now: float) -> int:
        ended: list[Permit] = []
        for permit, entry in self._log.items():
            # They stand in the order of their ends.
            if entry.end > now:
                break
            ended.append(permit)
        for permit in ended:
            self.remove(permit)
        gone = bisect_right(self._reported, now, key=lambda entry: entry.end)
        del self._reported[:gone]
        return self._logged + sum(entry.amount for entry in self._reported)

    def _is_bucket(self, reading: HeaderReading) -> bool:
        """Whether the last resets were just when a bucket would be full again."""
        if reading.used < NEARLY_USED_UP * reading.limit:
            refilled = reading.used / reading.limit * self._seconds
            is_as_in_a_bucket = (
                reading.reset is not None
                and abs(reading.reset - refilled) < SAME_RESET * self._seconds
            )
            self._bucket_resets = self._bucket_resets + 1 if is_as_in_a_bucket else 0
        return self._bucket_resets >= RESETS_TO_BE_SURE

    def _resync(self, permit: Permit, used: int, now: float) -> None:
        """Puts the server's count in the place of the log, except for what it may not have seen."""
        self.remove(permit)
        # Requests that were sent within the margin may have arrived in another order.
        seen_until = permit.sent - self._margin
        if self._reported_up_to > seen_until:
            # Which of the two answers tells of more requests is not known: the higher count holds.
            still_reported = [entry.amount for entry in self._reported if entry.end > now]
            used = max(used, sum(still_reported))
        seen = takewhile(lambda other: other.sent <= seen_until, self._log)
        for earlier in list(seen):
            self.remove(earlier)
        self._reported = self._refill_schedule(used, now)
        self._reported_up_to = max(self._reported_up_to, permit.sent)

    def _refill_schedule(self, used: int, now: float) -> list[Entry]:
        """How a bucket gives back what is used, step by step."""
        step = max(1, self.limit // REFILL_STEPS)
        seconds_each = self._seconds / self.limit
        schedule = []
        for start in range(0, used, step):
            end = min(start + step, used)
            refilled = now + self._margin + end * seconds_each
            schedule.append(Entry(refilled, end - start))
        return schedule


class Limiter:
    """Lets the requests to one model with one key go, first in, first out; lives on the event loop.

    `free` are the limits until the headers name others; `header_names` are a provider's own.
    `concurrency` requests go at once, more with every success, half after a refusal that is
    not rare, never more than `most`. `minute` is in seconds.
    """

    def __init__(
        self,
        free: PlanLimits | None,
        *,
        header_names: Mapping[LimitKind, str],
        name: str = "this model",
        concurrency: int = 32,
        most: int = 64,
        minute: float = 60.0,
    ) -> None:
        self._header_names = header_names
        self._name = name
        # How many may be in flight at once, as it is now.
        self._places = concurrency
        self._most = most
        self._minute = minute
        self._windows: dict[LimitKind, RateWindow] = {}
        for kind, field in PLAN_FIELDS.items():
            limit = getattr(free, field, None)
            if limit:
                self._windows[kind] = self._window(kind, limit)
        self._queue: dict[Permit, asyncio.Future[None]] = {}
        self._in_flight: set[Permit] = set()
        self._paused_until = -math.inf
        self._next_opening = -math.inf
        # When a refusal last halved the places.
        self._slowed_at = -math.inf
        self._last_answer = -math.inf
        self._refusals = 0
        # Since when everything is refused; `None` where the last word was an answer.
        self._refused_since: float | None = None
        self._were_refused: deque[bool] = deque(maxlen=RECENT)
        self._timer: asyncio.TimerHandle | None = None
        self._clock: Callable[[], float] = time.monotonic

    @property
    def waiting(self) -> float:
        """Seconds until the limits let the next request go, 0.0 for now; read from any thread."""
        return max(0.0, self._next_opening - self._clock())

    @property
    def is_refused(self) -> bool:
        """Whether the provider's last word was to wait; may be read from any thread.

        It is so during the pause, and until the next try had time to be refused or answered.
        """
        return self._refusals > 0 and self._clock() < self._paused_until + NEXT_TRY

    @property
    def unanswered(self) -> float:
        """Seconds for which requests were out and none was answered; read from any thread."""
        return self._clock() - self._last_answer if self._in_flight else 0.0

    @property
    def is_idle(self) -> bool:
        return not self._queue and not self._in_flight

    @property
    def minute_tokens(self) -> int | None:
        """What the plan grants in a minute, if that is known; may be read from any thread."""
        window = self._windows.get(("tokens", "minute"))
        return window.limit if window else None

    async def acquire(self, tokens: int) -> Permit:
        """Waits until a request that may use this number of tokens may go.

        Whoever gets a permit gives it back by `settle`, `refused` or `failed`. Raises `LLMError`
        where the request can never fit, `RunStoppedError` where it only fits on another day.
        """
        self._check_size(tokens)
        permit = Permit(tokens)
        loop = asyncio.get_running_loop()
        # Who asks from another thread how long it takes must read the clock of the loop's timers.
        self._clock = loop.time
        self._queue[permit] = turn = loop.create_future()
        self._dispatch()
        try:
            await turn
        except asyncio.CancelledError:
            self._queue.pop(permit, None)
            self._forget(permit)
            self._dispatch()
            raise
        return permit

    def settle(
        self,
        permit: Permit,
        used_tokens: int,
        headers: Mapping[str, str],
    ) -> None:
        """The request was answered: what it did not use is given back.

        Unless the headers count otherwise: not every server gives back what it reserved.
        """
        self._in_flight.discard(permit)
        self._last_answer = self._clock()
        self._were_refused.append(False)
        self._refused_since = None
        # An answer to what was sent before the last refusal says nothing about the time since.
        if permit.sent > self._slowed_at:
            self._refusals = 0
            self._places = min(self._most, self._places + 1)
        for (unit, _), window in self._windows.items():
            if unit == "tokens" and used_tokens:
                window.refund(permit, used_tokens)
        self._read_headers(permit, headers, used_tokens)
        self._dispatch()

    def refused(
        self,
        permit: Permit,
        wait: float | None,
        headers: Mapping[str, str],
    ) -> None:
        """The provider asked to wait: everything pauses; fewer go at once if it is no rare case.

        Raises `RunStoppedError` where all were refused for too long, however many they are.
        """
        self._forget(permit)
        self._last_answer = self._clock()
        is_rare = len(self._were_refused) == RECENT and sum(self._were_refused) < RARE * RECENT
        self._were_refused.append(True)
        # Once for all that were in flight together: they met the same limit.
        if permit.sent > self._slowed_at:
            self._slowed_at = self._last_answer
            if not is_rare:
                self._places = max(1, self._places // 2)
            self._refusals += 1
        # 1, 2, 4 ... seconds: a provider that names no time is asked more and more rarely.
        backoff = min(LONGEST_BACKOFF, 2 ** (self._refusals - 1))
        pause = wait or backoff * self._minute / 60
        self._paused_until = max(self._paused_until, self._clock() + pause)
        self._read_headers(permit, headers)
        if self._refused_since is None:
            self._refused_since = self._last_answer
        if self._paused_until > self._refused_since + LONGEST_REFUSED * self._minute:
            # Whoever resumes has as long again.
            self._refused_since = None
            message = say(
                "{name}: the provider refused every request for {minutes} minutes. Everything so "
                "far is kept; resume later.",
                name=self._name,
                minutes=LONGEST_REFUSED,
            )
            self._send_away(lambda: RunStoppedError(message, kind="limits"))
            raise RunStoppedError(message, kind="limits")
        self._dispatch()

    def failed(self, permit: Permit) -> None:
        """There was no answer: the server may count the request all the same."""
        self._in_flight.discard(permit)
        self._dispatch()

    def _check_size(self, tokens: int) -> None:
        window = self._windows.get(("tokens", "minute"))
        # A limit that is only assumed refuses nothing.
        if window and window.is_named and tokens > TOLERANCE * window.limit:
            raise LLMError(
                say(
                    "One request ({tokens:,} tokens with the answer budget) exceeds your plan's "
                    "{limit:,} tokens per minute. Lower the answer budget or choose another model.",
                    tokens=tokens,
                    limit=window.limit,
                )
            )

    def _dispatch(self) -> None:
        """Lets go who may, in order, and sets the clock for the next."""
        if self._timer:
            self._timer.cancel()
        now, self._next_opening = self._clock(), self._paused_until
        while self._queue and len(self._in_flight) < self._places:
            permit, turn = next(iter(self._queue.items()))
            day = self._wait(permit, "day", now)
            # What is in flight may give back enough of the day's limit.
            if day > LONGEST_WAIT * self._minute and not self._in_flight:
                self._stop(day)
                return
            wait = max(day, self._wait(permit, "minute", now), self._paused_until - now)
            if wait > 0:
                self._next_opening = now + wait
                self._timer = asyncio.get_running_loop().call_later(wait, self._dispatch)
                return
            del self._queue[permit]
            # One that was cancelled may not have noticed yet.
            if not turn.done():
                self._send(permit, now)
                turn.set_result(None)

    def _send(self, permit: Permit, now: float) -> None:
        permit.sent = now
        if not self._in_flight:
            self._last_answer = now  # nobody was waited for until now
        self._in_flight.add(permit)
        for kind, window in self._windows.items():
            window.add(permit, _amount(kind, permit))

    def _wait(self, permit: Permit, span: Span, now: float) -> float:
        waits = [
            window.wait(_amount(kind, permit), now)
            for kind, window in self._windows.items()
            if kind[1] == span
        ]
        return max(waits, default=0.0)

    def _stop(self, seconds: float) -> None:
        """Sends away all who wait for another day."""
        resume_at = datetime.now(UTC) + timedelta(seconds=seconds)
        when = f"{resume_at:%Y-%m-%d %H:%M} UTC"
        message = say(
            "The daily limit for {name} is reached. Everything so far is kept; resume "
            "after {when}.",
            name=self._name,
            when=when,
        )
        self._send_away(lambda: RunStoppedError(message, kind="limits", resume_at=resume_at))

    def _send_away(self, stopped: Callable[[], RunStoppedError]) -> None:
        for turn in self._queue.values():
            if not turn.done():
                turn.set_exception(stopped())
        self._queue.clear()

    def _forget(self, permit: Permit) -> None:
        self._in_flight.discard(permit)
        for window in self._windows.values():
            window.remove(permit)

    def _read_headers(
        self,
        permit: Permit,
        headers: Mapping[str, str],
        used_tokens: int = 0,
    ) -> None:
        """Takes limits and counts from the headers of an answer."""
        readings = {}
        for kind, name in self._header_names.items():
            reading = _header_reading(headers, name)
            if reading:
                readings[kind] = reading
        minute = readings.get(("tokens", "minute"))
        if minute and TOLERANCE * minute.limit < used_tokens:
            # Less than was used just now cannot be the limit; believed, it would end the run.
            del readings["tokens", "minute"]
        is_another_plan = any(
            kind in readings and readings[kind].limit != window.limit
            for kind, window in self._windows.items()
        )
        if is_another_plan:
            # Then the free plan's other limits do not hold either.
            self._windows = {
                kind: window for kind, window in self._windows.items() if kind in readings
            }
        for kind, reading in readings.items():
            window = self._windows.setdefault(kind, self._window(kind, reading.limit))
            window.update(permit, reading, self._clock())

    def _window(self, kind: LimitKind, limit: int) -> RateWindow:
        minutes = 1440 if kind[1] == "day" else 1
        return RateWindow(limit, minutes * self._minute, MARGIN * self._minute)


def limiter_for(access: Access, spec: ModelSpec) -> Limiter:
    """The one limiter of this process for the endpoint, the key and the model."""
    key = digest(access), spec.id
    if limiter := _limiters.get(key):
        return limiter
    if len(_limiters) >= MOST_LIMITERS:
        # Copied, as another thread may add one meanwhile.
        for old, limiter in list(_limiters.items()):
            if limiter.is_idle:
                _limiters.pop(old, None)
    # Of two threads that come at once, both get the one that was first.
    return _limiters.setdefault(key, _new_limiter(spec))


def digest(access: Access) -> str:
    """Stands for the endpoint and the key, neither of which can be read from it.

    It is another one in every process.
    """
    text = f"{access.base_url}\0{access.key.get_secret_value()}"
    return hashlib.blake2b(text.encode(), key=_digest_secret).hexdigest()


_limiters: dict[tuple[str, str], Limiter] = {}
# A plain hash of a short key could be found by trying.
_digest_secret = secrets.token_bytes(32)


def _new_limiter(spec: ModelSpec) -> Limiter:
    model = find(spec.id)
    workers = config().workers
    provider = PROVIDERS.get(spec.provider)
    if provider is None:
        # A person's own: it says itself how much goes side by side.
        most = spec.system.at_once if spec.system else OWN_AT_ONCE
        name = model_title(spec)
        return Limiter(None, name=name, header_names={}, concurrency=most, most=most)
    # Carefully at first with a custom endpoint: it may be a laptop. Each round of answers doubles
    # them: the third one asks as many as there may be.
    return Limiter(
        model.free if model else None,
        name=model_title(spec),
        header_names=provider.limit_headers,
        concurrency=min(8, workers) if provider.is_custom else workers,
        most=workers if provider.is_custom else 2 * workers,
    )


def _amount(kind: LimitKind, permit: Permit) -> int:
    return 1 if kind[0] == "requests" else permit.tokens


def _header_reading(headers: Mapping[str, str], name: str) -> HeaderReading | None:
    """What the headers of this name say of a limit; `None` where they say nothing that can be."""
    limit = _header_number(headers.get(name.format("limit"), ""))
    remaining = _header_number(headers.get(name.format("remaining"), ""))
    if not limit or remaining is None or remaining > limit:
        return None
    reset = parse_duration(headers.get(name.format("reset"), ""))
    return HeaderReading(limit, limit - remaining, reset)


def _header_number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else None
