"""What a run may spend: a sample is begun only where all of its calls fit into what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from evaluators.errors import RunStoppedError
from evaluators.llm.loop import loop
from evaluators.records import Cap, Remedy
from evaluators.text.language import say
from evaluators.text.words import counted

ROUNDING = 1e-12
"""US dollars by which sums of prices may differ from what they stand for."""


class Amount(NamedTuple):
    """Calls that are made or may be, and the US dollars that they cost, at most."""

    calls: int = 0
    cost: float = 0.0

    def plus(self, other: Amount) -> Amount:
        return Amount(self.calls + other.calls, self.cost + other.cost)

    def fits(self, cap: Cap) -> bool:
        if cap.calls is not None and self.calls > cap.calls:
            return False
        return cap.cost is None or self.cost <= cap.cost + ROUNDING


NOTHING = Amount()


@dataclass(eq=False)
class Share:
    """What one sample may still take of a budget: calls of all its judges and metrics, at most.

    `cost` is in US dollars. It is set aside when the first of the calls is due, so a sample whose
    answers are all stored takes nothing. One that `is_closed` takes nothing any more.
    """

    calls: int = 0
    cost: float = 0.0
    is_closed: bool = False


class Meter:
    """What a run has spent and may spend; lives on the event loop.

    Calls in flight count with the most that they can cost, and open samples with their shares.
    """

    def __init__(self, cap: Cap, spent: Amount = NOTHING) -> None:
        self.is_capped = cap != Cap()
        self._cap = cap
        self._calls, self._cost = spent
        self._in_flight = 0
        self._reserved = 0.0
        self._is_used_up = False
        # As they came; a dictionary keeps their order.
        self._announced: dict[Share, None] = {}
        self._open: set[Share] = set()
        self._stuck: set[Share] = set()
        """Those whose sample takes more than was thought, and waits for others to leave some."""
        self._changed = asyncio.Event()

    def on_loop(self, change: Callable[[Share], None], share: Share) -> None:
        """Does it from any thread: `announce` or `close`, for which without a cap nobody waits."""
        if self.is_capped:
            loop().call_soon_threadsafe(change, share)

    def announce(self, share: Share) -> None:
        """A sample is about to begin: those announced before it come first, until they are closed.

        Else which samples a run takes would hang on which thread is the fastest.
        """
        self._announced[share] = None

    async def reserve(self, most: float, share: Share | None = None) -> None:
        """Returns when the call, the first one with all of its sample, fits under the cap.

        Raises `RunStoppedError` when it never will, `CancelledError` once its sample is closed.
        """
        share = share or Share()
        while not self._admits(share, most):
            if self._is_used_up or not self._may_get_more(share):
                self._is_used_up = True
                self._tell_waiting()
                raise RunStoppedError(self._reason(share), kind="cap", remedy=Remedy("raise_cap"))
            if share in self._open and share not in self._stuck:
                self._stuck.add(share)
                self._tell_waiting()
            await self._changed.wait()
        self._stuck.discard(share)
        share.calls = max(0, share.calls - 1)
        share.cost = max(0.0, share.cost - most)
        self._in_flight += 1
        self._reserved += most

    def settle(
        self,
        most: float,
        calls: int,
        cost: float,
        share: Share | None = None,
    ) -> None:
        """Puts what was really spent in the place of a reservation.

        A call that failed gives it back to its sample, which may try again.
        """
        self._in_flight -= 1
        self._reserved -= most
        self._calls += calls
        self._cost += cost
        if not calls and share in self._open:
            share.calls += 1
            share.cost += most
        self._tell_waiting()

    def close(self, share: Share) -> None:
        """The sample is done, or given up: what it did not take is free."""
        share.is_closed = True
        self._announced.pop(share, None)
        self._open.discard(share)
        self._stuck.discard(share)
        self._tell_waiting()

    def _admits(self, share: Share, most: float) -> bool:
        """Whether the call may go; sets the share of its sample aside where it is the first."""
        # Its worker has died, perhaps while the call waited: nobody would close it once more.
        if share.is_closed:
            raise asyncio.CancelledError
        if share not in self._open and share.calls:
            # What samples take beyond their plan comes before new samples.
            if self._stuck or self._comes_later(share):
                return False
            if not self._fits(share.calls, share.cost):
                return False
            self._open.add(share)
            self._announced.pop(share, None)
            self._tell_waiting()
        calls_beyond = max(0, 1 - share.calls)
        cost_beyond = max(0.0, most - share.cost)
        return self._fits(calls_beyond, cost_beyond)

    def _may_get_more(self, share: Share) -> bool:
        """Whether a call in flight or another sample may yet leave some of what it has reserved."""
        others = self._open - {share}
        if share in self._open:
            # Those that wait for more themselves leave nothing before they give up.
            others -= self._stuck
        return bool(self._in_flight or others or self._comes_later(share))

    def _comes_later(self, share: Share) -> bool:
        """Whether another sample was announced before and has not begun yet."""
        return share in self._announced and share is not next(iter(self._announced))

    def _fits(self, calls: int, cost: float) -> bool:
        """Whether so much is left beside what is spent, in flight and set aside."""
        calls += self._calls + self._in_flight
        cost += self._cost + self._reserved
        for share in self._open:
            calls += share.calls
            cost += share.cost
        return Amount(calls, cost).fits(self._cap)

    def _tell_waiting(self) -> None:
        self._changed.set()
        self._changed.clear()

    def _reason(self, share: Share) -> str:
        most_calls, needed = self._cap.calls, max(1, share.calls)
        if most_calls is None or (self._cap.cost and self._calls + needed <= most_calls):
            return say(
                "The budget of ${budget:g} is used up: ${spent:.4f} spent, and the next sample "
                "could exceed it. Everything so far is kept.",
                budget=self._cap.cost,
                spent=self._cost,
            )
        calls = counted(most_calls, "call")
        if self._calls < most_calls:
            return say(
                "The budget of {calls} is used up: {made:,} made, and the next sample may take "
                "{needed:,}. Everything so far is kept.",
                calls=calls,
                made=self._calls,
                needed=needed,
            )
        return say("The budget of {calls} is used up. Everything so far is kept.", calls=calls)
