"""Several documents in one cell of a format without lists.

What parts them is judged by the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from evaluators.datasets.cells import SEPARATOR, lines, unpack
from evaluators.datasets.columns import Rows
from evaluators.datasets.names import canonical, folded, is_plural
from evaluators.datasets.table import UnusableRowError
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say

FLAT = ("CSV", "TSV", "XLSX")
"""Formats whose cells hold no lists."""

PART = 40
"""Characters that parts between bars have on average: in a table of figures they are shorter."""

BEGINNING = 20_000
"""Characters of a cell that tell whether bars part it: it may hold a million of them."""

_DEEPEVAL = ("additional_metadata", "source_file", "tools_called", "custom_column_key_values")
"""Columns that only DeepEval writes, which joins its contexts with a single bar."""

_TABLE = re.compile(r"^[ \t]*\|", re.MULTILINE)


_TAG = re.compile(r"<\s?/?\s?sep\s?/?\s?>|<\|sep\|>|\[SEP\]", re.IGNORECASE)
# "[1 | doc1]" is a reference: its bar parts nothing.
_BAR = re.compile(r"\[[^\[\]\n]{0,60}\]|(\|)")
_RULE = re.compile(r"\n-{3,}[ \t\r]*\n")
_BLANK = re.compile(r"\n[ \t\r]*\n")


SEPARATOR_FIELD = "separator"
"""Under this name a choice of columns says what parts documents; it is not a column itself."""

UNPARTED = "none"
"""What is said there where each cell is one document."""


class Separator(StrEnum):
    """What parts the documents of a cell, in words."""

    NONE = ""
    TAG = "<sep>"
    BAR = "|"
    RULE = "---"
    BLANK = mark("blank lines")
    LINE = mark("line breaks")
    SEMICOLON = ";"


Separators = Mapping[str, Separator]
"""What parts the documents of a cell, for each column of documents."""


def parted(text: str, separator: Separator) -> list[str]:
    """The documents in a text; lines are judged by `lines`, whether they are entries or wrapped."""
    match separator:
        case Separator.TAG:
            parts = _TAG.split(text)
        case Separator.BAR:
            parts = _between_bars(text)
        case Separator.RULE:
            parts = _RULE.split(text)
        case Separator.BLANK:
            parts = _BLANK.split(text)
        case Separator.SEMICOLON:
            parts = text.split(";")
        case Separator.LINE:
            return lines(text)
        case _:
            return [text]
    stripped = [part.strip() for part in parts]
    return [part for part in stripped if part]


def _between_bars(text: str) -> list[str]:
    parts = []
    start = 0
    for match in _BAR.finditer(text):
        if match[1]:
            parts.append(text[start : match.start()])
            start = match.start() + 1
    parts.append(text[start:])
    return parts


def separator_of(column: str, names: Sequence[str], rows: Rows, form: str) -> Separator:
    """What parts the documents in the cells of a column; a list, and what is parted by |||, needs
    nothing.

    Lines count as documents where `lines` takes them for entries, which it judges for each cell.
    """
    name = canonical(column)
    is_of_deepeval = name in ("retrieval_context", "context")
    is_deepeval = is_of_deepeval and any(name in names for name in _DEEPEVAL)
    texts = _plain_texts(column, rows)
    # DeepEval joins its contexts with a bar in JSON Lines too, however short they are
    if is_deepeval and any("|" in text for text in texts):
        return Separator.BAR
    if form not in FLAT:
        return Separator.NONE
    # "context" is one text in most files; a name for many, or DeepEval's own, says that it is not
    if not is_deepeval and not is_plural(column) and name != "retrieval_context":
        return Separator.NONE
    if any(map(_TAG.search, texts)):
        return Separator.TAG
    if _are_parted_by_bars(texts):
        return Separator.BAR
    # Lines of dashes first, as they mostly have blank lines around them
    for sign, separator in ((_RULE, Separator.RULE), (_BLANK, Separator.BLANK)):
        marked = [text for text in texts if sign.search(text)]
        if 2 * len(marked) > len(texts):
            return separator
    return Separator.LINE if is_plural(column) else Separator.NONE


def separator_of_answers(column: str, rows: Rows) -> Separator:
    """What parts the accepted answers in the cells of a column that is named for many."""
    texts = _plain_texts(column, rows)
    if canonical(column) == folded(column):
        return Separator.NONE
    for sign in (Separator.BAR, Separator.SEMICOLON):
        if 2 * sum(sign.value in text for text in texts) > len(texts):
            return sign
    return Separator.NONE


def doubt_about_answers(column: str, separator: Separator) -> str:
    """Why a person should look at accepted answers: a sentence may hold a semicolon as well."""
    if separator is not Separator.SEMICOLON:
        return ""
    return say(
        "{column} may hold several accepted answers, parted by {separator}.",
        column=column[:30],
        separator=separator.value,
    )


def separator_named(name: str) -> Separator:
    """The separator that a person names; raises `DatasetError` for an unknown one."""
    if name == UNPARTED:
        return Separator.NONE
    known = [separator.value for separator in Separator if separator]
    if name not in known:
        choices = ", ".join([*known, UNPARTED])
        raise DatasetError(
            say(
                "Documents cannot be split at {name!r}. Choose one of: {choices}.",
                name=name[:30],
                choices=choices,
            )
        )
    return Separator(name)


class Split(NamedTuple):
    """What the cells of a column become where they are split.

    How many rows there are, and how many documents each of these has on average.
    """

    separator: Separator
    rows: int
    documents: float


def possible_splits(column: str, rows: Rows) -> list[Split]:
    """What may part the documents of a column, as it stands in most of its cells."""
    texts = _plain_texts(column, rows)
    splits: list[Split] = []
    for separator in Separator:
        # It stands in sentences too, so nobody is asked about it
        if separator is Separator.SEMICOLON:
            continue
        counts = [len(parted(text, separator)) for text in texts]
        several = [count for count in counts if count > 1]
        if 2 * len(several) > len(texts):
            splits.append(Split(separator, len(several), sum(several) / len(several)))
    return splits


def doubt_about(column: str, separator: Separator, rows: Rows) -> str:
    """Why a person should look at where documents begin; empty where it is clear."""
    words = {
        Separator.BLANK: mark(
            "Blank lines part the documents in {column}, if they do not part paragraphs."
        ),
        Separator.RULE: mark(
            "Lines of dashes part the documents in {column}, if they do not part paragraphs."
        ),
        Separator.LINE: mark(
            "{column} may hold several documents in one text, parted by line breaks."
        ),
    }
    if separator is Separator.LINE:
        texts = _plain_texts(column, rows)
        unclear = [text for text in texts if "\n" in text.strip() and len(lines(text)) == 1]
        if 2 * len(unclear) <= len(texts):
            return ""
    return say(words[separator], column=column[:30]) if separator in words else ""


def _plain_texts(column: str, rows: Rows) -> list[str]:
    """The cells of a column that are neither lists nor parted by |||."""
    texts: list[str] = []
    for row in rows:
        cell = row.get(column)
        if not isinstance(cell, str) or not cell.strip():
            continue
        # A list that cannot be read, which its own row will say, is no plain text
        with suppress(UnusableRowError):
            if SEPARATOR not in cell and isinstance(unpack(cell), str):
                texts.append(cell)
    return texts


def _are_parted_by_bars(texts: Sequence[str]) -> bool:
    with_bars = [text for text in texts if "|" in text]
    if 2 * len(with_bars) <= len(texts):
        return False
    # A bar at the beginning of a line is that of a Markdown table
    if any(map(_TABLE.search, with_bars)):
        return False
    parts: list[str] = []
    for text in with_bars:
        parts += parted(text[:BEGINNING], Separator.BAR)
    return sum(map(len, parts)) >= PART * len(parts)
