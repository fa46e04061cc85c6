"""TRACE without an LLM: sentence labels estimated from the words that question, documents and response share.

Three logistic sums turn lexical evidence into probabilities: that a document sentence is relevant, that it is
utilized, and that a response sentence is supported. Their weights were fitted on the published labels of RAGBench
(Friel et al., arXiv 2407.11005; CC BY 4.0), 2,981 rows, and checked by even/odd-row cross-validation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from evaluators.base import evaluator, require
from evaluators.records import Labels, Sample, Score, Sentence, Sentences, SentenceSupport, Support
from evaluators.text.chunking import units
from evaluators.text.normalise import nfkc
from evaluators.text.sentences import cut
from evaluators.text.similarity import STOP, Matrix, check_embedding, embedder, ratio
from evaluators.trace.batch import Case, entries, metrics, summary
from evaluators.trace.comparison import Claims, Likeness, Words, check_length, check_size, compare, embedded, words_of
from evaluators.trace.labelling import sentences_of
from evaluators.trace.method import TRACEMethod
from evaluators.trace.metrics import TRACEScores, to_score, trace_scores

Weights = Mapping[str, float]
Evidence = Mapping[str, Matrix | float]

RELEVANT: Weights = {
    "constant": -5.90,
    "question_cosine_to_best": 0.52,
    "response_cosine": 1.32,
    "response_cosine_to_best": 1.07,
    "response_cosine_nearby": 1.25,
    "response_share_to_best": 1.76,
    "response_in_unit": 0.84,
    "shared_pairs": 0.27,
    "document_sentences": -0.40,
    "documents": 1.00,
    "response_sentences": -0.56,
    "response_terms": 1.00,
}
RELEVANT_BY_QUESTION: Weights = {
    "constant": -1.36,
    "question_cosine_to_best": 1.65,
    "question_cosine_nearby": 1.24,
    "question_in_unit": 0.34,
    "document_sentences": -0.31,
    "documents": 0.44,
}
"""Used where the response has no content word; no better than a constant on RAGBench."""
UTILIZED: Weights = {
    "constant": -7.33,
    "question_cosine_to_best": 0.08,
    "response_cosine": 2.51,
    "response_cosine_to_best": 1.87,
    "response_cosine_nearby": 1.28,
    "response_share_to_best": 2.27,
    "response_in_unit": 0.85,
    "shared_pairs": 0.29,
    "document_sentences": -0.42,
    "documents": 0.69,
    "response_sentences": -0.52,
    "response_terms": 1.09,
}
SUPPORTED: Weights = {
    "constant": -0.71,
    "best_sentence": 2.46,
    "whole_response_in_unit": 3.81,
    "is_short": 2.03,
}
FULL_FROM = 0.7
PARTIAL_FROM = 0.5
LEAST_SHARE_FOR_FULL = 0.4
"""At least this share of its content words must stand in the sentences that carry a fully supported sentence."""

MOST_SEARCHED = 2_000_000_000
"""Characters that are read for the names of one response, about a second: 200,000 names in a text of 10,000."""

_SHORT = 3
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ITEM_NUMBER = re.compile(r"(?:^|[.:;!?\n])[\s*(]*+(\d{1,2}[.):](?=\W|$))?+")
"""The number of a list item, and also what may stand before one: a run of line breaks is then looked at once."""
_RUN = re.compile(r"[\w-]+")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w-]+")
_REFUSAL = re.compile(
    r"\b(insufficient|not enough|not sufficient) information"
    r"|(documents?|context|passages?|texts?|sources?|articles?|information)\b[^.]{0,60}?"
    r"\b(do not|does not|did not|don't|doesn't|didn't) [a-z]* ?"
    r"(say|mention|provide|specify|contain|include|state|give|address|indicate|discuss|explain)"
    r"|(can ?not|can't|could not|unable to|not able to|not possible to)( be)? "
    r"(answer|determine|say|tell)"
    r"|\b(it|they) (do|does|did)(n't| not) (\w+ )?(say|mention|specify|state)\b"
    r"|\bnot (explicitly |directly |specifically |clearly )?(mentioned|stated|specified)\b"
    r"|\bno (\w+ )?(mention|information|instructions|details)\b|\bnot (\w+ ){0,4}any (\w+ )?information"
    r"|\bit is (unclear|not clear)\b|\b(do not|don't) know\b"
    r"|信息不足|(无法|不能)(回答|确定|得知)|(没有|未)(提到|提及|提供|说明)|没有相关信息|不知道",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"n't|not\b|\bno\b|unable|insufficient|unclear|[不无没未]", re.IGNORECASE)
_LEAD_IN = re.compile(r":\s*+(?:\(?\d{1,2}[.)])?+[^\w:]*+$")
"""Only the last colon can be one after which no word comes, so what follows any other is read up to the next."""
_TURN = re.compile(r"\b(but|however)\b|但|然而", re.IGNORECASE)


class _Claim(NamedTuple):
    """A response sentence: its content words, those found in the sentences that carry it, and what stands nowhere."""

    words: int
    found: int
    probability: float
    carriers: list[int]
    strangers: Sequence[str]


@evaluator(
    "trace",
    title="TRACE (heuristic)",
    needs=("question", "response", "retrieved_documents"),
    judges="none",
    leads="trace",
)
class TRACEEvaluator(TRACEMethod):
    """TRACE estimated without an LLM, in about a millisecond a sample; show its values as estimates."""

    llm_client: Any = Field(None, description="Not used: this metric asks no LLM.")

    def check_ready(self) -> None:
        check_embedding(self.embedding_model)

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Sequence[str],
        ground_truth: Any = None,
    ) -> TRACEScores:
        """The TRACE values of one answer under the definition `sentence`; the ground truth is not looked at.

        An empty response and an empty list of documents are judged as defined, with a reason.
        Raises `ParameterError` where the embedding model is not available, `DatasetError` where the texts are too
        long to be compared.
        """
        check_length([*retrieved_documents, response])
        sentences = cut(response, retrieved_documents)
        return trace_scores(sentences, self.label(sentences, question))

    def label(self, sentences: Sentences, question: str) -> Labels:
        """Estimated labels: relevant and utilized document sentences, and the support of each response sentence."""
        words, likeness = self._compare(sentences, question)
        evidence, keys = document_evidence(words, likeness), sentences.document_keys
        relevant, utilized = _relevant(likeness, evidence), _utilized(likeness, evidence)
        supports = _supports(sentences, question, likeness)
        carrying = {key for support in supports for key in support.supporting_keys}
        utilized = utilized if any(map(_is_claim, supports)) else set()
        return Labels(
            relevant_keys=tuple(key for row, key in enumerate(keys) if row in relevant),
            utilized_keys=tuple(key for row, key in enumerate(keys) if row in utilized or key in carrying),
            sentence_support=supports,
        )

    def support_estimates(self, sentences: Sentences, question: str) -> dict[str, float]:
        """How likely each response sentence is supported, 0 to 1."""
        return {support.key: likely for support, likely in self._estimated(sentences, question)}

    def doubt(self, sentences: Sentences, question: str) -> float:
        """How likely the adherence that `label` leads to is wrong, 0 to 1 with four decimals.

        With p the estimate of the least supported response sentence: p where the heuristic calls a sentence less than
        fully supported, else 1 - p. On RAGBench the top fifth by this rule holds 57 % of the wrong verdicts.
        """
        estimated = self._estimated(sentences, question)
        least = min((likely for _, likely in estimated), default=1.0)
        is_adherent = all(support.support is Support.FULL for support, _ in estimated)
        return round(1 - least if is_adherent else least, 4)

    def _estimated(self, sentences: Sentences, question: str) -> list[tuple[SentenceSupport, float]]:
        _, likeness = self._compare(sentences, question)
        probability = _probability(SUPPORTED, support_evidence(likeness)).tolist()
        supports = _supports(sentences, question, likeness)
        return [(support, _estimate(support, value)) for support, value in zip(supports, probability, strict=True)]

    def score(self, sample: Sample) -> Score:
        """Judges the sample on its published sentences, where it has some, else on its text cut into sentences."""
        require(self.needs, sample, self.title)
        check_length([*sample.retrieved_documents, sample.response or ""])
        sentences = sentences_of(sample)
        return to_score(trace_scores(sentences, self.label(sentences, sample.question)), sample)

    def evaluate_batch(self, test_cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The documented result for cases with query, response and retrieved_documents; a bad one holds "error"."""

        def judge(case: Case) -> dict[str, Any]:
            return {"metrics": metrics(self.evaluate(case.query, case.response, case.retrieved_documents))}

        return summary(entries(test_cases, judge))

    def _compare(self, sentences: Sentences, question: str) -> tuple[Words, Likeness]:
        embed = embedder(self.embedding_model)
        check_size(sentences, is_embedded=embed is not None)
        words = words_of(sentences, question)
        size, overlap = self.chunk_size, self.chunk_overlap
        cut = [unit for place in words.places for unit in units(self.chunking_strategy, place, size, overlap)]
        return words, compare(words, cut, embedded(sentences, question, embed) if embed else None)


