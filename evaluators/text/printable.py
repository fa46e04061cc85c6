"""Text of strangers for a terminal or a message: one line, without control characters."""

from collections.abc import Mapping
from reprlib import repr as beginning


def printable(text: str) -> str:
    """The text with a space for every character that cannot be printed, such as a line break."""
    return "".join(character if character.isprintable() else " " for character in text)


def first_line(error: BaseException) -> str:
    """How the words of a library's error begin; where it has none, its kind."""
    line, _, _ = str(error).partition("\n")
    return printable(line)[:200] or type(error).__name__


def shown(value: object) -> str:
    """A value for a message: its beginning, of an unknown object its kind."""
    is_plain = isinstance(value, str | int | float | list | tuple | Mapping | bytes | bytearray)
    if value is None or is_plain:
        return printable(beginning(value))[:60]
    return f"a {type(value).__name__}"
