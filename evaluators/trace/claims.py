"""Claims of the TRACE heuristic: what response sentences say, and whether it is supported.

A refusal, a lead-in, a sentence without a content word and what `text.claimed` names make no claim.
A claim with a number or a name that stands neither in the documents nor in the question is at most
partially supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from evaluators.records import Sentence, Sentences, SentenceSupport, Support
from evaluators.text.claimed import claimed
from evaluators.text.language import mark
from evaluators.text.normalise import nfkc
from evaluators.text.similarity import content_words
from evaluators.text.words import joined_sentences, side_by_side
from evaluators.trace.comparison import Claims, Words

# These three were chosen on the same published rows as the weights of `trace.features`, all of
# them, so that what docs/heuristic.md says of adherence is slightly optimistic.
FULL_FROM = 0.7
PARTIAL_FROM = 0.5
"""The probabilities from which a claim can count as fully supported, and as supported in part."""
LEAST_SHARE_FOR_FULL = 0.4
"""The least share of a fully supported sentence's content words that stands in its evidence."""

# About a second: 200,000 names in a text of 10,000 characters. A response made of names against a
# long text would otherwise take the product of both.
MOST_SEARCHED = 2_000_000_000
"""Characters that are read for the names of one response."""
MOST_NAMED = 8
"""Words that a reason names; it counts the others."""

# A single digit first: what is no digit is then passed over faster.
_NUMBER = re.compile(r"\d\d*(?:[.,]\d+)*")
_RUN = re.compile(r"[\w-]+")
# At the start of a sentence every word has a capital, so a name is only looked for behind a word.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w-]+")
# Looked for in lower case: a pattern that ignores case takes twice as long.
_REFUSAL = re.compile(
    r"\b(insufficient|not enough|not sufficient) information"
    r"|(documents?|context|passages?|texts?|sources?|articles?|information)\b[^.]{0,60}?"
    r"\b(do not|does not|did not|don't|doesn't|didn't) [a-z]* ?"
    r"(say|mention|provide|specify|contain|include|state|give|address|indicate|discuss|explain)"
    r"|(can ?not|can't|could not|unable to|not able to|not possible to)( be)? "
    r"(answer|determine|say|tell)"
    r"|\b(it|they) (do|does|did)(n't| not) (\w+ )?(say|mention|specify|state)\b"
    r"|\bnot (explicitly |directly |specifically |clearly )?(mentioned|stated|specified)\b"
    r"|\bno (\w+ )?(mention|information|instructions|details)\b|\bnot (\w+ ){0,4}any (\w+ "
    r")?information"
    r"|\bit is (unclear|not clear)\b|\b(do not|don't) know\b"
    r"|信息不足|(无法|不能)(回答|确定|得知)|(没有|未)(提到|提及|提供|说明)|没有相关信息|不知道"
)
# Every refusal holds one of these; they are looked for first because that is far faster.
_NEGATIONS = ("n't", "no", "unable", "insufficient", "unclear", "不", "无", "没", "未")
_NEGATION = re.compile(r"n't|not\b|\bno\b|unable|insufficient|unclear|[不无没未]")
# Only the last colon can be one after which no word comes. What follows any other is therefore read
# up to the next colon at most, which keeps the pattern linear.
_LEAD_IN = re.compile(r":\s*+(?:\(?\d{1,2}[.)])?+[^\w:]*+$")
_TURN = re.compile(r"\b(but|however)\b|但|然而")

_WORDS_SHARED = mark("{held} of {all} words")
_NEAREST = mark(
    "No single sentence carries enough of it: the nearest, {key}, shares {shared} of {all} words "
    "({words})."
)
_NEAREST_OF_ONE = mark(
    "No single sentence carries enough of it: the nearest, {key}, shares {shared} of {all} word "
    "({words})."
)


class _Claim(NamedTuple):
    """A response sentence, by the words that it shares with the documents."""

    words: int
    """Its content words."""
    words_in_evidence: int
    probability: float
    """How likely it is supported."""
    nearest: int
    """The row of the document sentence that holds most of it, -1 where none holds anything."""
    evidence: list[int]
    """Rows of the document sentences that hold most of it, the best first."""
    unsupported_entities: Sequence[str]
    """Its numbers and names that stand nowhere."""


