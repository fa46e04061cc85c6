"""Cells that no spreadsheet runs."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"(?:^|[\r\n])(?:[^\S\r\n]|\ufeff)*[=+\-@|%\t\r]")
"""What a spreadsheet may take for a formula, at the start of a cell or of a line in it."""


def safe(text: str) -> str:
    """The text as a cell that no spreadsheet runs."""
    return f"'{text}" if _FORMULA.search(text) else text


def unsafe(cell: str) -> str:
    """The text that `safe` made this cell of."""
    return cell[1:] if cell.startswith("'") and safe(cell[1:]) == cell else cell
