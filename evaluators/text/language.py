"""The language of what people read: the English of the code, or what a catalogue has for it.

The English text is the key, as in gettext. Who reads is known to the app alone: it names the
language of whoever looks at this moment (`ask_for_language`). Everywhere else (Python, the
terminal, threads of runs) it is English, so what is stored is English too, and
`stored_texts.translated` shows it later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from evaluators.config import ROOT
from evaluators.marking import mark as mark

ENGLISH, CHINESE = "en", "zh_CN"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", CHINESE: "中文"}
"""The languages by their codes, each as those call it who read it."""

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
    English text means two things, the context tells which: "Right" of two sides, or correct.
    """
    said = phrase(text, context) or text
    return said.format(**blanks) if blanks else said


def phrase(text: str, context: str | None = None) -> str | None:
    """What the catalogue has for the text in this context; `None` in English or if it lacks it."""
    code = language()
    return None if code == ENGLISH else catalogue_of(code).get((context, text))


@cache
def catalogue_of(code: str) -> Mapping[tuple[str | None, str], str]:
    """The translations into this language, by the context and the English text."""
    # Only those who read another language wait for it.
    from babel.messages.pofile import read_po

    with (ROOT / "data" / "languages" / f"{code}.po").open("rb") as file:
        messages = read_po(file)
    found = {}
    for message in messages:
        # The message without a text is the head of the file.
        if message.id and message.string:
            found[message.context, str(message.id)] = str(message.string)
    return found
