"""From a table's rows to a data set: every row that can be used, and for each other one its number
and the reason.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from evaluators.datasets import ragbench, rgb
from evaluators.datasets.cells import lines, unpack
from evaluators.datasets.checks import Finding, checks
from evaluators.datasets.readers import read
from evaluators.datasets.shapes import (
    COLUMNS,
    FIELDS,
    LOOKED_AT,
    TEXT_FIELDS,
    TEXT_KEYS,
    Guess,
    Shape,
    inner,
    is_plural,
    names_of,
    objects_of,
    recognise,
)
from evaluators.datasets.table import RAW_SHOWN, Problem, Row, Table, told
from evaluators.errors import DatasetError
from evaluators.records import Dataset, Labels, Sample
from evaluators.surrogates import without_surrogates
from evaluators.text.spreadsheet import safe, unsafe

__all__ = ["COLUMNS", "Loaded", "load", "open_file", "open_table", "preview", "rejected"]

FLAT = ("CSV", "TSV", "XLSX")
"""Formats whose cells hold no lists."""

MOST_TEXTS = 1000
"""Documents of a row, and accepted answers: each answer is looked for in the response, each
document in the others.
"""

Made = Sample | rgb.BedRow


@dataclass(frozen=True)
class Loaded:
    """A file as far as it can be used: `data` is `None` where no row can, or no column is mapped
    yet.

    `problems` are the rows left out, `total` counts all rows of the file, `note` says what the
    reader assumed.
    """

    data: Dataset | rgb.TestBed | None
    guess: Guess
    problems: tuple[Problem, ...] = ()
    total: int = 0
    findings: tuple[Finding, ...] = ()
    note: str = ""

    @property
    def usable(self) -> int:
        """How many rows became samples, or rows of a test bed."""
        if self.data is None:
            return 0
        return len(self.data.rows if isinstance(self.data, rgb.TestBed) else self.data.samples)


def load(name: str, data: bytes) -> Dataset | rgb.TestBed:
    """The data set or test bed in a file, where every row can be used and no column is in doubt.

    Raises `DatasetError` that names rows and remedies.
    """
    table = read(name, data)
    loaded = open_table(name, table)
    if not loaded.guess.is_sure:
        raise DatasetError(f"{name} {_unclear(loaded.guess, names_of(table))}")
    if loaded.problems or loaded.data is None:
        raise DatasetError(told(list(loaded.problems)))
    return loaded.data


def open_file(name: str, data: bytes, columns: Mapping[str, str] | None = None) -> Loaded:
    """What a file holds, read by a person's `columns` (a column for each field) or by the guess.

    Raises `DatasetError` only where nothing can be read at all, or `columns` do not fit the file.
    """
    return open_table(name, read(name, data), columns)


def open_table(name: str, table: Table, columns: Mapping[str, str] | None = None) -> Loaded:
    """What a table holds; see `open_file`."""
    guess = _settled(table, columns)
    loaded = Loaded(
        None, guess, tuple(table.problems), len(table.rows) + len(table.problems), note=table.note
    )
    if not _is_enough(guess):
        return loaded
    made, problems = _each(table.rows, _maker(guess, table.format))
    loaded = replace(
        loaded,
        problems=tuple(sorted((*table.problems, *problems), key=lambda problem: problem.row)),
    )
    if not made:
        return loaded
    numbers = [number for number, _ in made]
    items, repeated = _own_ids(made)
    data = _collected(name, items)
    findings = (*repeated, *_split(table, guess), *checks(data, numbers))
    return replace(loaded, data=data, findings=findings)


def preview(
    table: Table, columns: Mapping[str, str] | None = None, count: int = 3
) -> tuple[Made | Problem, ...]:
    """The first rows as they would be read, or what is wrong with them."""
    guess = _settled(table, columns)
    make = _maker(guess, table.format)
    return tuple(_one(row, make) for row in table.rows[:count]) if _is_enough(guess) else ()


def rejected(loaded: Loaded) -> bytes:
    """The rows left out as CSV (UTF-8 with a mark): number, reason and the beginning of the row."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["row", "reason", "content"])
    writer.writerows(
        [problem.row, safe(problem.message), safe(problem.raw)] for problem in loaded.problems
    )
    return file.getvalue().encode("utf-8-sig", errors="replace")


def _settled(table: Table, columns: Mapping[str, str] | None) -> Guess:
    """The guess, or what a person says: the same columns confirm it, others make a plain table of
    it.
    """
    guess = recognise(table)
    if columns is None:
        return guess
    if dict(columns) == dict(guess.columns):
        return replace(guess, confidence=1.0)
    _check(columns, table)
    return Guess(Shape.PLAIN, str(Shape.PLAIN), 1.0, dict(columns))


