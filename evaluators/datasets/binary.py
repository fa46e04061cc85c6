"""Parquet and XLSX: parsed by a child process that may use little memory and time."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from contextlib import closing, suppress
from dataclasses import replace

from evaluators.datasets.table import MOST_COLUMNS, Collector, Part, Table, column_names
from evaluators.errors import DatasetError
from evaluators.sandbox import script
from evaluators.sandbox.child import MEMORY, child
from evaluators.text.language import say

PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
SECONDS = 30

_OVERHEAD = 2**20
"""What a line of the child may have beyond its row."""


def binary_table(data: bytes, rows: Collector) -> Table:
    """The rows of a Parquet or XLSX file.

    Raises `DatasetError` for one that is broken or needs too much.
    """
    kind = "parquet" if data.startswith(PARQUET) else "xlsx"
    with closing(messages(kind, data, rows)) as told:
        return table_of(told, kind, rows)


def table_of(messages: Iterable[script.Message], kind: str, rows: Collector) -> Table:
    """The table that the messages about a file tell of."""
    names: list[str] = []
    parts: list[Part] = []
    note, is_whole = "", False
    for message in messages:
        names = column_names(message["names"]) if "names" in message else names
        note = message.get("note", note)
        parts += [Part(*part) for part in message.get("parts", ())]
        is_whole = "end" in message
        _take_message(message, names, rows)
    if not is_whole:
        raise DatasetError(
            say(
                "{name} needs more memory or time than a file may. Split it, or save it as CSV.",
                name=rows.name,
            )
        )
    table = rows.table("Parquet" if kind == "parquet" else "XLSX", note)
    return replace(table, parts=tuple(parts))


def _take_message(message: script.Message, names: list[str], rows: Collector) -> None:
    if "row" in message:
        number, cells = message["row"]
        # Excel's rows end with their last filled cell, so they may be shorter than the header
        named = zip(names, cells, strict=False)
        row = {name: cell for name, cell in named if name and cell is not None}
        rows.add(number, row)
    elif "problem" in message:
        rows.reject(*message["problem"])
    elif "refused" in message:
        raise DatasetError(f"{rows.name} {message['refused']}")


def allowed(rows: Collector) -> script.ParsingLimits:
    """What a child may use for a file."""
    return {
        "memory": MEMORY,
        "seconds": SECONDS,
        "decoded": rows.limits.decoded_bytes,
        "rows": rows.limits.rows_per_dataset,
        "first": rows.first,
        "columns": MOST_COLUMNS,
        "longest_row": rows.longest_row,
        "part": rows.part,
        "values": 0,
        "depth": 0,
    }


def messages(kind: str, data: bytes, rows: Collector) -> Generator[script.Message]:
    """What the child says about a file, as it says it; its lines and their sum are bounded."""
    longest = 4 * rows.longest_row + _OVERHEAD
    # A child that says more than any file of this size can hold is not the one that was started
    left = 2 * rows.limits.decoded_bytes + _OVERHEAD
    with child(kind, data, allowed(rows)) as lines:
        while line := lines.readline(longest):
            left -= len(line)
            if left < 0:
                raise DatasetError(
                    say(
                        "{name} holds too much text. Split it or leave out columns.", name=rows.name
                    )
                )
            text = line.decode(errors="replace")
            rows.weigh(text)
            # A child that is killed may leave half a line
            with suppress(ValueError):
                yield json.loads(text)
