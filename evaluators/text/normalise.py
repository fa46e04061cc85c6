"""Text made comparable: one Unicode form, no reasoning, no white space; is it Chinese?"""

from __future__ import annotations

import re
import unicodedata

IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, as the inside of a regular expression's square brackets."""

# Low, because one character is a word: Chinese text full of English names stays Chinese.
CHINESE_SHARE = 0.3
"""A text is Chinese when more than this share of its letters are ideographs."""

_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_THINK_TAG = re.compile(r"<(/?)think\s*>", re.IGNORECASE)

_MARK = r"(?:[^\x00-\u02ff\w]|[\uff9e\uff9f])"
"""An accent, or another sign that is not a letter."""
_MANY_MARKS = re.compile(f"{_MARK}{{31}}")
"""More than Unicode's own "stream-safe" form has after a letter (UAX 15)."""
# Pieces with at most 30 marks in a row; each is normalised alone, in a time that is bounded.
_UP_TO_MARKS = re.compile(rf"(?:[\x00-\u02ff]|[^\W\uff9e\uff9f])*{_MARK}{{0,30}}")
_LONG = 1_000
"""Characters of a text in which the time to sort its accents is not looked after."""

_PLAIN = {"’": "'", "‘": "'", "‐": "-", "‑": "-"}
"""What NFKC leaves alone although models write it for the plain character: "don’t", "88‑81"."""


def nfkc(text: str) -> str:
    """Bring look-alike characters to one form: Unicode NFKC, and plain apostrophes and hyphens.

    NFKC covers full-width letters, ligatures and no-break spaces; it leaves typographic
    apostrophes and hyphens.
    """
    if text.isascii():
        return text
    # NFKC sorts the accents of a letter, in the square of their number: hours for a cell of them.
    if len(text) > _LONG and _MANY_MARKS.search(text):
        parts = _UP_TO_MARKS.findall(text)
        text = "".join(unicodedata.normalize("NFKC", part) for part in parts)
    else:
        text = unicodedata.normalize("NFKC", text)
    # Far faster than `translate`, which asks a dictionary for every character.
    for typographic, plain in _PLAIN.items():
        text = text.replace(typographic, plain)
    return text


def remove_reasoning(text: str) -> str:
    """Remove what a reasoning model writes between `<think>` and `</think>`.

    A block that never opens begins with the text, and one that never closes ends with it.
    What remains loses the white space around it; a text without such tags stays as it is.
    """
    if "<" not in text:
        return text
    kept: list[str] = []
    start, is_thinking = 0, False
    for tag in _THINK_TAG.finditer(text):
        if tag[1]:
            # One that never opened: all before it was thought.
            if not is_thinking:
                kept.clear()
            start, is_thinking = tag.end(), False
        elif not is_thinking:
            kept.append(text[start : tag.start()])
            start, is_thinking = tag.end(), True
    # No tag at all: the white space around the text stays as well.
    if start == 0:
        return text
    if not is_thinking:
        kept.append(text[start:])
    return "".join(kept).strip()


def is_chinese(text: str) -> bool:
    """Tell whether more than `CHINESE_SHARE` of the letters are Chinese characters.

    A text without letters is not Chinese.
    """
    ideographs = 0 if text.isascii() else len(_IDEOGRAPH.findall(text))
    if not ideographs:
        return False
    letters = sum(map(str.isalpha, text))
    return ideographs > CHINESE_SHARE * letters


def one_line(text: str) -> str:
    """The text with single spaces: files that say the same are written by many programs."""
    return " ".join(text.split())


def without_spaces(text: str) -> str:
    """Remove all white space, line breaks included."""
    return "".join(text.split())


def slug(title: str) -> str:
    """A title as the name of a value: "Is it polite?" gives `is_it_polite`."""
    return re.sub(r"\W+", "_", title.lower()).strip("_")
