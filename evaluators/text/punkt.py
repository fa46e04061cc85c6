"""Punkt's rules of where a line of English ends a sentence (Kiss and Strunk 2006, as in nltk).

Its decisions alone, with abbreviations and sentence starters that are given and not learned from a
text. Published labels (RAGBench) were cut so: only straight quotes close a sentence.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from itertools import pairwise

from evaluators.text.word_lists import words_in

NUMBER = "##number##"
"""What stands for all numbers."""

# "No. 5" is a number, but "The answer is no." is a sentence.
_COLLOCATION = ("no", NUMBER)
_NEVER_FIRST = frozenset(";:,.!?")
_CLOSING = r"""(?:[)";}\]*:@'({\[?!])"""
_MANY = r"(?:-{2,}|\.{2,}|(?:\.\s){2,}\.)"
_STOP = re.compile(rf"[.?!](?=(?P<behind>{_CLOSING}|\s+(?P<next>\S+)))")
_STOP_BETWEEN_WORDS = re.compile(r"([A-Za-z]{2,}+)\. +[A-Za-z]")
_WORD = re.compile(
    rf"""{_MANY}|(?=[^("`{{\[:;&\#*@)}}\]\-,])\S+?(?=\s|$|{_CLOSING}|{_MANY}|,(?=$|\s|{_CLOSING}|{_MANY}))|\S"""
)
_CLOSES_BEFORE = re.compile(r"""["')\]}]+?(?:\s+|(?=--)|$)""", re.MULTILINE)
_DOTS = re.compile(r"\.\.+")
_INITIAL = re.compile(r"[^\W\d]\.")
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*\.?")


def sentences_of(line: str) -> list[str]:
    """The sentences of a line, without the white space between them."""
    return [line[start:end] for start, end in _with_closing_signs(line)]


def _with_closing_signs(line: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends; brackets and quotes that close it belong to it."""
    spans = [*_spans(line)]
    moved = 0
    for (start, end), following in zip(spans, [*spans[1:], (0, 0)], strict=True):
        start += moved
        closing = _CLOSES_BEFORE.match(line[slice(*following)])
        moved = closing.end() if closing else 0
        if closing:
            yield start, following[0] + len(closing[0].rstrip())
        elif start < end:
            yield start, end


def _spans(line: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop, context in _possible_ends(line):
        if _holds_an_end(context):
            yield start, stop.end()
            # Behind white space, or with the sign that follows.
            start = stop.start("next") if stop["next"] else stop.end()
    yield start, len(line.rstrip())


def _possible_ends(line: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each full stop, with the word that it ends and what follows; of `...` the last."""
    before: re.Match[str] | None = None
    start = end = 0
    for stop in _STOP.finditer(line):
        last_space = max(line.rfind(space, end, stop.start()) for space in string.whitespace)
        word = last_space + 1 if last_space > end else start
        if before and end <= word:
            yield before, line[start:end] + before[0] + before["behind"]
        before, start, end = stop, word, stop.start()
    if before:
        yield before, line[start:end] + before[0] + before["behind"]


def _holds_an_end(context: str) -> bool:
    # Most stops are such, of which no other rule speaks.
    stop = _STOP_BETWEEN_WORDS.match(context)
    if stop and not _is_abbreviation(stop[1]):
        return True
    return any(_ends(word, following) for word, following in pairwise(_WORD.findall(context)))


def _ends(word: str, following: str) -> bool:
    """Whether a sentence ends between two words."""
    if word in (".", "?", "!"):
        return True
    if not word.endswith("."):
        return False
    is_initial = _INITIAL.fullmatch(word) is not None
    is_number = _NUMBER.fullmatch(word) is not None
    is_plain = not word.endswith("..")
    is_abbreviation = is_plain and _is_abbreviation(word[:-1])
    first = _type_of(following)
    if (NUMBER if is_number else word[:-1].lower(), first) == _COLLOCATION:
        return False
    may_end_all_the_same = is_abbreviation or _DOTS.fullmatch(word)
    is_capital = following[0].isupper()
    is_starter = is_capital and first in words_in("sentence_starters.txt")
    if may_end_all_the_same and not is_initial and is_starter:
        return True
    if is_initial or is_number:
        if following in _NEVER_FIRST or following[0].islower():
            return False
        # "J. Bach"
        if is_initial and is_capital:
            return False
    return is_plain and not is_abbreviation


def _type_of(word: str) -> str:
    """The word in lower case, without a full stop that may end its own sentence."""
    if _NUMBER.fullmatch(word):
        return NUMBER
    is_at_end = word.endswith(".") and not word.endswith("..") and not _is_abbreviation(word[:-1])
    return word[:-1].lower() if is_at_end and len(word) > 1 else word.lower()


def _is_abbreviation(word: str) -> bool:
    known = words_in("abbreviations.txt")
    return word.lower() in known or word.lower().rpartition("-")[2] in known
