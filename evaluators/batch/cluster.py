"""The Ray engine: tasks on all machines of a cluster do the requests of a batch.

Plain tasks and not Ray Data, which would bring readers, an order and a resume of its own: all of
that is shared with the local engine, and only who judges a piece differs.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from evaluators.errors import ParameterError, WorkerError
from evaluators.runs.worker import SECONDS, Reply, Request, alarm, reply
from evaluators.text.printable import first_line, printable

# Pieces and results pass through it; by default Ray takes a third of the memory.
STORE_BYTES = 256 * 2**20
"""Shared memory of an embedded Ray."""

CONNECT_SECONDS = 20
"""So long the machine of a cluster may take to answer."""

MOST_FAILED_STARTS = 5
"""Workers that may end before they were ready; then something is wrong with the machines."""


@contextmanager
def ray_workers(address: str, size: int | None) -> Iterator[RayWorkers]:
    """Workers of the Ray in this process, or at an address; what this has started ends with it.

    `size` is their number, one for each processor unless given. Raises `ParameterError` where no
    cluster answers.
    """
    if address.startswith("ray://"):
        raise ParameterError(
            "An address that begins with ray:// is that of a client outside of the cluster. "
            "Start the batch on a machine of the cluster, with the Ray address auto."
        )
    try:
        _check_answers(address)
        is_ours = not ray.is_initialized()
        if is_ours:
            _start(address, size)
    except (RayError, OSError, OverflowError, RuntimeError, ValueError) as error:
        where = f"at {printable(address)}" if address else "on this machine"
        raise ParameterError(
            f"No Ray answers {where} ({first_line(error)}). Check the Ray address."
        ) from error
    try:
        processors = int(ray.cluster_resources().get("CPU", 1))
        yield RayWorkers(size or max(1, processors))
    finally:
        if is_ours:
            ray.shutdown()


def _start(address: str, size: int | None) -> None:
    # Else Ray would tell its makers of the cluster.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    embedded: dict[str, Any] = {
        "num_cpus": size or os.cpu_count() or 1,
        "include_dashboard": False,
        "object_store_memory": STORE_BYTES,
        # Workers find modules where this process does, also those of a checkout.
        "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}},
    }
    ray.init(
        # Else it would look for a cluster that somebody has started on this machine.
        address or "local",
        log_to_driver=False,
        logging_level=logging.ERROR,
        **({} if address else embedded),
    )


def _check_answers(address: str) -> None:
    """Raises `OSError` where nobody answers at HOST:PORT: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()


class RayWorkers:
    """Tasks of Ray, `size` of which are at work at a time; a process that dies ends one alone."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.is_broken = False
        # References have no type of their own.
        self._at_work: set[Any] = set()
        self._is_closed = False

    def start(self) -> None:
        """Nothing: Ray starts a process for the first task that needs one."""

    def run(self, request: Request, is_cancelled: Callable[[], bool]) -> Reply:
        """What a task replies; raises `WorkerError` where its process ended, or it failed."""
        if is_cancelled():
            raise CancelledError
        try:
            # Whose process ends is asked again by whoever sent it, who then tells its rows apart.
            answer: Reply = self._result(_reply_in_time, request)
        except RayError as error:
            if self._is_closed:
                raise CancelledError from None
            self._check_works(error)
            # Whatever Ray itself says: the worker died, its machine did, or its memory was too
            # small.
            raise WorkerError(
                "The process that worked on these rows ended, perhaps because it ran out of "
                "memory. Shorten their texts, or try again."
            ) from error
        return answer.checked()

    def close(self) -> None:
        """Ends what is at work; for whoever waits for it, `CancelledError` is raised."""
        self._is_closed = True
        for at_work in [*self._at_work]:
            ray.cancel(at_work, force=True)

    def _check_works(self, error: RayError) -> None:
        """Raises `WorkerError` where no request could be read, or no process can even begin."""
        try:
            if isinstance(error, RayTaskError):
                raise error
            self._result(_begin, retries=MOST_FAILED_STARTS)
        except RayError as why:
            self.is_broken = True
            *_, last_line = str(why).strip().splitlines() or [""]
            raise WorkerError(
                f"No worker can be started on Ray ({printable(last_line)[:200]}). Install the same "
                "version of Plumbline on all machines of the cluster."
            ) from None

    def _result(self, work: Callable[..., Any], *given: Request, retries: int = 0) -> Any:
        at_work = ray.remote(work).options(num_cpus=1, max_retries=retries).remote(*given)
        self._at_work.add(at_work)
        # Whoever closes this has seen the task among those at work, or it sees that.
        if self._is_closed:
            ray.cancel(at_work, force=True)
        try:
            return ray.get(at_work)
        finally:
            self._at_work.discard(at_work)


def _begin() -> None:
    """Nothing: a process that does it has begun, and has this version."""


def _reply_in_time(request: Request) -> Reply:
    """Does the request; the system ends a process that takes longer than any may."""
    alarm(SECONDS)
    try:
        return reply(request)
    finally:
        alarm(0)
