"""SQL of the store in the words of PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_PARTS = re.compile(r"('(?:[^']|'')*')|\?(\d*)|(?<![:\w]):([a-z]\w*)|(%)")
_JSON = re.compile(r"json_quote\(json_extract\((\w+), ('[^']*')\)\)")
_BYTES = re.compile(r"length\(cast\((\"?\w+\"?) as blob\)\)")


@lru_cache(maxsize=1024)
def translated(query: str) -> str:
    """The query as PostgreSQL and psycopg take it; its values go by names (see `by_name`)."""
    counted = _BYTES.sub(r"octet_length(cast(\1 as text))", query)
    return _with_placeholders(_JSON.sub(r"json_part(\1, \2)", counted))


def by_name(values: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """The values by the names that `translated` gives to their placeholders."""
    if not isinstance(values, Mapping):
        values = {f"p{number}": value for number, value in enumerate(values, start=1)}
    return {name: _storable(value) for name, value in values.items()}


def _storable(value: Any) -> Any:
    # PostgreSQL has no character 0 in its texts.
    return value.replace("\x00", "\ufffd") if isinstance(value, str) else value


def _with_placeholders(query: str) -> str:
    count = 0

    def placeholder(match: re.Match[str]) -> str:
        nonlocal count
        text, number, name, percent = match.groups()
        if text or percent:
            return match[0].replace("%", "%%")
        if name:
            return f"%({name})s"
        if not number:
            count += 1
        return f"%(p{number or count})s"

    return _PARTS.sub(placeholder, query)