def document_evidence(words: Words, likeness: Likeness) -> Evidence:
    """What speaks for each document sentence: likeness to question and response, alone and within its best unit."""
    asked, best = likeness.question_cosine, likeness.response_cosine
    return {
        "constant": 1.0,
        "question_cosine": asked,
        "question_cosine_to_best": _to_best(asked),
        "question_cosine_nearby": _nearby(asked, words),
        "question_in_unit": likeness.question_in_unit,
        "response_cosine": best,
        "response_cosine_to_best": _to_best(best),
        "response_cosine_nearby": _nearby(best, words),
        "response_share_to_best": _to_best(likeness.response_share),
        "response_in_unit": likeness.response_in_unit,
        "shared_pairs": _shared_pairs(words),
        "document_sentences": math.log(max(len(words.documents), 1)),
        "documents": math.log(max(len(words.places), 1)),
        "response_sentences": math.log(len(words.response) + 0.5),
        "response_terms": math.log1p(likeness.response_terms),
    }


def support_evidence(likeness: Likeness) -> Evidence:
    """What speaks for each response sentence: how much its best document sentence holds of it, and of all the rest."""
    return {
        "constant": 1.0,
        "best_sentence": likeness.claims.best_sentence,
        "whole_response_in_unit": likeness.whole_response_in_unit,
        "is_short": (likeness.claims.words < _SHORT).astype(np.float32),
    }


