"""The encoding of a text that is not UTF-8, by the language that it makes.

Bytes make letters in every encoding, but only in the right one those of a language, in its
commonest words. Where another reading is about as likely, somebody chooses.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from evaluators.datasets.alphabets import ALPHABETS, LANGUAGES_OF, TITLES, Alphabet
from evaluators.errors import ParameterError
from evaluators.text.language import say
from evaluators.text.printable import printable
from evaluators.text.words import in_a_line

MOST_READINGS = 5
_LOOKED_AT, _OF_A_LINE = 6000, 2000
"""Bytes of lines with other characters than those of ASCII, and of each of them on either side of
the first; more would tell nothing new."""
_BEFORE, _EXCERPT = 12, 40
"""Characters of a line that are shown of a reading, and how many of them before the first that is
not ASCII."""

_RARE = ("mac-roman", "cp850", "cp852", "cp866", "iso8859-5", "iso8859-6")
_RARITY = 0.4
"""Encodings that today's programs do not write count that much less."""
_LEAST_SCORE, _LEAST_KNOWN, _LEAST_COMMON = 0.02, 0.7, 6
_LEAST_OF_CHARACTERS = 0.08
"""Of all characters at least that many are among the commonest where words are not parted."""
_CLEAR = 2
"""So many times as likely as any other reading the first is sure."""

_PUNCTUATION = frozenset(
    "“”„‘’‚«»‹›–—…€£°§™®©\xa0·•´、。，？！：；「」『』（）《》〈〉【】\u3000・～％"
)
"""Signs that stand in texts of all languages, and so speak for none."""
_IN_WORDS = frozenset("’\xad\u200c")
_WORD = re.compile(r"[^\W\d_]+")
_STRANGER = re.compile("[^\x00-\x7f]")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


class Reading(NamedTuple):
    """One way to read a text: the encoding, and what a line of it is then."""

    encoding: str
    excerpt: str


class EncodingGuess(NamedTuple):
    """The likeliest encoding, and whether another one is about as likely.

    `readings` are those that may be meant, the likeliest first.
    """

    encoding: str
    is_sure: bool
    readings: tuple[Reading, ...]

    @property
    def doubt(self) -> str:
        """How the text may be read, in a sentence; empty where that is clear."""
        if self.is_sure:
            return ""
        each = []
        for encoding, excerpt in self.readings:
            title = title_of(encoding)
            each.append(say("{title} “{excerpt}”", title=title, excerpt=excerpt))
        return say("The text is not UTF-8. It may be {readings}.", readings=in_a_line(each))


class _Content(NamedTuple):
    """What a text consists of: its words and their letters, and beside ASCII the characters, the
    signs of any language, and how many of either stand where they do not in any text.
    """

    text: str
    words: Counter[str]
    letters: int
    characters: Counter[str]
    signs: int
    misplaced: int

    @classmethod
    def of(cls, text: str) -> _Content:
        lower = text.lower()
        characters: Counter[str] = Counter()
        signs = misplaced = 0
        for match in _STRANGER.finditer(text):
            character, at = match[0], match.start()
            if _is_misplaced(text[at - 1 : at], character, text[at + 1 : at + 2]):
                misplaced += 1
            elif character in _PUNCTUATION:
                signs += 1
            else:
                characters[character.lower()[:1]] += 1
        words = Counter(_WORD.findall(lower))
        letters = sum(len(word) * count for word, count in words.items())
        return cls(lower, words, letters, characters, signs, misplaced)


class _Score(NamedTuple):
    """How much a text looks like one of a language: how many of its words (or characters) are among
    the commonest, and how many letters are its own.
    """

    common: int
    among: int
    known: int
    unknown: int
    signs: int
    rarity: float
    is_spaced: bool

    @property
    def value(self) -> float:
        return self.with_common(self.common)

    @property
    def rank(self) -> float:
        """Where no word is known, letters alone decide what is looked at first."""
        return self.value or self.rarity * self._own**2 / 1e6

    @property
    def is_enough(self) -> bool:
        """Whether it is a text of the language at all, and not by a few signs and words alone."""
        letters = self.known - self.signs
        is_known = letters >= _LEAST_KNOWN * (letters + self.unknown)
        least = _LEAST_SCORE if self.is_spaced else _LEAST_OF_CHARACTERS
        return is_known and self.common >= _LEAST_COMMON and self.value >= least * self.rarity

    @property
    def _own(self) -> float:
        """The share of letters that the language has."""
        letters = self.known + self.unknown
        return self.known / letters if letters else 1.0

    def with_common(self, common: int) -> float:
        """The share of common words, if there were so many, less where letters are foreign."""
        return self.rarity * self._own**2 * common / max(1, self.among)

    def is_clear_of(self, other: _Score) -> bool:
        """Whether the other reading is far from any language, or has letters that do not belong."""
        # One word more may be there by chance, which tells in a short text
        one_more = other.common + (3 if other.is_spaced else 1)
        by_chance = one_more if other.common else 0
        if self.value >= _CLEAR * other.with_common(by_chance):
            return True
        # A sign that splits a word may leave a common one: "c\x9cur" in French
        is_as_common = self.common >= 0.98 * other.common
        has_fewer_strangers = self.unknown < other.unknown and is_as_common
        has_far_fewer = 3 + 2 * self.unknown <= other.unknown and self.value > 1.2 * other.value
        return has_fewer_strangers or has_far_fewer