class Claiming(NamedTuple):
    """A sample with those response sentences alone that may claim something, without their marks.

    `others` are the supports of the rest, by their keys.
    """

    sentences: Sentences
    others: dict[str, SentenceSupport]

    def all_supports(
        self, sentences: Sentences, supports: Sequence[SentenceSupport]
    ) -> tuple[SentenceSupport, ...]:
        """These supports and those of the rest, in the order of the whole response."""
        if not self.others:
            return tuple(supports)
        by_key = {support.key: support for support in supports} | self.others
        return tuple(by_key[sentence.key] for sentence in sentences.response)


def claiming(sentences: Sentences) -> Claiming:
    """What of a sample is compared."""
    texts = [sentence.text for sentence in sentences.response]
    all_claimed = claimed(texts)
    if [claim.text for claim in all_claimed if not claim.why_nothing] == texts:
        return Claiming(sentences, {})
    response: list[Sentence] = []
    others = {}
    for sentence, claim in zip(sentences.response, all_claimed, strict=True):
        if claim.why_nothing:
            others[sentence.key] = without_claim(sentence.key, claim.why_nothing)
        elif claim.text == sentence.text:
            response.append(sentence)
        else:
            response.append(Sentence(key=sentence.key, text=claim.text))
    return Claiming(sentences.model_copy(update={"response": tuple(response)}), others)


def sentence_supports(
    sentences: Sentences,
    question: str,
    words: Words,
    claims: Claims,
    probability: Sequence[float],
) -> tuple[SentenceSupport, ...]:
    """Whether each response sentence is supported, by which document sentences, and why."""
    unsupported = unsupported_entities(sentences, question)
    documents = _DocumentWords(sentences, words)
    supports = []
    for row, sentence in enumerate(sentences.response):
        claim = _Claim(
            words=int(claims.words[row]),
            words_in_evidence=int(claims.words_in_evidence[row]),
            probability=probability[row],
            nearest=claims.nearest[row],
            evidence=claims.evidence[row],
            unsupported_entities=unsupported[row],
        )
        supports.append(_support_of_claim(sentence, claim, documents))
    return tuple(supports)


def support_estimate(support: SentenceSupport, probability: float) -> float:
    """The probability within the bounds of the rules.

    It is 1 for a sentence without a claim, and halved where the rules found no support.
    """
    if not is_claim(support):
        return 1.0
    if support.support is Support.NONE:
        return probability / 2
    return probability


def is_claim(support: SentenceSupport) -> bool:
    """Whether the sentence claims something: what makes no claim is fully supported by nothing."""
    return support.support is not Support.FULL or bool(support.supporting_keys)


def _support_of_claim(
    sentence: Sentence,
    claim: _Claim,
    documents: _DocumentWords,
) -> SentenceSupport:
    no_claim = _why_no_claim(sentence.text, claim)
    if no_claim:
        return without_claim(sentence.key, no_claim)
    level = _support_level(claim)
    if level is Support.NONE:
        explanation = documents.why_unsupported(sentence.text, claim.nearest)
        return SentenceSupport(key=sentence.key, support=level, explanation=explanation)
    shared = _WORDS_SHARED.format(held=claim.words_in_evidence, all=claim.words)
    absent = []
    for entity in claim.unsupported_entities:
        absent.append(mark("{entity} is in no document").format(entity=entity))
    return SentenceSupport(
        key=sentence.key,
        support=level,
        supporting_keys=tuple(documents.keys[row] for row in claim.evidence),
        explanation=side_by_side([shared, *absent]) if absent else shared,
    )


def without_claim(key: str, why: str) -> SentenceSupport:
    """The support of a sentence that says nothing to be carried."""
    explanation = mark("Makes no claim: {why}.").format(why=why)
    return SentenceSupport(key=key, support=Support.FULL, explanation=explanation)


def _why_no_claim(text: str, claim: _Claim) -> str:
    """Why a response sentence needs no support; empty where it makes a claim."""
    if is_refusal(text):
        return mark("it says that the answer is not known")
    if not claim.words:
        return mark("it has no content word")
    if not claim.evidence and _LEAD_IN.search(text):
        return mark("it only introduces what follows")
    return ""


def is_refusal(text: str) -> bool:
    """Whether a sentence only says that the documents do not give the answer.

    "The documents do not say, but Paris is ..." goes on to claim something.
    """
    lower = nfkc(text).lower()
    if not any(word in lower for word in _NEGATIONS) or not _NEGATION.search(lower):
        return False
    refusal = _REFUSAL.search(lower)
    return refusal is not None and not _TURN.search(lower, refusal.end())


