"""A worker process: it scores samples, or answers them as the offline reader does, one after the
other.

It reads a `Request` and writes a `Reply`, a line of JSON each; its first line says that it is
ready. It ends when its input does, that is with the process that started it, even if that one is
killed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from queue import SimpleQueue
from typing import BinaryIO

from evaluators.catalogue import catalogue, from_spec
from evaluators.errors import PlumblineError
from evaluators.llm.offline_reader import OfflineReader
from evaluators.records import EvaluatorSpec, Reason, Record, Sample, Score
from evaluators.runs.scoring import answered, details, reason, scored
from evaluators.text.sentences import split_sentences

READY = b"ready\n"
MEMORY = 2**30
"""Bytes that one sample may need beside those of Python and its libraries; the heuristic takes a
quarter at most.
"""
SECONDS = 120
"""The longest that one sample may take, by the clock."""


class Request(Record):
    """A sample to be scored by an evaluator, or, with a prompt, to be answered by the offline
    reader.
    """

    sample: Sample
    evaluator: EvaluatorSpec | None = None
    prompt: str = ""


class Reply(Record):
    """A score, an answer, or why it failed; `foreign` is the class of an error that is not ours."""

    score: Score | None = None
    answer: str | None = None
    reason: Reason | None = None
    details: str = ""
    foreign: str = ""


def reply(request: Request) -> Reply:
    """Does what is asked; what it fails of is told as a run tells it."""
    try:
        if request.evaluator is None:
            return Reply(answer=answered(request.sample, request.prompt, OfflineReader()))
        return Reply(score=scored(from_spec(request.evaluator), request.sample))
    except MemoryError:
        limit = f"{MEMORY / 2**20:,.0f} MB"
        message = f"This sample needs more memory than {limit}. Shorten its texts, or split it."
        return Reply(reason=Reason(kind="worker", message=message))
    except (Exception, SystemExit) as error:
        foreign = "" if isinstance(error, PlumblineError) else type(error).__name__
        return Reply(reason=reason(error), details=details(error), foreign=foreign)


def main() -> None:
    """Works until the input ends."""
    output = _own_output()
    catalogue()
    split_sentences(
        "Loads the cutter."
    )  # the first sample shall not wait for it, nor count as its memory
    _restrict()
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    _write(output, READY)
    while True:
        request = Request.model_validate_json(requests.get())
        _alarm(2 * SECONDS)
        _write(output, reply(request).model_dump_json().encode() + b"\n")
        _alarm(0)


def _own_output() -> BinaryIO:
    """The standard output, kept for replies: whatever else a library prints goes to the error
    stream.
    """
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def _listen(requests: SimpleQueue[bytes]) -> None:
    """Hands the requests on; with the end of the input ends the process, whatever it is at."""
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def _write(output: BinaryIO, line: bytes) -> None:
    output.write(line)
    output.flush()


def _restrict() -> None:
    """Bounds the memory where the system can, which is on Linux."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def _alarm(seconds: int) -> None:
    """Ends this process by itself so long from now, should the one that started it be gone; 0 calls
    that off.

    The system does it, even in the middle of a regular expression.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
