"""Tables and texts that a child process reads, which may use little memory and time."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from evaluators.config import config
from evaluators.datasets.csv_text import numbered_names
from evaluators.datasets.encoding import GZIP, text_of
from evaluators.datasets.encoding_guess import EncodingGuess, Reading
from evaluators.datasets.table import (
    MOST_COLUMNS,
    NUMBERED,
    STEPS,
    Collector,
    Part,
    Table,
    column_names,
)
from evaluators.datasets.text_tables import PlainText
from evaluators.errors import DatasetError
from evaluators.messages import as_stored, from_stored
from evaluators.records import Remedy
from evaluators.sandbox import script
from evaluators.sandbox.child import MEMORY, child
from evaluators.text.language import say
from evaluators.text.strangers_json import strangers_json
from evaluators.text.words import joined_sentences

PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
SECONDS = 30
LARGE = 2**20
"""Bytes of a text beyond which a child reads it on any machine."""

_OVERHEAD = 2**20
"""What a line of the child may have beyond its row."""


def is_apart(data: bytes) -> bool:
    """Whether a file is read by a child: all of them on a public host, and else those that are
    large, become large or need a library.

    A child takes its time to start, which a small text of one's own is not worth.
    """
    return config().public or is_large(data)


def is_large(data: bytes) -> bool:
    """Whether a file is large, becomes large, or needs a library."""
    return len(data) > LARGE or data.startswith((PARQUET, ZIP, GZIP))


def plain_text(name: str, data: bytes, most: int) -> PlainText:
    """The first so many characters of a text; raises `DatasetError` where it is none."""
    # Of a small one nothing is made but its letters
    if not is_large(data):
        return PlainText.of(text_of(name, data, config()), most)
    pieces: list[str] = []
    written: Any = None
    is_whole = False
    rows = Collector(name, config(), first=most)
    with closing(messages("plain", data, rows)) as told:
        for message in told:
            _raise_refusal(message)
            written = message.get("plain", written)
            pieces.append(message.get("text", ""))
            is_whole = "end" in message
    if not is_whole:
        raise document_needs_too_much(name)
    encoding, notes, guess = written
    return PlainText("".join(pieces), encoding, from_stored(notes), _guess_of(guess))


def document_needs_too_much(name: str) -> DatasetError:
    """What is said of a document whose child came to no end."""
    return DatasetError(
        say(
            "{name} needs more memory or time than a document may. Split it, or save it as plain "
            "text.",
            name=name,
        )
    )


def table_apart(data: bytes, rows: Collector, encoding: str = "") -> Table:
    """The rows of a file; raises `DatasetError` for one that is broken or needs too much."""
    kinds = {PARQUET: "parquet", ZIP: "xlsx"}
    kind = next((kinds[start] for start in kinds if data.startswith(start)), "table")
    with closing(messages(kind, data, rows, encoding)) as told:
        return table_of(told, kind, rows)


def table_of(messages: Iterable[script.Message], kind: str, rows: Collector) -> Table:
    """The table that the messages about a file tell of."""
    names: list[str] = []
    parts: list[Part] = []
    text: dict[str, Any] = {}
    note, is_whole = "", False
    for message in _with_numbered_names(messages):
        names = column_names(message["names"]) if "names" in message else names
        note = from_stored(message.get("note", note))
        parts += [Part(*part) for part in message.get("parts", ())]
        text = message.get("table", text)
        is_whole = "end" in message
        _take_message(message, names, rows)
    if not is_whole:
        raise DatasetError(
            say(
                "{name} needs more memory or time than a file may. Split it, or save it as CSV.",
                name=rows.name,
            )
        )
    if text:
        return _text_table(rows, **text)
    table = rows.table("Parquet" if kind == "parquet" else "XLSX", note)
    return replace(table, parts=tuple(parts))


def _with_numbered_names(messages: Iterable[script.Message]) -> Iterator[script.Message]:
    """The messages with the header of a sheet as one more row, where it is a row as the others."""
    messages = iter(messages)
    start = list(islice(messages, script.HEAD))
    records = [message["names"] for message in start if "header" in message]
    records += [message["row"][1] for message in start if records and "row" in message]
    numbered = numbered_names([[str(cell or "") for cell in record] for record in records])
    for message in start:
        if numbered and "header" in message:
            note = joined_sentences([from_stored(message["note"]), say(NUMBERED)])
            yield message | {"names": numbered, "note": as_stored(note)}
            yield {"row": message["header"]}
        else:
            yield message
    yield from messages


def _text_table(
    rows: Collector, parts: list[Any], encoding: Any, note: Any, doubt: Any, format: str
) -> Table:
    own = tuple(Part(*part) for part in parts)
    said, unclear = from_stored(note), from_stored(doubt)
    return Table(rows.rows, rows.problems, format, said, own, unclear, _guess_of(encoding))


def _guess_of(told: Any) -> EncodingGuess | None:
    if told is None:
        return None
    name, is_sure, readings = told
    return EncodingGuess(name, is_sure, tuple(Reading(*reading) for reading in readings))


def _take_message(message: script.Message, names: list[str], rows: Collector) -> None:
    if "row" in message:
        number, cells = message["row"]
        if isinstance(cells, dict):
            rows.add(number, cells)
            return
        # Excel's rows end with their last filled cell, so they may be shorter than the header
        named = zip(names, cells, strict=False)
        row = {name: cell for name, cell in named if name and cell is not None}
        rows.add(number, row)
    elif "problem" in message:
        number, problem, *more = message["problem"]
        rows.reject(number, from_stored(problem), *more)
    else:
        _raise_refusal(message)


def _raise_refusal(message: script.Message) -> None:
    if "refused" in message:
        raise DatasetError(from_stored(message["refused"]))
    if "error" in message:
        words, remedy = message["error"]
        raise DatasetError(from_stored(words), remedy=Remedy(**remedy) if remedy else None)


def allowed(rows: Collector, encoding: str = "") -> script.ParsingLimits:
    """What a child may use for a file."""
    return {
        "memory": MEMORY,
        "seconds": SECONDS,
        "decoded": rows.limits.decoded_bytes,
        # Those of a trace are steps; how many the rows may be, they themselves tell
        "rows": STEPS * rows.limits.rows_per_dataset,
        "first": rows.first,
        "columns": MOST_COLUMNS,
        "longest_row": rows.longest_row,
        "part": rows.part,
        "values": 0,
        "depth": 0,
        "name": rows.name,
        "encoding": encoding,
    }


def messages(
    kind: str, data: bytes, rows: Collector, encoding: str = ""
) -> Generator[script.Message]:
    """What the child says about a file, as it says it; its lines and their sum are bounded."""
    # JSON writes a character with up to six bytes
    longest = 6 * rows.longest_row + _OVERHEAD
    # A child that says more than any file of this size can hold is not the one that was started
    left = 2 * rows.limits.decoded_bytes + _OVERHEAD
    with child(kind, data, allowed(rows, encoding)) as lines:
        while line := lines.readline(longest):
            left -= len(line)
            if left < 0:
                raise DatasetError(
                    say(
                        "{name} holds too much text. Split it or leave out columns.", name=rows.name
                    )
                )
            # A child that is killed may leave half a line
            with suppress(ValueError):
                text = line.decode("utf-8", "surrogatepass")
                # What is one long text holds no values
                if kind != "plain":
                    rows.weigh(text)
                yield strangers_json(text)
