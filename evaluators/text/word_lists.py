"""Lists of words that lie beside this module, a file each."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def words_in(file: str) -> frozenset[str]:
    """The words of a list, without its comments."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    lines = text.splitlines()
    entries = [line for line in lines if not line.startswith("#")]
    return frozenset(" ".join(entries).split())
