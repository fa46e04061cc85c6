"""How alike two texts are: terms, their weight within one sample, coverage and cosine; embeddings where installed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import import_module

import numpy as np
import numpy.typing as npt

from evaluators.errors import ParameterError

Matrix = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Matrix]
"""Texts to rows of length 1."""

LEXICAL = "lexical"
STOP = ""
"""The term of a word that carries no content."""

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:[.,]\d+)*")
_STOP_WORDS = frozenset(
    """a about above after again all also an and any are as at be because been before being between both but by can
    could did do does doing during each either few for from further get had has have having he her here hers him his
    how i if in into is it its itself just may me might more most must my no nor not of off on once only or other our
    out over own per s same shall she should so some such t than that the their them then there these they this those
    through to too under until up upon us very was we were what when where whether which while who whom whose why will
    with within without would you your document documents context question answer provided based according information
    mentioned passage title""".split()
)
_HAN_STOP = frozenset("的了是在和与或及也都而且就着被把将之其这那有为以于吗呢吧")
_SUFFIXES = ("ations", "ation", "ingly", "ities", "ments", "ness", "ment", "ings", "edly", "ity", "ies", "ing",
             "ion", "ely", "est", "ers", "ed", "es", "ly", "er", "e", "s", "y")
_SHORTEST_STEM = 3


def terms(text: str) -> list[str]:
    """One term per word: its stem, `STOP` for a stop word; a Chinese character stands as a pair with the next one."""
    words: list[str] = _WORD.findall(text.lower())
    if not re.search(f"[{_HAN}]", text):
        return [_term(word) for word in words]
    return [_pair(word, after) if _is_han(word) else _term(word) for word, after in zip(words, [*words[1:], ""])]


def _is_han(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


def _pair(character: str, after: str) -> str:
    if character in _HAN_STOP:
        return STOP
    return character + after if after and _is_han(after) and after not in _HAN_STOP else character


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    if word in _STOP_WORDS:
        return STOP
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return word[: -len(suffix)]
    return word


