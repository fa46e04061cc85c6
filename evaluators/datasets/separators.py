"""Several documents in one cell of a format without lists: what parts them, judged by the whole
column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from evaluators.datasets.cells import SEPARATOR, lines, unpack
from evaluators.datasets.columns import Rows
from evaluators.datasets.names import canonical, is_plural

FLAT = ("CSV", "TSV", "XLSX")
"""Formats whose cells hold no lists."""

PART = 40
"""Characters that parts between bars have on average: in a table of figures they are shorter."""

_DEEPEVAL = ("additional_metadata", "source_file", "tools_called", "custom_column_key_values")
"""Columns that only DeepEval writes, which joins its contexts with a single bar."""

_TABLE = re.compile(r"^[ \t]*\|", re.MULTILINE)


_TAG = re.compile(r"<\s?/?\s?sep\s?/?\s?>|<\|sep\|>|\[SEP\]", re.IGNORECASE)
# "[1 | doc1]" is a reference: its bar parts nothing.
_BAR = re.compile(r"\[[^\[\]\n]{0,60}\]|(\|)")
_RULE = re.compile(r"\n-{3,}[ \t\r]*\n")
_BLANK = re.compile(r"\n[ \t\r]*\n")


class Separator(StrEnum):
    """What parts the documents of a cell, in words."""

    NONE = ""
    TAG = "<sep>"
    BAR = "|"
    RULE = "lines of dashes"
    BLANK = "blank lines"
    LINE = "line breaks"


def parted(text: str, separator: Separator) -> list[str]:
    """The documents in a text; lines are judged by `lines`, whether they are entries or wrapped."""
    if separator is Separator.TAG:
        parts = _TAG.split(text)
    elif separator is Separator.BAR:
        bars = [match.start() for match in _BAR.finditer(text) if match[1]]
        starts, ends = [0, *(bar + 1 for bar in bars)], [*bars, len(text)]
        parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    elif separator is Separator.RULE:
        parts = _RULE.split(text)
    elif separator is Separator.BLANK:
        parts = _BLANK.split(text)
    else:
        return lines(text) if separator is Separator.LINE else [text]
    return [part for part in map(str.strip, parts) if part]


def separator_of(column: str, names: Sequence[str], rows: Rows, form: str) -> Separator:
    """What parts the documents in the cells of a column; a list, and what is parted by |||, needs
    nothing.

    Lines count as documents where `lines` takes them for entries, which it judges for each cell.
    """
    is_deepeval = canonical(column) in ("retrieval_context", "context") and any(
        name in names for name in _DEEPEVAL
    )
    if is_deepeval and any("|" in text for text in _plain_texts(column, rows)):
        return Separator.BAR
    if form not in FLAT or not (is_deepeval or is_plural(column) or _is_deepevals(column)):
        return Separator.NONE
    texts = _plain_texts(column, rows)
    if any(map(_TAG.search, texts)):
        return Separator.TAG
    if _are_parted_by_bars(texts):
        return Separator.BAR
    if 2 * sum(_RULE.search(text) is not None for text in texts) > len(texts):
        return Separator.RULE
    if 2 * sum(_BLANK.search(text) is not None for text in texts) > len(texts):
        return Separator.BLANK
    return Separator.LINE if is_plural(column) else Separator.NONE


def doubt_about(column: str, separator: Separator, rows: Rows) -> str:
    """Why a person should look at where documents begin; empty where it is clear."""
    if separator in (Separator.BLANK, Separator.RULE):
        what = separator.capitalize()
        return f"{what} part the documents in {column[:30]}, if they do not part paragraphs."
    if separator is not Separator.LINE:
        return ""
    texts = _plain_texts(column, rows)
    unclear = sum("\n" in text.strip() and len(lines(text)) == 1 for text in texts)
    if 2 * unclear <= len(texts):
        return ""
    return f"{column[:30]} may hold several documents in one text, parted by line breaks."


def _is_deepevals(column: str) -> bool:
    return canonical(column) == "retrieval_context"


def _plain_texts(column: str, rows: Rows) -> list[str]:
    cells = [cell for row in rows if isinstance(cell := row.get(column), str) and cell.strip()]
    return [cell for cell in cells if SEPARATOR not in cell and isinstance(unpack(cell), str)]


def _are_parted_by_bars(texts: Sequence[str]) -> bool:
    with_bars = [text for text in texts if "|" in text]
    if 2 * len(with_bars) <= len(texts) or any(map(_TABLE.search, with_bars)):
        return False
    parts = [part for text in with_bars for part in parted(text, Separator.BAR)]
    return sum(map(len, parts)) >= PART * len(parts)
