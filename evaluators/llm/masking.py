"""A key that its endpoint sends back: found by its value, in whatever form, and masked before
anything is kept.

What counts as the same key: another case; white space, invisible characters, punctuation between
its characters; percent, JSON and HTML escapes; base64 of any alignment, hexadecimal, reversed; and
a part of it. What is searched for are short pieces of these forms, so that a text without the key
costs hardly more than reading it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

MASK = "***"

SHORTEST_SECRET = 8
"""A shorter "key" is a word such as `none` or `ollama`, which a local server takes as well as any
other.
"""

PART = 12
"""So many characters of a random key in a row are masked."""

MOST_PUBLIC = 4
"""Characters after a key's beginning that tell nothing: providers show as many themselves."""

LONGEST_WORD = 16
"""A shorter key of words, such as `lm-studio` or `anything`, may be a part of a longer word by
chance.
"""

SEED = 6
"""Characters that are searched for; any part that is masked holds a seed,
as they are that dense.
"""

_PUBLIC = re.compile(r"(?:[a-z]{2,7}[-_]){0,2}(?:(?:api|v)[0-9]{1,2}-)?")
"""How keys of a kind begin: gsk_, sk-proj-, sk-ant-api03-."""

_SEPARATORS = bytes(code for code in range(128) if not chr(code).isalnum())
_SPACES = bytes(range(33)) + b"\x7f"

_ESCAPE = re.compile(
    r"%(?:25)*([0-9a-fA-F]{2})"
    r"|\\(?:u00|x)([0-9a-fA-F]{2})"
    r"|&\#[xX]([0-9a-fA-F]{1,4});?"
    r"|&\#([0-9]{1,5});?"
    r"|\\[bfnrtv]"
)
"""A character in a URL, in JSON or a program, in HTML; last an escaped white space, which stands
between characters.
"""


class Masker:
    """Masks these secrets in any text; takes a few milliseconds for 100 KB, and a text without them
    stays as it is.
    """

    def __init__(self, *secrets: str) -> None:
        self._secrets = [
            _secret(value) for value in dict.fromkeys(secrets) if len(value) >= SHORTEST_SECRET
        ]

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = _blanked(text, _spans(text, secret))
            if "%" in text or "\\" in text or "&#" in text:
                text = _masked_escapes(text, secret)
        return text


def secrets_in(address: str) -> list[str]:
    """What of an address is secret: user name, password, and the values of its query."""
    try:
        parts = urlsplit(address)
        found = [parts.username, parts.password, *(value for _, value in parse_qsl(parts.query))]
    except ValueError:
        return []
    return [unquote(value) for value in found if value]


class _Form(NamedTuple):
    """One form of a secret: `least` of its characters in a row are masked, unless they are its
    `public` beginning.

    Of what `is_word` only the whole word is.
    """

    text: bytes
    least: int
    public: int = 0
    is_word: bool = False


class _Secret(NamedTuple):
    """A secret's forms, in lower case and without the `dropped` characters, which do not count in a
    text either.
    """

    forms: tuple[_Form, ...]
    dropped: bytes


def _secret(value: str) -> _Secret:
    """A random key is known by any part. One of words is masked only whole: a text may hold a part
    of it by chance.
    """
    folded = _folded(value, _SEPARATORS)
    is_random = (
        len(folded) >= PART
        and re.search(r"[0-9].*[0-9]|[a-z][A-Z]|[A-Za-z]{20}", value) is not None
    )
    dropped = _SEPARATORS if is_random else _SPACES
    plain, encoded = _folded(value, dropped), value.encode(errors="replace")
    others = {plain[::-1]: PART, encoded.hex().encode(): 2 * PART}
    for alphabet in (b"+/", b"-_"):
        for shift in range(3):
            # What comes before the key moves its bits along; the characters at the ends hold bits
            # of others.
            text = b64encode(bytes(shift) + encoded, alphabet)[
                -(-shift * 8 // 6) : (shift + len(encoded)) * 8 // 6
            ]
            others[_folded(text.decode(), dropped)] = (
                PART  # 14 whole characters stand for 12, two may be no letters
            )
    if not is_random:
        return _Secret(
            (
                _Form(plain, len(plain), is_word=len(plain) < LONGEST_WORD),
                *(_Form(text, len(text)) for text in others),
            ),
            dropped,
        )
    windows = (value[at : at + PART] for at in range(len(value) - PART + 1))
    least = max(SEED + 2, min(len(_folded(window, dropped)) for window in windows))
    public = len(_folded(_PUBLIC.match(value)[0], dropped))  # type: ignore[index]
    forms = [_Form(text, min(least, len(text))) for text, least in others.items()]
    return _Secret((_Form(plain, least, public), *forms), dropped)


def _folded(text: str, dropped: bytes) -> bytes:
    """What of a text is compared; keys are ASCII,
    so that all else stands between their characters.
    """
    return text.encode("ascii", "ignore").lower().translate(None, dropped)


def _spans(text: str, secret: _Secret) -> list[tuple[int, int]]:
    """Where the secret stands in the text, from where to where."""
    folded = _folded(text, secret.dropped)
    forms = [form for form in secret.forms if form.least <= len(folded)]
    found = [(form, span) for form in forms for span in _parts(folded, form)]
    if not found:
        return []
    dropped = set(secret.dropped.decode())
    kept = [at for at, letter in enumerate(text) if letter.isascii() and letter not in dropped]
    spans = [(form, kept[start], kept[end - 1] + 1) for form, (start, end) in found]
    return [
        (start, end)
        for form, start, end in spans
        if not (form.is_word and _is_inside(text, start, end))
    ]


def _parts(folded: bytes, form: _Form) -> Iterator[tuple[int, int]]:
    """Where at least so much of the form stands; every such part holds one of the seeds."""
    whole, least, public, _ = form
    for offset in range(0, len(whole) - SEED + 1, least - SEED + 1):
        seed = whole[offset : offset + SEED]
        at = folded.find(seed)
        while at >= 0:
            start, end = at, at + SEED
            while (
                start
                and start > at - offset
                and folded[start - 1] == whole[offset + start - 1 - at]
            ):
                start -= 1
            while (
                end < len(folded)
                and end < at - offset + len(whole)
                and folded[end] == whole[offset + end - at]
            ):
                end += 1
            is_part = end - start >= least and offset + end - at >= public + MOST_PUBLIC
            if is_part:
                yield start, end
            at = folded.find(seed, max(at + 1, end - SEED + 1) if is_part else at + 1)


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether it is only a part of a longer word."""
    return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()


def _masked_escapes(text: str, secret: _Secret) -> str:
    """Masks what is found once escaped characters stand for what they mean."""
    spans = _spans(_ESCAPE.sub(_meant, text), secret)
    if not spans:
        return text
    origins: list[int] = []  # of each character that is meant, and of the end
    at = 0
    for escape in _ESCAPE.finditer(text):
        origins += [*range(at, escape.start()), *[escape.start()] * len(_meant(escape))]
        at = escape.end()
    origins += range(at, len(text) + 1)
    return _blanked(text, [(origins[start], origins[end]) for start, end in spans])


def _meant(escape: re.Match[str]) -> str:
    hexadecimal = escape[1] or escape[2] or escape[3]
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    return chr(int(escape[4])) if escape[4] else ""


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with a mask in the place of each span; those that touch or overlap are one."""
    pieces, at = [], 0
    for start, end in sorted(spans):
        if start > at or not at:
            pieces += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*pieces, text[at:]])
