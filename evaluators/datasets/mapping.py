"""From a file to a data set: the rows that can be used, and for each other one the reason."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluators.datasets import rgb
from evaluators.datasets.cells import lists_in_time
from evaluators.datasets.checks import Finding, checks
from evaluators.datasets.columns import first_rows, inner_cells, names_of, objects_of
from evaluators.datasets.document_texts import documents
from evaluators.datasets.encoding_guess import EncodingGuess
from evaluators.datasets.guess import Guess, Shape
from evaluators.datasets.names import COLUMNS, FIELDS, TEXT_FIELDS
from evaluators.datasets.passages import joined_passages
from evaluators.datasets.readers import read
from evaluators.datasets.samples import Item, maker, read_row, read_rows
from evaluators.datasets.separators import (
    SEPARATOR_FIELD,
    Separator,
    Separators,
    separator_named,
    separator_of,
    separator_of_answers,
)
from evaluators.datasets.shapes import recognise
from evaluators.datasets.table import Problem, Table, told
from evaluators.datasets.taken import what_became_what
from evaluators.datasets.titles import data_name
from evaluators.errors import DatasetError
from evaluators.records import Dataset, Remedy, Sample
from evaluators.surrogates import without_surrogates
from evaluators.text.language import ENGLISH, mark, say, speaking
from evaluators.text.spreadsheet import as_csv
from evaluators.text.words import joined_sentences

COLUMN_KEPT = 200
"""Characters of the name of a column that are kept with the data."""

__all__ = ["COLUMNS", "Loaded", "load", "open_file", "open_table", "preview", "rejected"]


@dataclass(frozen=True)
class Loaded:
    """A file as far as it can be used.

    `data` is `None` where no row can be used, or no column is mapped yet; `problems` are the rows
    left out, `total` counts all rows of the file, `note` says what the reader assumed, `names` are
    all columns, `doubt` names lists of the file of which it is not clear which is meant, and
    `encoding` is how the text was guessed to be written.
    """

    data: Dataset | rgb.TestBed | None
    guess: Guess
    problems: tuple[Problem, ...] = ()
    total: int = 0
    findings: tuple[Finding, ...] = ()
    note: str = ""
    names: tuple[str, ...] = ()
    doubt: str = ""
    encoding: EncodingGuess | None = None

    @property
    def taken(self) -> str:
        """What became what, in one line; see `what_became_what`."""
        return what_became_what(self.guess.columns, self.data)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What became what, what was assumed, and what was left out, in sentences."""
        remarks = [self.taken, self.note]
        if self.problems:
            reasons = told(list(self.problems))
            count = f"{len(self.problems):,} of {self.total:,}"
            remarks.append(f"{count} rows were left out. {reasons}")
        return tuple(filter(None, remarks))

    @property
    def usable(self) -> int:
        """How many rows became samples, or rows of a test bed."""
        if self.data is None:
            return 0
        if isinstance(self.data, rgb.TestBed):
            return len(self.data.rows)
        return len(self.data.samples)


def load(
    name: str,
    data: bytes,
    columns: Mapping[str, str] | None = None,
    *,
    skip_broken: bool = False,
    part: str = "",
    encoding: str = "",
) -> Dataset | rgb.TestBed:
    """The data set or test bed in a file, where no column is in doubt and every row can be used.

    `columns` says for some fields which column they are read from, `part` which list or sheet is
    read, `encoding` how a text is written; with `skip_broken` rows that cannot be used are left
    out. Raises `DatasetError` that names rows and remedies.
    """
    loaded = open_with(name, read(name, data, part, encoding), columns or {})
    return checked(name, loaded, skip_broken=skip_broken)


def open_with(name: str, table: Table, columns: Mapping[str, str]) -> Loaded:
    """What a table holds, with these columns in place of those that are guessed."""
    if not columns:
        return open_table(name, table)
    chosen: dict[str, str] = {}
    for field, column in recognise(table).columns.items():
        # A column that was named for one field is not read for another as well
        if column not in columns.values():
            chosen[field] = column
    chosen.update(columns)
    # An empty name says that the file has no such column
    chosen = {field: column for field, column in chosen.items() if column}
    return open_table(name, table, chosen)


