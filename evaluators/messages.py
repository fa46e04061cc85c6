"""A message as it is stored: its template and its blanks, never a finished sentence.

In JSON it is `{"say": [template], "blanks": {"row": 3}}`, or has another of `_makers` in place of
`say`. A text that is no message is itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from numbers import Integral, Real
from string import Formatter
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, SerializationInfo

from evaluators.marking import Message

STORED: Mapping[str, bool] = {"as_stored": True}
"""The context in which records are dumped for a store, a run file or another process; elsewhere
their messages are English texts."""
MOST_NESTED = 8
SHORT = 1000
MOST_FILLED = 1_000_000
"""Characters of a stored message with its blanks filled: a stranger's file may nest them."""
_FORM = re.compile(r"[,+]?(0\d)?(\.\d\d?)?[%fgdX]?")
_BLANKS = "blanks"
_MAKERS = (
    *("say", "counted", "places", "of_sample"),
    *("in_a_line", "side_by_side", "joined_by_and", "joined_sentences"),
)
"""The functions of `evaluators.text` that make messages which are stored."""


def as_stored(text: Any) -> Any:
    """What JSON keeps of a text, and of whatever fills a blank."""
    if isinstance(text, Message):
        maker = text.maker.__name__ if text.maker else "say"
        parts = [as_stored(part) for part in text.parts if part is not None]
        blanks = {name: as_stored(value) for name, value in text.blanks.items()}
        return {maker: parts} | ({_BLANKS: blanks} if blanks else {})
    if isinstance(text, tuple):
        return list(map(as_stored, text))
    # Numbers may be those of numpy.
    if isinstance(text, Integral):
        return int(text)
    return float(text) if isinstance(text, Real) else str(text)


def from_stored(stored: Any) -> Any:
    """The text that `as_stored` kept, in English; raises `ValueError` where it is none."""
    try:
        return _made_of(stored, MOST_NESTED)
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError("it is not a message") from error


def _made_of(stored: Any, depth: int) -> Any:
    if isinstance(stored, list):
        return tuple(_made_of(part, depth) for part in stored)
    if not isinstance(stored, dict):
        return stored
    if not depth:
        raise ValueError("messages are nested too deep")
    blanks = stored.get(_BLANKS, {})
    # Most blanks are numbers and names.
    if any(isinstance(value, dict | list) for value in blanks.values()):
        blanks = {name: _made_of(value, depth - 1) for name, value in blanks.items()}
    ((maker, stored_parts),) = ((name, stored[name]) for name in stored if name != _BLANKS)
    parts = _made_of(stored_parts, depth - 1)
    if maker == "say":
        return _said(*parts, **blanks)
    with import_module("evaluators.text.language").speaking("en"):
        return _makers()[maker](*parts, **blanks)


def _said(template: str, context: str | None = None, /, **blanks: Any) -> Message:
    """What `say` makes of it in English; thousands of these are read with the results of a run."""
    text = template
    if blanks:
        # Those of strangers may be long, and would stay in memory.
        names_in = _names_in if len(template) < SHORT else _names_in.__wrapped__
        size = sum(len(str(blanks[name])) for name in names_in(template))
        if size + len(template) > MOST_FILLED:
            raise ValueError("it is too long")
        text = template.format(**blanks)
    return Message(text, None, (template, context), blanks)


@lru_cache(maxsize=1024)
def _names_in(template: str) -> list[str]:
    """Its blanks; raises `ValueError` for a template that could read more than these."""
    names = []
    for _, name, form, _ in Formatter().parse(template):
        if name is None:
            continue
        if not name.isidentifier() or not _FORM.fullmatch(form or ""):
            raise ValueError("its template is not one of texts")
        names.append(name)
    return names


@cache
def _makers() -> Mapping[str, Callable[..., str]]:
    # By name, as that room knows records, in which messages are stored.
    words = import_module("evaluators.text.words")
    return {name: getattr(words, name) for name in _MAKERS}


def _validated(value: Any) -> str:
    text = from_stored(value) if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise ValueError("it is not a text")
    return text


def _dumped(text: str, info: SerializationInfo) -> Any:
    return as_stored(text) if info.context is STORED else str(text)


Text = Annotated[str, PlainValidator(_validated), PlainSerializer(_dumped, when_used="json")]
"""The field of a record that holds a message, or a text of a stranger or a model."""
