"""A file as numbered rows: those that can be used, and those that cannot, each with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from evaluators.config import Config
from evaluators.datasets.encoding_guess import EncodingGuess
from evaluators.datasets.traces import trace_of
from evaluators.errors import DatasetError
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.words import joined_sentences

MOST_COLUMNS = 1000
MOST_NAMES = 10 * MOST_COLUMNS
"""Different names of fields in a whole file, whose rows need not have the same."""
MOST_VALUES = 6_000_000
"""Values of a whole file: each costs memory, however short its text (100 MB of RAGBench hold 2.5
million).
"""
NUMBERED = mark("The columns have no names, so they are numbered.")
STEPS = 20
"""How many steps of a trace may stand where one sample may."""
RAW_SHOWN = 300
SHOWN_PROBLEMS = 5

Cells = Mapping[str, Any]
"""What a row holds, by the names of its columns."""

Row = tuple[int, dict[str, Any]]
"""The row's number as a person counts it, and its cells.

That is the line in JSON Lines, the row that Excel shows in XLSX, and elsewhere the entry, from 1.
"""


class UnusableRowError(DatasetError):
    """One row cannot be used; `problem` is the kind of it, which rows of other values share."""

    def __init__(self, message: str, problem: str) -> None:
        super().__init__(message)
        self.problem = problem


@dataclass(frozen=True)
class Problem:
    """Why a row cannot be used and what to do; `raw` is how it begins in the file.

    Problems of one `kind` differ only in the values that their messages name.
    """

    row: int
    message: str
    raw: str
    kind: str = field(default="", compare=False)


@dataclass
class PythonLists:
    """What lists of one file in Python's writing may still take, in seconds of the processor, and
    what those hold that were read first, by their texts; `room` is for how many bytes more.

    Each is asked for again when columns are guessed or looked at, and when samples are made.
    """

    seconds: float = 20.0
    known: dict[str, Any] = field(default_factory=dict)
    room: int = 4_000_000


class Part(NamedTuple):
    """A list or a sheet of a file that can be read by itself, and whether it was."""

    name: str
    rows: int
    columns: int
    is_read: bool


@dataclass(frozen=True)
class Table:
    """What a file holds; `note` says in full sentences what was assumed, and is empty where nothing
    was.

    `parts` are the lists or sheets among which can be chosen, where there are several; `doubt`
    names those of which it is not clear which one is meant. `encoding` is how a text was guessed to
    be written that is not UTF-8. `program` wrote the traces of which the rows were made. `lists` is
    shared by all tables that are made of this one.
    """

    rows: list[Row]
    problems: list[Problem]
    format: str
    note: str = ""
    parts: tuple[Part, ...] = ()
    doubt: str = ""
    encoding: EncodingGuess | None = None
    program: str = ""
    lists: PythonLists = field(default_factory=PythonLists, compare=False, repr=False)

    def with_rows(self, rows: list[Row], note: str) -> Table:
        """The same file with its rows read otherwise, and one more sentence about that."""
        return replace(self, rows=rows, note=joined_sentences([self.note, note]))


class Collector:
    """Takes rows one by one, leaves out those beyond a limit and stops where the file as a whole is
    beyond one.

    Where only the `first` so many rows of a file are wanted, the others are not looked at. `part`
    names the list or sheet that is wanted; empty where the usual one is.
    """

    def __init__(
        self,
        name: str,
        limits: Config,
        first: int | None = None,
        part: str = "",
        make_rows: Callable[[], list[Row]] = list,
    ) -> None:
        self.name = name
        self.limits = limits
        self.first = first
        self.part = part
        self.rows = make_rows()
        self._make_rows = make_rows
        self.problems: list[Problem] = []
        self.short: list[int] = []
        self._values = 0
        self._names: set[str] = set()
        self._width = 0
        self._most = limits.rows_per_dataset

    def anew(self) -> Collector:
        """One with the same limits and without rows."""
        return Collector(self.name, self.limits, self.first, self.part, self._make_rows)

    @property
    def longest_row(self) -> int:
        """The most characters that one row may have."""
        return 8 * self.limits.cell_bytes

    @property
    def is_full(self) -> bool:
        """Whether all rows that are wanted are there."""
        return self.first is not None and self._count >= self.first

    @property
    def _count(self) -> int:
        return len(self.rows) + len(self.problems)

    def weigh(self, text: str) -> None:
        """Counts the values that JSON text can hold at most, before they are made."""
        if self.is_full:
            return
        # In commas and brackets, which are counted faster than a row is parsed
        self._values += 1 + text.count(",") + text.count("[") + text.count("{")
        if self._values > MOST_VALUES:
            raise DatasetError(
                say(
                    "{name} holds more than {most_values:,} values. Leave out columns or split it.",
                    name=self.name,
                    most_values=MOST_VALUES,
                )
            )

    def add(self, number: int, value: Any, raw: str | None = None) -> None:
        """One row; anything but an object with a name for each value is a problem."""
        if self.is_full:
            return
        # pandas writes rows without names with orient="values"; a single list may be anything
        is_list = isinstance(value, list) and len(value) > 1
        if is_list and (self._count == 0 or len(value) == self._width):
            self._width = len(value)
            value = {f"column {place}": cell for place, cell in enumerate(value, start=1)}
        if not isinstance(value, dict):
            # As the file has it: null, not None.
            beginning = json.dumps(value, ensure_ascii=False, default=str)[:60]
            message = say("{value} is not an object. Each row needs named fields.", value=beginning)
            if isinstance(value, list):
                message = say("a list is not an object. Each row needs named fields.")
            begins = str(value) if raw is None else raw
            self.reject(number, message, begins, "not an object")
            return
        message, kind = self._beyond(value, raw)
        if message:
            if raw is None:
                raw = json.dumps(value, ensure_ascii=False)[:RAW_SHOWN]
            self.reject(number, message, raw, kind)
            return
        if not self.rows and trace_of(value):
            self._most *= STEPS
        self.rows.append((number, value))
        self._check_count()
        self._names.update(value)
        if len(self._names) > MOST_NAMES:
            raise DatasetError(
                say(
                    "{name} has more than {most_names:,} different field names. Give all rows "
                    "the same fields.",
                    name=self.name,
                    most_names=MOST_NAMES,
                )
            )

    def reject(self, number: int, message: str, raw: str = "", kind: str = "") -> None:
        """A row that cannot be used."""
        if self.is_full:
            return
        begins, message = without_surrogates(raw[:RAW_SHOWN]), without_surrogates(message)
        self.problems.append(Problem(number, message, begins, kind or message))
        self._check_count()

    def table(self, format: str, *notes: str) -> Table:
        """All that was taken; raises `DatasetError` where no row can be used."""
        if not self.rows:
            words = mark("{name} holds no rows. Check that the right file was chosen.")
            if self.problems:
                words = mark("{name} holds no usable row. {problems}")
            raise DatasetError(say(words, name=self.name, problems=told(self.problems)))
        sentences = list(filter(None, notes))
        if self._width:
            sentences.append(say(NUMBERED))
        if self.short:
            sentences.append(about_short(self.short, len(self.short)))
        return Table(self.rows, self.problems, format, joined_sentences(sentences))

    def _check_count(self) -> None:
        if self._count > self._most:
            limit = f"{self._most:,}"
            raise DatasetError(
                say(
                    "{name} has more than {limit} rows, the limit. Split the file.",
                    name=self.name,
                    limit=limit,
                )
            )

    def _beyond(self, row: dict[str, Any], raw: str | None) -> tuple[str, str]:
        """What is said of a row beyond a limit, and the kind of problem; empty where it is not."""
        if len(row) > MOST_COLUMNS:
            message = say(
                "it has {fields:,} fields; the limit is {limit:,}. Leave some out.",
                fields=len(row),
                limit=MOST_COLUMNS,
            )
            return message, "many fields"
        if not _is_flat(row, self.limits.json_depth):
            return too_deep(self.limits), "too deep"
        # A character has four bytes at most, so most rows need no look at their cells
        if raw is None or 4 * len(raw) > self.limits.cell_bytes:
            return self._large_cell(row), "large cell"
        return "", ""

    def _large_cell(self, row: dict[str, Any]) -> str:
        limit = self.limits.cell_bytes
        for name, value in row.items():
            # Of a list of documents each may be as long as a text: CRAG has whole pages in them
            size = _longest_text_bytes(value)
            if size > limit:
                words = mark(
                    "{column} has a text of {size:,} bytes; the limit is {limit:,}. Cut it."
                )
                if isinstance(value, str):
                    words = mark("{column} has {size:,} bytes; the limit is {limit:,}. Cut it.")
                shown = without_surrogates(name[:60])
                return say(words, column=shown, size=size, limit=limit)
        return ""


def about_short(rows: Sequence[int], count: int) -> str:
    """That so many rows, of which these are the first, have fewer cells than there are names."""
    words = mark(
        "Rows {rows} have fewer cells than there are column names; what is missing there "
        "is taken as empty."
    )
    if count > SHOWN_PROBLEMS:
        words = mark(
            "Rows {rows} and {more:,} more have fewer cells than there are column names; "
            "what is missing there is taken as empty."
        )
    numbers = ", ".join(map(str, rows[:SHOWN_PROBLEMS]))
    return say(words, rows=numbers, more=count - SHOWN_PROBLEMS)


def told(problems: list[Problem]) -> str:
    """The first few problems in full, those of one message together, and how many more."""
    rows: dict[str, list[int]] = {}
    for problem in problems[:SHOWN_PROBLEMS]:
        rows.setdefault(problem.message, []).append(problem.row)
    words = []
    for message, (row, *others) in rows.items():
        template = mark("Row {row:d}: {problem}")
        if others:
            template = mark("Rows {row:d}, {others}: {problem}")
        words.append(say(template, row=row, others=", ".join(map(str, others)), problem=message))
    if len(problems) > SHOWN_PROBLEMS:
        words.append(say("(and {more:d} more rows)", more=len(problems) - SHOWN_PROBLEMS))
    return joined_sentences(words)


def too_deep(limits: Config) -> str:
    """What is wrong with a row of lists in lists in lists."""
    return say("nested more than {json_depth} deep. Flatten it.", json_depth=limits.json_depth)


def column_names(header: list[str]) -> list[str]:
    """The names of a header without white space.

    One that comes again is numbered, and one that is empty stays so.
    """
    names: list[str] = []
    taken: set[str] = set()
    for cell in header:
        name = cell.strip().lstrip("\ufeff")
        if name and name in taken:
            numbered = f"{name} ("
            earlier = [other for other in names if other == name or other.startswith(numbered)]
            name = f"{name} ({len(earlier) + 1})"
        names.append(name)
        taken.add(name)
    return names


def _is_flat(value: Any, depth: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value
    containers = [item for item in inner if isinstance(item, list | dict)]
    if depth <= 1:
        return not containers
    return all(_is_flat(item, depth - 1) for item in containers)


def _longest_text_bytes(value: Any) -> int:
    """Bytes of the longest text in a cell."""
    if isinstance(value, str):
        # Quicker than to encode it, and true of most texts
        if value.isascii():
            return len(value)
        return len(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, dict):
        # Names are text too: an object may have as many as it likes
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list):
        parts = value
    else:
        return 0
    return max(map(_longest_text_bytes, parts), default=0)
