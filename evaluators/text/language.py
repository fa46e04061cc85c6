"""The language of what people read: the English of the code, or what a catalogue has for it.

The English text is the key, as in gettext. Who reads is known to the app alone: it names the
language of whoever looks at this moment (`ask_for_language`). Everywhere else (Python, the
terminal, threads of runs) it is English. What was said once is a `Message`, which keeps its
template and blanks (`messages` says how it is stored), so that `translated` says it again later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

from evaluators.config import ROOT
from evaluators.marking import Message
from evaluators.marking import mark as mark
from evaluators.text.remembered import remembered

T = TypeVar("T")

ENGLISH, CHINESE = "en", "zh_CN"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", CHINESE: "中文"}
"""The languages by their codes, each as those call it who read it."""

CATALOGUES = ROOT / "data" / "languages"
COUNTED, PLACES = "counted", "places"
"""The contexts in which a noun stands with its number, and with the numbers of its places."""

_asked: Callable[[], str] | None = None
_set: ContextVar[str | None] = ContextVar("language", default=None)


def ask_for_language(asked: Callable[[], str]) -> None:
    """From now on `asked` names the language of whoever looks, a code of `LANGUAGES`."""
    global _asked
    _asked = asked


def language() -> str:
    """The code of the language of this moment."""
    return _set.get() or (_asked() if _asked else ENGLISH)


def speak(code: str) -> None:
    """From now on this thread speaks that language, whoever looks."""
    _set.set(code)


def tag() -> str:
    """The language of this moment as HTML names it: "zh-CN"."""
    return language().replace("_", "-")


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """All texts made inside are in this language, whoever looks: files stay English by it."""
    before = _set.set(code)
    try:
        yield
    finally:
        _set.reset(before)


def say(text: str, context: str | None = None, /, **blanks: object) -> str:
    """The text in the language of this moment, with its named blanks filled.

    Without blanks no brace has a meaning. A text that the catalogue lacks stays English. Where one
    English text means two things, the context tells which: "Right" of two sides, or correct. A
    message in place of the text, or in a blank, is said again.
    """
    # A mark of another context is a template all the same.
    if isinstance(text, Message) and not (context or blanks):
        return translated(text)
    if not blanks:
        return _said(str(text), context, language())
    template = str(text)
    said = phrase(template, context) or template
    said = said.format(**{name: translated(value) for name, value in blanks.items()})
    return Message(said, None, (template, context), blanks)


# A page says some hundred texts at each drawing; the code is that of this moment.
@remembered(most=4096, longest=500)
def _said(template: str, context: str | None, _code: str) -> Message:
    return Message(phrase(template, context) or template, None, (template, context), {})


def translated(said: T) -> T:
    """A message, or each one of several, said again in the language of this moment.

    Any other text, a stranger's or a model's, stays as it is.
    """
    anew: Any = said
    if isinstance(said, Message):
        anew = (said.maker or say)(*said.parts, **said.blanks)
    # A record of a tuple's kind has words of its own.
    elif type(said) is tuple:
        anew = tuple(map(translated, anew))
    return anew  # type: ignore[no-any-return]


def phrase(text: str, context: str | None = None) -> str | None:
    """What the catalogue has for the text in this context; `None` in English or if it lacks it."""
    code = language()
    return None if code == ENGLISH else catalogue_of(code).get((context, text))


@cache
def catalogue_of(code: str) -> Mapping[tuple[str | None, str], str]:
    """The translations into this language, by the context and the English text."""
    # Only those who read another language wait for it.
    from babel.messages.pofile import read_po

    with (CATALOGUES / f"{code}.po").open("rb") as file:
        messages = read_po(file)
    found = {}
    for message in messages:
        # The message without a text is the head of the file.
        if message.id and message.string:
            found[message.context, str(message.id)] = str(message.string)
    return found
