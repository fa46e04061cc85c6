"""A job is a run at work: worker groups take its open answers, and all is closed at their end."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from evaluators.catalogue import from_spec
from evaluators.config import config
from evaluators.errors import StoreError
from evaluators.llm import Keys
from evaluators.llm.budget import NOTHING, Amount, Meter
from evaluators.llm.clients import ModelSession, RunContext, open_sessions
from evaluators.llm.layers import ResponseCache
from evaluators.records import Reason, Run
from evaluators.runs import overview, pool
from evaluators.runs.answer_scorer import AnswerScorer
from evaluators.runs.overnight import Overnight, collection_note, waiting
from evaluators.runs.pace import Pace, Progress
from evaluators.runs.prepared import prepare
from evaluators.runs.run_control import RunControl
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.runs.tasks import Task, open_tasks
from evaluators.runs.worker_group import WorkerGroup

CPU_THREADS = 2
"""Threads of a run that neither waits for a provider nor for worker processes."""

LONG_RUN = 100
"""Open cells from which worker processes are started: a shorter run ends before they are there."""

LARGE_RUN = 1000
"""Cells from which figures are worked out when the run ends: of fewer a page does it unnoticed."""

_response_caches: WeakValueDictionary[tuple[Store, str], ResponseCache] = WeakValueDictionary()


class Job:
    """One run at work, a worker group for each model, until no cell is open or somebody cancels.

    One that `withdraws` asks nothing: it has providers cancel the batches of the run. Raises
    `AccessError` where a model or the judge has no key, `RunElsewhereError` where another process
    works on it.
    """

    def __init__(
        self,
        run: Run,
        store: Store,
        keys: Keys | None = None,
        *,
        withdraws: bool = False,
    ) -> None:
        self.run = run
        self.keys: Keys = keys or {}
        """What its models are asked with; nothing once it has ended."""
        self.control = RunControl(run.id, store)
        self._store = store
        self._sessions: list[ModelSession] = []
        self._pace = Pace(self._sessions)
        self._supervisor = threading.Thread(target=self._supervise, daemon=True, name="plumbline")
        self._lock = store.run_lock(run.id)
        self._cache = _response_cache(store, run)
        self._groups: Sequence[WorkerGroup] = ()
        self._overnight: Overnight | None = None
        self._is_paused = False
        self._withdraws = withdraws
        try:
            # Before a lock is put where there is no store any more.
            store.check()
            self._lock.acquire()
            # What an earlier try has paid for and could not store is not asked for again.
            store.writer.store_left_over()
            # Also where it is to be asked at once from now on: what is on its way is paid for.
            if run.overnight or withdraws or store.batches.open(run.id):
                self._overnight = Overnight(run, store, self.keys, self._cache, self.control)
            else:
                self._groups = self._opened_groups(open_tasks(store, run))
        except BaseException:
            self._close()
            raise

    def start(self) -> None:
        try:
            self._store.runs.save_stop_reasons(self.run.id)
            self._store.environments.begin(self.run)
            self._start_groups()
            self._supervisor.start()
        except BaseException:
            self.cancel()
            self._close()
            raise

    def cancel(self) -> None:
        """Stops at once: calls in flight are cut off, what is done stays."""
        # Whoever has batches cancelled and then deletes the run means both.
        if not self._withdraws:
            self.control.cancel()

    def pause(self, *reasons: Reason) -> None:
        """Takes up nothing more.

        The answers on their way are stored, so that nothing is paid for twice.
        """
        self._is_paused = True
        if not self._groups:
            self.control.save_stop_reason(0, *reasons)
        for group in self._groups:
            group.stop(*reasons)

    @property
    def is_pausing(self) -> bool:
        """Whether nothing more is taken up."""
        if self._is_paused or not self._groups:
            return self._is_paused
        return all(group.is_stopped for group in self._groups)

    @property
    def seconds(self) -> float:
        """How long it has been at work, up to its end."""
        return self._pace.seconds

    @property
    def is_live(self) -> bool:
        return self._supervisor.is_alive()

    def wait(self, seconds: float | None = None) -> None:
        """Waits until it has ended; does nothing where it was not started."""
        if self._supervisor.ident is not None:
            self._supervisor.join(seconds)

    def progress(self) -> Progress:
        return self._pace.progress(sum(group.cells_left for group in self._groups))

    def _opened_groups(
        self,
        tasks: Sequence[Task],
        reserved: Amount = NOTHING,
    ) -> list[WorkerGroup]:
        # A resumed run goes on with the budget that is left of it.
        spent = self._store.calls.paid(self.run.id).plus(reserved)
        meter = Meter(self.run.cap, spent)
        has_batches = self._overnight is not None
        context = RunContext(self.control.scope, meter, self._cache, self.run.id, has_batches)
        specs = (*self.run.judges, *self.run.models)
        # Into the list that the pace looks at.
        sessions = open_sessions(specs, self.keys, context)
        self._sessions += sessions
        judges = sessions[: len(self.run.judges)]
        generators = sessions[len(judges) :]
        is_long = len(tasks) * len(self.run.evaluators) >= LONG_RUN
        self._uses_processes = is_long and self._has_work_for_processes(generators)
        scorer = AnswerScorer(self.run, self._store, judges, context, self.control)
        # Models are asked side by side, and share the threads.
        models = max(1, len(generators))
        size = max(1, self._threads() // models)
        groups = []
        for number, generator in enumerate(generators or [None]):
            own = [task for task in tasks if task.model == number]
            groups.append(WorkerGroup(number, own, scorer, self._pace, generator, size))
        return groups

    def _threads(self) -> int:
        # Where a provider or a worker process answers, threads only wait; else they compete for the
        # processor. Two for each process: while one stores its result, the other one's sample is
        # at work.
        if any(session.is_remote for session in self._sessions):
            return config().workers
        if self._uses_processes:
            return max(CPU_THREADS, 2 * pool.shared().size)
        return CPU_THREADS

    def _has_work_for_processes(self, generators: Sequence[ModelSession]) -> bool:
        if any(not generator.is_remote for generator in generators):
            return True
        for evaluator in map(from_spec, self.run.evaluators):
            # One that asks a judge stays here, where the connections are.
            has_judge = bool(self.run.judges and evaluator.most_judges())
            if pool.takes(evaluator) and not (evaluator.is_light or has_judge):
                return True
        return False

    def _start_groups(self) -> None:
        if self._groups and self._uses_processes:
            pool.shared().start()
        for group in self._groups:
            group.start()

    def _supervise(self) -> None:
        """Waits for the threads of all groups, then lets the connections go."""
        if self._overnight:
            self._try_overnight(self._overnight)
        for group in self._groups:
            group.join()
        # Before the connections go: the time of the run ends with its last answer.
        self._pace.end()
        self._close()
        # A run that came to its end all the same has not stopped.
        with suppress(StoreError):
            self._store.environments.end(self.run)
            counts = self._store.results.counts(self.run)
            if not counts.open:
                self._store.runs.save_stop_reasons(self.run.id)
            # While the run still counts as live: nobody waits for its figures who then opens it.
            view = RunView.read(self._store, self.run)
            overview.summary(view)
            if counts.asked >= LARGE_RUN:
                prepare(view, lambda: self.control.is_cancelled)

    def _try_overnight(self, overnight: Overnight) -> None:
        """Works on the batches; whatever goes wrong is kept as the reason why the run stopped."""
        try:
            reasons = self._work_overnight(overnight)
        except CancelledError:
            return
        except Exception as error:
            reasons = [self.control.why_stopped(error)]
        with suppress(StoreError):
            reasons = [*waiting(self._store, self.run), *reasons]
        # Behind those of the models' groups, which are numbered from 0.
        for number, reason in enumerate(reasons, start=len(self._groups)):
            self.control.save_stop_reason(number, reason)

    def _work_overnight(self, overnight: Overnight) -> list[Reason]:
        """Judges what has come back, sends what was not asked yet, and says how that went."""
        if self._withdraws:
            return [*overnight.cancel()]
        collected = overnight.collect()
        problems = collected.problems
        steps = overnight.steps(open_tasks(self._store, self.run))
        if steps.ready and not self._is_paused:
            self._groups = self._opened_groups(steps.ready, steps.reserved)
            # Whoever paused the run while they were opened could not stop them.
            if self._is_paused:
                self.pause()
            self._start_groups()
            for group in self._groups:
                group.join()
        # What stopped a part of the run, a refused key for instance, speaks against sending more.
        is_stopped = any(group.is_stopped for group in self._groups)
        if not (problems or is_stopped or self._is_paused):
            problems = overnight.send(steps)
        note = collection_note(self._store, self.run, collected)
        return [*note, *overnight.waiting_beside(steps), *problems]

    def _close(self) -> None:
        # A key is held no longer than it is used.
        self.keys = {}
        if self._overnight:
            self._overnight.close()
        for session in self._sessions:
            session.close()
        self._lock.release()


def _response_cache(store: Store, run: Run) -> ResponseCache:
    """The answers of a workspace, one cache for all its jobs, so that they share what is in flight.

    A run without stored answers has a cache of its own: what it paid for itself, it does not pay
    for again.
    """
    if not run.use_cache:
        return ResponseCache(partial(store.calls.answer, run.workspace, run_id=run.id))
    cache = ResponseCache(partial(store.calls.answer, run.workspace))
    return _response_caches.setdefault((store, run.workspace), cache)
