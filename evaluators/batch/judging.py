"""Metrics that ask judges, in a batch: through the limits, the stored answers and the budget.

`Judges` is one for a whole batch, so that these hold wherever rows are judged: on this machine in
the process that started the batch, on Ray in an actor that all workers ask.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Condition, Lock
from typing import Any, NamedTuple, Protocol

from evaluators.base import Evaluator
from evaluators.batch.function import RowOutcome, outcome_of
from evaluators.errors import PlumblineError, RunStoppedError, StoreError
from evaluators.llm import Access, Keys, LLMClient, ModelRequest
from evaluators.llm.budget import Meter, Share
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession, RunContext
from evaluators.llm.layers import ResponseCache, most_cost
from evaluators.llm.loop import Scope, loop
from evaluators.prompts import Prompt
from evaluators.records import (
    Call,
    Cap,
    Completion,
    Dataset,
    EvaluatorSpec,
    ModelSpec,
    Run,
    Sample,
)
from evaluators.runs import inputs
from evaluators.runs.answer_scorer import with_judges
from evaluators.runs.failure_streaks import Failure, FailureStreaks
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

    def save(self, calls: Sequence[Call]) -> None:
        """Keeps what was paid for: from now on whoever asks the same finds it."""
        self._store.calls.save(_ID, calls)

    def withdraw(self, calls: Sequence[Call]) -> None:
        """Keeps the bill, but lets these answers serve nobody again."""
        self._store.calls.withdraw(_ID, [call.key for call in calls])

    def spent(self) -> dict[str, Spent]:
        """What each model cost, over all attempts at the batch."""
        return self._store.calls.spent(_ID)

    def close(self) -> None:
        self._store.close()


class _Row:
    """A row that is being judged: what it was answered, and how much of that is stored."""

    def __init__(self, worker: str, log: CallLog) -> None:
        self.worker = worker
        self.log = log
        self.stored = 0


class JudgesSetup(NamedTuple):
    """All that `Judges` are made of, wherever that is; `calls` is the file of what was paid."""

    specs: tuple[ModelSpec, ...]
    keys: Keys
    cap: Cap
    calls: Path

    def open(self) -> Judges:
        """Raises `AccessError` where a key is missing."""
        # Made anew: one that came from another process is not masked in the logs of this one.
        keys = {}
        for name, access in self.keys.items():
            keys[name] = Access(provider=access.provider, base_url=access.base_url, key=access.key)
        elsewhere = inputs.local_store().calls
        calls = CallStore(self.calls)
        # What runs of this machine have paid for is not paid for again.
        return Judges(
            self.specs,
            keys,
            self.cap,
            calls,
            lambda key: elsewhere.answer(WORKSPACE, key),
        )


class Judges:
    """The judges of a batch: each row is begun, asks as often as it needs to, and is ended.

    Rows may come from many threads, and through an actor from many machines.
    """

    def __init__(
        self,
        specs: Sequence[ModelSpec],
        keys: Keys,
        cap: Cap,
        calls: CallStore,
        find_elsewhere: Callable[[str], Completion | None],
    ) -> None:
        self._calls = calls
        self._find_elsewhere = find_elsewhere
        self._has_cap = cap != Cap()
        bills = calls.spent().values()
        # A batch that goes on has the budget that is left of it.
        paid = sum(bill.calls for bill in bills)
        cost = sum(bill.cost or 0.0 for bill in bills)
        self._meter = Meter(cap, paid, cost)
        self._cache = ResponseCache(self._find)
        self._scope = Scope()
        self._rows: dict[int, _Row] = {}
        self._numbers = count(1)
        self._counting = Lock()
        self._has_left: set[str] = set()
        self._idle = Condition()
        self._at_work = 0
        self._stopped_by: PlumblineError | None = None
        self._sessions: list[ModelSession] = []
        context = RunContext(self._scope, self._meter, self._cache)
        try:
            for spec in specs:
                self._sessions.append(ModelSession(spec, keys, context))
        except BaseException:
            self.close()
            raise
        self._streaks = FailureStreaks([session.name for session in self._sessions])

    def begin(self, worker: str, share: Share) -> int:
        """The number of a row that takes at most this share of the budget.

        Raises what stopped the batch once it was so: what is under way is finished, nothing begun;
        `CancelledError` for a worker that has died, of which a call may come late.
        """
        if self._stopped_by:
            raise self._stopped_by
        row = _Row(worker, CallLog(self._cache, share))
        with self._counting:
            if worker in self._has_left:
                raise CancelledError
            number = next(self._numbers)
            self._rows[number] = row
        return number

    def prompt_budget(self, judge: int) -> int | None:
        """How many tokens a prompt for the judge of that number may have."""
        return self._sessions[judge].client(CallLog()).prompt_budget

    def complete(self, number: int, judge: int, prompt: Prompt) -> Completion:
        """The judge's answer; what was paid for it is stored when this returns."""
        row = self._rows[number]
        with self._asking():
            try:
                return self._sessions[judge].client(row.log).complete(prompt)
            finally:
                self._store(row)

    def end(
        self,
        number: int,
        useless: Collection[str],
        failures: Sequence[Failure],
    ) -> Mapping[str, Any]:
        """What the row took of judges; `useless` are answers that must not serve again.

        Raises `RunStoppedError` where too many rows in a row failed.
        """
        row = self._rows.pop(number)
        self._on_loop(self._meter.close, row.log.share)
        with self._asking():
            # Asked again, the model may say it better. Also what an earlier attempt had stored.
            row.log.discard(useless)
            self._calls.withdraw(row.log.useless)
            # Several threads count, and failures in a row are those of all of them.
            with self._counting:
                self._streaks.count(failures)
        totals = row.log.totals()
        paid = {name: totals[name] for name in ("calls", "cached", "cost")}
        return {**paid, **totals["usage"]}

    def left(self, worker: str) -> None:
        """The worker has died: nobody will end the rows that it had begun."""
        with self._counting:
            self._has_left.add(worker)
            numbers = [number for number, row in self._rows.items() if row.worker == worker]
            rows = [self._rows.pop(number) for number in numbers]
        for row in rows:
            self._on_loop(self._meter.close, row.log.share)

    def close(self) -> None:
        """Waits for what is in flight, as it is paid for, and lets the connections and keys go."""
        with self._idle:
            self._idle.wait_for(lambda: not self._at_work)
        self._scope.cancel()
        for session in self._sessions:
            session.close()
        self._calls.close()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """While something is asked or stored: nobody closes, and what stops the batch is kept."""
        with self._idle:
            self._at_work += 1
        try:
            yield
        except (RunStoppedError, StoreError) as error:
            self._stopped_by = self._stopped_by or error
            raise
        finally:
            with self._idle:
                self._at_work -= 1
                self._idle.notify_all()

    def _store(self, row: _Row) -> None:
        fresh = row.log.calls[row.stored :]
        self._calls.save(fresh)
        row.stored += len(fresh)
        row.log.mark_stored()

    def _on_loop(self, tell: Callable[[Share], None], share: Share | None) -> None:
        """Tells the meter, which lives on the event loop, where the calls are."""
        if self._has_cap and share:
            loop().call_soon_threadsafe(tell, share)

    def _find(self, key: str) -> Completion | None:
        return self._calls.find(key) or self._find_elsewhere(key)