def _check(columns: Mapping[str, str], table: Table) -> None:
    """Raises `DatasetError` for a column that is not there, or that holds objects where a text is
    needed.
    """
    names = names_of(table)
    objects = objects_of([row for _, row in table.rows[:LOOKED_AT]])
    for field, column in columns.items():
        if field not in FIELDS or column not in names:
            there = ", ".join(name[:30] for name in names[:12])
            raise DatasetError(
                f"There is no column {column[:30]!r} for {field[:30]}. Choose one of: {there}."
            )
        if field in TEXT_FIELDS and column in objects:
            there = ", ".join(name[:60] for name in names if name.startswith(f"{column}."))
            raise DatasetError(
                f"{column[:30]} holds objects. Choose one of their fields: {there[:300] or 'none'}."
            )


def _is_enough(guess: Guess) -> bool:
    """Whether the columns make a sample: a question, an answer, or what was retrieved and what
    should have been.
    """
    found = set(guess.columns)
    return (
        bool(found & {"question", "response"}) or {"retrieved_documents", "gold_documents"} <= found
    )


def _unclear(guess: Guess, columns: Sequence[str]) -> str:
    """What is in doubt about the columns, and the remedy."""
    field = next((field for field in ("question", "response") if field not in guess.columns), None)
    if field is None:
        return (
            f"has columns that may mean several things. {guess.why} Rename it: response or "
            "ground_truth."
        )
    outer = {column.split(".")[0] for column in columns if "." in column}
    found = ", ".join(
        sorted(without_surrogates(column)[:30] for column in columns if column not in outer)[:12]
    )
    return (
        f"has no column {field} (it has: {found or 'none'}). Rename or add one: "
        f"{' or '.join(COLUMNS[field])}."
    )


# Rows


def _each(
    rows: Sequence[Row], make: Callable[[dict[str, Any]], Made]
) -> tuple[list[tuple[int, Made]], list[Problem]]:
    made: list[tuple[int, Made]] = []
    problems: list[Problem] = []
    for row in rows:
        one = _one(row, make)
        if isinstance(one, Problem):
            problems.append(one)
        else:
            made.append((row[0], one))
    return made, problems


def _one(row: Row, make: Callable[[dict[str, Any]], Made]) -> Made | Problem:
    number, cells = row
    try:
        clean = _clean(cells)
        return make(clean if clean.get("id", "") != "" else clean | {"id": number})
    except (ValidationError, KeyError, RecursionError, DatasetError) as error:
        return Problem(number, _problem(error), _raw(cells))


def _raw(cells: Mapping[str, Any]) -> str:
    try:
        return json.dumps(cells, ensure_ascii=False, default=str)[:RAW_SHOWN]
    except (ValueError, TypeError, RecursionError):
        return ""


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply. Flatten it."
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing. Add it."
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    field = first["loc"][0] if first["loc"] else error.title.lower()
    return (
        f"{field} is not usable ({first['msg'].replace('tuple', 'list')}). Correct it or "
        "remove the row."
    )


def _collected(name: str, items: Sequence[Made]) -> Dataset | rgb.TestBed:
    beds = tuple(item for item in items if isinstance(item, rgb.BedRow))
    if beds:
        return rgb.TestBed(name=name, rows=beds)
    return Dataset(name=name, samples=tuple(item for item in items if isinstance(item, Sample)))


def _own_ids(made: Sequence[tuple[int, Made]]) -> tuple[list[Made], list[Finding]]:
    """Each item with an id of its own; one file may hold a bed for each ability, each of which
    counts from 0.
    """
    taken = {_key(item) for _, item in made}
    counts: dict[tuple[str, str], Iterator[int]] = {}
    kept, again = [], []
    for number, item in made:
        key = _key(item)
        if key in counts:
            again.append(number)
            item = _numbered(item, counts[key], taken)
        else:
            counts[key] = itertools.count(2)
        kept.append(item)
    words = "Their id is that of an earlier row; a number was put behind it."
    return kept, [Finding("Repeated ids", tuple(again), words)] if again else []


def _key(item: Made) -> tuple[str, str]:
    return item.id, str(item.abilities) if isinstance(item, rgb.BedRow) else ""


def _numbered(item: Made, numbers: Iterator[int], taken: set[tuple[str, str]]) -> Made:
    """The item with the next of these numbers behind its id by which no other item is called."""
    _, kind = _key(item)
    own = next(
        name
        for name in (f"{item.id} ({number})" for number in numbers)
        if (name, kind) not in taken
    )
    return item.model_copy(update={"id": own})


