"""Worker processes that score away from the threads of the pages, shared by all runs.

A sample can end its worker. They are programs of their own, not `multiprocessing`: that would run
an unguarded script or notebook again in every worker, or fork a process full of threads.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue

from evaluators.base import Evaluator
from evaluators.catalogue import ships
from evaluators.config import PACKAGE, config
from evaluators.errors import WorkerError
from evaluators.records import Sample, Score
from evaluators.runs.worker import (
    MEMORY,
    READY,
    SECONDS,
    AnswerRequest,
    Reply,
    Request,
    ScoreRequest,
    as_line,
)
from evaluators.sandbox.child import environment
from evaluators.text.language import say

# It takes some seconds on a quiet one: numpy and the sentence cutter are imported.
START_SECONDS = 60
"""The longest that a worker may take to start on a busy machine."""
# While a hundred start together on two processors, none is ready before its time is over.
TOGETHER = os.cpu_count() or 1
"""Workers that start at a time."""
TICK = 0.1
"""Seconds between two looks whether a run was cancelled."""
GRACE = 0.5
"""Seconds in which the sample of a cancelled run may end before its worker is ended."""
LARGE = 50_000
"""Characters from which a sample is worth waiting for a worker that has still to start."""

_PROGRAM = """
import json, os, sys
if hasattr(os, "nice"):
    os.nice(10)  # before anything is imported: the app comes first
