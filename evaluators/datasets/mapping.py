"""From rows to a data set: which kind of file this is, and which column means what."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from evaluators.datasets import ragbench, rgb
from evaluators.datasets.readers import Row, raise_problems, read_rows
from evaluators.errors import DatasetError
from evaluators.text.normalise import without_surrogates
from evaluators.types import Dataset, Labels, Sample

T = TypeVar("T")

COLUMNS = {
    "question": ("question", "query", "user_input"),
    "response": ("response", "llm_response", "prediction", "output"),
    "retrieved_documents": ("retrieved_documents", "documents", "contexts", "retrieved_contexts", "context", "docs"),
    "gold_documents": ("gold_documents", "gold_contexts", "gold_context", "reference_contexts", "gt_contexts"),
    "ground_truth": ("ground_truth", "reference", "expected_answer", "answer", "ans"),
}


def load(name: str, data: bytes) -> Dataset | rgb.TestBed:
    """The data set or test bed in a file; raises `DatasetError` that names rows and remedies."""
    rows = read_rows(name, data)
    columns = {column for _, row in rows for column in row}
    if {"query", "positive", "negative"} <= columns:
        return _bed(name, rows)
    if {"query", "prediction"} <= columns:
        return _dataset(name, rows, _recorded_answer)
    if {"documents_sentences", "all_relevant_sentence_keys"} <= columns:
        return _dataset(name, rows, _published)
    _check_columns(name, columns)
    return _dataset(name, rows, _sample)


def _dataset(name: str, rows: list[Row], make: Callable[[Mapping[str, Any]], Sample]) -> Dataset:
    samples = _each(rows, make)
    _check_ids(rows, [(sample.id, "") for sample in samples])
    return Dataset(name=name, samples=tuple(samples))


def _bed(name: str, rows: list[Row]) -> rgb.TestBed:
    """One file may hold a bed for each ability, each of which counts from 0."""
    bed_rows = _each(rows, _bed_row)
    _check_ids(rows, [(row.id, str(row.abilities)) for row in bed_rows])
    return rgb.TestBed(name=name, rows=tuple(bed_rows))


def _check_ids(rows: list[Row], ids: list[tuple[str, str]]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for (number, _), key in zip(rows, ids, strict=True):
        if key in seen:
            message = f"Row {number}: id {key[0][:60]!r} stands in row {seen[key]} too."
            raise DatasetError(f"{message} Make the ids unique, or remove the column and rows are numbered.")
        seen[key] = number


def _each(rows: list[Row], make: Callable[[Mapping[str, Any]], T]) -> list[T]:
    made, problems = [], []
    for number, row in rows:
        try:
            made.append(make({"id": number, **_clean(row)}))
        except (ValidationError, KeyError, RecursionError, DatasetError) as error:
            problems.append(f"Row {number}: {_problem(error)}")
    raise_problems(problems)
    return made


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply. Flatten it."
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing. Add it."
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    field = first["loc"][0] if first["loc"] else error.title.lower()
    return f"{field} is not usable ({first['msg'].replace('tuple', 'list')}). Correct it or remove the row."


def _sample(row: Mapping[str, Any]) -> Sample:
    return Sample(
        id=_text(row, ("id",)),
        question=_question(row),
        response=_text(row, COLUMNS["response"], required=False),
        retrieved_documents=_documents(row, "retrieved_documents"),
        ground_truth=_accepted(row),
        situation=_text(row, ("situation",), required=False) or "",
        labels=Labels.model_validate(row["labels"]) if row.get("labels") else None,
        gold_documents=_documents(row, "gold_documents"),
    )


def _recorded_answer(row: Mapping[str, Any]) -> Sample:
    known = {"query": _question(row), "prediction": _text(row, ("prediction",)), "noise_rate": _noise(row)}
    known |= {"docs": _documents(row, "retrieved_documents"), "ans": _accepted(row)}
    planted = _spelled(_unpack(row.get("fakeanswer"))) or None
    sample = rgb.recorded_answer({**row, **known, "fakeanswer": planted})
    return sample.model_copy(update={"gold_documents": _documents(row, "gold_documents")})


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


def _published(row: Mapping[str, Any]) -> Sample:
    try:
        return ragbench.sample(row)
    except ValidationError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise DatasetError("not in the shape of a RAGBench row. Take the columns as they were published.") from error


def _bed_row(row: Mapping[str, Any]) -> rgb.BedRow:
    known = {name: _unpack(row[name]) for name in rgb.BedRow.model_fields if row.get(name) not in (None, "")}
    known |= {name: _spelled(known[name]) for name in ("answer", "fakeanswer") if name in known}
    return rgb.BedRow.model_validate({**known, "id": str(row["id"]), "query": _question(row)})


def _question(row: Mapping[str, Any]) -> str:
    question: str = _text(row, COLUMNS["question"])
    if not question.strip():
        raise DatasetError("the question is empty. Fill it in or remove the row.")
    return question


def _text(row: Mapping[str, Any], names: tuple[str, ...], required: bool = True) -> Any:
    """The text under the first of the names that the row has; numbers become text, `None` stands for absence."""
    name = next((name for name in names if row.get(name) is not None), None)
    if name is None:
        if required:
            raise DatasetError(f"{names[0]} is missing. Add it.")
        return None
    value = row[name]
    if isinstance(value, list | dict):
        kind = "a list" if isinstance(value, list) else "an object"
        raise DatasetError(f"{name} is {kind}. Make it text.")
    return str(value)


def _documents(row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """The documents as texts; a cell may hold a list, a JSON list as text, or one document."""
    name = next((name for name in COLUMNS[field] if row.get(name) is not None), None)
    value = _unpack(row[name]) if name else []
    items = value if isinstance(value, list) else [value]
    for number, item in enumerate(items, start=1):
        if not isinstance(item, str):
            raise DatasetError(f"document {number} in {name} is {str(item)[:40]!r}. Make it text.")
    return tuple(items)


def _accepted(row: Mapping[str, Any]) -> Any:
    name = next((name for name in COLUMNS["ground_truth"] if row.get(name) not in (None, "")), None)
    return _spelled(_unpack(row[name])) if name else None


def _spelled(value: Any) -> Any:
    """Accepted answers with numbers as text, at any depth."""
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return str(value) if isinstance(value, int | float) else value


def _unpack(value: Any) -> Any:
    """A list that a CSV cell holds as JSON text; anything else as it is."""
    if not (isinstance(value, str) and value.lstrip().startswith("[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _repaired(value) for name, value in row.items() if value is not None and value == value}


def _repaired(value: Any) -> Any:
    """Half of a surrogate pair cannot be stored as UTF-8; a replacement character stands in its place."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    return {name: _repaired(item) for name, item in value.items()} if isinstance(value, dict) else value


def _check_columns(name: str, columns: set[str]) -> None:
    wanted = {field: names for field, names in COLUMNS.items() if field in ("question", "response")}
    for field, names in wanted.items():
        if not columns & set(names):
            found = ", ".join(sorted(without_surrogates(column)[:30] for column in columns)[:12])
            raise DatasetError(
                f"{name} has no column {field} (it has: {found or 'none'}). Rename or add one: {' or '.join(names)}."
            )
