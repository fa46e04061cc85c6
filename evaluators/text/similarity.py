"""How alike texts are: terms, their weight in one sample, coverage, cosine, and embeddings.

A text is a set of terms of a common vocabulary. A term weighs the more, the fewer sentences of the
sample's documents hold it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, count, pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evaluators.errors import ParameterError
from evaluators.extras import install_line
from evaluators.text.normalise import IDEOGRAPHS, nfkc

Matrix = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.integer[Any]]
Embed = Callable[[Sequence[str]], Matrix]
"""Turns texts into rows of length 1."""

LEXICAL = "lexical"
EMBEDDING_PREFIX = "sentence-transformers/"
STOP = ""
"""The term of a word that carries no content."""

# One Chinese character, or a word; a number with its decimals and thousands is one word: 1,250.5.
_WORD = re.compile(rf"[{IDEOGRAPHS}]|[^\W_{IDEOGRAPHS}]++(?:[.,]\d++)*+")
# The same for a text without any other letter, in half the time.
_ASCII_WORD = re.compile(r"[a-z0-9]++(?:[.,][0-9]++)*+")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
# Function words, and the words with which an answer speaks of its sources.
_STOP_WORDS_TEXT = """
a about above after again all also an and any are as at be because been before being between both
but by can could did do does doing during each either few for from further get had has have having
he her here hers him his how i if in into is it its itself just may me might more most must my no
nor not of off on once only or other our out over own per s same shall she should so some such t
than that the their them then there these they this those through to too under until up upon us very
was we were what when where whether which while who whom whose why will with within without would
yes you your document documents context passage provided based according mentioned
"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
_STOP_CHARACTERS = frozenset("的了是在和与或及也而且就着被把将之其这那有为以于吗呢吧")
# The first that fits is cut off, so "ations" stands before "ation" and "s" near the end. The
# heuristic's weights were fitted on these stems: another stemmer would need a new fit.
_SUFFIXES_TEXT = (
    "ations ation ingly ities ments ness ment ings edly ity ies ing ion ely est ers ed es ly "
    "er e s y"
)
_SUFFIXES = tuple(_SUFFIXES_TEXT.split())
# "sing" keeps its ending, "learning" does not.
_SHORTEST_STEM = 3
# 50,000 words of a megabyte each would fill the memory; of these they are some megabytes.
LONGEST_REMEMBERED = 64
"""Characters of a word whose stem is remembered."""
MOST_REMEMBERED = 50_000
# Two runs that begin at once would otherwise both load the same model.
_LOADING = Lock()


def terms(text: str) -> list[str]:
    """One term per word: its stem, or `STOP`.

    A Chinese character is a word, and its term the pair with the next one.
    """
    text = nfkc(text)
    words = _words(text)
    term = _REMEMBERED.__getitem__
    if text.isascii() or not _IDEOGRAPH.search(text):
        return list(map(term, words))
    stems = []
    for word, after in pairwise([*words, STOP]):
        stems.append(_character_pair(word, after) if _is_ideograph(word) else term(word))
    return stems


def content_words(text: str) -> dict[str, str]:
    """The content words of a text by their terms, each as it is first written there."""
    words, written = _words(nfkc(text)), _WORD.findall(nfkc(text))
    # Few letters become several in lower case, and a word may then end elsewhere.
    if [word.lower() for word in written] != words:
        written = words
    by_term: dict[str, str] = {}
    for term, word in zip(terms(text), written, strict=True):
        by_term.setdefault(term, term if _is_ideograph(word) else word)
    by_term.pop(STOP, None)
    return by_term


class Vocabulary(defaultdict[str, int]):
    """Terms by their numbers, in order of appearance: one that is new gets the next.

    `STOP` has -1.
    """

    def __init__(self) -> None:
        super().__init__(count().__next__, {STOP: -1})

    @property
    def size(self) -> int:
        """How many terms have a number."""
        return len(self) - 1

    def numbered(self, texts: Sequence[Sequence[str]]) -> Numbered:
        """The texts by the numbers of their terms."""
        lengths = list(map(len, texts))
        terms = np.fromiter(map(self.__getitem__, chain.from_iterable(texts)), int, sum(lengths))
        return Numbered(np.repeat(np.arange(len(texts)), lengths), terms, len(texts))


