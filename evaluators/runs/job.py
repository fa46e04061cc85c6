"""A job is a run at work: threads take the open answers in turn; every result is stored the moment
it exists.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from itertools import groupby, islice
from typing import NamedTuple
from weakref import WeakValueDictionary

from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.config import config
from evaluators.errors import (
    PlumblineError,
    RunStoppedError,
    StoreError,
    TransientError,
    UnreadableAnswerError,
    UnreadableRowError,
    UnstorableError,
    WorkerError,
)
from evaluators.llm import Keys
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession, RunContext
from evaluators.llm.layers import Meter, ResponseCache
from evaluators.llm.loop import Scope
from evaluators.records import Cell, ModelSpec, Reason, Record, Run, Sample, SampleResult, Score
from evaluators.runs import pool
from evaluators.runs.lock import RunLock
from evaluators.runs.scoring import answered, details, reason, scored
from evaluators.runs.store import Store

CPU_WORKERS = 2
LONG_RUN = 100
"""Open cells from which worker processes are started for a run; a shorter one is done before they
are there.
"""

MOST_IN_A_ROW = 10
"""Samples in a row, failed for want of an answer that can be used, after which a model's part of
the run stops.
"""

READ_AHEAD = 16
"""Samples that are read together."""

RECENT = 60.0
"""Seconds over which the rate is measured."""

WORTH_TELLING = 2.0
"""Seconds of waiting from which it is said."""

STANDSTILL = 10.0
"""Seconds without an answer from which it is said, where answers usually come faster."""

log = logging.getLogger(__name__)


class Progress(Record):
    """How fast a live run is: cells a minute, seconds left at that rate, and what it waits for, if
    anything.

    A run that stands still has no rate, unless it only waits until its plan lets the next request
    go.
    """

    rate: float | None
    seconds_left: float | None
    waiting: str = ""


class Task(NamedTuple):
    """One answer to be judged: a sample and a model,
    with the metrics that have not scored it yet.
    """

    position: int
    model: int
    metrics: tuple[int, ...]


class Job:
    """One run at work, a lane for each model, until no cell is open or somebody cancels.

    Raises `AccessError` where a model or the judge has no key, `RunElsewhereError` where another
    process works on it.
    """

    def __init__(self, run: Run, store: Store, keys: Keys | None = None) -> None:
        self.run = run
        self.last_seen = time.monotonic()
        self.keys: Keys = keys or {}
        """What its models are asked with; nothing once it has ended."""
        self._store = store
        self._evaluators = tuple(map(from_spec, run.evaluators))
        self._patience = config().unwatched_seconds if config().public else math.inf
        self._scope = Scope()
        self._pool = pool.shared()
        self._is_cancelled = threading.Event()
        self._response_cache = _response_cache(store, run)
        self._sessions: list[ModelSession] = []
        self._started = time.monotonic()
        self._ended: float | None = None
        self._done: deque[float] = deque(maxlen=20_000)
        self._lock = threading.Lock()
        self._logged: set[str] = set()
        self._run_lock = RunLock(store.locks, run.id)
        try:
            store.check()  # before a lock is put where there is no store any more
            self._run_lock.acquire()
            counts = store.results.counts(run)
            self._is_resumed = (
                counts.open < counts.asked
            )  # else there is no earlier result to be read
            self._judges, self._lanes = self._opened(self.keys)
        except BaseException:
            self._close()
            raise
        self._threads = [thread for lane in self._lanes for thread in lane.threads]
        self._at_work = len(self._threads)

    def start(self) -> None:
        try:
            self._store.runs.save_stop_reasons(self.run.id)
            if self._is_for_pool:
                self._pool.start()
            for thread in self._threads:
                thread.start()
        except BaseException:
            self.cancel()
            self._close()
            raise
        if not self._threads:
            self._close()

    def cancel(self) -> None:
        """Stops at once: calls in flight are cut off, what is done stays."""
        self._is_cancelled.set()
        for lane in self._lanes:
            lane.stop()
        self._scope.cancel()

    def pause(self, *reasons: Reason) -> None:
        """Takes up nothing more: the answers on their way are stored, so that nothing is paid for
        twice.
        """
        for lane in self._lanes:
            lane.stop(*reasons)
        with suppress(StoreError):
            self._store.runs.save_stop_reasons(self.run.id, *reasons)

    @property
    def is_pausing(self) -> bool:
        """Whether nothing more is taken up."""
        return all(lane.is_stopped for lane in self._lanes)

    @property
    def seconds(self) -> float:
        """How long it has been at work, up to its end."""
        return (self._ended or time.monotonic()) - self._started

    @property
    def is_live(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float | None = None) -> None:
        for thread in self._threads:
            thread.join(seconds)

    def progress(self) -> Progress:
        now, done = time.monotonic(), tuple(self._done)
        if obstacle := self._obstacle(now, done):
            return Progress(rate=None, seconds_left=None, waiting=obstacle)
        recent = sum(now - moment < RECENT for moment in done)
        rate = 60 * recent / min(RECENT, now - self._started) if recent else None
        left = sum(max(0, lane.left) for lane in self._lanes)
        return Progress(
            rate=rate, seconds_left=60 * left / rate if rate else None, waiting=self._waiting()
        )

    # Opening and closing

    def _opened(self, keys: Keys) -> tuple[list[ModelSession], list[Lane]]:
        spent = self._store.calls.spent(self.run.id).values()
        meter = Meter(
            self.run.cap,
            sum(model.calls for model in spent),
            sum(model.cost or 0.0 for model in spent),
        )
        context = RunContext(self._scope, meter, self._response_cache)

        def session(spec: ModelSpec) -> ModelSession:
            self._sessions.append(ModelSession(spec, keys, context))
            return self._sessions[-1]

        judges = [session(spec) for spec in self.run.judges]
        sessions: list[ModelSession | None] = [session(spec) for spec in self.run.models]
        tasks = _tasks(self._store.results.open_cells(self.run))
        if sessions:
            tasks.sort(key=_scattered)
        self._is_for_pool = len(tasks) * len(
            self._evaluators
        ) >= LONG_RUN and self._needs_processor(sessions)
        at_once = _workers([*sessions, *judges], self._pool.size if self._is_for_pool else 0)
        workers = max(1, at_once // max(1, len(sessions)))
        return judges, [
            Lane(
                self._work,
                self._read,
                [task for task in tasks if task.model == number],
                each,
                judges,
                workers,
            )
            for number, each in enumerate(sessions or [None])
        ]

    def _read(self, positions: Collection[int]) -> dict[int, Sample | UnreadableRowError]:
        return self._store.samples.get_many(self.run.fingerprint, positions)

    def _close(self) -> None:
        self.keys = {}
        for session in self._sessions:
            session.close()
        self._run_lock.release()

    # Working

    def _work(self, lane: Lane) -> None:
        try:
            for task in lane.tasks():
                self._do(task, lane)
        except CancelledError:
            pass
        except RunStoppedError as error:
            self._tell(lane, error)
        except PlumblineError as error:
            self._tell(lane, error)
            self.cancel()
        # the last resort: a thread that ends in silence leaves a run that nobody can mend
        except Exception as error:
            self._log(error)
            what = (
                f"Unexpected {type(error).__name__}, which stopped the run. Everything so far "
                "is kept."
            )
            remedy = "Resume it; if it happens again, report it."
            self._tell(lane, RunStoppedError(f"{what} {remedy}", kind="unexpected"))
            self.cancel()
        finally:
            self._leave()

    def _tell(self, lane: Lane, error: PlumblineError) -> None:
        """Stops the lane and writes down why, once."""
        lane.stop(error.reason)
        reasons = dict.fromkeys(reason for each in self._lanes for reason in each.reasons)
        with suppress(StoreError):
            self._store.runs.save_stop_reasons(self.run.id, *reasons)

    def _do(self, task: Task, lane: Lane) -> None:
        """Judges one answer by each of its metrics; every result is stored before the next is asked
        for.
        """
        if time.monotonic() - self.last_seen > self._patience:
            message = "Nobody watched this run, so it was paused. Resume it when you are back."
            raise RunStoppedError(message, kind="unwatched")
        self._store.check()  # nothing is paid for that could not be stored
        earlier = (
            self._store.results.of_answer(self.run.id, task.position, task.model)
            if self._is_resumed
            else {}
        )
        load = partial(lane.samples.take, task.position)
        ask = partial(self._answered, lane.session) if lane.session else None
        answer = _Answer(load, ask, earlier.values())
        failures = []
        for metric in task.metrics:
            if lane.is_stopped:
                return
            cell = Cell(task.position, task.model, metric)
            failures.append(self._judge(cell, answer, earlier.get(metric)))
            self._done.append(time.monotonic())
            lane.left -= 1
        lane.count(failures)

    def _judge(
        self, cell: Cell, answer: _Answer, earlier: SampleResult | None
    ) -> type[BaseException] | None:
        """Stores the result of one cell with the calls it took; returns the kind of error, where it
        failed.
        """
        call_log = CallLog(self._response_cache)
        try:
            result, failure = self._result(cell, answer, earlier, call_log)
            try:
                self._store.results.save(self.run.id, result, call_log.calls)
            except UnstorableError as error:
                failure = type(error)
                unstored = {"score": None, "response": None, **_failed(error)}
                self._store.results.save(
                    self.run.id, result.model_copy(update=unstored), call_log.calls
                )
            return failure
        except BaseException:
            self._store.calls.save(self.run.id, call_log.calls)
            raise
        finally:
            call_log.mark_stored()

    def _result(
        self, cell: Cell, answer: _Answer, earlier: SampleResult | None, call_log: CallLog
    ) -> tuple[SampleResult, type[BaseException] | None]:
        """The result for one cell; the one place where an exception becomes a failed result, beside
        its kind.
        """
        started = time.perf_counter()

        def result(**outcome: object) -> SampleResult:
            facts = {
                "response": answer.response,
                "seconds": time.perf_counter() - started,
                **call_log.totals(earlier),
            }
            return SampleResult.model_validate({**cell._asdict(), **facts, **outcome})

        try:
            score = self._scored(
                self._evaluator_for(cell.metric, call_log), answer.sample(call_log)
            )
            return result(status="scored", score=score), None
        except (RunStoppedError, StoreError, CancelledError):
            raise
        except (Exception, SystemExit) as error:  # a metric of one's own may do anything
            # Asked again, the model may say it better.
            call_log.discard(getattr(error, "texts", ()))
            self._log(error)
            return result(**_failed(error), details=details(error)), type(error)

    def _scored(self, evaluator: Evaluator, sample: Sample) -> Score:
        """The score, from a worker process where one can do it: the pages' threads then hardly
        wait.
        """
        if pool.takes(evaluator) and self._pool.can_take(sample):
            return self._pool.score(evaluator, sample, self._is_cancelled.is_set)
        return scored(evaluator, sample)

    def _answered(self, session: ModelSession, sample: Sample, call_log: CallLog) -> str:
        """What the model answers; the offline reader does so in a worker process."""
        if not session.is_remote and self._pool.can_take(sample):
            return self._pool.answer(sample, self.run.prompt, self._is_cancelled.is_set)
        return answered(sample, self.run.prompt, session.client(call_log))

    def _needs_processor(self, sessions: Sequence[ModelSession | None]) -> bool:
        """Whether there is something to do that worker processes take."""
        alone = [each for each in self._evaluators if not self.run.judges or not each.most_judges()]
        return any(session and not session.is_remote for session in sessions) or any(
            map(pool.takes, alone)
        )

    def _log(self, error: BaseException) -> None:
        """Notes each kind of error that is not ours once."""
        is_ours = isinstance(error, PlumblineError)
        kind = (
            error.foreign
            if isinstance(error, WorkerError)
            else ""
            if is_ours
            else type(error).__name__
        )
        if kind and kind not in self._logged:
            self._logged.add(kind)
            log.error("A sample failed with %s", kind)

    def _evaluator_for(self, metric: int, call_log: CallLog) -> Evaluator:
        """The evaluator with its judge, or with a tuple of judges where they are a jury."""
        evaluator = self._evaluators[metric]
        judges = self._judges[: evaluator.most_judges()]
        if not judges:
            return evaluator
        clients = tuple(judge.client(call_log) for judge in judges)
        return evaluator.model_copy(
            update={"llm_client": clients if len(clients) > 1 else clients[0]}
        )

    def _leave(self) -> None:
        """The last thread lets the connections go; a run that came to its end has not stopped."""
        with self._lock:
            self._at_work -= 1
            if self._at_work:
                return
        self._ended = time.monotonic()
        self._close()
        with suppress(StoreError):
            if not self._store.results.counts(self.run).open:  # it came to its end all the same
                self._store.runs.save_stop_reasons(self.run.id)

    def _waiting(self) -> str:
        longest = max((session.waiting for session in self._sessions), default=0.0)
        return (
            f"waiting {longest:.0f} s for the provider's limit" if longest > WORTH_TELLING else ""
        )

    def _obstacle(self, now: float, done: Sequence[float]) -> str:
        """What keeps the run from moving, where nothing has ended for longer than is usual:
        refusals or silence.
        """
        last = done[-1] if done else self._started
        quiet, usual = now - last, (last - self._started) / max(1, len(done))
        if quiet > max(WORTH_TELLING, 3 * usual) and any(
            session.is_refused for session in self._sessions
        ):
            return self._waiting() or "waiting for the provider's limit"
        unanswered = min(
            quiet, max((session.unanswered for session in self._sessions), default=0.0)
        )
        if unanswered > max(STANDSTILL, 3 * usual):
            return (
                f"no answer for {unanswered:.0f} s; each call is given up after "
                f"{config().call_seconds:g} s"
            )
        return ""


class _Answer:
    """A sample and what its model answered, asked for once: whoever comes later gets the same, or
    the same error.

    A response that an `earlier` result holds is not asked for again.
    """

    def __init__(
        self,
        load: Callable[[], Sample],
        ask: Callable[[Sample, CallLog], str] | None,
        earlier: Iterable[SampleResult],
    ) -> None:
        self.response = next((each.response for each in earlier if each.response is not None), None)
        self._load = load
        self._ask = ask
        self._sample: Sample | None = None
        self._error: Exception | None = None

    def sample(self, call_log: CallLog) -> Sample:
        """The sample with its response; raises what it failed of."""
        if self._error is not None:
            raise self._error
        try:
            self._sample = self._sample or self._answered(call_log)
        except Exception as error:
            self._error = error
            raise
        return self._sample

    def _answered(self, call_log: CallLog) -> Sample:
        sample = self._load()
        if sample.response is not None or not self._ask:
            return sample
        self.response = self.response or self._ask(sample, call_log)
        return sample.model_copy(update={"response": self.response})


class Ahead:
    """The samples of a lane, each taken once; they are read some at a time, in the order in which
    their turn comes.
    """

    def __init__(
        self,
        read: Callable[[Collection[int]], dict[int, Sample | UnreadableRowError]],
        positions: Iterable[int],
    ) -> None:
        self._read = read
        self._to_come = iter(positions)
        self._found: dict[int, Sample | UnreadableRowError] = {}
        self._turn = threading.Lock()

    def take(self, position: int) -> Sample:
        """The sample; raises `UnreadableRowError` for one that cannot be read, which fails only
        itself.
        """
        with self._turn:
            while position not in self._found:
                self._found |= self._read([*islice(self._to_come, READ_AHEAD)] or [position])
            found = self._found.pop(position)
        if isinstance(found, UnreadableRowError):
            raise found
        return found


class Lane:
    """One model's part of a run: its open tasks, and the threads that work on them."""

    def __init__(
        self,
        work: Callable[[Lane], None],
        read: Callable[[Collection[int]], dict[int, Sample | UnreadableRowError]],
        tasks: Sequence[Task],
        session: ModelSession | None,
        judges: Sequence[ModelSession],
        workers: int,
    ) -> None:
        self.session = session
        self._asked = " or ".join(each.name for each in (session, *judges) if each)
        self.outages = 0
        self.unreadable = 0
        self.left = sum(len(task.metrics) for task in tasks)
        self.reasons: tuple[Reason, ...] = ()
        self.threads = [
            threading.Thread(target=work, args=(self,), daemon=True, name="plumbline")
            for _ in range(min(workers, len(tasks)))
        ]
        self.samples = Ahead(read, [task.position for task in tasks])
        self._tasks = iter(tasks)
        self._turn = threading.Lock()
        self._stopped = threading.Event()

    def tasks(self) -> Iterator[Task]:
        """The next open task, as long as there is one and nobody stopped the lane."""
        while not self.is_stopped:
            with self._turn:
                task = next(self._tasks, None)
            if task is None:
                return
            yield task

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self, *reasons: Reason) -> None:
        """Gives no task out any more; the first reason counts."""
        with self._turn:
            self.reasons = self.reasons or reasons
            self.left = 0
        self._stopped.set()

    def count(self, failures: Sequence[type[BaseException] | None]) -> None:
        """Takes note of how one answer's metrics failed; raises `RunStoppedError` where it was so
        too often in a row.

        An answer counts once, and metrics that ask nobody do not make up for one that was not
        answered.
        """
        self.outages = _in_a_row(self.outages, TransientError, failures)
        self.unreadable = _in_a_row(self.unreadable, UnreadableAnswerError, failures)
        failed = f"{MOST_IN_A_ROW} samples in a row failed because"
        if self.outages >= MOST_IN_A_ROW:
            message = f"{failed} {self._asked} gave no answer. Resume when it answers again."
            raise RunStoppedError(message, kind="outage")
        if self.unreadable >= MOST_IN_A_ROW:
            remedy = "Start a run with another judge, or with a metric that asks less of it."
            message = f"{failed} the judge's answers could not be read. {remedy}"
            raise RunStoppedError(message, kind="unreadable")


