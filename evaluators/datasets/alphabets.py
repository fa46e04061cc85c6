"""What texts of a language look like, and the encodings that programs write them in.

By this an encoding is told that nothing in a file names; see `encoding_guess`.
"""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from evaluators.config import ROOT
from evaluators.text.language import mark


class Alphabet(NamedTuple):
    """The letters of a language beside those of ASCII, in small letters, and its commonest words.

    Where words are not parted by spaces, `common` are characters or words wherever they stand.
    """

    letters: re.Pattern[str]
    common: tuple[str, ...]
    is_spaced: bool


_TABLES = tomllib.loads((ROOT / "data" / "alphabets.toml").read_text(encoding="utf-8"))


def _alphabet(letters: str, common: str, spaced: bool = True) -> Alphabet:
    own = letters.replace("{foreign}", _TABLES["foreign"])
    return Alphabet(re.compile(f"[{own}]"), tuple(common.split()), spaced)


ALPHABETS = {name: _alphabet(**entry) for name, entry in _TABLES["languages"].items()}

LANGUAGES_OF: dict[str, list[str]] = _TABLES["encodings"]
"""The encodings that are guessed, those that are met most often first."""

TITLES = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": mark("Windows-1252 (Western)"),
    "cp1250": mark("Windows-1250 (Central European)"),
    "cp1251": mark("Windows-1251 (Cyrillic)"),
    "cp1253": mark("Windows-1253 (Greek)"),
    "cp1254": mark("Windows-1254 (Turkish)"),
    "cp1255": mark("Windows-1255 (Hebrew)"),
    "cp1256": mark("Windows-1256 (Arabic)"),
    "cp1257": mark("Windows-1257 (Baltic)"),
    "cp874": mark("Windows-874 (Thai)"),
    "cp932": mark("Shift-JIS (Japanese)"),
    "euc_jp": mark("EUC-JP (Japanese)"),
    "iso2022_jp": mark("ISO-2022-JP (Japanese)"),
    "cp949": mark("CP949 (Korean)"),
    "big5hkscs": mark("Big5 (traditional Chinese)"),
    "gb18030": mark("GB18030 (Chinese)"),
    "koi8-u": mark("KOI8 (Cyrillic)"),
    "iso8859-2": mark("ISO 8859-2 (Central European)"),
    "iso8859-5": mark("ISO 8859-5 (Cyrillic)"),
    "iso8859-6": mark("ISO 8859-6 (Arabic)"),
    "iso8859-7": mark("ISO 8859-7 (Greek)"),
    "iso8859-15": mark("ISO 8859-15 (Western)"),
    "mac-roman": mark("Mac Roman (Western)"),
    "cp850": mark("DOS 850 (Western)"),
    "cp852": mark("DOS 852 (Central European)"),
    "cp866": mark("DOS 866 (Cyrillic)"),
}
"""What encodings are called that can be chosen."""
