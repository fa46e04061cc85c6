"""Text inside Markdown: it is read as it is, wherever it comes from."""

import re

from evaluators.text.printable import printable

# Without definitions, which no cell can hold, brackets alone make no link.
_OF_MARKDOWN = re.compile(r"[\\`*_{}<>#|~$]|\](?=\()")
# What GitHub makes links and mentions of, also where signs are escaped.
_LINKED = re.compile(r"@(?=\w)|:(?=//)|(?i:\bwww)(?=\.)|\\#(?=\d)|(?i:\bgh)(?=-\d)")
_BEGINS = re.compile(r"(\d{1,9})?([-+=.):\[])")
JOINER = "\u2060"
"""A sign without width, behind which no link or mention begins."""


def in_markdown(text: str) -> str:
    """The text as it is read: no link, no picture, no HTML, and no end of its cell."""
    plain = printable(text).replace("&", "&amp;")
    return _OF_MARKDOWN.sub(r"\\\g<0>", plain)


def unlinked(text: str) -> str:
    """The same where bare addresses, names and numbers become links: in a comment on GitHub."""
    return _LINKED.sub(rf"\g<0>{JOINER}", in_markdown(text))


def paragraph(text: str) -> str:
    """The same at the beginning of a line: no list, heading, definition or block of code."""
    line = unlinked(text).strip()
    begins = _BEGINS.match(line)
    return f"{begins[1] or ''}\\{line[begins.start(2) :]}" if begins else line
