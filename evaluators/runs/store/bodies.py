"""Records as the JSON bodies of rows, and what becomes of a body that cannot be read."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from evaluators.messages import STORED, Text
from evaluators.records import Record
from evaluators.runs.store.database import Connection

_R = TypeVar("_R", bound=Record)
_T = TypeVar("_T")


class Unreadable(Record):
    """A row that cannot be read, by its name (a run's id, a metric's title), and why."""

    name: str
    reason: Text


def to_body(record: Record) -> str:
    return record.model_dump_json(exclude_defaults=True, context=STORED)


def from_body(kind: type[_R], body: Any) -> _R:
    """The record that a row holds; raises `ValueError` where it holds none."""
    if not isinstance(body, str):
        raise ValueError("not text")
    return kind.model_validate_json(body)


def digest(*cells: object) -> str:
    """By which a row is known again: what a disk or a program changed has another one."""
    # PostgreSQL has no character 0 in its texts.
    text = "\x1f".join(map(str, cells)).replace("\x00", "\ufffd")
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def from_row(kind: type[_R], row: Sequence[Any]) -> _R:
    """The record in a row's last column but one, before its digest; raises `ValueError`."""
    record = from_body(kind, row[-2])
    if not is_as_stored(row):
        raise ValueError("it is not what was stored")
    return record


def is_as_stored(row: Sequence[Any]) -> bool:
    """Whether the digest, a row's last column, is of the others."""
    return digest(*row[:-1]) == str(row[-1])


def why_unreadable(error: Exception) -> str:
    """Why a row cannot be read, in some words, without what stands in it."""
    if not isinstance(error, ValidationError):
        return str(error)[:100]
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    message = first["msg"]
    words = f"{place}: {message}" if place else message
    return words[:160]


def readable(
    rows: Iterable[Sequence[Any]],
    read: Callable[..., _T],
) -> tuple[dict[str, _T], list[Unreadable]]:
    """What `read` makes of these rows, by their first column, and those that cannot be read."""
    good: dict[str, _T] = {}
    unreadable = []
    for row in rows:
        name = str(row[0])
        try:
            good[name] = read(*row)
        except ValueError as error:
            unreadable.append(Unreadable(name=name, reason=why_unreadable(error)))
    return good, unreadable


def read_object(text: Any, is_good: Callable[[str, Any], bool]) -> dict[str, Any] | None:
    """A JSON object with good entries only; `None` for anything else."""
    with suppress(ValueError, TypeError, RecursionError):
        entries = json.loads(text)
        if not isinstance(entries, dict):
            return None
        if all(is_good(name, value) for name, value in entries.items()):
            return entries
    return None


def is_number_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and math.isfinite(value))


def sql_field(name: str, body: str = "body") -> str:
    """A field of a body in SQL, `null` where the body is damaged."""
    # Without the guard one damaged body would end the whole query.
    return f"case when json_valid({body}) then json_extract({body}, '$.{name}') end"


def sql_json(name: str) -> str:
    """The same as JSON: a message there is an object, a text of a stranger stands in quotes."""
    return f"case when json_valid(body) then json_quote(json_extract(body, '$.{name}')) end"


def sql_numbers(parameter: str) -> str:
    """The whole numbers of a JSON array as a table in SQL, in its column `value`."""
    # One value of JSON, as databases take only so many parameters.
    return f"(select cast(value as integer) as value from json_each({parameter}))"


def timestamp(moment: datetime | None = None) -> str:
    """A moment, now by default, as text that sorts by time."""
    return (moment or datetime.now(UTC)).isoformat(timespec="seconds")


def open_workspace(db: Connection, workspace: str, moment: datetime) -> None:
    """From now on the workspace is known: something is kept for it."""
    values = (workspace, timestamp(moment))
    db.execute("insert into workspaces values (?1, ?2, ?2) on conflict do nothing", values)
