"""What one cell asked of models: the calls that it paid for, and what they cost together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from evaluators.llm.budget import Share
from evaluators.llm.layers import ResponseCache
from evaluators.records import Call, Completion, SampleResult, Usage


class CallLog:
    """What one cell paid for, and how many of its answers were there already.

    `share` is what its sample may take of a run's budget.
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        share: Share | None = None,
    ) -> None:
        self.share = share
        self.calls: list[Call] = []
        self.cached = 0
        # A dictionary keeps each note once, and their order.
        self._notes: dict[str, None] = {}
        self._cache = cache

    def add(self, completion: Completion) -> None:
        """An answer came, from the provider or from the store."""
        self.cached += completion.cached
        if completion.note:
            self._notes[completion.note] = None

    def totals(self, earlier: SampleResult | None = None) -> dict[str, Any]:
        """The fields of a `SampleResult` that say what it cost, with what an earlier try cost."""
        calls = len(self.calls)
        cached = self.cached
        note = ", ".join(self._notes)
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
        # In place: the layer that meters the calls writes into this list.
        for number, call in enumerate(self.calls):
            if call.completion.text in texts:
                self.calls[number] = call.model_copy(update={"reusable": False})

    def mark_stored(self) -> None:
        """The calls are in the store now: who asks the same finds them there."""
        if self._cache:
            for call in self.calls:
                self._cache.mark_stored(call.key)