def checked(
    name: str,
    loaded: Loaded,
    *,
    skip_broken: bool = False,
) -> Dataset | rgb.TestBed:
    """The data of a file that needs no person; raises `DatasetError` that says what is in doubt."""
    # Columns that somebody names do not say what the letters are
    if loaded.encoding and not loaded.encoding.is_sure:
        message = f"{name}: {loaded.encoding.doubt}"
        raise DatasetError(message, remedy=Remedy("name_encoding"))
    # Without either no column was mapped, however sure the guess is of those that it found
    is_read = bool(loaded.data or loaded.problems)
    if loaded.doubt and not loaded.guess.is_sure:
        message = f"{name} holds lists of different rows ({loaded.doubt})."
        raise DatasetError(message, remedy=Remedy("choose_table"))
    if not loaded.guess.is_sure or not is_read:
        raise DatasetError(f"{name} {_in_doubt(loaded)}", remedy=Remedy("name_columns"))
    if loaded.data is None or (loaded.problems and not skip_broken):
        raise DatasetError(told(list(loaded.problems)))
    return loaded.data


def open_file(
    name: str,
    data: bytes,
    columns: Mapping[str, str] | None = None,
) -> Loaded:
    """What a file holds, read by a person's `columns` (a column for each field) or by the guess.

    Raises `DatasetError` only where nothing can be read at all, or `columns` do not fit the file.
    """
    return open_table(name, read(name, data), columns)


# What became of rows is kept: it is translated where it is shown.
@speaking(ENGLISH)
@lists_in_time
def open_table(
    name: str,
    table: Table,
    columns: Mapping[str, str] | None = None,
) -> Loaded:
    """What a table holds; see `open_file`."""
    guess = _settled(table, columns)
    table, doubt = joined_passages(table, guess.columns)
    if doubt and columns is None:
        guess = guess.doubted(doubt)
    total = len(table.rows) + len(table.problems)
    names = names_of(table)
    problems = table.problems
    loaded = Loaded(
        data=None,
        guess=guess,
        problems=tuple(problems),
        total=total,
        note=joined_sentences([table.note, guess.note, _compared_by(guess)]),
        names=names,
        doubt=table.doubt,
        encoding=table.encoding,
    )
    if not _is_enough(guess):
        return loaded
    separators = separators_in(guess, table, names)
    make = maker(guess, table.format, separators)
    items, unusable = read_rows(table.rows, make)
    problems = sorted([*problems, *unusable], key=lambda problem: problem.row)
    loaded = replace(loaded, problems=tuple(problems))
    if not items:
        return loaded
    own, repeated = _with_own_ids(items)
    data = _collected(data_name(name, table), own)
    if guess.shape is Shape.ANSWERS and isinstance(data, Dataset):
        data, ability = rgb.with_one_ability(data)
        loaded = replace(loaded, note=joined_sentences([loaded.note, ability]))
    if column := guess.columns.get("group"):
        # By its name the groups are compared
        named = {**data.origin, "group": without_surrogates(column)[:COLUMN_KEPT]}
        data = data.model_copy(update={"origin": named})
    numbers = [number for number, _ in items]
    findings = (
        *repeated,
        *_parted_cells(table, separators, guess.columns.get("ground_truth")),
        *checks(data, numbers),
    )
    return replace(loaded, data=data, findings=findings)


@speaking(ENGLISH)
@lists_in_time
def preview(
    table: Table,
    columns: Mapping[str, str] | None = None,
    count: int = 3,
) -> tuple[Item | Problem, ...]:
    """The first rows as they would be read, or what is wrong with them."""
    guess = _settled(table, columns)
    if not _is_enough(guess):
        return ()
    separators = separators_in(guess, table, names_of(table))
    make = maker(guess, table.format, separators)
    joined, _ = joined_passages(table, guess.columns)
    return tuple(read_row(row, make) for row in joined.rows[:count])


