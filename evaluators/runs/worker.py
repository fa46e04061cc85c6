"""A worker process: it does one `Request` after the other, such as to score a sample.

A request comes as a line, pickled and as base64; the `Reply` is a line of JSON, as a worker has
read what strangers wrote. The first line says that it is ready. It ends when its input does, that
is with the process that started it, even if that one is killed.
"""

from __future__ import annotations

import base64
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import BinaryIO, NamedTuple, Protocol

from evaluators.catalogue import catalogue, from_spec
from evaluators.errors import PlumblineError, WorkerError
from evaluators.llm.offline_reader import OfflineReader
from evaluators.messages import STORED
from evaluators.records import EvaluatorSpec, Reason, Record, Sample, Score
from evaluators.runs.scoring import (
    checked_score,
    failure_details,
    failure_reason,
    generated_response,
)
from evaluators.text.language import mark
from evaluators.text.sentences import split_sentences

READY = b"ready\n"
MEMORY = 2**30
"""Bytes that one sample may need beside those of Python and its libraries.

The heuristic takes a quarter at most.
"""
SECONDS = 120
"""The longest that one sample may take, by the clock."""


class Reply(Record):
    """A score, an answer, or a batch of results in Arrow's own form as base64; or why it failed.

    `foreign` is the class of an error that is not ours.
    """

    score: Score | None = None
    answer: str | None = None
    rows: str = ""
    reason: Reason | None = None
    details: str = ""
    foreign: str = ""

    def checked(self) -> Reply:
        """The same; raises `WorkerError` where it failed."""
        if self.reason:
            raise WorkerError(
                self.reason.message,
                self.details,
                foreign=self.foreign,
                kind=self.reason.kind,
                remedy=self.reason.remedy,
            )
        return self


class Request(Protocol):
    """What a worker is to do."""

    def reply(self) -> Reply: ...


class Workers(Protocol):
    """Whoever does requests elsewhere: a `Pool` of processes, or `RayWorkers`."""

    size: int

    @property
    def is_broken(self) -> bool:
        """Whether no worker can be started."""
        ...

    def start(self) -> None: ...

    def run(self, request: Request, is_cancelled: Callable[[], bool]) -> Reply:
        """Raises `WorkerError` where the request failed, or ended its worker."""
        ...

    def close(self) -> None:
        """For whoever waits for a worker, `CancelledError` is raised."""
        ...


class ScoreRequest(NamedTuple):
    """A sample to be scored by an evaluator."""

    sample: Sample
    evaluator: EvaluatorSpec

    def reply(self) -> Reply:
        return Reply(score=checked_score(from_spec(self.evaluator), self.sample))


class AnswerRequest(NamedTuple):
    """A sample to be answered by the offline reader."""

    sample: Sample
    prompt: str

    def reply(self) -> Reply:
        return Reply(answer=generated_response(self.sample, self.prompt, OfflineReader()))


def as_line(request: Request) -> bytes:
    """The request as a worker reads it."""
    return base64.b64encode(pickle.dumps(request)) + b"\n"


def reply(request: Request) -> Reply:
    """Does what is requested; a failure is worded as that of a run's own threads."""
    try:
        return request.reply()
    except MemoryError:
        most = f"{MEMORY / 2**20:,.0f} MB"
        message = mark(
            "This sample needs more memory than {most}. Shorten its texts, or split it."
        ).format(most=most)
        return Reply(reason=Reason(kind="worker", message=message))
    except (Exception, SystemExit) as error:
        foreign = "" if isinstance(error, PlumblineError) else type(error).__name__
        reason = failure_reason(error)
        return Reply(reason=reason, details=failure_details(error), foreign=foreign)


def main() -> None:
    """Works until the input ends."""
    output = _output_for_replies()
    catalogue()
    # Loads the sentence cutter: else the first sample would wait for it and count its memory.
    split_sentences("One sentence.")
    _limit_memory()
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests,), daemon=True).start()
    _send(output, READY)
    while True:
        # Written by the process that started this one, and by nobody else.
        request: Request = pickle.loads(base64.b64decode(requests.get()))
        # The parent ends a slow worker after SECONDS; this is for a parent that does not.
        alarm(2 * SECONDS)
        _send(output, reply(request).model_dump_json(context=STORED).encode() + b"\n")
        alarm(0)


def _output_for_replies() -> BinaryIO:
    """The standard output, kept for replies: what a library prints goes to the error stream."""
    # A print in the middle of a reply would make it unreadable.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def _receive(requests: SimpleQueue[bytes]) -> None:
    """Passes the requests on; the end of the input ends the process, whatever it is doing."""
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def _send(output: BinaryIO, line: bytes) -> None:
    output.write(line)
    output.flush()


def _limit_memory() -> None:
    """Bounds the memory where the system can, which is on Linux."""
    try:
        import resource  # POSIX alone has it

        # Python and its libraries are in use already; the limit is for what a sample adds.
        with open("/proc/self/statm", encoding="ascii") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def alarm(seconds: int) -> None:
    """Ends this process after these seconds, should nobody else do so; 0 calls that off.

    The system does it, even in the middle of a regular expression.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
