"""A key that its endpoint sends back is found by its value, in whatever form, and masked.

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
"""A shorter "key" is a word such as `none` or `ollama`, which a local server takes as any other."""

PART = 12
"""So many characters of a random key in a row are masked."""

MOST_PUBLIC = 4
"""Characters after a key's beginning that tell nothing: providers show as many themselves."""

LONGEST_WORD = 16
"""A shorter key of words (`lm-studio`, `anything`) may be a part of a longer word by chance."""

SEED = 6
"""Characters of a seed: what is searched for are these short pieces of a key.

Seeds stand so densely in a key that every part which is masked holds one. So a text without the key
is only searched for a few short strings, which is as fast as reading it.
"""

_PUBLIC_BEGINNING = re.compile(r"(?:[a-z]{2,7}[-_]){0,2}(?:(?:api|v)[0-9]{1,2}-)?")
"""How keys of a kind begin: gsk_, sk-proj-, sk-ant-api03-."""

_SEPARATORS = bytes(code for code in range(128) if not chr(code).isalnum())
_SPACES = bytes(range(33)) + b"\x7f"

_ESCAPE = re.compile(
    r"%(?:25)*([0-9a-fA-F]{2})"  # %2D, and %252D where it was escaped twice
    r"|\\u([0-9a-fA-F]{4})"  # \u002d, \u200b
    r"|\\x([0-9a-fA-F]{2})"  # \x2d
    r"|&\#[xX]([0-9a-fA-F]{1,4});?"  # &#x2d;
    r"|&\#([0-9]{1,5});?"  # &#45;
    r"|\\[bfnrtv]"  # \n
)
"""An escaped character: in a URL (also escaped twice), in JSON or a program, in HTML.

Last an escaped white space, which stands between characters.
"""


class Masker:
    """Masks these secrets in any text; a text without them stays as it is.

    Takes a few milliseconds for 100 KB.
    """

    def __init__(self, *secrets: str) -> None:
        different = dict.fromkeys(secrets)
        long_enough = [value for value in different if len(value) >= SHORTEST_SECRET]
        self._secrets = [_secret_of(value) for value in long_enough]

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = _with_masks(text, _spans(text, secret))
            # Without one of these signs there is no escape that could hide a key.
            if "%" in text or "\\" in text or "&#" in text:
                text = _masked_escapes(text, secret)
        return text


def secrets_in(address: str) -> list[str]:
    """What of an address is secret: user name, password, and the values of its query."""
    try:
        parts = urlsplit(address)
        query_values = [value for _, value in parse_qsl(parts.query)]
    except ValueError:
        return []
    values = filter(None, [parts.username, parts.password, *query_values])
    return [unquote(value) for value in values]


class _Form(NamedTuple):
    """One form of a secret: `least` of its characters in a row are masked.

    Unless they are only its `public` beginning; and of what `is_word` only whole words are masked.
    """

    text: bytes
    least: int
    public: int = 0
    is_word: bool = False


class _Secret(NamedTuple):
    """A secret's forms, in lower case and without the `dropped` characters.

    These do not count in a text either.
    """

    forms: tuple[_Form, ...]
    dropped: bytes


def _secret_of(value: str) -> _Secret:
    """A random key is known by any part; one of words only whole, as texts hold parts of it."""
    is_random = _is_random(value)
    dropped = _SEPARATORS if is_random else _SPACES
    plain = _comparable(value, dropped)
    encoded_forms = _encoded_forms(value, dropped)
    if not is_random:
        plain_form = _Form(plain, len(plain), is_word=len(plain) < LONGEST_WORD)
        whole = [_Form(text, len(text)) for text in encoded_forms]
        return _Secret((plain_form, *whole), dropped)
    # Where separators stand in the key, twelve of its characters are fewer that count.
    counts = []
    for start in range(len(value) - PART + 1):
        part = value[start : start + PART]
        counts.append(len(_comparable(part, dropped)))
    # Longer than a seed, so that each part which is masked holds one.
    least = max(SEED + 2, min(counts))
    beginning = _PUBLIC_BEGINNING.match(value)[0]  # type: ignore[index]  # it also matches nothing
    public = len(_comparable(beginning, dropped))
    forms = [_Form(plain, least, public)]
    for text, length in encoded_forms.items():
        forms.append(_Form(text, min(length, len(text))))
    return _Secret(tuple(forms), dropped)


