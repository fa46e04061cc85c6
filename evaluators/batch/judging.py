"""Metrics that ask judges, in a batch: within their limits and the budget, no answer paid twice.

Whoever judges the other metrics, judges are asked in the process that started the batch: so the
limits, the budget and the stored answers hold for all of it.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from threading import Lock

from evaluators.batch.function import RowOutcome
from evaluators.batch.plan import BatchPlan
from evaluators.errors import PlumblineError, RunStoppedError, StoreError
from evaluators.llm.budget import Meter, Share
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import RunContext, open_sessions
from evaluators.llm.layers import ResponseCache
from evaluators.llm.loop import Scope
from evaluators.records import Call, Sample
from evaluators.runs.answer_scorer import Unstored, outcome_by, wait_for
from evaluators.runs.failure_streaks import FailureStreaks
from evaluators.runs.forecast import most_of, requests_of
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.scoring import checked_score
from evaluators.runs.store import Store


class Judging:
    """Metrics at work that ask judges: `score_row` judges a row, in any thread.

    What is paid stands in the store under the id of the `batch`, over all attempts at it. Raises
    `AccessError` where a key is missing.
    """

    def __init__(self, plan: BatchPlan, store: Store, batch: str) -> None:
        self._metrics = plan.own
        self._store = store
        self._batch = batch
        # A batch that goes on has the budget that is left of it.
        self._meter = Meter(plan.run.cap, store.calls.paid(batch))
        self._cache = ResponseCache(partial(store.calls.answer, WORKSPACE))
        self._scope = Scope()
        self._stopped_by: PlumblineError | None = None
        self._counting = Lock()
        context = RunContext(self._scope, self._meter, self._cache)
        self._sessions = open_sessions(plan.run.judges, plan.keys, context)
        self._streaks = FailureStreaks([session.name for session in self._sessions])

    def score_row(self, sample: Sample) -> RowOutcome:
        """What the metrics say of a sample; what was paid for it is stored when this returns.

        Raises what stopped the batch once it was so: what is under way is finished, nothing begun.
        """
        if self._stopped_by:
            raise self._stopped_by
        try:
            return self._judged(sample)
        except (RunStoppedError, StoreError) as error:
            self._stopped_by = self._stopped_by or error
            raise

    def close(self) -> None:
        """Lets the connections and keys go; nothing may be in flight any more."""
        self._scope.cancel()
        for session in self._sessions:
            session.close()

    def _judged(self, sample: Sample) -> RowOutcome:
        unstored: Unstored = deque()

        def keep(call: Call) -> None:
            unstored.append(self._store.writer.put_call(self._batch, call, WORKSPACE))

        share = Share()
        # The whole sample is begun only where the budget has all that it can take.
        if self._meter.is_capped:
            requests = requests_of(sample, self._metrics, self._sessions, None, "")
            share.calls, share.cost = most_of(requests)
        log = CallLog(self._cache, share, keep)
        outcomes = []
        try:
            for metric in self._metrics:
                score = partial(checked_score, sample=sample)
                outcomes.append(outcome_by(metric, self._sessions, log, score))
                # Nobody is asked again before the last answer is on the disk.
                wait_for(unstored)
        finally:
            self._meter.on_loop(self._meter.close, share)
            wait_for(unstored)
            self._store.calls.withdraw(self._batch, [call.key for call in log.useless])
            log.mark_stored()
        # Failures in a row are those of all threads.
        with self._counting:
            errors = (outcome.error for outcome in outcomes)
            self._streaks.count([type(error) if error else None for error in errors])
        totals = log.totals()
        paid = {name: totals[name] for name in ("calls", "cached", "cost")}
        return RowOutcome(outcomes, paid | totals["usage"])
