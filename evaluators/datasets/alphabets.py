"""What texts of a language look like, and the encodings that programs write them in.

By this an encoding is told that nothing in a file names; see `encoding_guess`.
"""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from evaluators.config import ROOT


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

_ENCODINGS = _TABLES["encodings"]

LANGUAGES_OF: dict[str, list[str]] = {
    name: entry["languages"] for name, entry in _ENCODINGS.items() if "languages" in entry
}
"""The encodings that are guessed, those that are met most often first."""

TITLES: dict[str, str] = {"utf-8": "UTF-8", "utf-16": "UTF-16"}
TITLES |= {name: entry["title"] for name, entry in _ENCODINGS.items()}
"""What encodings are called that can be chosen."""
