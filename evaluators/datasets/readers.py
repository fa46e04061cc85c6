"""From the bytes of a JSON, JSON Lines or CSV file to numbered rows, or to a message that names the bad row."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from evaluators.errors import DatasetError

MAX_BYTES = 50 * 2**20
MAX_ROWS = 20_000
MAX_CELL = 2**20
SHOWN_PROBLEMS = 5

Row = tuple[int, dict[str, Any]]
"""The row's number as a person counts it (line for JSON Lines, entry for JSON and CSV, from 1), and its cells."""


def read_rows(name: str, data: bytes) -> list[Row]:
    """The rows of a file; `name` only tells CSV from JSON. Raises `DatasetError` with row and remedy."""
    text = _decode(name, data)
    rows = _csv_rows(text) if name.lower().endswith((".csv", ".tsv")) else _json_rows(text)
    if not rows:
        raise DatasetError(f"{name} holds no rows. Check that the right file was chosen.")
    if len(rows) > MAX_ROWS:
        raise DatasetError(f"{name} has more than {MAX_ROWS:,} rows, the limit. Split the file.")
    for number, row in rows:
        _check_cells(number, row)
    return rows


def raise_problems(problems: list[str]) -> None:
    """Raises one `DatasetError` for all bad rows, the first few in full."""
    if problems:
        more = f" (and {len(problems) - SHOWN_PROBLEMS} more rows)" if len(problems) > SHOWN_PROBLEMS else ""
        raise DatasetError(" ".join(problems[:SHOWN_PROBLEMS]) + more)


def _decode(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        size, limit = len(data) / 2**20, MAX_BYTES // 2**20
        raise DatasetError(f"{name} has {size:.0f} MB; the limit is {limit} MB. Split it or leave out columns.")
    if not data.strip():
        raise DatasetError(f"{name} is empty. Choose a file with rows.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DatasetError(f"{name}, line {line}: not UTF-8 text. Save it as UTF-8 CSV, JSON or JSONL.") from error
    if "\0" in text:
        raise DatasetError(f"{name} is a binary file. Save the data as CSV, JSON or JSONL.")
    return text


def _json_rows(text: str) -> list[Row]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _json_lines(text, error)
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        whole = lists[0] if len(lists) == 1 and "question" not in whole and "query" not in whole else [whole]
    if not isinstance(whole, list):
        raise DatasetError("The file holds a single value. It should hold a list of rows, or one JSON object a line.")
    return [_row(number, value) for number, value in enumerate(whole, start=1)]


def _json_lines(text: str, whole_error: Exception) -> list[Row]:
    """One object a line; a bracket alone on its line and a comma at the end do no harm. Stops above the limit.

    Where most lines are no objects, the file is one value over many lines, and its own error is told.
    """
    rows: list[Row] = []
    problems: list[str] = []
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        line = line.strip().rstrip(",")
        if line in ("", "[", "]"):
            continue
        if len(rows) + len(problems) > MAX_ROWS:
            break
        try:
            rows.append(_row(number, json.loads(line)))
        except RecursionError:
            problems.append(f"Line {number}: nested too deeply. Flatten it.")
        except ValueError as error:
            problems.append(f"Line {number}: not valid JSON ({error}). Correct or remove the line.")
    if len(problems) > len(rows) and _inside_a_value(whole_error):
        raise DatasetError(f"Not valid JSON: {whole_error}. Correct the file there.")
    raise_problems(problems)
    return rows


def _inside_a_value(error: Exception) -> bool:
    """Whether a value that began on an earlier line broke off, which does not happen to one object a line."""
    return isinstance(error, json.JSONDecodeError) and error.lineno > 1 and error.msg != "Extra data"


def _row(number: int, value: Any) -> Row:
    if not isinstance(value, dict):
        what = "a list" if isinstance(value, list) else repr(str(value)[:60])
        raise DatasetError(f"Row {number}: {what} is no object. Each row needs named fields.")
    return number, value


def _csv_rows(text: str) -> list[Row]:
    csv.field_size_limit(MAX_BYTES)
    text = text.lstrip("\r\n")
    names = re.sub('"[^"]*"', "", text.split("\n", 1)[0])
    delimiter = max(",;\t", key=names.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    try:
        rows.extend(islice(_csv_cells(reader), MAX_ROWS + 1))
    except csv.Error as error:
        raise DatasetError(f"Row {len(rows) + 1}: {error}. Check its quotation marks.") from error
    return rows


def _csv_cells(reader: csv.DictReader[str]) -> Iterator[Row]:
    for number, row in enumerate(reader, start=1):
        if None in row:
            names = len(reader.fieldnames or ())
            raise DatasetError(f"Row {number}: more cells than the {names} column names. Quote cells that hold commas.")
        yield number, {key.strip(): value for key, value in row.items() if key}


def _check_cells(number: int, row: dict[str, Any]) -> None:
    for name, value in row.items():
        if isinstance(value, str) and len(value) > MAX_CELL:
            raise DatasetError(
                f"Row {number}: {name} has {len(value):,} characters; the limit is {MAX_CELL:,}. Cut it."
            )