class AskJudges(Protocol):
    """The judges of a batch as a row asks them: `Judges`, or who asks them from elsewhere."""

    def begin(self, worker: str, share: Share) -> int: ...

    def prompt_budget(self, judge: int) -> int | None: ...

    def complete(self, number: int, judge: int, prompt: Prompt) -> Completion: ...

    def end(
        self,
        number: int,
        useless: Collection[str],
        failures: Sequence[Failure],
    ) -> Mapping[str, Any]: ...


class Judging:
    """Metrics at work that ask judges: `score_row` judges a row; several threads may call it.

    `worker` says whose rows they are.
    """

    def __init__(
        self,
        metrics: Sequence[Evaluator],
        specs: Sequence[ModelSpec],
        judges: AskJudges,
        *,
        has_cap: bool,
        worker: str = "",
    ) -> None:
        self._metrics = metrics
        self._specs = specs
        self._judges = judges
        self._has_cap = has_cap
        self._worker = worker

    def score_row(self, sample: Sample) -> RowOutcome:
        """What the metrics say of a sample; raises `RunStoppedError` where nothing can go on."""
        number = self._judges.begin(self._worker, self._planned_share(sample))
        outcomes = []
        try:
            for metric in self._metrics:
                asking = with_judges(metric, self._of_row(number), CallLog())
                outcomes.append(outcome_of(asking, sample))
        finally:
            errors = [outcome.error for outcome in outcomes]
            useless = [text for error in errors for text in getattr(error, "texts", ())]
            usage = self._judges.end(number, useless, list(map(_kind, errors)))
        return RowOutcome(outcomes, usage)

    def _planned_share(self, sample: Sample) -> Share:
        """What the whole sample can take: it is begun only where the budget has all of it."""
        share = Share()
        if self._has_cap:
            requests = requests_of(sample, self._metrics, self._of_row(0), None, "")
            share.calls = len(requests)
            share.cost = sum(most_cost(request, 0) for request in requests)
        return share

    def _of_row(self, number: int) -> list[_Judge]:
        return [_Judge(self._judges, at, number, spec) for at, spec in enumerate(self._specs)]


class _Judge(NamedTuple):
    """A judge as one row asks it."""

    judges: AskJudges
    judge: int
    row: int
    spec: ModelSpec

    def client(self, log: CallLog, repeat: int = 1) -> LLMClient:
        # What the row pays is noted where the judges are, and each row is asked about once.
        return _Client(self)

    def request(self, prompt: Prompt, repeat: int = 1) -> ModelRequest:
        return ModelRequest(spec=self.spec, text=prompt.text, schema_text=prompt.schema_text)


class _Client(LLMClient):
    def __init__(self, judge: _Judge) -> None:
        self.model = judge.spec.id
        self._judge = judge

    @property
    def prompt_budget(self) -> int | None:
        return self._judge.judges.prompt_budget(self._judge.judge)

    def complete(self, prompt: Prompt) -> Completion:
        return self._judge.judges.complete(self._judge.row, self._judge.judge, prompt)


def _kind(error: BaseException | None) -> Failure:
    """The kind of a failure, as one that every process knows."""
    if error is None or isinstance(error, PlumblineError):
        return type(error) if error else None
    return Exception