def _is_random(value: str) -> bool:
    """Whether a key looks made by a machine: two digits, a capital inside, 20 letters in a row."""
    if len(_comparable(value, _SEPARATORS)) < PART:
        return False
    return re.search(r"[0-9].*[0-9]|[a-z][A-Z]|[A-Za-z]{20}", value) is not None


def _encoded_forms(value: str, dropped: bytes) -> dict[bytes, int]:
    """The secret reversed, in hexadecimal and in base64, each with how much of it is masked."""
    encoded = value.encode(errors="replace")
    backwards = _comparable(value, dropped)[::-1]
    hexadecimal = encoded.hex().encode()
    forms = {
        backwards: PART,
        hexadecimal: 2 * PART,
    }
    for alphabet in (b"+/", b"-_"):
        for shift in range(3):
            # What comes before the key moves its bits along; the characters at the ends hold bits
            # of others.
            start = -(-shift * 8 // 6)
            end = (shift + len(encoded)) * 8 // 6
            shifted = b64encode(bytes(shift) + encoded, alphabet)
            text = shifted[start:end].decode()
            # 14 whole characters stand for 12 of the key, and two may be no letters.
            forms[_comparable(text, dropped)] = PART
    return forms


def _comparable(text: str, dropped: bytes) -> bytes:
    """What of a text is compared: keys are ASCII, so all else stands between their characters."""
    ascii_only = text.encode("ascii", "ignore")
    return ascii_only.lower().translate(None, dropped)


def _spans(text: str, secret: _Secret) -> list[tuple[int, int]]:
    """Where the secret stands in the text, from where to where."""
    folded = _comparable(text, secret.dropped)
    parts = []
    for form in secret.forms:
        if form.least <= len(folded):
            parts += [(form, span) for span in _parts_of_a_form(folded, form)]
    if not parts:
        return []
    # Where each character of the folded text stands in the text itself.
    dropped = secret.dropped.decode()
    kept = []
    for place, letter in enumerate(text):
        if letter.isascii() and letter not in dropped:
            kept.append(place)
    spans = []
    for form, (folded_start, folded_end) in parts:
        start = kept[folded_start]
        end = kept[folded_end - 1] + 1
        before = text[start - 1 : start]
        after = text[end : end + 1]
        is_inside_a_word = before.isalnum() or after.isalnum()
        if not (form.is_word and is_inside_a_word):
            spans.append((start, end))
    return spans


def _parts_of_a_form(folded: bytes, form: _Form) -> Iterator[tuple[int, int]]:
    """Where at least so much of the form stands; every such part holds one of the seeds."""
    whole, least, public, _ = form
    for offset in range(0, len(whole) - SEED + 1, least - SEED + 1):
        seed = whole[offset : offset + SEED]
        at = folded.find(seed)
        while at >= 0:
            # Where the whole form would stand in the text, if all of it did.
            origin = at - offset
            first = max(0, origin)
            last = min(len(folded), origin + len(whole))
            start = at
            while start > first and folded[start - 1] == whole[start - 1 - origin]:
                start -= 1
            end = at + SEED
            while end < last and folded[end] == whole[end - origin]:
                end += 1
            next_at = at + 1
            tells_something = end - origin >= public + MOST_PUBLIC
            if tells_something and end - start >= least:
                yield start, end
                # Behind the part, so that a text full of the key takes no longer than another.
                next_at = max(next_at, end - SEED + 1)
            at = folded.find(seed, next_at)


def _masked_escapes(text: str, secret: _Secret) -> str:
    """Masks what is found once escaped characters stand for what they mean."""
    spans = _spans(_ESCAPE.sub(_unescaped, text), secret)
    if not spans:
        return text
    # Where each character of the unescaped text, and its end, stands in the text itself.
    origins: list[int] = []
    at = 0
    # An escape stands for one character, or for none where it is white space.
    for escape in _ESCAPE.finditer(text):
        origins += range(at, escape.start())
        origins += [escape.start()] * len(_unescaped(escape))
        at = escape.end()
    origins += range(at, len(text) + 1)
    escaped_spans = [(origins[start], origins[end]) for start, end in spans]
    return _with_masks(text, escaped_spans)


def _unescaped(escape: re.Match[str]) -> str:
    hexadecimal = escape[1] or escape[2] or escape[3] or escape[4]
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    if escape[5]:
        return chr(int(escape[5]))
    return ""


def _with_masks(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with a mask in the place of each span; those that touch or overlap are one."""
    pieces = []
    at = 0
    for start, end in sorted(spans):
        if start > at or not at:
            pieces += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*pieces, text[at:]])
