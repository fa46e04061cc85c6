"""How fast a run is, and what keeps it from moving."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from evaluators.config import config
from evaluators.llm.clients import ModelSession
from evaluators.messages import Text
from evaluators.records import Record
from evaluators.text.language import say

RATE_SECONDS = 60.0
"""Seconds over which the rate is measured."""

WAIT_SHOWN_FROM = 2.0
"""Seconds of waiting from which it is shown."""

SILENCE_SHOWN_FROM = 10.0
"""Seconds without an answer from which it is shown, where answers usually come faster."""

TIMES_USUAL = 3
"""From this multiple of the usual time between two results a pause is out of the ordinary."""


class Progress(Record):
    """How fast a live run is: cells a minute, seconds left at that rate, and what it waits for.

    A run that stands still has no rate, unless it only waits until its plan lets the next request
    go.
    """

    rate: float | None
    seconds_left: float | None
    waiting: Text = ""


class Pace:
    """When the cells of a run got their results; safe to share between threads."""

    def __init__(self, sessions: Sequence[ModelSession]) -> None:
        self._sessions = sessions
        self._started = time.monotonic()
        self._ended: float | None = None
        # The newest suffice for the rate; even fast metrics end fewer in `RATE_SECONDS`.
        self._finished: deque[float] = deque(maxlen=20_000)

    @property
    def seconds(self) -> float:
        """How long the run has been at work, up to its end."""
        return (self._ended or time.monotonic()) - self._started

    def count_cell(self) -> None:
        """One more cell has a result."""
        self._finished.append(time.monotonic())

    def end(self) -> None:
        self._ended = time.monotonic()

    def progress(self, cells_left: int) -> Progress:
        now, finished = time.monotonic(), tuple(self._finished)
        if obstacle := self._obstacle(now, finished):
            return Progress(rate=None, seconds_left=None, waiting=obstacle)
        recent = sum(now - moment < RATE_SECONDS for moment in finished)
        if not recent:
            return Progress(rate=None, seconds_left=None, waiting=self._waiting())
        # In its first minute a run has had less time than the rate is measured over.
        rate = 60 * recent / min(RATE_SECONDS, now - self._started)
        return Progress(rate=rate, seconds_left=60 * cells_left / rate, waiting=self._waiting())

    def _waiting(self) -> str:
        longest = max((session.waiting for session in self._sessions), default=0.0)
        if longest <= WAIT_SHOWN_FROM:
            return ""
        return say("waiting {seconds:.0f} s for the provider's limit", seconds=longest)

    def _obstacle(self, now: float, finished: Sequence[float]) -> str:
        """Refusals or silence, where nothing has ended for longer than is usual."""
        # Reasoning models take a minute an answer: what is unusual depends on the run so far.
        last = finished[-1] if finished else self._started
        quiet = now - last
        usual = (last - self._started) / max(1, len(finished))
        is_refused = any(session.is_refused for session in self._sessions)
        if is_refused and quiet > max(WAIT_SHOWN_FROM, TIMES_USUAL * usual):
            return self._waiting() or say("waiting for the provider's limit")
        unanswered = max((session.unanswered for session in self._sessions), default=0.0)
        # Neither alone: metrics that ask nobody go on, and between calls nobody is asked.
        silence = min(quiet, unanswered)
        if silence > max(SILENCE_SHOWN_FROM, TIMES_USUAL * usual):
            most = config().call_seconds
            return say(
                "no answer for {silence:.0f} s; each call is given up after {most:g} s at most",
                silence=silence,
                most=most,
            )
        return ""
