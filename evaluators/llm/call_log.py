"""What one cell asked of models: the calls that it paid for, and what they cost together."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from evaluators.llm import ModelRequest
from evaluators.llm.budget import Share
from evaluators.llm.layers import ResponseCache
from evaluators.records import Call, Completion, SampleResult, Usage
from evaluators.text.words import in_a_line


class CallLog:
    """What one cell paid for, and how many of its answers were there already.

    `share` is what its sample may take of a run's budget. `keep` is told of each call at once, on
    the event loop: it must not wait.
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        share: Share | None = None,
        keep: Callable[[Call], None] = lambda call: None,
    ) -> None:
        self.share = share
        self.calls: list[Call] = []
        self.useless: list[Call] = []
        """Those, and answers from the store, that must not serve again."""
        self.cached = 0
        self._keep = keep
        # Answers from the store, as the calls that they came by.
        self._reused: list[Call] = []
        # A dictionary keeps each note once, and their order.
        self._notes: dict[str, None] = {}
        self._cache = cache

    def note(self, call: Call) -> None:
        """An answer came that is paid for."""
        self.calls.append(call)
        self._keep(call)

    def add(self, request: ModelRequest, completion: Completion) -> None:
        """An answer came, from the provider or from the store."""
        self.cached += completion.cached
        if completion.cached:
            original = completion.model_copy(update={"cached": False})
            call = Call(key=request.key, model=request.spec.id, completion=original)
            self._reused.append(call)
        if completion.note:
            self._notes[completion.note] = None

    def totals(self, earlier: SampleResult | None = None) -> dict[str, Any]:
        """The fields of a `SampleResult` that say what it cost, with what an earlier try cost."""
        calls = len(self.calls)
        cached = self.cached
        note = in_a_line(self._notes)
        costs = [call.cost for call in self.calls]
        usages = [call.completion.usage for call in self.calls]
        if earlier:
            calls += earlier.calls
            cached += earlier.cached
            note = note or earlier.note
            costs.append(earlier.cost)
            usages.append(earlier.usage)
        known_costs = [cost for cost in costs if cost is not None]
        tokens = {}
        for name in Usage.model_fields:
            tokens[name] = sum(getattr(usage, name) for usage in usages)
        return {
            "calls": calls,
            "cached": cached,
            "note": note,
            # Without one of the prices the sum is unknown: a part of it would look like the whole.
            "cost": sum(known_costs) if len(known_costs) == len(costs) else None,
            "usage": tokens,
        }

    def discard(self, texts: Collection[str]) -> None:
        """These answers were of no use: they are paid for, but must not serve again."""
        for number, call in enumerate(self.calls):
            if call.completion.text in texts:
                self.useless.append(call)
                self.calls[number] = call.model_copy(update={"reusable": False})
        self.useless += [call for call in self._reused if call.completion.text in texts]

    def mark_stored(self) -> None:
        """The calls are in the store now: who asks the same finds them there."""
        if self._cache:
            for call in self.calls:
                self._cache.mark_stored(call.key)
