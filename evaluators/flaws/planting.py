"""Errors of a known kind, planted into sentences that are supported: how many does a labeller find?

A number or a name is replaced by another one of the same documents, a negation is put in or taken
out, or a sentence of another answer takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import NamedTuple

from evaluators.flaws import mismatches
from evaluators.text.language import mark
from evaluators.text.normalise import is_chinese

# Before the verb: "is not", "does not". What is negated already is left alone.
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|can|will|should|has|have|had|does|do|did|may|must|would|could)\b"
    r"(?!\s+(?:not|no|never)\b)(?!n?['’]t)"
)
_TAKEN_OUT = re.compile(r"\b(?:do|does|did) not |\bnot |\bnever ")
_CHINESE_VERB = re.compile("(?<!不)(?=是|会|能|可以|需要)|(?<!没)(?=有)")
_CHINESE_TAKEN_OUT = re.compile("(?<=[\u4e00-\u9fff])(?:不|没)(?=[\u4e00-\u9fff])")
UNTOUCHED = "untouched"
MOST_CHARACTERS = 5_000
"""Of a sentence and its evidence: in longer ones no word is replaced."""
MOST_WORDS = 2_000
"""Different words of the documents that may take the place of one."""


class Planted(NamedTuple):
    """A kind of planted error, or of another look of the same."""

    name: str
    title: str


NUMBER = Planted("number", mark("Another number"))
NAME = Planted("name", mark("Another name"))
NEGATION = Planted("negation", mark("A negation put in or taken out"))
SENTENCE = Planted("sentence", mark("A sentence of another answer"))
PLANTED = {kind.name: kind for kind in (NUMBER, NAME, NEGATION, SENTENCE)}

ORDER = Planted("order", mark("The documents in the opposite order"))
LENGTH = Planted("length", mark("A courtesy line at the end"))
SAME = {kind.name: kind for kind in (ORDER, LENGTH)}
"""What leaves the content as it is: who judges another way then looks at something else."""


class Source(NamedTuple):
    """A supported sentence, what carries it, and where other words of its kind are taken from."""

    text: str
    evidence: str
    documents: str
    others: Sequence[str]
    """Sentences of other answers."""


def planted(source: Source, rng: Random) -> Iterator[tuple[Planted, str]]:
    """The sentence with one error of each kind that fits into it."""
    for kind, plant in _PLANTERS.items():
        if changed := plant(source, rng):
            yield kind, changed


def courtesy(response: str) -> str:
    """A line that claims nothing, in the language of the answer."""
    return "希望对您有帮助。" if is_chinese(response) else "I hope this helps."


def _replaced(pattern: re.Pattern[str], source: Source, rng: Random) -> str:
    """A word that the pattern finds in its evidence too, by another one of its documents."""
    if len(source.text) + len(source.evidence) > MOST_CHARACTERS:
        return ""
    lower = source.evidence.lower()
    own = [one for one in pattern.finditer(source.text) if one[0].lower() in lower]
    there = f"{source.text} {source.evidence}".lower()
    others: list[str] = [
        word
        for word in islice(dict.fromkeys(pattern.findall(source.documents)), MOST_WORDS)
        if word.lower() not in there
    ]
    if not (own and others):
        return ""
    place = rng.choice(own)
    other: str = rng.choice(others)
    return source.text[: place.start()] + other + source.text[place.end() :]


def _with_negation(source: Source, _: Random) -> str:
    text = source.text
    for pattern in (_TAKEN_OUT, _CHINESE_TAKEN_OUT):
        if pattern.search(text):
            return pattern.sub("", text, count=1)
    if verb := _AUXILIARY.search(text):
        return f"{text[: verb.end()]} not{text[verb.end() :]}"
    if verb := _CHINESE_VERB.search(text):
        negation = "没" if text.startswith("有", verb.end()) else "不"
        return f"{text[: verb.end()]}{negation}{text[verb.end() :]}"
    return ""


def _with_sentence(source: Source, rng: Random) -> str:
    return rng.choice(source.others) if source.others else ""


_PLANTERS: dict[Planted, Callable[[Source, Random], str]] = {
    NUMBER: partial(_replaced, mismatches.NUMBER),
    NAME: partial(_replaced, mismatches.NAME),
    NEGATION: _with_negation,
    SENTENCE: _with_sentence,
}
