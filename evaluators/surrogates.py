"""Half characters (lone surrogates), which no file, no store and no request can carry.

They come in through JSON escapes and broken encodings. Everything may import this module, the
errors too: it imports nothing of Plumbline but messages.
"""

from __future__ import annotations

import re

from evaluators.marking import Message

# An escaped backslash is matched first, as it escapes nothing: in `\\ud800` the `u` is a letter.
_ESCAPE = re.compile(
    r"\\\\"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""In JSON: an escaped backslash, a whole character beyond U+FFFF, or half of one."""


def without_surrogates(text: str) -> str:
    """Replace half characters (lone surrogates) by U+FFFD."""
    if text.isascii():
        return text
    if isinstance(text, Message):
        return text.changed(without_surrogates)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_lone_escapes(text: str) -> str:
    """Replace the escapes of half characters in JSON by that of U+FFFD.

    No strict JSON reader takes them.
    """
    if "\\u" not in text:
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape["lone"] else escape[0], text)
