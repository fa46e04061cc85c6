"""The facts of a true answer (nuggets): given by the answer, only in the documents, or nowhere.

A true answer's nuggets, or its sentences, or its required answers are its facts. One that the
documents hold and the answer does not was lost by the generator, one that stands nowhere by the
retriever. A fact stands where its words do, or a spelling of it as a whole: an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluators.context_recall import ATTRIBUTED_FROM
from evaluators.fact_recall import MOST_FACTS, Fact, true_facts
from evaluators.records import Sample
from evaluators.text.accepted import Spellings
from evaluators.text.normalise import remove_reasoning
from evaluators.text.phrases import Phrase, Search
from evaluators.text.similarity import STOP, terms

SAYS_LITTLE = frozenset(("yes", "no", "true", "false", "是", "否", "不是", "对", "错"))
"""True answers that stand in texts by chance."""
MOST_COMPARED = 20_000
"""Spellings of facts times texts of one answer; the facts behind them are not looked for."""


def facts_of(sample: Sample, judged: Iterable[Fact] = (), carried: str = "") -> list[Fact]:
    """The facts of the true answer as a judge has said of them, the others by words.

    None where there is none that can be looked for. What the documents `carried` of the answer they
    hold, if only several of them together.
    """
    truths = true_facts(sample)[:MOST_FACTS]
    said = {fact.text: fact for fact in judged}
    found = _by_words(sample, [own for own, _ in truths if own[0] not in said], carried) | said
    vital_of = {own[0]: vital for own, vital in truths}
    return [
        found[text].model_copy(update={"vital": vital})
        for text, vital in vital_of.items()
        if text in found
    ]


def _by_words(sample: Sample, truths: Sequence[Spellings], carried: str) -> dict[str, Fact]:
    most = max(1, MOST_COMPARED // (1 + len(sample.retrieved_documents)))
    required = []
    for spellings in truths:
        required.append(spellings[:most])
        most -= len(required[-1])
    every = {_compared(spelling) for group in required for spelling in group}
    if SAYS_LITTLE.intersection(every):
        return {}
    answer = _Texts([remove_reasoning(sample.response or "")], every)
    documents = _Texts([*sample.retrieved_documents, carried], every)
    facts = {}
    for group in required:
        content = {spelling: frozenset(terms(spelling)) - {STOP} for spelling in group}
        if any(content.values()):
            given, held = (any(map(texts.hold, content.items())) for texts in (answer, documents))
            facts[group[0]] = Fact(text=group[0], in_answer=given, in_documents=held)
    return facts


class _Texts:
    """Texts in which facts are looked for, all of them at once."""

    def __init__(self, texts: Sequence[str], spellings: Iterable[str]) -> None:
        self._terms = [frozenset(terms(text)) for text in texts]
        # Chinese words do not end where the terms of a text do.
        phrases = [Phrase(words, "answer") for words in spellings if not words.isascii()]
        search = Search(phrases)
        self._whole = {
            phrase.words
            for text in (texts if phrases else ())
            for _, _, phrase in search.places(text)
        }

    def hold(self, fact: tuple[str, frozenset[str]]) -> bool:
        """Whether one of them holds 70 % of the content words of a spelling, or it as a whole."""
        spelling, content = fact
        if _compared(spelling) in self._whole:
            return True
        enough = ATTRIBUTED_FROM * len(content)
        return bool(content) and any(len(content & own) >= enough for own in self._terms)


def _compared(spelling: str) -> str:
    return spelling.strip(" .。").lower()
