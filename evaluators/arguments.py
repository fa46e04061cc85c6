"""Arguments as people give them in Python, read alike at every door.

What is nearly right is taken: one text for a list of one, a generator, an array of numpy, a column
of pandas, polars or Arrow, the documents of a retriever. What could mean something else is refused,
with what was given and what to give.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Set
from datetime import date, time
from typing import Any

from pydantic import BaseModel

from evaluators.datasets.cells import is_missing
from evaluators.datasets.document_texts import WRAPPERS, documents
from evaluators.datasets.names import TEXT_KEYS
from evaluators.errors import MissingInputError
from evaluators.records import Accepted
from evaluators.text.printable import shown

MOST_LEVELS = 8
"""How deep a value is read: one that holds itself never ends."""

_BYTES = (bytes, bytearray, memoryview)
_NO_ORDER = (Set, io.IOBase)
"""A set has no order to key its sentences by, and a file gives lines, which are no documents."""

Documents = str | Iterable[str] | Iterable[Mapping[str, Any]] | Mapping[str, Any]
"""What may be given as documents: see `retrieved`."""

_GIVE_DOCUMENTS = "Give a list of texts, empty where nothing was retrieved"
_GIVE_TRUTH = "Give a string or a list of strings"


def text(value: object, name: str, where: str = "") -> str:
    """The value, which is text; raises `MissingInputError` that says what it is otherwise."""
    given = value if isinstance(value, str) else plain(value)
    if isinstance(given, str):
        return given
    raise MissingInputError(f"{where}{name} is {shown(value)}, not text. Give a string.")


def retrieved(
    value: object,
    name: str = "retrieved_documents",
    where: str = "",
) -> tuple[str, ...]:
    """The documents: one text is one document, or the list that it holds as a cell of a file does.

    Raises `MissingInputError` that says what is given, and which of several is no text.
    """
    if type(value) in (list, tuple) and all(map(_is_text, value)):  # type: ignore[call-overload]
        return tuple(value)  # type: ignore[arg-type]
    plain_value = plain(value)
    if not isinstance(plain_value, str | list | dict):
        raise MissingInputError(f"{where}{name} is {shown(plain_value)}. {_GIVE_DOCUMENTS}.")
    texts = documents(plain_value)
    for number, document in enumerate(texts, start=1):
        if not isinstance(document, str):
            raise MissingInputError(
                f"{where}{name}: number {number} of {len(texts)} is {shown(document)}, not text. "
                f"Give its text, or leave it out."
            )
    return tuple(texts)


def accepted(value: object, name: str, where: str = "") -> Accepted:
    """Accepted answers; raises `MissingInputError` where one is no text, or where there is none."""
    if isinstance(value, str):
        return value
    if type(value) in (list, tuple) and value and all(map(_is_text, value)):  # type: ignore[call-overload]
        return tuple(value)  # type: ignore[arg-type]
    groups = plain(value)
    if not isinstance(groups, list):
        raise MissingInputError(f"{where}{name} is {shown(value)}. {_GIVE_TRUTH}.")
    if not all(group for group in (groups, *groups) if isinstance(group, list)):
        problem = f"{shown(value)}, which holds no answer"
        raise MissingInputError(f"{where}{name} is {problem}. {_GIVE_TRUTH}.")
    spellings: list[str | tuple[str, ...]] = []
    for group in groups:
        several = group if isinstance(group, list) else [group]
        for spelling in several:
            if not isinstance(spelling, str):
                raise MissingInputError(
                    f"{where}{name} holds {shown(spelling)}, not text. {_GIVE_TRUTH}."
                )
        spellings.append(tuple(several) if isinstance(group, list) else group)
    return tuple(spellings)


def entries(value: object) -> list[Any] | None:
    """The entries of a list, a column or a table (its rows as mappings), in order.

    `None` for what has none: a text, a mapping, a set, and whatever is no collection.
    """
    if not is_list(value):
        return None
    converted = _of_library(value)
    return converted if isinstance(converted, list) else list(converted)


def is_list(value: object) -> bool:
    """Whether it holds several things in order; nothing of it is read."""
    if isinstance(value, (str, Mapping, BaseModel, type, *_BYTES, *_NO_ORDER)):
        return False
    # An array without a dimension holds one number or text, and a table of Arrow has no iterator.
    has_entries = isinstance(value, Iterable) and getattr(value, "shape", None) != ()
    return has_entries or callable(getattr(value, "to_pylist", None))


def plain(value: Any, levels: int = MOST_LEVELS) -> Any:
    """The value as JSON has it: lists, mappings, texts and numbers; what is none stays as it is.

    Of an object that holds a document (LangChain, LlamaIndex, Haystack) it is a mapping with its
    text. What can be read once only, as a generator, is read to its end.
    """
    if value is None or isinstance(value, (str, int, float, *_BYTES, *_NO_ORDER)) or not levels:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item, levels - 1) for key, item in value.items()}
    converted = _of_library(value)
    if not isinstance(converted, list) and converted is not value:
        return converted
    fields = _fields_with_text(converted, levels)
    if fields:
        return fields
    if isinstance(converted, Iterable) and not isinstance(converted, BaseModel):
        return [plain(item, levels - 1) for item in converted]
    return value


def writable(value: Any, levels: int = MOST_LEVELS) -> Any:
    """The value as JSON can write it: null for NaN and for what libraries have in an empty cell."""
    value = plain(value, levels)
    if isinstance(value, dict) and levels:
        return {key: writable(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list | Set) and levels:
        return [writable(item, levels - 1) for item in value]
    if is_missing(value) or (isinstance(value, float) and math.isinf(value)):
        return None
    if isinstance(value, str | int | float):
        return value
    return value.isoformat() if isinstance(value, date | time) else shown(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _of_library(value: Any) -> Any:
    """The rows of a table as mappings, the entries of a column as a list, a number as Python's.

    Anything else as it is. Iterated, a table would give the names of its columns, and a column of
    Arrow scalars of its own.
    """
    if isinstance(value, type):
        return value
    for method in ("to_dicts", "to_pylist", "to_list", "as_py"):  # polars, Arrow, data sets
        if callable(getattr(value, method, None)):
            return getattr(value, method)()
    if hasattr(value, "columns") and callable(getattr(value, "to_dict", None)):
        return value.to_dict(orient="records")  # pandas
    return value.tolist() if callable(getattr(value, "tolist", None)) else value  # numpy


def _fields_with_text(value: Any, levels: int) -> dict[str, Any]:
    """The text of an object that holds a document, else the document that it wraps."""
    if isinstance(value, type):
        return {}
    for name in TEXT_KEYS:
        if isinstance(getattr(value, name, None), str):
            return {name: getattr(value, name)}
    for name in WRAPPERS:
        if hasattr(value, name):
            return {name: plain(getattr(value, name), levels - 1)}
    return {}