def _failed(error: BaseException) -> dict[str, object]:
    """The fields of a result that failed with this error."""
    why = reason(error)
    return {"status": "failed", "error": why.message, "error_kind": why.kind, "remedy": why.remedy}


def _in_a_row(
    before: int, kind: type[PlumblineError], failures: Sequence[type[BaseException] | None]
) -> int:
    """How many answers in a row failed of this kind, with this one; failures of another kind change
    nothing.
    """
    if any(failure and issubclass(failure, kind) for failure in failures):
        return before + 1
    return before if any(failures) else 0


_response_caches: WeakValueDictionary[tuple[Store, str], ResponseCache] = WeakValueDictionary()


def _response_cache(store: Store, run: Run) -> ResponseCache:
    """The answers of a workspace, one cache for all its jobs, so that they share what is on its
    way.

    A run without stored answers has a cache of its own: what it paid for itself, it does not pay
    for again.
    """
    if not run.use_cache:
        return ResponseCache(partial(store.calls.answer, run.workspace, run_id=run.id))
    return _response_caches.setdefault(
        (store, run.workspace), ResponseCache(partial(store.calls.answer, run.workspace))
    )


def _tasks(cells: Sequence[Cell]) -> list[Task]:
    """The open cells, those of one answer together."""
    answers = groupby(cells, key=lambda cell: (cell.position, cell.model))
    return [
        Task(position, model, tuple(cell.metric for cell in own))
        for (position, model), own in answers
    ]


def _scattered(task: Task) -> tuple[int, Task]:
    """Every model goes through the samples in the same mixed order, so that a part of a run is a
    fair part.
    """
    return zlib.crc32(str(task.position).encode()), task


def _workers(sessions: Sequence[ModelSession | None], processes: int) -> int:
    """Where a provider or a worker process answers, threads only wait; else they compete for the
    processor.

    Two for each process: while one stores its result, the other one's sample is at work.
    """
    waits = any(each.is_remote for each in sessions if each)
    return config().workers if waits else max(CPU_WORKERS, 2 * processes)
