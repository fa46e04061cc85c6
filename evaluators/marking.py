"""Texts that know what they were made of; apart from the languages, which know places of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self


class Message(str):
    """A text with what it was made of, so that it can be said again in another language.

    `maker` is the function that made it of `parts` and `blanks`; `None` where that is `say`, whose
    parts are the template and its context. What fills a blank may be a message itself; it never is
    a template. All that Python makes of a message (a part of it, it with another text) is a plain
    text, which stays as it is.
    """

    maker: Callable[..., str] | None
    parts: tuple[Any, ...]
    blanks: Mapping[str, Any]

    def __new__(
        cls,
        text: str,
        maker: Callable[..., str] | None,
        parts: tuple[Any, ...],
        blanks: Mapping[str, Any],
    ) -> Self:
        message = super().__new__(cls, text)
        message.maker, message.parts, message.blanks = maker, parts, blanks
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (str(self), self.maker, self.parts, self.blanks)

    def format(self, *_: object, **blanks: object) -> Message:
        """The text in English with its blanks filled."""
        return Message(str(self).format(**blanks), self.maker, self.parts, blanks)

    def changed(self, change: Callable[[str], str]) -> Message:
        """The same with each text in it changed."""
        parts, blanks = _changed((self.parts, tuple(self.blanks.values())), change)
        named = dict(zip(self.blanks, blanks, strict=True))
        return Message(change(str(self)), self.maker, parts, named)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Message):
        return value.changed(change)
    if isinstance(value, tuple):
        return tuple(_changed(each, change) for each in value)
    return change(value) if isinstance(value, str) else value


def mark(text: str, context: str | None = None, /) -> str:
    """The text itself; its call puts it into the catalogue, for a `say` where it is shown.

    That `say` names the same context.
    """
    return Message(text, None, (text, context), {})
