"""A key that its endpoint sends back is found by its value, and masked.

What counts as the same key: another case, percent and JSON escapes, base64 of either alphabet and
any alignment, and a part of a random key, as providers show keys cut off.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, quote, unquote, urlsplit

MASK = "***"

SHORTEST_SECRET = 8
"""A shorter "key" is a word such as `none` or `ollama`, which a local server takes as any other."""

PART = 12
"""So many characters of a random key in a row are masked."""

SEED = 6
"""Characters of what a text is searched for: every part that is masked holds one such piece.

So a text without the key costs hardly more than reading it.
"""

_ESCAPE = re.compile(r"%([0-7][0-9a-fA-F])|\\u([0-9a-fA-F]{4})|\\([\"\\/])")
_CHARACTER = re.compile(f"{_ESCAPE.pattern}|.", re.DOTALL)


class Masker:
    """Masks these secrets in any text; a text without them stays as it is.

    Takes a few milliseconds for 100 KB.
    """

    def __init__(self, *secrets: str) -> None:
        self._forms: dict[bytes, int] = {}
        for value in secrets:
            if len(value) >= SHORTEST_SECRET:
                self._forms |= _forms(value)

    def __call__(self, text: str) -> str:
        spans = self._spans(text)
        # Without one of these signs there is no escape that could hide a key.
        if "%" in text or "\\" in text:
            escaped = self._spans(_ESCAPE.sub(_unescaped, text))
            if escaped:
                places = [character.start() for character in _CHARACTER.finditer(text)]
                places.append(len(text))
                spans += [(places[start], places[end]) for start, end in escaped]
        return _with_masks(text, spans)

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets stand in the text, from where to where."""
        # A byte for each character: keys are ASCII.
        folded = text.encode("ascii", "replace").lower()
        return [span for form, least in self._forms.items() for span in _parts(folded, form, least)]


def secrets_in(address: str) -> list[str]:
    """What of an address is secret: user name, password, and the values of its query."""
    try:
        parts = urlsplit(address)
        query_values = [value for _, value in parse_qsl(parts.query)]
    except ValueError:
        return []
    values = filter(None, [parts.username, parts.password, *query_values])
    return [unquote(value) for value in values]


def _forms(value: str) -> dict[bytes, int]:
    """What is searched for, and how many characters of it in a row are masked.

    A random key is known by any part; one of words only whole, as texts hold parts of it.
    """
    encoded = value.encode(errors="replace")
    forms = [value.encode("ascii", "replace"), quote(encoded).encode()]
    for alphabet in (b"+/", b"-_"):
        for shift in range(3):
            # What comes before the key moves its bits along; the characters at the ends hold bits
            # of others.
            start = -(-shift * 8 // 6)
            end = (shift + len(encoded)) * 8 // 6
            forms.append(b64encode(bytes(shift) + encoded, alphabet)[start:end])
    # Made by a machine: two digits, a capital inside, 20 letters in a row.
    is_random = re.search(r"[0-9].*[0-9]|[a-z][A-Z]|[A-Za-z]{20}", value)
    return {form.lower(): min(PART, len(form)) if is_random else len(form) for form in forms}


def _parts(text: bytes, form: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Where at least so much of the form stands; every such part holds one of the seeds."""
    size = SEED if least < len(form) else least
    for offset in range(0, len(form) - size + 1, least - size + 1):
        at = text.find(form[offset : offset + size])
        while at >= 0:
            before = text[max(0, at - offset) : at]
            start = at - _alike(before[::-1], form[:offset][::-1])
            end = at + _alike(text[at : at - offset + len(form)], form[offset:])
            next_at = at + 1
            if end - start >= least:
                yield start, end
                # Behind the part, so that a text full of the key takes no longer than another.
                next_at = end - size + 1
            at = text.find(form[offset : offset + size], next_at)


def _alike(one: bytes, other: bytes) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else escape[3]


def _with_masks(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with a mask in the place of each span; those that touch or overlap are one."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start > at or not pieces:
            pieces += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*pieces, text[at:]])
