"""The Ray engine: actors on all machines judge pieces, and one asks the judges for all of them.

Plain actors and not Ray Data, which would bring readers, an order and a resume of its own: all of
that is shared with the local engine, and only who judges a piece differs.
"""

from __future__ import annotations

import logging
import math
import os
import socket
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, Self

import pyarrow as pa
import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from evaluators.batch.function import Each, ScoreRow
from evaluators.batch.judging import AskJudges, Judges, JudgesSetup, Judging
from evaluators.batch.pieces import Piece
from evaluators.batch.worker import Task, free_row_scorer, results_by
from evaluators.catalogue import from_spec
from evaluators.config import config
from evaluators.errors import ParameterError, RunStoppedError, StoreError, WorkerError
from evaluators.llm.budget import Share
from evaluators.prompts import Prompt
from evaluators.records import Completion
from evaluators.runs.failure_streaks import Failure
from evaluators.runs.pool import TICK
from evaluators.runs.scoring import failure_reason
from evaluators.runs.worker import SECONDS
from evaluators.text.printable import printable

# Pieces and results pass through it; by default Ray takes a third of the memory.
STORE_BYTES = 256 * 2**20
"""Shared memory of an embedded Ray."""

CONNECT_SECONDS = 20
"""So long the machine of a cluster may take to answer."""

MOST_FAILED_STARTS = 5
"""Workers that may end before they were ready; then something is wrong with the machines."""


class Cluster:
    """Ray in this process, or at an address; as a context it ends what it has started.

    `size` is the number of workers, one for each processor unless given. Raises `ParameterError`
    where no cluster answers.
    """

    def __init__(self, address: str, size: int | None) -> None:
        self._address = address
        self._wanted = size
        self._is_ours = False
        self._judges: RemoteJudges | None = None

    def __enter__(self) -> Self:
        if self._address.startswith("ray://"):
            raise ParameterError(
                "An address that begins with ray:// is that of a client outside of the cluster. "
                "Start the batch on a machine of the cluster, with the Ray address auto."
            )
        with self._connecting():
            _check_answers(self._address)
        if not ray.is_initialized():
            self._is_ours = True
            self._connect()
        processors = int(ray.cluster_resources().get("CPU", 1))
        self.size = self._wanted or max(1, processors)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            ray.shutdown()

    def judges(self, setup: JudgesSetup) -> RemoteJudges:
        """The one actor that asks judges, on this machine: what is paid is kept in a file here."""
        here = ray.get_runtime_context().get_node_id()
        actor = ray.remote(_JudgesActor).options(
            num_cpus=0,
            max_concurrency=2 * self.size * self.threads,
            scheduling_strategy=NodeAffinitySchedulingStrategy(here, soft=False),
        )
        judges = RemoteJudges(actor.remote())
        # Not as arguments of the actor itself, which the cluster would keep: there are keys in it.
        judges.open(setup, _own_environment())
        self._judges = judges
        return judges

    def workers(self, task: Task) -> RayWorkers:
        return RayWorkers(task, self.size, self.threads, self._judges)

    @property
    def threads(self) -> int:
        """Rows that each worker asks judges about at a time: together as many as on one machine."""
        return math.ceil(config().workers / self.size)

    def _connect(self) -> None:
        # Else Ray would tell its makers of the cluster.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        embedded: dict[str, Any] = {
            "num_cpus": self._wanted or os.cpu_count() or 1,
            "include_dashboard": False,
            "object_store_memory": STORE_BYTES,
            # Workers find modules where this process does, also those of a checkout.
            "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}},
        }
        with self._connecting():
            ray.init(
                # Else it would look for a cluster that somebody has started on this machine.
                self._address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **({} if self._address else embedded),
            )

    @contextmanager
    def _connecting(self) -> Iterator[None]:
        """Says in a sentence that no Ray is there."""
        try:
            yield
        except (RayError, OSError, OverflowError, RuntimeError, ValueError) as error:
            first_line, _, _ = str(error).partition("\n")
            where = f"at {printable(self._address)}" if self._address else "on this machine"
            raise ParameterError(
                f"No Ray answers {where} ({printable(first_line)[:200]}). Check the Ray address."
            ) from error


def _check_answers(address: str) -> None:
    """Raises `OSError` where nobody answers at HOST:PORT: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()


def _own_environment() -> dict[str, str]:
    """The settings of this process, for an actor on the same machine; no key is among them."""
    return {name: text for name, text in os.environ.items() if name.startswith("PLUMBLINE_")}


def _answer_of(reference: Any, seconds: float | None = None) -> Any:
    """What an actor answers; raises what it raised, as if it had been called here."""
    try:
        return ray.get(reference, timeout=seconds)
    except RayTaskError as error:
        raise (error.cause or WorkerError(str(error))) from None


# Judges


class _JudgesActor:
    """The judges of a batch, in a process of their own."""

    def open(self, setup: JudgesSetup, environment: Mapping[str, str]) -> None:
        os.environ.update(environment)
        self._judges: Judges = setup.open()

    def call(self, name: str, *values: Any) -> Any:
        return getattr(self._judges, name)(*values)


class RemoteJudges(AskJudges):
    """`Judges` that live in an actor."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def open(self, setup: JudgesSetup, environment: Mapping[str, str]) -> None:
        self._answer(self._actor.open.remote(setup, environment))

    def begin(self, worker: str, share: Share) -> int:
        return int(self._call("begin", worker, share))

    def prompt_budget(self, judge: int) -> int | None:
        budget: int | None = self._call("prompt_budget", judge)
        return budget

    def complete(self, number: int, judge: int, prompt: Prompt) -> Completion:
        completion: Completion = self._call("complete", number, judge, prompt)
        return completion

    def end(
        self,
        number: int,
        useless: Collection[str],
        failures: Sequence[Failure],
    ) -> Mapping[str, Any]:
        usage: Mapping[str, Any] = self._call("end", number, useless, failures)
        return usage

    def left(self, worker: str) -> None:
        self._call("left", worker)

    def close(self) -> None:
        """Ends the actor, after what it asks now was answered and stored."""
        with suppress(RunStoppedError):
            self._call("close")
        ray.kill(self._actor)

    def _call(self, name: str, *values: Any) -> Any:
        return self._answer(self._actor.call.remote(name, *values))

    def _answer(self, reference: Any) -> Any:
        try:
            return _answer_of(reference)
        # Also a machine that went down, or ran out of memory, ends it.
        except RayError as error:
            raise RunStoppedError(
                "The process that asks the judges has ended. Everything so far is kept; give the "
                "same command again.",
                kind="worker",
            ) from error


