"""Parquet and XLSX: parsed by a child process that may use little memory and time, few of them at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from typing import IO

from evaluators.config import config
from evaluators.datasets import sandbox
from evaluators.datasets.table import MOST_COLUMNS, Collector, Table, column_names
from evaluators.errors import DatasetError
from evaluators.turns import Turns

PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
MEMORY = 256 * 2**20
"""Bytes that a file may need while it is parsed, beyond those of Python and the library."""
SECONDS = 30
TURNS = Turns("reading files", lambda: config().children_at_once, patience=60)
"""Those of the visitors of a public host."""

_OVERHEAD = 2**20
"""What a line of the child may have beyond its row."""


def binary_table(data: bytes, rows: Collector) -> Table:
    """The rows of a Parquet or XLSX file; raises `DatasetError` for one that is broken or needs too much."""
    kind = "parquet" if data.startswith(PARQUET) else "xlsx"
    with closing(messages(kind, data, rows)) as told:
        return table_of(told, kind, rows)


def table_of(messages: Iterable[sandbox.Message], kind: str, rows: Collector) -> Table:
    """The table that the messages about a file tell of."""
    names: list[str] = []
    note, is_whole = "", False
    for message in messages:
        names = column_names(message["names"]) if "names" in message else names
        note = message.get("note", note)
        is_whole = "end" in message
        _take(message, names, rows)
    if not is_whole:
        raise DatasetError(f"{rows.name} needs more memory or time than a file may. Split it, or save it as CSV.")
    return rows.table("Parquet" if kind == "parquet" else "XLSX", note)


def _take(message: sandbox.Message, names: list[str], rows: Collector) -> None:
    if "row" in message:
        number, cells = message["row"]
        rows.add(number, {name: cell for name, cell in zip(names, cells, strict=False) if name and cell is not None})
    elif "problem" in message:
        rows.reject(*message["problem"])
    elif "refused" in message:
        raise DatasetError(f"{rows.name} {message['refused']}")


def allowed(rows: Collector) -> sandbox.Limits:
    """What a child may use for a file."""
    return {
        "memory": MEMORY,
        "seconds": SECONDS,
        "decoded": rows.limits.decoded_bytes,
        "rows": rows.limits.rows_per_dataset,
        "first": rows.first,
        "columns": MOST_COLUMNS,
        "longest_row": rows.longest_row,
    }


def messages(kind: str, data: bytes, rows: Collector) -> Generator[sandbox.Message]:
    """What the child says about a file, as it says it; its lines and their sum are bounded."""
    longest = 4 * rows.longest_row + _OVERHEAD
    left = 2 * rows.limits.decoded_bytes + _OVERHEAD
    with child(kind, data, allowed(rows)) as lines:
        while line := lines.readline(longest):
            left -= len(line)
            if left < 0:
                raise DatasetError(f"{rows.name} holds too much text. Split it or leave out columns.")
            yield from _message(line.decode(errors="replace"), rows)


def _message(line: str, rows: Collector) -> Iterator[sandbox.Message]:
    """The message in a line; a child that is killed may leave half a one."""
    rows.weigh(line)
    with suppress(ValueError):
        yield json.loads(line)


@contextmanager
def child(kind: str, data: bytes, limits: sandbox.Limits) -> Iterator[IO[bytes]]:
    """A child that parses, and its output; it is gone afterwards.

    On a public host it waits for its turn; raises `HostLimitError` where that takes too long.
    """
    with TURNS.turn() if config().public else nullcontext(), _child(kind, data, limits) as lines:
        yield lines


@contextmanager
def _child(kind: str, data: bytes, limits: sandbox.Limits) -> Iterator[IO[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-I", sandbox.__file__, kind, json.dumps(limits)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    end = threading.Timer(limits["seconds"], process.kill)
    end.start()
    try:
        with suppress(BrokenPipeError), process.stdin as to_child:  # type: ignore[union-attr]
            to_child.write(data)
        yield process.stdout  # type: ignore[misc]
    finally:
        end.cancel()
        process.kill()
        process.stdout.close()  # type: ignore[union-attr]
        process.wait()


def environment() -> dict[str, str]:
    """Nothing of ours but what a system needs to start a program; the rest keeps the library to one thread."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"}
