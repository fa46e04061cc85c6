"""Where words stand in a text, however they are spaced and in either letter case.

The time is linear in the text, whatever text and phrases are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from evaluators.text.normalise import nfkc
from evaluators.text.remembered import remembered

# Some tenths of a second. Where it does not suffice for all phrases, the shortest are left out.
MOST_COMPARED = 50_000_000
"""Characters that all phrases together are compared with."""
# "a" in a text of "aaaa" would otherwise be tried at every letter.
MOST_TRIES = 1_000
"""Places of one phrase that may turn out to lie inside a longer word."""

Ends = Literal["anywhere", "whole words", "answer"]


class Phrase(NamedTuple):
    """Words to look for, and what may stand beside them.

    "whole words" are no part of a longer word; an "answer" is no part of a longer English word or
    number, while Chinese, which does not space its words, may stand anywhere.
    """

    words: str
    ends: Ends = "anywhere"


def places(
    text: str,
    phrases: Sequence[Phrase],
    start: int = 0,
) -> Iterator[tuple[int, int, Phrase]]:
    """Where phrases begin and end in the text, from left to right, and which of them.

    They never overlap; of two that would, the longer one is given, of equal ones the first.
    """
    # Where one form of look-alike characters moves a place, the text is searched as it is.
    plain = nfkc(text)
    if len(plain) != len(text):
        plain = text
    at_letter = [at for at, character in enumerate(plain) if not character.isspace()]
    letters = "".join(_small_letters(plain).split())
    compared = [(_as_compared(phrase.words), phrase) for phrase in phrases]
    wanted = [(sought, phrase) for sought, phrase in compared if sought]
    wanted.sort(key=lambda pair: len(pair[0]), reverse=True)
    # Each phrase is compared with all of the text.
    most = max(1, MOST_COMPARED // (len(text) + 1))
    wanted = wanted[:most]
    tries = [MOST_TRIES] * len(wanted)
    # The next place of each phrase; the phrases are numbered from the longest on, so of two at the
    # same place the longer comes first.
    next_places: list[tuple[int, int]] = []

    def look(number: int, at: int) -> None:
        """Notes the next place of a phrase."""
        sought, phrase = wanted[number]
        while tries[number] and (at := letters.find(sought, at)) >= 0:
            first, last = at_letter[at], at_letter[at + len(sought) - 1]
            if _is_apart(plain, first, last, phrase.ends):
                heappush(next_places, (at, number))
                return
            tries[number] -= 1
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


def as_written(text: str, words: Sequence[str]) -> list[str]:
    """Each of these words as it first stands in the text; unchanged where it does not."""
    # Of most rules there are no words, and a text may be long.
    if not words:
        return []
    written: dict[str, str] = {}
    for start, stop, phrase in places(text, [Phrase(word) for word in words]):
        written.setdefault(phrase.words, text[start:stop])
    return [written.get(word, word) for word in words]


@remembered(most=256, longest=2_000)
def _as_compared(words: str) -> str:
    """A phrase as it is compared; remembered, as a page looks for the same few everywhere."""
    return "".join(_small_letters(nfkc(words)).split())


def _small_letters(text: str) -> str:
    """Small letters, every one in its place."""
    small = text.lower()
    # "İ" becomes two characters, and would move all places behind it: it stays as it is.
    if len(small) != len(text):
        lowered = [(letter, letter.lower()) for letter in text]
        small = "".join(low if len(low) == 1 else letter for letter, low in lowered)
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
