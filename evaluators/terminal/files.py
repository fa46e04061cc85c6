"""Bytes of a file on a terminal."""

from __future__ import annotations

import json
import unicodedata

PAPER = "paper"
"""The format of figures and tables in a zip, which also takes a width."""
RAW = "raw"
"""The format that needs no readable run: its rows as they are stored."""


def escaped_for_terminal(part: bytes) -> bytes:
    """A piece of a file for a terminal, which obeys control characters: these are written out.

    As JSON writes them, so that JSON lines mean the same. Line breaks stay.
    """
    # CSV ends its lines so; spelled out, each row would end in a "\\r" that nobody wrote.
    text = part.decode("utf-8", errors="replace").replace("\r\n", "\n")
    return "".join(map(_spelled_where_hidden, text)).encode()


def _spelled_where_hidden(character: str) -> str:
    if character.isascii():
        is_shown = character.isprintable() or character == "\n"
    else:
        is_shown = unicodedata.category(character) not in HIDDEN
    if is_shown:
        return character
    # Without the quotes around it.
    return json.dumps(character)[1:-1]


HIDDEN = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Unicode's categories of control and format characters, private ones and line separators."""
