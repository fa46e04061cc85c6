"""Metrics that ask judges, in a batch: through the limits, the stored answers and the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from evaluators.base import Evaluator
from evaluators.batch.function import Outcome, RowOutcome, outcome_of
from evaluators.errors import PlumblineError, RunStoppedError, StoreError
from evaluators.llm import Keys
from evaluators.llm.budget import Meter, Share
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession, RunContext
from evaluators.llm.layers import ResponseCache, most_cost
from evaluators.llm.loop import Scope, loop
from evaluators.records import Cap, Completion, Dataset, EvaluatorSpec, ModelSpec, Run, Sample
from evaluators.runs.answer_scorer import with_judges
from evaluators.runs.failure_streaks import FailureStreaks
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.requests import requests_of
from evaluators.runs.store import Spent, Store

_ID = "batch"
"""Of the one run in the store of a batch, which bears its calls and has no samples."""


class CallStore:
    """What a batch paid for, in a store of its own beside its results: answers, and their bill."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path)
        if self._store.runs.get(_ID) is None:
            empty = Dataset(name="Batch", samples=())
            run = Run(
                id=_ID,
                workspace=WORKSPACE,
                created=datetime.now(UTC).isoformat(timespec="microseconds"),
                title="Batch",
                dataset_name=empty.name,
                fingerprint=empty.fingerprint,
                # The metrics stand in the settings of the batch; a run must name one.
                evaluators=(EvaluatorSpec(name="trace"),),
            )
            self._store.runs.save(run, empty)

    def find(self, key: str) -> Completion | None:
        return self._store.calls.answer(WORKSPACE, key)

    def save(self, log: CallLog) -> None:
        """Keeps what was paid for: from now on whoever asks the same finds it."""
        self._store.calls.save(_ID, log.calls)
        log.mark_stored()

    def spent(self) -> dict[str, Spent]:
        """What each model cost, over all attempts at the batch."""
        return self._store.calls.spent(_ID)

    def close(self) -> None:
        self._store.close()


class Judging:
    """Judges at work: `score_row` asks them about one row; several threads may call it."""

    def __init__(
        self,
        metrics: Sequence[Evaluator],
        judges: Sequence[ModelSpec],
        keys: Keys,
        cap: Cap,
        calls: CallStore,
        find_elsewhere: Callable[[str], Completion | None],
    ) -> None:
        self._metrics = metrics
        self._calls = calls
        self._cap = cap
        self._find_elsewhere = find_elsewhere
        bills = calls.spent().values()
        # A batch that goes on has the budget that is left of it.
        paid = sum(bill.calls for bill in bills)
        cost = sum(bill.cost or 0.0 for bill in bills)
        self._meter = Meter(cap, paid, cost)
        self._cache = ResponseCache(self._find)
        self._scope = Scope()
        context = RunContext(self._scope, self._meter, self._cache)
        self._sessions: list[ModelSession] = []
        self._streaks = FailureStreaks([])
        self._counting = Lock()
        self.stopped_by: PlumblineError | None = None
        """Why nothing more is begun."""
        try:
            for judge in judges:
                self._sessions.append(ModelSession(judge, keys, context))
        except BaseException:
            self.close()
            raise
        self._streaks = FailureStreaks([session.name for session in self._sessions])

    def score_row(self, sample: Sample) -> RowOutcome:
        """What the metrics say of a sample; all that was paid for it is stored when this returns.

        Raises `RunStoppedError` where nothing can go on, and `CancelledError` once it was so: what
        is under way is finished, nothing is begun.
        """
        if self.stopped_by:
            raise CancelledError
        share = self._planned_share(sample)
        log = CallLog(self._cache, share)
        try:
            outcomes = self._outcomes(sample, log)
            kinds = [type(each.error) if each.error else None for each in outcomes]
            # Several threads count, and failures in a row are those of all of them.
            with self._counting:
                self._streaks.count(kinds)
        except (RunStoppedError, StoreError) as error:
            self.stopped_by = self.stopped_by or error
            raise
        finally:
            self._on_loop(self._meter.close, share)
        totals = log.totals()
        usage: Mapping[str, int] = totals["usage"]
        paid = {name: totals[name] for name in ("calls", "cached", "cost")}
        return RowOutcome(outcomes, {**paid, **usage})

    def close(self) -> None:
        """Cuts off what is in flight, and lets the connections and keys go."""
        self._scope.cancel()
        for session in self._sessions:
            session.close()

    def _outcomes(self, sample: Sample, log: CallLog) -> list[Outcome]:
        """What each metric says; its calls are stored whatever becomes of it."""
        outcomes = []
        try:
            for metric in self._metrics:
                outcome = outcome_of(with_judges(metric, self._sessions, log), sample)
                # Asked again, the model may say it better.
                log.discard(getattr(outcome.error, "texts", ()))
                outcomes.append(outcome)
        finally:
            self._calls.save(log)
        return outcomes

    def _planned_share(self, sample: Sample) -> Share:
        """What the whole sample can take: it is begun only where the budget has all of it."""
        share = Share()
        if self._cap != Cap():
            requests = requests_of(sample, self._metrics, self._sessions, None, "")
            share.calls = len(requests)
            share.cost = sum(most_cost(request, 0) for request in requests)
        return share

    def _on_loop(self, tell: Callable[[Share], None], share: Share) -> None:
        """Tells the meter, which lives on the event loop, where the calls are."""
        if self._cap != Cap():
            loop().call_soon_threadsafe(tell, share)

    def _find(self, key: str) -> Completion | None:
        return self._calls.find(key) or self._find_elsewhere(key)
