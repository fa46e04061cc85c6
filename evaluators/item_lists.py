"""Items in lists, as the documented `compute` takes them: columns of one length, and an item that
fails alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from pydantic import ValidationError

from evaluators.config import config
from evaluators.errors import MissingInputError, ParameterError, PlumblineError
from evaluators.records import Averaged, Sample

T = TypeVar("T")

Outcomes = tuple[list[T | None], dict[int, str]]
"""The value of each item, `None` where it could not be judged, with the message under its number
from 0.
"""


def rows(needed: Collection[str], **columns: Iterable[Any] | None) -> list[tuple[Any, ...]]:
    """The items, one value from each column in their order; of a column that was not given each
    value is `None`.

    Raises `ParameterError` where a needed column is missing, where one is no list, or where their
    lengths differ.
    """
    for name in needed:
        if columns[name] is None:
            raise ParameterError(f"{name} is missing. Give a list with one entry for each item.")
    given = {name: _listed(name, column) for name, column in columns.items() if column is not None}
    lengths = {name: len(column) for name, column in given.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ParameterError(
            f"The lists are not equally long: {told}. Give one entry for each item."
        )
    nothing = [None] * max(lengths.values(), default=0)
    return list(zip(*(given.get(name, nothing) for name in columns), strict=True))


def outcomes(judge: Callable[..., T], items: Iterable[tuple[Any, ...]]) -> Outcomes[T]:
    """What `judge` says of each item."""
    found: list[T | None] = []
    errors: dict[int, str] = {}
    for number, item in enumerate(items):
        try:
            found.append(judge(*item))
        except PlumblineError as error:
            found.append(None)
            errors[number] = str(error)
    return found, errors


def at_once(judge: Callable[..., T], items: Iterable[tuple[Any, ...]]) -> Outcomes[T]:
    """What `judge` says of each item, many at once:
    that pays where judging is waiting for an LLM.
    """
    pool = ThreadPoolExecutor(config().workers)
    try:
        return outcomes(Future.result, [(pool.submit(judge, *item),) for item in items])
    finally:
        pool.shutdown(
            cancel_futures=True
        )  # after Ctrl-C or a mistake in the code nothing more is asked


def averaged(judge: Callable[..., float], **columns: Iterable[Any]) -> Averaged:
    """What `judge` says of each item, and the mean over the judged; every column is needed."""
    found, errors = outcomes(judge, rows(tuple(columns), **columns))
    return Averaged(mean(found), found, errors)


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the known values, `None` where there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def sample(contexts: str | Sequence[str] | None = None, **fields: Any) -> Sample:
    """One item as a sample; `contexts` may be one text or several. Raises `MissingInputError` for
    what is not text.
    """
    documents: Any = (
        (contexts,) if isinstance(contexts, str) else () if contexts is None else contexts
    )
    try:
        return Sample(id="item", retrieved_documents=documents, **fields)
    except ValidationError as error:
        first = error.errors()[0]
        told = f"{first['loc'][0]} is {first['input']!r:.40}"
        raise MissingInputError(f"The item cannot be judged: {told}. Give text.") from error


def _listed(name: str, column: Iterable[Any]) -> list[Any]:
    """The column as a list; a text, a mapping or a set has no entries in an order that could be
    meant.
    """
    if isinstance(column, str | bytes | Mapping | Set) or not isinstance(column, Iterable):
        raise ParameterError(f"{name} is {column!r:.40}. Give a list with one entry for each item.")
    return list(column)