class Numbered(NamedTuple):
    """The terms of texts by their numbers, text after text."""

    texts: Numbers
    """The number of the text that each term stands in, ascending."""
    terms: Numbers
    height: int
    """The number of texts."""

    def part(self, start: int, end: int) -> Numbered:
        """Some of the texts, which are numbered from 0 again."""
        places = slice(*self.texts.searchsorted((start, end)))
        return Numbered(self.texts[places] - start, self.terms[places], end - start)

    def distinct(self, size: int) -> Numbered:
        """Each term of a text once, without `STOP`; `size` is that of the vocabulary."""
        is_content = self.terms >= 0
        places = distinct(self.texts[is_content] * size + self.terms[is_content])
        texts, terms = np.divmod(places, max(size, 1))
        return Numbered(texts, terms, self.height)


def distinct(numbers: Numbers) -> Numbers:
    """The numbers, each once and in order: a tenth of the time of `np.unique`."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


# Sums of weights in steps of this, and of their squares, are exact in 32 bits for any ordinary
# sentence: in whichever order a processor adds them up, equal sentences stay equal.
_STEP = 1 / 128


# The same few thousand pairs come again and again.
@lru_cache(maxsize=20_000)
def rarity(texts: int, texts_with: int) -> float:
    """The weight of a term that so many of the texts hold, in steps of 1 / 128."""
    return round(math.log(1 + max(texts, 1) / (texts_with + 0.5)) / _STEP) * _STEP


def rarities(texts: Numbered, size: int) -> Matrix:
    """The weight of each term of a vocabulary of this size; the terms of the texts are distinct."""
    counts = np.bincount(texts.terms, minlength=size)
    # A logarithm for each count, not for each term: there are far fewer of them.
    by_count = [rarity(texts.height, count) for count in range(counts.max(initial=0) + 1)]
    return np.array(by_count)[counts]


class TermSets(NamedTuple):
    """Texts as the terms of a vocabulary that each holds, text after text.

    So they are as large as the texts, not as texts times vocabulary. `lengths` are the lengths of
    the texts as vectors over all their terms, known or not.
    """

    texts: Numbers
    """The number of the text that each term stands in, ascending."""
    columns: Numbers
    """The column of each term."""
    lengths: Matrix

    @property
    def height(self) -> int:
        return len(self.lengths)

    def part(self, start: int, end: int) -> TermSets:
        """Some of the texts, which are numbered from 0 again."""
        places = slice(*self.texts.searchsorted((start, end)))
        return TermSets(self.texts[places] - start, self.columns[places], self.lengths[start:end])

    def weighted(self, weights: Matrix) -> Matrix:
        """The weight of each term that any of the texts holds, and 0 for every other."""
        held = np.zeros_like(weights)
        held[self.columns] = weights[self.columns]
        return held

    def sums(self, values: Matrix) -> Matrix:
        """The sum, for each text, of the values that its terms have."""
        added = np.bincount(self.texts, values[self.columns], self.height)
        return added.astype(np.float32)


def term_sets(texts: Numbered, weights: Matrix, width: int) -> TermSets:
    """Texts of distinct terms over the first `width` of a vocabulary.

    `weights` are those of all its terms: each has a part in the length of a text.
    """
    lengths = np.sqrt(np.bincount(texts.texts, weights[texts.terms] ** 2, texts.height))
    is_known = texts.terms < width
    return TermSets(
        texts=texts.texts[is_known],
        columns=texts.terms[is_known],
        lengths=lengths.astype(np.float32),
    )


class Rows(NamedTuple):
    """Some texts as rows with a 1 for each term that they hold, and their lengths as vectors."""

    incidence: Matrix
    lengths: Matrix


def incidence(texts: Numbers, columns: Numbers, shape: tuple[int, int]) -> Matrix:
    """A table with a 1 at each of these places."""
    table = np.zeros(shape, np.float32)
    table[texts, columns] = 1
    return table


def coverage(by: Matrix, of: Matrix, weights: Matrix) -> Matrix:
    """The share, 0 to 1, that each row `by` holds of the weight of each row `of`.

    It is 0 where a row has no term.
    """
    return ratio(by @ (of * weights).T, of @ weights)


def cosine(left: Rows, right: Rows, weights: Matrix) -> Matrix:
    """The cosine, 0 to 1, of each row of `left` with each row of `right`; 0 without a term."""
    shared = left.incidence @ (right.incidence * weights**2).T
    lengths = left.lengths[:, None] * right.lengths[None, :]
    return ratio(shared, lengths)


def ratio(part: Matrix, whole: Matrix | float) -> Matrix:
    """`part / whole`, and 0 where the whole is 0."""
    # Far below the weight of any term, so that only a whole of 0 is changed by it.
    return part / np.maximum(whole, np.float32(1e-6))


def embedder(name: str) -> Embed | None:
    """The embedding of a `sentence-transformers/...` model; None for "lexical".

    A model is loaded once per process. Raises `ParameterError` where the name is another one, the
    package is missing or the model cannot be loaded.
    """
    check_embedding(name)
    if name == LEXICAL:
        return None
    with _LOADING:
        return _load_model(name)


def check_embedding(name: str) -> None:
    """Raises `ParameterError` where the name is unknown or its package is not installed.

    It loads nothing.
    """
    if name == LEXICAL:
        return
    if not name.startswith(EMBEDDING_PREFIX):
        raise ParameterError(
            f"embedding_model is {name!r}. Use {LEXICAL!r} or a name like {EMBEDDING_PREFIX}..."
        )
    if find_spec("sentence_transformers") is None:
        raise ParameterError(
            f"embedding_model {name!r} needs a package that is not installed. "
            f"Install it: {install_line('embeddings')}, or choose {LEXICAL!r}."
        )


# Few, as a model takes some hundred megabytes.
@lru_cache(maxsize=4)
def _load_model(name: str) -> Embed:
    try:
        model = import_module("sentence_transformers").SentenceTransformer(name)
    except (ImportError, OSError, ValueError) as error:
        raise ParameterError(
            f"{name!r} cannot be loaded: {error}. Check its name and the network."
        ) from error
    return lambda texts: np.asarray(
        model.encode(list(texts), normalize_embeddings=True), np.float32
    )


def _words(text: str) -> list[str]:
    """The words of a normalised text, in lower case."""
    pattern = _ASCII_WORD if text.isascii() else _WORD
    return pattern.findall(text.lower())


def _term(word: str) -> str:
    """The word without its ending, so that "learns" meets "learning".

    A number loses its thousands separators.
    """
    if word in _STOP_WORDS:
        return STOP
    if word[0].isdigit():
        return word.replace(",", "")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return word[: -len(suffix)]
    return word


class _Terms(dict[str, str]):
    """Words with their terms, in half the time of an `lru_cache`."""

    def __missing__(self, word: str) -> str:
        term = _term(word)
        if len(word) <= LONGEST_REMEMBERED:
            # English documents repeat a few thousand words: what is forgotten soon is back.
            if len(self) >= MOST_REMEMBERED:
                self.clear()
            self[word] = term
        return term


_REMEMBERED = _Terms()


def _is_ideograph(word: str) -> bool:
    return _IDEOGRAPH.match(word) is not None


def _character_pair(character: str, after: str) -> str:
    if character in _STOP_CHARACTERS:
        return STOP
    # 的 and the like would make pairs that say nothing of what they stand beside.
    is_pair = _is_ideograph(after) and after not in _STOP_CHARACTERS
    return character + after if is_pair else character
