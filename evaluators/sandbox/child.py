"""A child process that parses what strangers sent: little memory and time, few of them at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import IO

from evaluators.config import config
from evaluators.sandbox import script
from evaluators.text.language import mark
from evaluators.turns import Turns

# With Python and the library, which take some 100 MB, a child then has the 350 MB that
# `Config.children_at_once` reckons with.
MEMORY = 256 * 2**20
"""Bytes that a file may need while it is parsed, beyond those of Python and the library."""
# A person looks at the page meanwhile, and hardly waits for longer than a minute.
TURNS = Turns(mark("reading files"), lambda: config().children_at_once, patience=60)
"""Those of the visitors of a public host."""


LIMITS_OF_TEXTS = ("ROWS_PER_DATASET", "DECODED_BYTES", "CELL_BYTES", "JSON_DEPTH")


def for_text(seconds: int, decoded: int, name: str = "") -> script.ParsingLimits:
    """What a child may use that gives back text, or one value, of at most `decoded` characters."""
    return {
        "memory": MEMORY,
        "seconds": seconds,
        "decoded": decoded,
        "rows": 0,
        "first": None,
        "columns": 0,
        "longest_row": 0,
        "part": "",
        "values": 0,
        "depth": 0,
        "name": name,
        "encoding": "",
    }


@contextmanager
def child(kind: str, data: bytes, limits: script.ParsingLimits) -> Iterator[IO[bytes]]:
    """A child that parses, and its output; it is gone afterwards.

    On a public host it waits for its turn; raises `HostLimitError` where that takes too long.
    """
    turn = TURNS.turn() if config().public else nullcontext()
    with turn, _child(kind, data, limits) as lines:
        yield lines


@contextmanager
def _child(kind: str, data: bytes, limits: script.ParsingLimits) -> Iterator[IO[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-I", script.__file__, kind, json.dumps(limits)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    # The child bounds its own processor time; one that only waits is ended from here.
    end = threading.Timer(limits["seconds"], process.kill)
    end.start()
    try:
        # A child that has refused the file already does not read the rest of it.
        with suppress(BrokenPipeError), process.stdin as to_child:  # type: ignore[union-attr]
            to_child.write(data)
        yield process.stdout  # type: ignore[misc]
    finally:
        end.cancel()
        process.kill()
        process.stdout.close()  # type: ignore[union-attr]
        process.wait()


def environment() -> dict[str, str]:
    """The variables of a child: what a system needs to start a program, and no key of ours."""
    needed = ["PATH", "SYSTEMROOT", "LD_LIBRARY_PATH"]
    # By these the library reads a text there as it would here
    needed += [f"PLUMBLINE_{name}" for name in LIMITS_OF_TEXTS]
    kept = {name: os.environ[name] for name in needed if name in os.environ}
    # The rest keeps the library to one thread and little address space, which is what is limited.
    return kept | {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_ARENA_MAX": "1",
        "OMP_NUM_THREADS": "1",
    }
