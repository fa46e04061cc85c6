"""JSON in the layouts that people have.

An array, one object a line, columns, rows under a key, or one object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from evaluators.datasets.encoding import DAMAGED, Text
from evaluators.datasets.json_objects import rows_in
from evaluators.datasets.table import RAW_SHOWN, Collector, Table, too_deep
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from evaluators.text.words import joined_sentences

WHOLE = 32 * 2**20
"""The most characters of a value that is not an array: it is read as a whole."""
ROW_VALUES = 500_000


class _UnfitRowError(ValueError):
    """Says why a row is not taken, whether or not it is JSON."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class _SaidTwiceError(_UnfitRowError):
    """A name has two values in one object."""


def _said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; raises `_SaidTwiceError` where a name has two values."""
    said = dict(pairs)
    if len(said) < len(pairs):
        for name, value in pairs:
            if said[name] != value:
                words = say('"{name}" stands there twice. Remove one.', name=name[:RAW_SHOWN])
                raise _SaidTwiceError(words)
    return said


# NaN and Infinity stand where a program had no value
_LENIENT = json.JSONDecoder(parse_constant=lambda _: None)
_DECODER = json.JSONDecoder(parse_constant=lambda _: None, object_pairs_hook=_said_once)
_OPENING = re.compile(r"\ufeff?\s*\[?")
_BETWEEN = re.compile(r"[\s,\]]*")
_FIRST_LINES = 5
_NEAR_THE_END = 16
"""Characters in which a word or number that the window cuts looks broken; "-Infinity" has nine."""
_DAMAGE = mark("it holds bytes that fit no character. Save the file as UTF-8.")


def json_table(text: Text, rows: Collector) -> Table:
    """The rows of a JSON file, whichever layout it has."""
    start = next(text.pieces(), "").lstrip("\ufeff \t\r\n")
    if start.startswith("[") and _is_array(start):
        return _entries(text, rows)
    name = rows.name.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")) or not start.startswith("{"):
        return _lines(text, rows)
    # Several objects one a line, some of them broken; an indented object has no line of its own
    filled = filter(None, map(_stripped_line, start.split("\n")))
    first_lines = list(islice(filled, _FIRST_LINES))
    if len(first_lines) > 1 and any(map(_is_object, first_lines)):
        return _lines(text, rows)
    return _whole(text, rows)


def _is_array(start: str) -> bool:
    """Whether what follows the first value is what follows it in an array."""
    between = _BETWEEN.match(start, 1)
    begins = between.end() if between else 1
    try:
        _, end = _DECODER.raw_decode(start, begins)
    # A first value that is broken, or longer than this piece: read as an array it is told as such
    except (ValueError, RecursionError):
        return True
    return start[end:].lstrip()[:1] in ("", ",", "]")


def _is_object(line: str) -> bool:
    try:
        return isinstance(_DECODER.decode(line), dict)
    except (ValueError, RecursionError):
        return False


def _stripped_line(line: str) -> str:
    """A line without a bracket that stands alone and the comma at its end, which do no harm."""
    line = line.strip("\ufeff \t\r\n").rstrip(",")
    return "" if line in ("[", "]") else line


# One object a line


def _lines(text: Text, rows: Collector) -> Table:
    for number, line in numbered_lines(text.lines(rows.longest_row)):
        add_line(rows, number, line)
    return rows.table("JSON Lines", *text.notes)


def numbered_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines of JSON that hold anything, each with its number."""
    for number, line in enumerate(lines, start=1):
        if stripped := _stripped_line(line):
            yield number, stripped


def add_line(rows: Collector, number: int, line: str) -> None:
    """One row of JSON Lines, or why it cannot be used."""
    if problem := _unfit(line, rows):
        rows.reject(number, problem, line)
        return
    rows.weigh(line)
    try:
        value = _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        character = error.pos + 1 if isinstance(error, json.JSONDecodeError) else 0
        message = _json_problem(error, rows, character=character)
        rows.reject(number, message, line, "broken JSON")
    else:
        rows.add(number, value, line)


def _unfit(row: str, rows: Collector) -> str:
    if len(row) > rows.longest_row:
        return _too_long(rows.longest_row)
    # Most rows are ASCII, which is known faster than searched
    if not row.isascii() and DAMAGED.search(row):
        return _DAMAGE
    return ""


def _too_long(longest_row: int) -> str:
    return say("longer than {longest_row:,} characters. Cut it.", longest_row=longest_row)


JSON_PROBLEMS = (
    *(mark("Expecting value"), mark("Expecting property name enclosed in double quotes")),
    *(mark("Expecting ',' delimiter"), mark("Expecting ':' delimiter"), mark("Extra data")),
    *(mark("Invalid control character at"), mark("Unterminated string starting at")),
    *(mark("Invalid \\escape"), mark("Invalid \\uXXXX escape")),
)
"""What Python's reader says is wrong."""


def _json_problem(
    error: Exception,
    rows: Collector,
    *,
    character: int = 0,
    line: int = 0,
) -> str:
    """What is wrong at this character of a row, or on this line of a file."""
    if isinstance(error, RecursionError):
        return too_deep(rows.limits)
    if isinstance(error, _UnfitRowError):
        return error.words
    problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)[:80]
    words = mark("not valid JSON ({problem}). Correct or remove it.")
    if character:
        words = mark("not valid JSON ({problem}, character {character:d}). Correct or remove it.")
    elif line:
        words = mark("not valid JSON ({problem}, line {line:d}). Correct or remove it.")
    return say(words, problem=say(problem), character=character, line=line)


