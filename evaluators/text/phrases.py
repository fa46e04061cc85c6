"""Where words stand in texts, however they are spaced and in either letter case.

The time is linear in the texts, whatever texts and phrases are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from evaluators.text.normalise import nfkc
from evaluators.text.remembered import remembered

# About a second. Four million letters can be searched for a hundred letters of phrases.
MOST_COMPARED = 1_000_000_000
"""Letters that one search compares in all its texts, as it were at worst."""
# Of longer phrases `str.find` skips what it knows already.
MOST_AT_A_PLACE = 400
"""Letters of a phrase that may be compared at one place."""
# What else takes time, in letters compared: "a" in a text of "aaaa" is looked at at every letter.
LETTER = 150
"""To bring a letter of a text to the form that is compared."""
LOOK = 2_000
"""To look at one place of a phrase."""
STANDS = 4
"""To find that a letter of a phrase stands there, as `str.find` compares it more than once."""

Ends = Literal["anywhere", "whole words", "answer"]


class Phrase(NamedTuple):
    """Words to look for, and what may stand beside them.

    "whole words" are no part of a longer word; an "answer" is no part of a longer English word or
    number, while Chinese, which does not space its words, may stand anywhere.
    """

    words: str
    ends: Ends = "anywhere"


class Search:
    """Looks for the same phrases in one text after another.

    All texts share one budget. Where it does not suffice for all phrases in a text, the shortest
    are left out; once it is used up nothing is found.
    """

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        compared = [(_as_compared(phrase.words), phrase) for phrase in phrases]
        self._phrases = [(sought, phrase) for sought, phrase in compared if sought]
        self._phrases.sort(key=lambda pair: len(pair[0]), reverse=True)
        self._left = MOST_COMPARED

    def places(self, text: str, start: int = 0) -> Iterator[tuple[int, int, Phrase]]:
        """Where phrases begin and end in the text, from left to right, and which of them.

        They never overlap; of two that would, the longer one is given, of equal ones the first.
        """
        if not (wanted := self._affordable(len(text))):
            return
        # Where one form of look-alike characters moves a place, the text is searched as it is.
        plain = nfkc(text)
        if len(plain) != len(text):
            plain = text
        at_letter = [at for at, character in enumerate(plain) if not character.isspace()]
        letters = "".join(_small_letters(plain).split())
        # The next place of each phrase; the phrases are numbered from the longest on, so of two at
        # the same place the longer comes first.
        next_places: list[tuple[int, int]] = []

        def look(number: int, at: int) -> None:
            """Notes the next place of a phrase."""
            sought, phrase = wanted[number]
            while self._left > 0 and (at := letters.find(sought, at)) >= 0:
                self._left -= LOOK + STANDS * len(sought)
                first, last = at_letter[at], at_letter[at + len(sought) - 1]
                if _is_apart(plain, first, last, phrase.ends):
                    heappush(next_places, (at, number))
                    return
                at += 1

        done = bisect_left(at_letter, start)
        for number in range(len(wanted)):
            look(number, done)
        while next_places:
            at, number = heappop(next_places)
            if at >= done:
                sought, phrase = wanted[number]
                done = at + len(sought)
                yield at_letter[at], at_letter[done - 1] + 1, phrase
            look(number, done)

    def _affordable(self, letters: int) -> list[tuple[str, Phrase]]:
        """The phrases, longest first, that the budget suffices for in a text of so many letters."""
        left = self._left - letters * LETTER
        count = 0
        for sought, _ in self._phrases:
            left -= LOOK + letters * min(len(sought), MOST_AT_A_PLACE)
            if left < 0:
                break
            self._left = left
            count += 1
        return self._phrases[:count]


def as_written(text: str, words: Sequence[str]) -> list[str]:
    """Each of these words as it first stands in the text; unchanged where it does not."""
    # Of most rules there are no words, and a text may be long.
    if not words:
        return []
    written: dict[str, str] = {}
    for start, stop, phrase in Search([Phrase(word) for word in words]).places(text):
        written.setdefault(phrase.words, text[start:stop])
    return [written.get(word, word) for word in words]


@remembered(most=256, longest=2_000)
def _as_compared(words: str) -> str:
    """A phrase as it is compared; remembered, as a page looks for the same few everywhere."""
    return "".join(_small_letters(nfkc(words)).split())


def _small_letters(text: str) -> str:
    """Small letters, every one in its place."""
    # "İ" alone becomes two characters, and would move all places behind it: it stays as it is.
    small = "İ".join(part.lower() for part in text.split("İ"))
    # Greek has two letters for s, by where in a word they stand.
    return small.replace("ς", "σ")


def _is_apart(text: str, first: int, last: int, ends: Ends) -> bool:
    """Whether what stands from the first to the last character does not run on, on either side."""
    if ends == "anywhere":
        return True
    # Empty at the start and at the end of the text.
    before = text[max(0, first - 1) : first]
    after = text[last + 1 : last + 2]
    if ends == "whole words":
        begins = _is_word(before) != _is_word(text[first])
        return begins and _is_word(text[last]) != _is_word(after)
    # An English word or number that goes on: "1889" in "18890", but not in "1889年".
    runs_on_before = _is_plain(before) and _is_plain(text[first])
    runs_on_after = _is_plain(text[last]) and _is_plain(after)
    return not (runs_on_before or runs_on_after)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_plain(character: str) -> bool:
    return character.isascii() and character.isalnum()