# Fields


def _maker(guess: Guess, form: str) -> Callable[[dict[str, Any]], Made]:
    """What makes a sample, or a row of a test bed, of a row of this shape."""
    known: dict[Shape, Callable[[dict[str, Any]], Made]] = {
        Shape.BED: _bed_row,
        Shape.ANSWERS: _recorded_answer,
        Shape.RAGBENCH: _published,
        Shape.LABELS: _exported,
        Shape.VALUES: lambda row: _sample(_unquoted(row), guess.columns, False),
    }
    splits = form in FLAT and is_plural(guess.columns.get("retrieved_documents", ""))
    blank = guess.columns.get("response") if form in FLAT else None
    dotted = [column for column in guess.columns.values() if "." in column]
    return known.get(
        guess.shape,
        lambda row: _sample(_unless_blank(_with_inner(row, dotted), blank), guess.columns, splits),
    )


def _with_inner(row: Mapping[str, Any], columns: Sequence[str]) -> Mapping[str, Any]:
    """The row with these fields of its objects beside its own cells."""
    return {**{column: inner(row, column) for column in columns}, **row} if columns else row


def _unless_blank(row: Mapping[str, Any], column: str | None) -> Mapping[str, Any]:
    """The row without this column where its cell is blank: where cells hold no null, that is how
    one is absent.
    """
    return (
        {name: row[name] for name in row if name != column} if row.get(column or "") == "" else row
    )


def _sample(row: Mapping[str, Any], columns: Mapping[str, str], splits: bool) -> Sample:
    cells = {field: row.get(column) for field, column in columns.items()}
    question, response = (
        _question(row, columns.get("question")),
        _text(row, columns.get("response")),
    )
    if "question" not in columns and "response" in columns and response is None:
        raise DatasetError(f"{columns['response']} is missing, and there is no question. Add one.")
    return Sample(
        id=_text(row, columns.get("id", "id")) or str(row["id"]),
        question=question,
        response=response,
        retrieved_documents=_documents(row, columns.get("retrieved_documents"), splits),
        ground_truth=_accepted(cells.get("ground_truth")),
        generator=_text(row, columns.get("generator")) or "",
        situation=_text(row, columns.get("situation")) or "",
        labels=Labels.model_validate(_object(cells["labels"])) if cells.get("labels") else None,
        gold_documents=_documents(row, columns.get("gold_documents")),
    )


def _recorded_answer(row: Mapping[str, Any]) -> Sample:
    answer = _text(row, "prediction")
    if answer is None:
        raise DatasetError("prediction is missing. Add it.")
    known = {
        "query": _question(row, "query"),
        "prediction": answer,
        "noise_rate": _noise(row),
        "docs": _documents(row, _first(row, "retrieved_documents")),
        "ans": _accepted(row.get(_first(row, "ground_truth") or "")),
        "fakeanswer": _accepted(row.get("fakeanswer")),
    }
    sample = rgb.recorded_answer({**row, **known})
    return sample.model_copy(
        update={"gold_documents": _documents(row, _first(row, "gold_documents"))}
    )


def _noise(row: Mapping[str, Any]) -> float | None:
    """The noise rate of a recorded answer; CSV holds it as text."""
    value = row.get("noise_rate")
    if value in (None, ""):
        return None
    try:
        noise = float(value)
    except (TypeError, ValueError, OverflowError):
        noise = -1
    if not 0 <= noise <= 1:
        raise DatasetError(f"noise_rate is {str(value)[:40]}. Give a share from 0 to 1.")
    return noise


def _published(row: dict[str, Any]) -> Sample:
    try:
        return ragbench.sample(
            row | {name: unpack(row[name]) for name in ragbench.LISTS if name in row}
        )
    except (ValidationError, DatasetError):
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise DatasetError(
            "not in the shape of a RAGBench row. Take the columns as they were published."
        ) from error


def _exported(row: Mapping[str, Any]) -> Sample:
    """A line of the app's own labels: a person's corrected ones where there are any, else those
    that counted.
    """
    found = _object(row.get("labels"))
    if not isinstance(found, dict):
        raise DatasetError("labels is not an object. Take the file as it was downloaded.")
    counted = found.get("corrected", found.get(str(row.get("labels_by"))))
    labels = Labels.model_validate(counted) if counted is not None else None
    return Sample(id=_text(row, "id") or "", question=_question(row, "question"), labels=labels)


