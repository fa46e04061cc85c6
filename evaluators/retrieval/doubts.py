"""Whether a text holds an answer, and why a person should look at a row of a test bed.

Both are read from the texts alone, so that a row that was repaired by hand is doubted anew.
"""

from __future__ import annotations

import math
import re
import time
from typing import NamedTuple

from evaluators.datasets.rgb import PASSAGES, BedRow
from evaluators.errors import DatasetError
from evaluators.flaws.mismatches import NUMBER
from evaluators.records import Accepted
from evaluators.text.accepted import groups
from evaluators.text.accepted import spellings as accepted_spellings
from evaluators.text.language import mark, say
from evaluators.text.normalise import is_chinese, nfkc, one_line, without_spaces
from evaluators.text.similarity import STOP, terms

MOST_PARTS = 20
"""Required answers, and spellings of each; of more each text would be read for each of them."""
MOST_OF_A_ROW = 100_000_000
"""Characters that are read of a row that was repaired: some seconds."""
LOOK = 100
"""Characters that are read in the time that it takes to look into a text at all."""
HEAD = 8
"""Signs of an answer that are looked for everywhere; only where they stand is the rest compared."""
PATTERN = 100
"""Characters that are read in the time in which one more becomes part of a pattern."""
SHORT = 2
"""Signs of an answer that may stand in a text by chance."""
ENOUGH = 0.8
"""The share of an answer's words by which a document may hold it otherwise spelled."""

_SHORT = mark("The answer is short and may stand there by chance.")
_FEW = mark("There are fewer negative documents than a prompt has places.")
_WORDS = mark("A negative document has most words of the answer.")
_NAME = mark("Another name took the answer's place; it may be of another kind.")
_NOT_POSITIVE = mark("A positive document does not hold the answer.")
_NOT_NEGATIVE = mark("A negative document holds a part of the answer.")
_NOT_PLANTED = mark(
    "A document with the planted error holds the true answer, or lacks the planted one."
)


class Reading:
    """Counts what is read of texts; raises `DatasetError` beyond the limit.

    Some texts take longer than they count, so the seconds of processor have a limit, too.
    """

    def __init__(self, most: int, seconds: float = math.inf) -> None:
        self._left = most
        self._end = time.thread_time() + seconds

    def __call__(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0 or time.thread_time() > self._end:
            raise DatasetError(
                say(
                    "To look for all answers in all documents takes too long. Split the questions "
                    "or leave out documents."
                )
            )


class Comparable(NamedTuple):
    """A text as answers are looked for in it."""

    text: str
    is_chinese: bool

    @classmethod
    def of(cls, text: str) -> Comparable:
        chinese = is_chinese(text)
        return cls(in_one_form(text, is_chinese=chinese), chinese)


def in_one_form(text: str, *, is_chinese: bool) -> str:
    lower = nfkc(text).lower()
    return without_spaces(lower) if is_chinese else one_line(lower)


def as_words(spelling: str, text: str, read: Reading) -> re.Pattern[str]:
    """Finds it in the text as words of its own, where words have ends."""
    words = spelling.split()
    escaped = r"\s+".join(map(re.escape, words))
    before, behind = (r"(?<!\w)", r"(?!\w)") if spelling.isascii() else ("", "")
    # Each word of the text may begin it, and all but its last word follow.
    read(PATTERN * len(spelling) + (HEAD + len(words)) * len(text))
    # Wherever its first signs stand, all of it may have to be compared.
    head = re.escape("".join(words[:1])[:HEAD])
    starts = re.finditer(f"(?={before}{head})", text, re.IGNORECASE)
    read(len(spelling) * sum(1 for _ in starts))
    return re.compile(f"{before}{escaped}{behind}", re.IGNORECASE)


class Answer:
    """A true answer, to be looked for; `parts` are its required answers with their spellings."""

    def __init__(self, truth: Accepted | None, read: Reading | None = None) -> None:
        self.parts = [[one for one in group if one.strip()] for group in groups(truth)]
        self.is_there = bool(self.parts) and all(self.parts)
        counts = [len(self.parts), *map(len, self.parts)]
        self.has_many = max(counts) > MOST_PARTS
        self._read = read or Reading(MOST_OF_A_ROW)
        self._forms: dict[bool, list[list[str]]] = {}

    def held_in(self, text: Comparable) -> set[int]:
        """The required answers that the text holds, by their numbers."""
        if text.is_chinese not in self._forms:
            self._forms[text.is_chinese] = [
                [in_one_form(one, is_chinese=text.is_chinese) for one in part]
                for part in self.parts
            ]
        forms = enumerate(self._forms[text.is_chinese])
        return {
            number for number, part in forms if any(self._holds(text.text, one) for one in part)
        }

    def _holds(self, text: str, wanted: str) -> bool:
        self._read(len(text) // 10)
        start = text.find(wanted)
        while start >= 0:
            self._read(LOOK + len(wanted) // 10)
            end = start + len(wanted)
            beside = text[max(start - 1, 0) : start] + text[end : end + 1]
            # Where words have ends, it stands there as words of its own.
            if not (wanted.isascii() and any(sign.isalnum() or sign == "_" for sign in beside)):
                return True
            start = text.find(wanted, start + 1)
        self._read(LOOK)
        return False


def doubts_of(row: BedRow) -> tuple[str, ...]:
    """Why a person should look at a row that was made by the rules, in English."""
    spellings = [one for one in accepted_spellings(row.answer) if one.strip()]
    words = [frozenset(terms(spelling)) - {STOP} for spelling in spellings]
    nearest = [frozenset(terms(text)) for text in row.negative[:PASSAGES]]
    fake = accepted_spellings(row.fakeanswer)
    doubts = {
        _SHORT: any(len(spelling.strip()) <= SHORT for spelling in spellings),
        _FEW: len(row.negative) < PASSAGES,
        _WORDS: any(
            len(own) > 1 and len(own & text) >= ENOUGH * len(own)
            for own in words
            for text in nearest
        ),
        _NAME: bool(fake) and not any(map(NUMBER.search, fake)),
    }
    return tuple(words for words, is_so in doubts.items() if is_so)


def doubts_of_repaired(row: BedRow) -> tuple[str, ...]:
    """Why a person should look once more at a row that was repaired by hand, in English."""
    read = Reading(MOST_OF_A_ROW)
    answer, fake = Answer(row.answer, read), Answer(row.fakeanswer, read)
    held: list[set[int]] = []
    for group in row.positive_groups:
        held.append(set.intersection(*(answer.held_in(Comparable.of(text)) for text in group)))
    wrong = [Comparable.of(text) for text in row.positive_wrong]
    doubts = {
        _NOT_POSITIVE: not all(held) or len(set().union(*held)) < len(answer.parts),
        _NOT_NEGATIVE: any(answer.held_in(Comparable.of(text)) for text in row.negative),
        _NOT_PLANTED: any(answer.held_in(text) or not fake.held_in(text) for text in wrong),
    }
    return (*doubts_of(row), *(words for words, is_so in doubts.items() if is_so))