def _to_best(values: Matrix) -> Matrix:
    return ratio(values, values.max(initial=0))


def _nearby(values: Matrix, words: Words) -> Matrix:
    """The higher of the two neighbours' values in the same document."""
    before, after = np.zeros_like(values), np.zeros_like(values)
    before[1:], after[:-1] = values[:-1], values[1:]
    first = np.cumsum([0, *(len(place) for place in words.places)])
    before[first[first < len(values)]] = 0
    after[first[first > 0] - 1] = 0
    return np.maximum(before, after)


def _shared_pairs(words: Words) -> Matrix:
    """How many neighbouring words each document sentence has in common with the response, as log(1 + n)."""
    copied = {pair for sentence in words.response for pair in pairwise(sentence)} - {(STOP, STOP)}
    counts = [sum(map(copied.__contains__, pairwise(sentence))) for sentence in words.documents]
    return np.log1p(np.array(counts, np.float32))


def _relevant(likeness: Likeness, evidence: Evidence) -> set[int]:
    """Likely relevant sentences; the response helps, because likeness to the question alone tells little."""
    weights = RELEVANT if likeness.response_terms else RELEVANT_BY_QUESTION
    touched = likeness.response_cosine + likeness.question_cosine > 0
    return _likeliest(_probability(weights, evidence) * touched, at_least=1)


def _utilized(likeness: Likeness, evidence: Evidence) -> set[int]:
    return _likeliest(_probability(UTILIZED, evidence) * (likeness.response_cosine > 0))


def _probability(weights: Weights, evidence: Evidence) -> Matrix:
    total: Matrix = np.asarray(sum(weight * evidence[name] for name, weight in weights.items()))
    return np.asarray(1 / (1 + np.exp(-total)))


def _likeliest(probability: Matrix, at_least: int = 0) -> set[int]:
    """As many sentences as the probabilities add up to, the likeliest of them, the first of equals."""
    count = max(int(probability.sum() + 0.5), at_least if probability.any() else 0)
    return set(np.argsort(-probability, kind="stable")[:count].tolist())


def _supports(sentences: Sentences, question: str, likeness: Likeness) -> tuple[SentenceSupport, ...]:
    strangers = _strangers(sentences, question)
    probability = _probability(SUPPORTED, support_evidence(likeness))
    keys = sentences.document_keys
    return tuple(
        _support(sentence, _claim(row, likeness.claims, float(probability[row]), strangers[row]), keys)
        for row, sentence in enumerate(sentences.response)
    )