def _unquoted(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: unsafe(value) if isinstance(value, str) else value for name, value in row.items()}


def _bed_row(row: Mapping[str, Any]) -> rgb.BedRow:
    known = {
        name: unpack(row[name])
        for name in rgb.BedRow.model_fields
        if row.get(name) not in (None, "")
    }
    known |= {name: _accepted(known[name]) for name in ("answer", "fakeanswer") if name in known}
    return rgb.BedRow.model_validate(
        {**known, "id": str(row["id"]), "query": _question(row, "query")}
    )


def _question(row: Mapping[str, Any], column: str | None) -> str:
    """The question; empty only where the file has none at all."""
    if column is None:
        return ""
    question = _text(row, column)
    if question is None:
        raise DatasetError(f"{column} is missing. Add it.")
    if not question.strip():
        raise DatasetError("the question is empty. Fill it in or remove the row.")
    return question


def _text(row: Mapping[str, Any], column: str | None) -> str | None:
    """The text in a column; numbers become text, `None` stands for absence."""
    value = row.get(column) if column is not None else None
    if isinstance(value, list | dict):
        kind = "a list" if isinstance(value, list) else "an object"
        raise DatasetError(f"{column} is {kind}. Make it text.")
    return None if value is None else str(value)


def _documents(row: Mapping[str, Any], column: str | None, splits: bool = False) -> tuple[str, ...]:
    """The documents as texts; a cell may hold a list, a list as text, or one document."""
    value = unpack(row.get(column)) if column is not None else None
    if value is None or (isinstance(value, str) and not value.strip()):
        return ()
    items = lines(value) if splits and isinstance(value, str) else value
    texts = [_document(item) for item in (items if isinstance(items, list) else [items])]
    _check_count(len(texts), f"documents in {column}")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise DatasetError(
                f"document {number} in {column} is {str(text)[:40]!r}. Make it text."
            )
    return tuple(texts)


def _document(item: Any) -> Any:
    """The text of a document that came as an object, as retrievers write them; anything else as it
    is.
    """
    if not isinstance(item, dict):
        return item
    if isinstance(
        item.get("node"), dict
    ):  # as LlamaIndex writes what it retrieved, beside its score
        return _document(item["node"])
    return next((item[key] for key in TEXT_KEYS if isinstance(item.get(key), str)), item)


def _accepted(cell: Any) -> Any:
    if cell in (None, ""):
        return None
    found = _spelled(unpack(cell))
    if isinstance(found, list):
        _check_count(
            sum(len(group) if isinstance(group, list) else 1 for group in found), "accepted answers"
        )
    return found


def _check_count(count: int, what: str) -> None:
    if count > MOST_TEXTS:
        raise DatasetError(f"it has {count:,} {what}; the limit is {MOST_TEXTS:,}. Leave some out.")


def _first(row: Mapping[str, Any], field: str) -> str | None:
    """The first of the field's usual names that the row has."""
    return next((name for name in COLUMNS[field] if row.get(name) not in (None, "")), None)


def _spelled(value: Any) -> Any:
    """Accepted answers with numbers as text, at any depth; SQuAD has them beside the places where
    they stand.
    """
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        return _spelled(value["text"])
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return str(value) if isinstance(value, int | float) else value


def _object(cell: Any) -> Any:
    """An object that a cell holds as JSON text; anything else as it is."""
    try:
        return json.loads(cell) if isinstance(cell, str) else cell
    except (ValueError, RecursionError):
        return cell


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row without its empty cells, and without half characters, which cannot be stored as
    UTF-8.
    """
    there = {name: value for name, value in row.items() if value is not None and value == value}
    try:
        json.dumps(there, ensure_ascii=False).encode()
    except (ValueError, TypeError):
        return {name: _repaired(value) for name, value in there.items()}
    return there


def _repaired(value: Any) -> Any:
    """A replacement character stands for half of a surrogate pair."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    return (
        {name: _repaired(item) for name, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def _split(table: Table, guess: Guess) -> list[Finding]:
    """Where a text became several documents, which is a guess of its own."""
    column = guess.columns.get("retrieved_documents", "")
    if table.format not in FLAT or not is_plural(column):
        return []
    parted = [number for number, row in table.rows if _is_parted(row.get(column))]
    words = f"{column[:30]} holds lines there; each line became a document of its own."
    return [Finding("Documents by lines", tuple(parted), words)] if parted else []


def _is_parted(cell: Any) -> bool:
    return (
        isinstance(cell, str)
        and "\n" in cell
        and isinstance(unpack(cell), str)
        and len(lines(cell)) > 1
    )