def rejected(loaded: Loaded) -> bytes:
    """The rows left out as CSV (UTF-8 with a mark): number, reason and the beginning of the row."""
    rows = ((problem.row, problem.message, problem.raw) for problem in loaded.problems)
    return as_csv(("row", "reason", "content"), rows)


# Columns


def _settled(table: Table, columns: Mapping[str, str] | None) -> Guess:
    """The guess, or what a person says.

    The same columns confirm the guess, others make a plain table of the file.
    """
    guess = recognise(table)
    if columns is None:
        return guess
    chosen: dict[str, str] = {}
    for field, column in columns.items():
        # What was chosen for such files before the field was called group
        name = "group" if field == "situation" else field
        chosen[name] = column
    _check_columns(chosen, table)
    own = {field: column for field, column in chosen.items() if field != SEPARATOR_FIELD}
    # Then the shape stays, which may hold more than columns: labels, planted errors
    if own == dict(guess.columns):
        return replace(guess, confidence=1.0, columns=chosen)
    scores = tuple(column for column in guess.scores if column not in chosen.values())
    plain = Guess(Shape.PLAIN, str(Shape.PLAIN), 1.0, chosen)
    return replace(plain, versions=guess.versions, scores=scores)


def _check_columns(columns: Mapping[str, str], table: Table) -> None:
    """Raises `DatasetError` for a column that is missing, or holds objects instead of texts."""
    names = names_of(table)
    rows = first_rows(table)
    objects = objects_of(rows)
    for field, column in columns.items():
        if field == SEPARATOR_FIELD:
            separator_named(column)
            continue
        # An object that is a text may be the answer of a model that was asked for one
        is_text = any(isinstance(row.get(column), str) for row in rows)
        words, there = "", ""
        if field not in FIELDS or column not in names:
            words = mark("There is no column {column!r} for {field}. Choose one of: {there}.")
            there = ", ".join(name[:30] for name in names[:12])
        elif field in TEXT_FIELDS and column in objects and not is_text:
            words = mark("{column} holds objects. Choose one of their fields: {there}.")
            inside = [name[:60] for name in names if name.startswith(f"{column}.")]
            there = ", ".join(inside)[:300] or say("none")
        if words:
            blanks = {"column": column[:30], "field": say(field[:30]), "there": there}
            raise DatasetError(say(words, **blanks))


def _compared_by(guess: Guess) -> str:
    """By which column answers to the same questions can be compared, and by which others."""
    column = guess.columns.get("group")
    if column not in guess.versions:
        return ""
    others = [without_surrogates(name)[:30] for name in guess.versions if name != column]
    words = say("Compare by {column}.", column=without_surrogates(column)[:30])
    if not others:
        return words
    more = say("It could be {columns} as well.", columns=", ".join(others[:8]))
    return joined_sentences([words, more])


def _is_enough(guess: Guess) -> bool:
    """Whether the columns make a sample."""
    fields = set(guess.columns)
    if "question" in fields or "response" in fields:
        return True
    # Enough for a retriever: what was found, and what should have been
    return {"retrieved_documents", "gold_documents"} <= fields


def _in_doubt(loaded: Loaded) -> str:
    """What is in doubt about the columns, and the remedy."""
    guess = loaded.guess
    missing = [field for field in ("question", "response") if field not in guess.columns]
    if not missing:
        guessed = " ".join(
            f"{field}={without_surrogates(column)[:60]}" for field, column in guess.columns.items()
        )
        return f"has columns that may mean several things. {guess.why} Guessed: {guessed}."
    # An object is not shown beside its fields, of which one may be chosen
    objects = {name.split(".")[0] for name in loaded.names if "." in name}
    shown: list[str] = []
    for name in loaded.names:
        if name not in objects:
            shown.append(without_surrogates(name)[:30])
    shown.sort()
    there = ", ".join(shown[:12]) or "none"
    field = missing[0]
    usual = " or ".join(COLUMNS[field])
    return f"has no column {field} (it has: {there}). Rename or add one: {usual}."