sys.path[:] = json.loads(sys.argv[1])
import evaluators.runs.worker
evaluators.runs.worker.main()
"""

Cancelled = Callable[[], bool]


def takes(evaluator: Evaluator) -> bool:
    """Whether workers can do it: ours, without an LLM, and without a model that is loaded.

    The code of metrics of one's own stays where its author expects it, and a model would be loaded
    once per worker.
    """
    asks = getattr(evaluator, "llm_client", None) is not None
    return ships(type(evaluator)) and not asks and not evaluator.loads_model


def is_large(sample: Sample) -> bool:
    in_documents = sum(map(len, sample.evidence))
    return len(sample.response or "") + in_documents >= LARGE


def is_sent(evaluator: Evaluator, sample: Sample) -> bool:
    """Whether workers do it, and sending the sample is worth it."""
    return takes(evaluator) and (is_large(sample) or not evaluator.is_light)


class Pool:
    """`size` workers, each with `seconds` for a request; who comes first is served first."""

    def __init__(self, size: int, seconds: float = SECONDS) -> None:
        self.size = size
        self._seconds = seconds
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._starting = 0
        self._free: list[_Worker] = []
        self._waiting: deque[SimpleQueue[_Worker]] = deque()
        self._is_closed = False
        self._is_broken = False

    @property
    def is_ready(self) -> bool:
        """Whether a worker is there, at work or free."""
        return bool(self._workers)

    @property
    def is_broken(self) -> bool:
        """Whether no worker can be started on this machine."""
        return self._is_broken

    def start(self) -> None:
        """Starts the workers that are missing, a few at a time, and does not wait for them."""
        with self._lock:
            missing = self.size - len(self._workers) - self._starting
            begun = min(missing, TOGETHER - self._starting)
            if begun <= 0 or self._is_closed or self._is_broken:
                return
            self._starting += begun
        for _ in range(begun):
            threading.Thread(target=self._add, daemon=True, name="plumbline-worker").start()

    def can_take(self, sample: Sample) -> bool:
        """Whether the sample goes to a worker.

        It does where one is there; a large one waits for the first that will be.
        """
        if self._is_broken:
            return False
        if not self.is_ready and is_large(sample):
            self.start()
            return not self._is_broken
        return self.is_ready

    def score(
        self,
        evaluator: Evaluator,
        sample: Sample,
        is_cancelled: Cancelled,
    ) -> Score:
        """The score of a sample.

        Raises `WorkerError` with the reason of a failure, `CancelledError` soon after
        `is_cancelled`.
        """
        score = self.run(ScoreRequest(sample, evaluator.spec()), is_cancelled).score
        assert score
        return score

    def answer(self, sample: Sample, prompt: str, is_cancelled: Cancelled) -> str:
        """The offline reader's answer; raises as `score` does."""
        return self.run(AnswerRequest(sample, prompt), is_cancelled).answer or ""

    def close(self) -> None:
        """Ends all workers; for whoever waits for one, `CancelledError` is raised."""
        with self._lock:
            self._is_closed = True
            workers = list(self._workers)
        for worker in workers:
            worker.end()

    def run(self, request: Request, is_cancelled: Cancelled) -> Reply:
        """What a worker replies to a request; raises as `score` does."""
        line = as_line(request)
        worker = self._take(is_cancelled)
        # Whatever goes wrong, its next reply would be to this request: it is ended.
        try:
            answer = worker.ask(line, self._seconds, is_cancelled)
            reply = Reply.model_validate_json(answer)
        except BaseException:
            self._drop(worker)
            if self._is_closed:
                raise CancelledError from None
            raise
        self._give(worker)
        return reply.checked()

    def _take(self, is_cancelled: Cancelled) -> _Worker:
        """The next free worker; raises `CancelledError`."""
        ticket: SimpleQueue[_Worker] = SimpleQueue()
        with self._lock:
            # Who waits already comes first.
            while self._free and not self._waiting:
                worker = self._free.pop()
                if worker.is_alive:
                    return worker
                # It has ended by itself: this closes its pipes.
                worker.end()
                self._workers.discard(worker)
            self._waiting.append(ticket)
        self.start()
        while True:
            with suppress(Empty):
                return ticket.get(timeout=TICK)
            if is_cancelled() or self._is_closed or self._is_broken:
                self._leave(ticket)
                if not self._is_broken:
                    raise CancelledError
                raise WorkerError(
                    say(
                        "No worker process can be started on this machine. Close other programs "
                        "and go on."
                    )
                )

    def _leave(self, ticket: SimpleQueue[_Worker]) -> None:
        """Gives up a place in the queue, and on the worker that came meanwhile."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
        # Another thread has just put a worker on the ticket: it goes to the next in the queue.
        self._give(ticket.get())

    def _give(self, worker: _Worker) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().put(worker)
            else:
                self._free.append(worker)

    def _drop(self, worker: _Worker) -> None:
        """Ends a worker and starts another in its place."""
        worker.end()
        with self._lock:
            self._workers.discard(worker)
        self.start()

    def _add(self) -> None:
        worker = None
        with suppress(OSError):
            worker = _Worker()
            if not worker.starts():
                worker.end()
                worker = None
        with self._lock:
            self._starting -= 1
            if worker is None:
                # Only where none has started at all: one that fails may have met a full memory.
                self._is_broken = not self._workers and not self._starting
                return
            self._workers.add(worker)
            is_late = self._is_closed
        if is_late:
            worker.end()
        else:
            self._give(worker)
            self.start()


class _Worker:
    """One process, and a thread that takes what it writes."""

    def __init__(self) -> None:
        folders = [str(PACKAGE.parent), *sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM, json.dumps(folders)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_worker_environment(),
            # Ctrl-C in a terminal is meant for us alone. No session of its own, though: Linux
            # shares the processor among sessions alike, however nice their processes are.
            process_group=0 if hasattr(os, "setpgid") else None,
        )
        assert self._process.stdin
        self._input = self._process.stdin
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True, name="plumbline-worker").start()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def starts(self) -> bool:
        """Waits until it is ready; `False` where it will not be."""
        with suppress(Empty):
            return self._lines.get(timeout=START_SECONDS) == READY
        return False

    def ask(self, line: bytes, seconds: float, is_cancelled: Cancelled) -> bytes:
        """Its reply; raises `WorkerError` where none comes: then this worker is of no use."""
        # Where the process has ended, its output has ended, too, which is noticed below.
        with suppress(OSError):
            self._input.write(line)
            self._input.flush()
        end = time.monotonic() + seconds
        was_cancelled = False
        while True:
            try:
                reply = self._lines.get(timeout=TICK)
            except Empty:
                if not was_cancelled and is_cancelled():
                    was_cancelled, end = True, min(end, time.monotonic() + GRACE)
                if time.monotonic() < end:
                    continue
                if was_cancelled:
                    raise CancelledError from None
                raise WorkerError(
                    say(
                        "This sample took longer than {seconds:g} s and was ended. Shorten its "
                        "texts, or split it.",
                        seconds=seconds,
                    )
                ) from None
            if reply:
                return reply
            raise WorkerError(
                say(
                    "The process that worked on this sample ended, perhaps because it ran out "
                    "of memory (it may use {memory:,.0f} MB). Shorten the sample's texts, or "
                    "try again.",
                    memory=MEMORY / 2**20,
                )
            )

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError):
            self._input.close()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout
        with self._process.stdout as output:
            for line in output:
                self._lines.put(line)
        # An empty line says that the process has ended; no reply is empty.
        self._lines.put(b"")


def _worker_environment() -> dict[str, str]:
    """Nothing of ours, no key above all, and no metrics of one's own."""
    # One thread each: the workers together fill the processor already.
    own = {"OPENBLAS_NUM_THREADS": "1", "PLUMBLINE_CUSTOM_DIR": os.devnull}
    # How much is read of a large run hangs on it.
    return environment() | own | ({"PLUMBLINE_PUBLIC": "1"} if config().public else {})


@cache
def shared() -> Pool:
    """The pool of this process, which ends with it."""
    pool = Pool(config().processes)
    atexit.register(pool.close)
    return pool
