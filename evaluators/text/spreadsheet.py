"""Cells that no spreadsheet runs, files of them, and the way back."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence

# Spreadsheets take a full-width or otherwise decorated sign for the plain one.
SIGNS = "=+\\-@|%−⁺⁼₊₌⩵⩶﬩﹢﹣﹦﹪﹫％＋－＝＠｜"
"""What a formula may begin with, in every form that Unicode holds for the same sign."""

# The file separates by commas and quotes line breaks, but the spreadsheets of half of Europe
# separate by semicolons, and then no quotes hold.
SEPARATORS = "\t;\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
"""Where a program may begin another cell or line, whatever the file's own separator is."""

IGNORED = (
    "'\"\x00-\x08\x0e-\x1b\x1f "
    "\x7f-\x84\x86-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""What a program may drop before the first sign: white space, invisible characters, quotes."""

_ID = re.compile(r"[+-][A-Za-z0-9/_-]+={0,2}")
"""An id in base64 that begins with a sign: a spreadsheet can make a sum of it, but no call."""

_AT_START = re.compile(f"[{IGNORED}{SEPARATORS}]*+[{SIGNS}]|'*+[\t\r\n\x00]")
_INSIDE = re.compile(f"([{SEPARATORS}])(?=[{IGNORED}]*+[{SIGNS}])")
_GUARDED = re.compile(f"([{SEPARATORS}])'(?=[{IGNORED}]*+[{SIGNS}])")


def safe(text: str) -> str:
    """The text as a cell that no spreadsheet runs, however it separates cells.

    An apostrophe goes before each formula, and one more before the whole cell, which says that
    `unsafe` has something to take away.
    """
    guarded = _INSIDE.sub(r"\1'", text)
    return f"'{guarded}" if guarded != text or _AT_START.match(text) else text


def unsafe(cell: str) -> str:
    """The text that `safe` made this cell of, that of earlier versions included."""
    text = _GUARDED.sub(r"\1", cell[1:])
    return text if cell.startswith("'") and safe(text) != text else cell


def as_csv(
    headings: Sequence[str], rows: Iterable[Sequence[object]], ids: Collection[str] = ()
) -> bytes:
    """A file in UTF-8 with a mark, as spreadsheets want it; `None` is an empty cell.

    Text that looks like a formula is quoted by an apostrophe, a list is written as JSON. Programs
    compare `ids`: in these columns an id stays as it is.
    """
    is_id = [heading in ids for heading in headings]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(map(safe, headings))
    writer.writerows(map(_cell, row, is_id) for row in rows)
    # A text may hold half a character, which UTF-8 cannot write.
    return file.getvalue().encode("utf-8-sig", errors="replace")


def _cell(value: object, is_id: bool) -> object:
    if is_id and isinstance(value, str) and _ID.fullmatch(value):
        return value
    if isinstance(value, list | tuple):
        value = json.dumps(value, ensure_ascii=False)
    return safe(value) if isinstance(value, str) else value