def title_of(encoding: str) -> str:
    """What an encoding is called, in the language of whoever reads."""
    title = TITLES.get(encoding)
    return say(title) if title else encoding


def encoding_named(name: str) -> str:
    """The encoding that a person names, such as windows-1251; raises `ParameterError`."""
    own_names = {codecs.lookup(encoding).name: encoding for encoding in TITLES}
    # Each a part of a larger one, which reads all of its texts
    wider = {
        "ascii": "utf-8", "utf-8-sig": "utf-8", "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be",
        "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-8": "cp1255", "iso8859-13": "cp1257",
        "tis-620": "cp874", "koi8-r": "koi8-u", "shift_jis": "cp932", "euc_kr": "cp949",
        "big5": "big5hkscs", "cp950": "big5hkscs", "gb2312": "gb18030", "gbk": "gb18030",
    }  # fmt: skip
    try:
        canonical = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        canonical = ""
    encoding = own_names.get(canonical) or wider.get(canonical)
    if encoding is None:
        known = ", ".join(TITLES)
        raise ParameterError(
            say(
                "{name} is not an encoding that is read. Encodings: {known}.",
                name=printable(name)[:40],
                known=known,
            )
        )
    return encoding


def guess_encoding(data: bytes) -> EncodingGuess:
    """The encoding of a text that is not UTF-8, from lines with other characters than ASCII."""
    sample = _telling_lines(data)
    by_text: dict[str, tuple[_Score, str]] = {}
    for encoding, languages in LANGUAGES_OF.items():
        text = sample.decode(encoding, "replace")
        content = _Content.of(text)
        rarity = _RARITY if encoding in _RARE else 1.0
        scores = [_score(content, ALPHABETS[language], rarity) for language in languages]
        score = max(scores, key=attrgetter("rank"))
        # What several encodings read alike is one reading, by the one that is met most
        if text not in by_text or by_text[text][0].rank < score.rank:
            by_text[text] = (score, encoding)
    ranked = sorted(by_text.values(), key=lambda reading: reading[0].rank, reverse=True)
    (best, encoding), *others = ranked
    is_sure = best.is_enough and all(best.is_clear_of(other) for other, _ in others)
    likely = [encoding, *(name for score, name in others if score.rank > 0)]
    return EncodingGuess(encoding, is_sure, tuple(_readings(sample, likely[:MOST_READINGS])))


def _telling_lines(data: bytes) -> bytes:
    """The first lines with other characters, and later ones with bytes that were not in these."""
    lines: list[bytes] = []
    size = end = 0
    seen: set[int] = set()
    while stranger := _NOT_ASCII.search(data, end):
        at = stranger.start()
        # A row may begin with long documents
        start = max(data.rfind(b"\n", end, at) + 1, end, at - _OF_A_LINE)
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[start : min(end, at + _OF_A_LINE)]
        own = {byte for byte in line if byte > 127}
        if size < _LOOKED_AT or not own <= seen:
            lines.append(line)
            size += len(line)
            seen |= own
    # Plain ones tell of the language as well
    lines += [line for line in data[:_LOOKED_AT].splitlines()[1:] if line.isascii()]
    return b"\n".join(lines)


def _score(content: _Content, alphabet: Alphabet, rarity: float) -> _Score:
    own = 0
    for character, count in content.characters.items():
        own += count if alphabet.letters.match(character) else 0
    unknown = content.characters.total() - own + content.misplaced
    if alphabet.is_spaced:
        common = sum(len(word) * content.words[word] for word in alphabet.common)
        among = content.letters
    else:
        common = sum(len(word) * content.text.count(word) for word in alphabet.common)
        among = own + unknown
    known = own + content.signs
    return _Score(common, among, known, unknown, content.signs, rarity, alphabet.is_spaced)


def _is_misplaced(before: str, character: str, after: str) -> bool:
    """Whether no text has it there: a capital or a sign in a word, or another script behind Latin
    letters.
    """
    if character in "®™" and after.isalpha():
        return True
    if not character.isalpha():
        return before.isalpha() and after.islower() and character not in _IN_WORDS
    if not before.islower():
        return False
    return character.isupper() or (before.isascii() and character >= "\u0250")


def _readings(sample: bytes, encodings: list[str]) -> Iterator[Reading]:
    """A line that these encodings read in different ways, as each of them does."""
    lines = sample.split(b"\n")
    for line in lines:
        if len({line.decode(encoding, "replace") for encoding in encodings[:2]}) > 1:
            break
    for encoding in encodings:
        text = line.decode(encoding, "replace")
        first = next((at for at, character in enumerate(text) if character > "\x7f"), 0)
        start = max(0, first - _BEFORE)
        yield Reading(encoding, printable(text[start : start + _EXCERPT]).strip())