# Workers


class _WorkerActor:
    """A worker: it judges one piece after the other."""

    def open(self, task: Task, name: str, threads: int, judges: RemoteJudges | None) -> None:
        self._task = task
        self._each: Each = map
        self._score_row: ScoreRow = free_row_scorer(task)
        if judges:
            metrics = [from_spec(spec) for spec in task.metrics]
            judging = Judging(metrics, task.judges, judges, has_cap=task.has_cap, worker=name)
            self._score_row = judging.score_row
            self._each = ThreadPoolExecutor(threads, "plumbline-rows").map

    def results(self, piece: Piece) -> pa.RecordBatch:
        try:
            return results_by(self._score_row, piece, self._task, self._each)
        except (RunStoppedError, StoreError):
            raise
        # The same piece would fail again as a whole: its rows are to be tried one by one.
        except (Exception, SystemExit) as error:
            reason = failure_reason(error)
            raise WorkerError(reason.message, kind=reason.kind, remedy=reason.remedy) from None


class _Member(NamedTuple):
    """A worker of the cluster by its name."""

    name: str
    actor: Any


class RayWorkers:
    """`size` actors that judge pieces; one that has died is replaced by another."""

    def __init__(
        self,
        task: Task,
        size: int,
        threads: int,
        judges: RemoteJudges | None,
    ) -> None:
        self.size = size
        self.is_broken = False
        self._task = task
        self._threads = threads
        self._judges = judges if task.judges else None
        # Judges may take as long as their limits make them.
        self._seconds = None if self._judges else SECONDS
        self._names = map(str, count(1))
        self._lock = Lock()
        self._members: set[_Member] = set()
        self._free: SimpleQueue[_Member] = SimpleQueue()
        self._failed_starts = 0
        self._why_broken = ""
        self._is_closed = False

    def start(self) -> None:
        for _ in range(self.size):
            self._add()

    def results(self, piece: Piece, is_cancelled: Callable[[], bool]) -> pa.RecordBatch:
        """The results of a piece; raises `WorkerError` where its worker ended, or it failed."""
        member = self._take(is_cancelled)
        try:
            results = _answer_of(member.actor.results.remote(piece), self._seconds)
        # Whatever Ray itself says: the worker died, its machine did, or its memory was too small.
        except RayError as error:
            self._replace(member)
            if self._is_closed:
                raise CancelledError from None
            raise WorkerError(
                "The process that worked on these rows ended, perhaps because it ran out of "
                "memory. Shorten their texts, or try again."
            ) from error
        except BaseException:
            self._free.put(member)
            raise
        self._free.put(member)
        return results

    def close(self) -> None:
        """Ends all workers; for whoever waits for one, `CancelledError` is raised."""
        with self._lock:
            self._is_closed = True
            members = list(self._members)
        for member in members:
            ray.kill(member.actor)

    def _take(self, is_cancelled: Callable[[], bool]) -> _Member:
        while True:
            with suppress(Empty):
                return self._free.get(timeout=TICK)
            if self.is_broken:
                raise WorkerError(
                    f"No worker can be started on Ray ({self._why_broken}). Install the same "
                    "version of Plumbline on all machines of the cluster."
                )
            if is_cancelled() or self._is_closed:
                raise CancelledError

    def _replace(self, member: _Member) -> None:
        ray.kill(member.actor)
        with self._lock:
            self._members.discard(member)
        if self._judges:
            self._judges.left(member.name)
        self._add()

    def _add(self) -> None:
        with self._lock:
            if self._is_closed or self.is_broken:
                return
            actor = ray.remote(_WorkerActor).options(num_cpus=1).remote()
            member = _Member(next(self._names), actor)
            self._members.add(member)
        ready = actor.open.remote(self._task, member.name, self._threads, self._judges)
        ready.future().add_done_callback(partial(self._opened, member))

    def _opened(self, member: _Member, ready: Future[None]) -> None:
        error = ready.exception()
        if error is None:
            self._free.put(member)
            return
        with self._lock:
            self._members.discard(member)
            self._failed_starts += 1
            # What it raised itself it would raise again; one that was ended may do better.
            if isinstance(error, RayTaskError) or self._failed_starts >= MOST_FAILED_STARTS:
                *_, last_line = str(error).strip().splitlines() or [""]
                self._why_broken = printable(last_line)[:200]
                self.is_broken = True
        self._add()
