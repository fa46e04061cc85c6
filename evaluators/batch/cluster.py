"""The Ray engine: actors on all machines of a cluster do the requests of a batch.

Plain actors and not Ray Data, which would bring readers, an order and a resume of its own: all of
that is shared with the local engine, and only who judges a piece differs.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Self

import ray
from ray.exceptions import RayError, RayTaskError

from evaluators.batch.worker import Task
from evaluators.errors import ParameterError, WorkerError
from evaluators.runs.pool import TICK
from evaluators.runs.worker import SECONDS, Reply, Request, reply
from evaluators.text.printable import first_line, printable

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

    def workers(self, task: Task) -> RayWorkers:
        return RayWorkers(task, self.size)

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
            where = f"at {printable(self._address)}" if self._address else "on this machine"
            raise ParameterError(
                f"No Ray answers {where} ({first_line(error)}). Check the Ray address."
            ) from error


def _check_answers(address: str) -> None:
    """Raises `OSError` where nobody answers at HOST:PORT: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()


class _WorkerActor:
    """A worker: it does one request after the other."""

    def open(self, task: Task) -> None:
        """Nothing: a task that arrives is one of the same version."""

    def reply(self, request: Request) -> Reply:
        return reply(request)


class RayWorkers:
    """`size` actors; one that has died is replaced by another."""

    def __init__(self, task: Task, size: int) -> None:
        self.size = size
        self.is_broken = False
        self._task = task
        self._lock = Lock()
        # Actors have no type of their own.
        self._actors: set[Any] = set()
        self._free: SimpleQueue[Any] = SimpleQueue()
        self._failed_starts = 0
        self._why_broken = ""
        self._is_closed = False

    def start(self) -> None:
        for _ in range(self.size):
            self._add()

    def run(self, request: Request, is_cancelled: Callable[[], bool]) -> Reply:
        """What an actor replies; raises `WorkerError` where it ended, or the request failed."""
        actor = self._take(is_cancelled)
        try:
            answer: Reply = ray.get(actor.reply.remote(request), timeout=SECONDS)
        # It could not even be read there.
        except RayTaskError as error:
            self._free.put(actor)
            raise WorkerError(first_line(error)) from None
        # Whatever Ray itself says: the worker died, its machine did, or its memory was too small.
        except RayError as error:
            self._replace(actor)
            if self._is_closed:
                raise CancelledError from None
            raise WorkerError(
                "The process that worked on these rows ended, perhaps because it ran out of "
                "memory. Shorten their texts, or try again."
            ) from error
        self._free.put(actor)
        return answer.checked()

    def close(self) -> None:
        """Ends all workers; for whoever waits for one, `CancelledError` is raised."""
        with self._lock:
            self._is_closed = True
            actors = list(self._actors)
        for actor in actors:
            ray.kill(actor)

    def _take(self, is_cancelled: Callable[[], bool]) -> Any:
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

    def _replace(self, actor: Any) -> None:
        ray.kill(actor)
        with self._lock:
            self._actors.discard(actor)
        self._add()

    def _add(self) -> None:
        with self._lock:
            if self._is_closed or self.is_broken:
                return
            actor = ray.remote(_WorkerActor).options(num_cpus=1).remote()
            self._actors.add(actor)
        actor.open.remote(self._task).future().add_done_callback(partial(self._opened, actor))

    def _opened(self, actor: Any, ready: Future[None]) -> None:
        error = ready.exception()
        if error is None:
            self._free.put(actor)
            return
        with self._lock:
            self._actors.discard(actor)
            self._failed_starts += 1
            # What it raised itself it would raise again; one that was ended may do better.
            if isinstance(error, RayTaskError) or self._failed_starts >= MOST_FAILED_STARTS:
                *_, last_line = str(error).strip().splitlines() or [""]
                self._why_broken = printable(last_line)[:200]
                self.is_broken = True
        self._add()