def _support_level(claim: _Claim) -> Support:
    """The support that probability and rules allow.

    Full support also takes enough of the words, and no number or name that stands nowhere.
    """
    if not claim.evidence or claim.probability < PARTIAL_FROM:
        return Support.NONE
    if claim.probability < FULL_FROM or claim.unsupported_entities:
        return Support.PARTIAL
    has_the_words = claim.words_in_evidence >= LEAST_SHARE_FOR_FULL * claim.words
    return Support.FULL if has_the_words else Support.PARTIAL


class _DocumentWords:
    """The documents as a reason needs them: keys, and the words that each sentence holds."""

    def __init__(self, sentences: Sentences, words: Words) -> None:
        self.keys = sentences.document_keys
        self._sentences = list(chain.from_iterable(sentences.documents))
        self._terms = words.documents
        self._by_row: dict[int, dict[str, str]] = {}

    def why_unsupported(self, text: str, nearest: int) -> str:
        """What the nearest sentence shares with a claim, and what stands in no document at all."""
        by_term = content_words(text)
        absent_terms = [term for term in by_term if term not in self._everywhere]
        absent = [by_term[term] for term in absent_terms]
        in_no_document = mark("In no document: {words}.").format(words=_first_names(absent))
        if nearest < 0:
            return in_no_document
        held = self._held_by(nearest)
        shared_terms = [term for term in by_term if term in held]
        shared = [_beside(by_term[term], held[term]) for term in shared_terms]
        text_of_reason = _NEAREST_OF_ONE if len(by_term) == 1 else _NEAREST
        reason = text_of_reason.format(
            key=self.keys[nearest],
            shared=len(shared),
            all=len(by_term),
            words=_first_names(shared),
        )
        return joined_sentences([reason, in_no_document]) if absent else reason

    def _held_by(self, row: int) -> dict[str, str]:
        # Kept: a very long sentence may be the nearest to thousands of claims.
        if row not in self._by_row:
            self._by_row[row] = content_words(self._sentences[row].text)
        return self._by_row[row]

    @cached_property
    def _everywhere(self) -> frozenset[str]:
        terms = frozenset(chain.from_iterable(self._terms))
        # A Chinese character that ends a phrase is a term by itself, and elsewhere part of a pair.
        return terms.union(term[0] for term in terms if not term.isascii())


def _beside(word: str, in_document: str) -> str:
    """A shared word; with the document's, where only their stems are equal."""
    return word if word.lower() == in_document.lower() else f"{word} ≈ {in_document}"


def _first_names(words: Sequence[str]) -> str:
    more = len(words) - MOST_NAMED
    listed = ", ".join(words[:MOST_NAMED])
    if more <= 0:
        return listed
    return mark("{listed} and {more} more").format(listed=listed, more=more)


def unsupported_entities(sentences: Sentences, question: str) -> list[list[str]]:
    """Per response sentence, its numbers and names that neither documents nor question hold."""
    texts = [sentence.text for sentence in sentences.response]
    # Where there is nothing to look for, the documents are not joined and lowered in vain.
    if not any(_NUMBER.search(text) or _NAME.search(text) for text in texts):
        return [[] for _ in texts]
    source_texts = [question]
    for sentence in chain.from_iterable(sentences.documents):
        source_texts.append(sentence.text)
    source = _SourceText(" ".join(source_texts))
    return [_entities_missing_from(source, text) for text in texts]


def _entities_missing_from(source: _SourceText, text: str) -> list[str]:
    missing = []
    for number in dict.fromkeys(_plain_numbers(text)):
        if number not in source.numbers:
            missing.append(mark("the number {number}").format(number=number))
    for name in dict.fromkeys(_NAME.findall(text)):
        if not source.holds(name):
            missing.append(mark("the name {name}").format(name=name))
    return missing


class _SourceText:
    """The text of question and documents, searched for the numbers and names of a response."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lower = text.lower()
        self._searches = MOST_SEARCHED // (len(text) + 1)

    def holds(self, name: str) -> bool:
        """Whether the name stands in the text, be it in a longer word.

        Beyond the limit of searches only a word of its own counts, which is looked up at once.
        """
        self._searches -= 1
        lower = name.lower()
        if self._searches >= 0:
            return lower in self._lower
        return lower in self._words

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(_plain_numbers(self._text))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_RUN.findall(self._lower))


def _plain_numbers(text: str) -> list[str]:
    """The numbers in a text, without thousands separators."""
    return [number.replace(",", "") for number in _NUMBER.findall(text)]