@lists_in_time
def separators_in(guess: Guess, table: Table, names: Sequence[str]) -> Separators:
    """What parts the documents in a cell, for each column of documents, and accepted answers."""
    fields = ("retrieved_documents", "gold_documents")
    columns = [guess.columns[field] for field in fields if field in guess.columns]
    # A field in an object is a column too
    rows = [{**dict(inner_cells(row)), **row} for row in first_rows(table)]
    separators: dict[str, Separator] = {}
    if truth := guess.columns.get("ground_truth"):
        separators[truth] = separator_of_answers(truth, rows)
    named = guess.columns.get(SEPARATOR_FIELD)
    for column in columns:
        separators[column] = separator_of(column, names, rows, table.format)
        if named is not None:
            separators[column] = separator_named(named)
    return separators


# Rows


def _collected(name: str, items: Sequence[Item]) -> Dataset | rgb.TestBed:
    # All of one kind, as one shape made them
    beds = tuple(item for item in items if isinstance(item, rgb.BedRow))
    if beds:
        return rgb.TestBed(name=name, rows=beds)
    samples = tuple(item for item in items if isinstance(item, Sample))
    return Dataset(name=name, samples=samples)


def _with_own_ids(items: Sequence[tuple[int, Item]]) -> tuple[list[Item], list[Finding]]:
    """Each item with an id of its own, and a finding where the file repeats ids."""
    # One file may hold a bed for each ability, each of which counts from 0
    taken = {_key(item) for _, item in items}
    counts: dict[tuple[str, str], Iterator[int]] = {}
    kept: list[Item] = []
    repeated: list[int] = []
    for number, item in items:
        key = _key(item)
        if key in counts:
            repeated.append(number)
            own_id = _free_id(key, counts[key], taken)
            item = item.model_copy(update={"id": own_id})
        else:
            counts[key] = itertools.count(2)
        kept.append(item)
    if not repeated:
        return kept, []
    words = say("Their id is that of an earlier row; a number was put behind it.")
    return kept, [Finding(say("Repeated ids"), tuple(repeated), words)]


def _key(item: Item) -> tuple[str, str]:
    """By what items are told apart: the id, and of a test bed also what the row tests."""
    if isinstance(item, rgb.BedRow):
        return item.id, str(item.abilities)
    return item.id, ""


def _free_id(
    key: tuple[str, str],
    numbers: Iterator[int],
    taken: set[tuple[str, str]],
) -> str:
    """The id with the next of these numbers behind it that no other item has."""
    repeated_id, abilities = key
    while True:
        own_id = f"{repeated_id} ({next(numbers)})"
        if (own_id, abilities) not in taken:
            return own_id


def _parted_cells(table: Table, separators: Separators, truth: str | None) -> list[Finding]:
    """Where a text became several documents, which is a guess of its own."""
    findings = []
    for column, separator in separators.items():
        if not separator:
            continue
        rows: list[int] = []
        for number, row in table.rows:
            if _is_parted(row.get(column), separator):
                rows.append(number)
        if not rows:
            continue
        title = mark("Several documents in a cell")
        words = mark("{column} holds several there, parted by {separator}.")
        if column == truth:
            title = mark("Several true answers in a cell")
            words = mark("{column} holds several accepted answers there, parted by {separator}.")
        elif separator is Separator.LINE:
            title = mark("Documents by lines")
            words = mark("{column} holds lines there; each line became a document of its own.")
        words = say(words, column=column[:30], separator=say(separator.value))
        findings.append(Finding(say(title), tuple(rows), words))
    return findings


def _is_parted(cell: object, separator: Separator) -> bool:
    if not isinstance(cell, str):
        return False
    # Most cells are lists on one line, which take long to read for nothing
    if separator is Separator.LINE and "\n" not in cell:
        return False
    parts = documents(cell, separator)
    # What is a list, or parted by |||, needs no guess
    return len(parts) > 1 and len(documents(cell)) == 1
