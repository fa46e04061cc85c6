"""Sentences that a labeller calls supported, while their evidence says something else by a word.

A number, a name or a negation on one side alone. They are suspicions beside the labels, never
labels: on real answers they make nothing better (see docs/flaws.md for what they find).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from evaluators.flaws.kinds import NEGATED, OTHER_NAME, OTHER_NUMBER, Kind
from evaluators.records import Labels, Sentences, Support
from evaluators.text.claimed import claimed
from evaluators.text.language import mark, say
from evaluators.text.normalise import nfkc
from evaluators.text.similarity import STOP, terms
from evaluators.trace.claims import is_refusal

# Claims put together from several places share less with each of them, and need not be wrong.
LEAST_SHARED = 0.66
"""The share of its other content words that the evidence of a claim has, where it misses some."""
NEAR = 1
"""Sentences on each side of the evidence where a number or a name may stand as well."""
MOST_READ = 200_000
"""Characters of claims and evidence that are read for one answer, and no further ones."""
MOST_WORDS = 100
"""Numbers and names of a claim; what has more is a list, of which none is looked for."""
MOST_FOUND = 100
"""Suspicions of one answer: the claim with so many is the last that is read."""
STEM = 5
"""Letters by which a name is known in another form."""
LEAST_SHARED_OF_NEGATED = 0.4
"""The same of a claim that is negated where its evidence is not."""
ALIKE = 0.8
"""The share of a claim that stands in one negated sentence, where the claim is not negated."""
REACH = 100
"""Characters behind a negation in which the word stands that it negates."""

# No part of a name such as "virus-1" or "H1N1".
NUMBER = re.compile(r"(?<![a-z]-)(?<![a-z\d.,])\d+(?:[.,]\d+)*", re.IGNORECASE)
_ANY_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# At the start of a sentence every word has a capital, so a name is only looked for behind a word.
NAME = re.compile(r"(?<=[a-z0-9,;)] )[A-Z][\w-]+")
_ENGLISH = "one two three four five six seven eight nine ten eleven twelve"
_SPELLED = {
    word: str(number)
    for words in (_ENGLISH.split(), "一二三四五六七八九十")
    for number, word in enumerate(words, start=1)
}
_NUMBER_WORD = re.compile(rf"\b(?:{_ENGLISH.replace(' ', '|')})\b|[一二三四五六七八九十]")
_NEGATION = re.compile(
    r"\b(?:(?<!or )not(?! only)|never|cannot|no|none|neither|nor|nothing|nobody)\b|n['’]t\b"
    r"|[不没無无未非别](?:有|是|会|能|可以|需要)?",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:without|unable|lack|fail|refus)", re.IGNORECASE)
# "No, it is Paris" answers; "I'm not a lawyer" claims nothing.
_ASIDE = re.compile(r"^\W*no,|\bi(?:['’]m| am) not an? \w+", re.IGNORECASE)


class Mismatch(NamedTuple):
    """A sentence of an answer, by its key, that its evidence contradicts by these words."""

    key: str
    kind: Kind
    words: str

    @property
    def in_words(self) -> str:
        return say(_SAID[self.kind], words=self.words)


_SAID = {
    OTHER_NUMBER: mark("its evidence does not have the number {words}"),
    OTHER_NAME: mark("its evidence does not have the name {words}"),
    NEGATED: mark("“{words}” stands on one side only"),
}


class _Claim(NamedTuple):
    """A supported sentence without its marks, and what carries it."""

    key: str
    text: str
    evidence: tuple[str, ...]
    """The sentences that carry it, the best first."""
    around: str
    """What stands around these in their documents, and the question."""


def mismatches(sentences: Sentences, labels: Labels, question: str) -> list[Mismatch]:
    """What is suspicious in the sentences that the labels call supported, in their order."""
    found: list[Mismatch] = []
    for claim in _supported_claims(sentences, labels, question):
        found += _differing_words(claim)
        # That something is not mentioned is no claim about it.
        if not is_refusal(claim.text) and (negation := _one_sided_negation(claim)):
            found.append(Mismatch(claim.key, NEGATED, negation))
        if len(found) >= MOST_FOUND:
            break
    return found


def _supported_claims(sentences: Sentences, labels: Labels, question: str) -> Iterator[_Claim]:
    supports = {item.key: item for item in labels.sentence_support}
    places = {
        item.key: (document, place)
        for document, own in enumerate(sentences.documents)
        for place, item in enumerate(own)
    }
    every = claimed([sentence.text for sentence in sentences.response])
    left = MOST_READ
    for sentence, claim in zip(sentences.response, every, strict=True):
        support = supports.get(sentence.key)
        if claim.why_nothing or support is None or support.support is Support.NONE:
            continue
        # Judges and published labels name a sentence more than once.
        keys = dict.fromkeys(support.supporting_keys)
        carrying = [places[key] for key in keys if key in places]
        if not carrying:
            continue
        evidence = tuple(sentences.documents[number][place].text for number, place in carrying)
        around = dict.fromkeys(
            (number, near)
            for number, place in carrying
            for near in range(max(0, place - NEAR), place + NEAR + 1)
            if near < len(sentences.documents[number])
        )
        texts = [sentences.documents[number][place].text for number, place in around]
        left -= sum(map(len, (claim.text, question, *evidence, *texts)))
        if left < 0:
            return
        yield _Claim(sentence.key, nfkc(claim.text), evidence, nfkc(" ".join([question, *texts])))


def _differing_words(claim: _Claim) -> Iterator[Mismatch]:
    """Its numbers and names that do not stand around its evidence."""
    numbers = dict.fromkeys(NUMBER.findall(claim.text))
    names = dict.fromkeys(NAME.findall(claim.text))
    if len(numbers) + len(names) > MOST_WORDS:
        return
    lower = claim.around.lower()
    if numbers:
        known = {_plain(number) for number in _ANY_NUMBER.findall(lower)}
        known |= {_SPELLED[word] for word in _NUMBER_WORD.findall(lower)}
        numbers = dict.fromkeys(number for number in numbers if _plain(number) not in known)
    names = dict.fromkeys(name for name in names if not _is_named(name.lower(), lower))
    if not (numbers or names):
        return
    rest = claim.text
    for word in (*numbers, *names):
        rest = rest.replace(word, " ")
    if _share_of(rest, " ".join(claim.evidence)) < LEAST_SHARED:
        return
    for number in numbers:
        yield Mismatch(claim.key, OTHER_NUMBER, number)
    for name in names:
        yield Mismatch(claim.key, OTHER_NAME, name)


def _is_named(name: str, text: str) -> bool:
    """Whether all parts of a name begin words of the text alike: "Brazilian" and "Brazil"."""
    parts = [part for part in name.split("-") if part] or [name]
    return all(part[:STEM] in text for part in parts)


def _one_sided_negation(claim: _Claim) -> str:
    """The word by which it is negated while its evidence is not, or the other way round."""
    evidence = nfkc(" ".join(claim.evidence))
    # Most say "not" on neither side, or on both.
    is_negated = _NEGATION.search(_without_aside(claim.text)) is not None
    if is_negated:
        if _NEGATION.search(evidence) or _DENIES.search(evidence):
            return ""
        is_near = _share_of(claim.text, evidence) >= LEAST_SHARED_OF_NEGATED
        return next(iter(_negated(claim.text).values()), "") if is_near else ""
    best = nfkc(claim.evidence[0])
    if not _NEGATION.search(best) or _share_of(claim.text, best) < ALIKE:
        return ""
    claimed_terms = frozenset(terms(claim.text))
    both = (negation for term, negation in _negated(best).items() if term in claimed_terms)
    return next(both, "")


def _without_aside(text: str) -> str:
    # In its place: an aside is so many blanks.
    return _ASIDE.sub(lambda aside: " " * len(aside[0]), text)


def _negated(text: str) -> dict[str, str]:
    """What each negation stands before, as the term of a content word, with the negation."""
    negated = {}
    plain = _without_aside(text)
    for negation in _NEGATION.finditer(plain):
        if following := _content_of(plain[negation.end() : negation.end() + REACH])[:1]:
            negated[following[0]] = negation[0]
    return negated


def _content_of(text: str) -> list[str]:
    return [term for term in terms(text) if term != STOP]


def _share_of(text: str, other: str) -> float:
    """How many of the content words of a text stand in the other one, 0 to 1."""
    own = frozenset(_content_of(text))
    return len(own.intersection(terms(other))) / len(own) if own else 0.0


def _plain(number: str) -> str:
    """A number as it is compared: "1,250.50" is "1250.5"."""
    number = number.replace(",", "")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0"