# An array, or objects one after the other


class _Window:
    """The part of a text that is being read; what lies behind is forgotten."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._next = next(pieces, "")
        self._line = 1
        self.text = ""
        self.at = 0
        self.indent = ""

    def grow(self) -> bool:
        """Takes in as much again; false at the end of the text."""
        if not self._next:
            return False
        self._line += self.text.count("\n", 0, self.at)
        kept = [self.text[self.at :]]
        wanted = size = len(kept[0])
        # Twice as much each time, or a long value would be decoded anew for each of its pieces
        while self._next and size <= 2 * wanted:
            kept.append(self._next)
            size += len(self._next)
            self._next = next(self._pieces, "")
        self.text, self.at = "".join(kept), 0
        return True

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Goes past what matches; false where nothing is left."""
        while True:
            match = pattern.match(self.text, self.at)
            passed = match[0] if match else ""
            self.at += len(passed)
            if "\n" in passed:
                self.indent = passed.rsplit("\n", 1)[1].replace(",", "")
            if self.at < len(self.text):
                return True
            if not self.grow():
                return False

    def value(self, longest: int, decoder: json.JSONDecoder = _DECODER) -> tuple[Any, str]:
        """The value that begins here, and its text.

        Raises `ValueError` or `RecursionError`, and stays where it is.
        """
        while True:
            try:
                value, end = decoder.raw_decode(self.text, self.at)
            except ValueError as error:
                # It may only seem broken, because the window ends inside it
                if not isinstance(error, json.JSONDecodeError):
                    raise
                is_near_the_end = error.pos >= len(self.text) - _NEAR_THE_END
                is_cut = error.msg.startswith("Unterminated") or is_near_the_end
                if not is_cut or not self._grows(longest):
                    raise
                continue
            # What ends with the window may go on: 12 is the beginning of 123
            if end < len(self.text) or not self._grows(longest):
                raw = self.text[self.at : end]
                self.at = end
                return value, raw

    def next_row(self) -> bool:
        """Goes to the next line that begins as a row at this depth does; false without one."""
        mark = f"\n{self.indent}{{"
        while (found := self.text.find(mark, self.at)) < 0:
            self.at = max(self.at, len(self.text) - len(mark))
            if not self.grow():
                self.at = len(self.text)
                return False
        self.at = found
        return True

    def line_of(self, position: int) -> int:
        return self._line + self.text.count("\n", 0, position)

    def _grows(self, longest: int) -> bool:
        """Takes in more for a value that goes on; false at the end of the text.

        Raises `_UnfitRowError` where it is longer, or holds more values, than a row may.
        """
        values = self.text.count("[", self.at) + self.text.count(",", self.at)
        if values > ROW_VALUES:
            raise _UnfitRowError(say("more than {most:,} values. Cut it.", most=ROW_VALUES))
        if len(self.text) - self.at > longest:
            raise _UnfitRowError(_too_long(longest))
        return self.grow()


def _entries(text: Text, rows: Collector) -> Table:
    window = _Window(text.pieces())
    window.grow()
    window.skip(_OPENING)
    number = 0
    while window.skip(_BETWEEN):
        number += 1
        _add_entry(window, rows, number)
    return rows.table("JSON", *text.notes)


def _add_entry(window: _Window, rows: Collector, number: int) -> None:
    said_twice = ""
    try:
        try:
            value, raw = window.value(rows.longest_row)
        except _SaidTwiceError as error:
            # What is whole is gone past.
            said_twice = error.words
            value, raw = window.value(rows.longest_row, _LENIENT)
    except (ValueError, RecursionError) as error:
        raw = window.text[window.at : window.at + RAW_SHOWN]
        line = 0
        if isinstance(error, json.JSONDecodeError):
            line = window.line_of(error.pos)
        message = _json_problem(error, rows, line=line)
        # Past the broken one's own bracket, which would be found again as the next row
        window.at += 1
        if not window.next_row():
            message = joined_sentences([message, say("No row after it was read.")])
        rows.reject(number, message, raw, "broken JSON")
        return
    rows.weigh(raw)
    if problem := said_twice or _unfit(raw, rows):
        rows.reject(number, problem, raw)
    else:
        rows.add(number, value, raw)


# One object


def _whole(text: Text, rows: Collector) -> Table:
    whole = _whole_text(text, rows.name)
    rows.weigh(whole)
    try:
        value = _DECODER.decode(whole.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return _entries(text, rows)
    found = rows_in(value, rows.name, rows.part)
    for number, row in enumerate(found.rows, start=1):
        rows.add(number, row)
    table = rows.table("JSON", *text.notes, found.note)
    return replace(table, parts=found.parts, doubt=found.doubt)


def _whole_text(text: Text, name: str) -> str:
    pieces: list[str] = []
    size = 0
    for piece in text.pieces():
        pieces.append(piece)
        size += len(piece)
        if size > WHOLE:
            limit = WHOLE // 2**20
            raise DatasetError(
                say(
                    "{name} is one JSON object of more than {limit} MB. Save its rows one "
                    "object a line.",
                    name=name,
                    limit=limit,
                )
            )
    return "".join(pieces)
