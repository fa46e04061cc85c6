"""A message as it is stored: its template and its blanks, never a finished sentence.

In JSON it is `{"say": [template], "blanks": {"row": 3}}`, or has another of `_makers` in place of
`say`. A text that is no message is itself.
"""

from __future__ import annotations

import re
from collections import Counter
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
ROOM = 1_000
"""Characters that a message may take whatever is stored of it: numbers, names that come again."""
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
        return _Making().made_of(stored, MOST_NESTED)
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError("it is not a message") from error


class _Making:
    """Makes one message of what is stored: a stranger's file may nest and repeat without end.

    All that is made on the way may be so long as each text in it stands once in every message that
    it is nested in, and `ROOM` more.
    """

    def __init__(self) -> None:
        self._room = ROOM

    def made_of(self, stored: Any, depth: int) -> Any:
        if isinstance(stored, str):
            self._room += MOST_NESTED * len(stored)
            return stored
        if isinstance(stored, list):
            return tuple(self.made_of(part, depth) for part in stored)
        if not isinstance(stored, dict):
            return stored
        if not depth:
            raise ValueError("messages are nested too deep")
        blanks = {
            name: self.made_of(blank, depth - 1) for name, blank in stored.get(_BLANKS, {}).items()
        }
        ((maker, stored_parts),) = ((name, stored[name]) for name in stored if name != _BLANKS)
        parts = self.made_of(stored_parts, depth - 1)
        if maker == "say":
            return self._said(*parts, **blanks)
        self._take(_length(parts))
        with import_module("evaluators.text.language").speaking("en"):
            return _makers()[maker](*parts, **blanks)

    def _said(self, template: str, context: str | None = None, /, **blanks: Any) -> Message:
        """What `say` makes of it in English; thousands of these are read with a run's results."""
        text = template
        if blanks:
            # Those of strangers may be long, and would stay in memory.
            blanks_in = _blanks_in if len(template) < SHORT else _blanks_in.__wrapped__
            for (name, form), count in blanks_in(template).items():
                # As it will stand there: a number of five characters may take hundreds.
                self._take(count * len(format(blanks[name], form)))
            text = template.format(**blanks)
        self._take(len(template))
        return Message(text, None, (template, context), blanks)

    def _take(self, length: int) -> None:
        self._room -= length
        if self._room < 0:
            raise ValueError("it is too long")


def _length(parts: Any) -> int:
    """Characters of all texts in the parts of a message."""
    if isinstance(parts, tuple):
        return sum(map(_length, parts))
    return len(parts) if isinstance(parts, str) else 0


@lru_cache(maxsize=1024)
def _blanks_in(template: str) -> Counter[tuple[str, str]]:
    """How often each of its blanks stands there, by name and form.

    Raises `ValueError` for a template that could read more than these.
    """
    blanks: Counter[tuple[str, str]] = Counter()
    for _, name, form, _ in Formatter().parse(template):
        if name is None:
            continue
        if not name.isidentifier() or not _FORM.fullmatch(form or ""):
            raise ValueError("its template is not one of texts")
        blanks[name, form or ""] += 1
    return blanks


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