def _estimate(support: SentenceSupport, probability: float) -> float:
    """The probability within the bounds that the rules set: 1 without a claim, half of it where nothing carries."""
    if not _is_claim(support):
        return 1.0
    return probability / 2 if support.support is Support.NONE else probability


def _is_claim(support: SentenceSupport) -> bool:
    return support.support is not Support.FULL or bool(support.supporting_keys)


def _claim(row: int, claims: Claims, probability: float, strangers: Sequence[str]) -> _Claim:
    words, found = int(claims.words[row]), int(claims.found[row])
    return _Claim(words, found, probability, claims.carriers[row], strangers)


def _support(sentence: Sentence, claim: _Claim, keys: Sequence[str]) -> SentenceSupport:
    silent = _no_claim(sentence.text, claim)
    if silent:
        return SentenceSupport(key=sentence.key, support=Support.FULL, explanation=f"Makes no claim: {silent}.")
    level, carrying = _level(claim), tuple(keys[row] for row in claim.carriers)
    return SentenceSupport(
        key=sentence.key,
        support=level,
        supporting_keys=() if level is Support.NONE else carrying,
        explanation=_explanation(claim, carrying),
    )


def _no_claim(text: str, claim: _Claim) -> str:
    """Why a response sentence needs no support; empty where it makes a claim."""
    if is_refusal(text):
        return "it says that the answer is not known"
    if not claim.words:
        return "it has no content word"
    return "it only introduces what follows" if not claim.carriers and _LEAD_IN.search(text) else ""


def is_refusal(text: str) -> bool:
    """Whether a sentence only says that the documents do not tell; "..., but Paris is ..." goes on to claim."""
    plain = nfkc(text)
    refusal = _REFUSAL.search(plain) if _NEGATION.search(plain) else None
    return refusal is not None and not _TURN.search(plain, refusal.end())


def _level(claim: _Claim) -> Support:
    """Full support also takes enough of the words and no number or name that stands in no document."""
    if not claim.carriers or claim.probability < PARTIAL_FROM:
        return Support.NONE
    is_full = claim.probability >= FULL_FROM and claim.found >= LEAST_SHARE_FOR_FULL * claim.words
    return Support.FULL if is_full and not claim.strangers else Support.PARTIAL


def _explanation(claim: _Claim, keys: Sequence[str]) -> str:
    where = ", ".join(keys) or "any document sentence"
    counted = f"{claim.found} of {claim.words} content words in {where}"
    return "; ".join([counted, *(f"{stranger} is in no document" for stranger in claim.strangers)])


def _strangers(sentences: Sentences, question: str) -> list[list[str]]:
    """Per response sentence, the numbers and names that neither documents nor question hold."""
    texts = [_ITEM_NUMBER.sub(_without_number, sentence.text) for sentence in sentences.response]
    if not any(_NUMBER.search(text) or _NAME.search(text) for text in texts):
        return [[] for _ in texts]
    source = _Source(
        " ".join([question, *(sentence.text for document in sentences.documents for sentence in document)])
    )
    return [_strange(text, source) for text in texts]


def _without_number(item: re.Match[str]) -> str:
    return " " if item[1] else item[0]


def _strange(text: str, source: _Source) -> list[str]:
    figures = [f"the number {number}" for number in dict.fromkeys(_numbers(text)) if number not in source.numbers]
    names = [f"the name {name}" for name in dict.fromkeys(_NAME.findall(text)) if not source.holds(name)]
    return [*figures, *names]


class _Source:
    """The text of question and documents, asked for the numbers and names of a response."""

    def __init__(self, text: str) -> None:
        self.numbers = frozenset(_numbers(text))
        self._lower = text.lower()
        self._searches = MOST_SEARCHED // (len(text) + 1)

    def holds(self, name: str) -> bool:
        """Whether the name stands in the text, be it in a longer word; beyond the limit only as a word of its own."""
        self._searches -= 1
        return name.lower() in (self._lower if self._searches >= 0 else self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_RUN.findall(self._lower))


def _numbers(text: str) -> list[str]:
    """The numbers in a text, without thousands separators."""
    return [number.replace(",", "") for number in _NUMBER.findall(text)]
