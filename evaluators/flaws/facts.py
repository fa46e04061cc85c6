"""The facts of a true answer (nuggets): given by the answer, only in the documents, or nowhere.

A true answer's sentences, or its required answers, are its facts. One that the documents hold and
the answer does not was lost by the generator, one that stands nowhere by the retriever. A fact
stands where its words do, or a spelling of it as a whole: an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluators.context_recall import ATTRIBUTED_FROM
from evaluators.fact_recall import MOST_FACTS, Fact
from evaluators.records import Sample
from evaluators.statements import statements
from evaluators.text.normalise import remove_reasoning
from evaluators.text.phrases import Phrase, Search
from evaluators.text.similarity import STOP, terms

SAYS_LITTLE = frozenset(("yes", "no", "true", "false", "是", "否", "不是", "对", "错"))
"""True answers that stand in texts by chance."""


MOST_COMPARED = 20_000
"""Spellings of facts times texts of one answer; the facts behind them are not looked for."""


def facts_of(sample: Sample) -> list[Fact]:
    """The facts of the true answer; none where there is none that can be looked for."""
    most = max(1, MOST_COMPARED // (1 + len(sample.retrieved_documents)))
    required = []
    for group in statements(sample.ground_truth)[:MOST_FACTS]:
        spellings = group[:most]
        most -= len(spellings)
        if spellings:
            required.append(spellings)
    every = {_compared(spelling) for group in required for spelling in group}
    if SAYS_LITTLE.intersection(every):
        return []
    answer = _Texts([remove_reasoning(sample.response or "")], every)
    documents = _Texts(sample.retrieved_documents, every)
    facts = []
    for group in required:
        content = {spelling: frozenset(terms(spelling)) - {STOP} for spelling in group}
        if any(content.values()):
            given, held = answer.hold(content), documents.hold(content)
            facts.append(Fact(text=group[0], in_answer=given, in_documents=held))
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

    def hold(self, content: Mapping[str, frozenset[str]]) -> bool:
        """Whether one of them holds 70 % of the content words of a spelling, or it as a whole."""
        return any(self._hold(spelling, own) for spelling, own in content.items())

    def _hold(self, spelling: str, content: frozenset[str]) -> bool:
        if _compared(spelling) in self._whole:
            return True
        enough = ATTRIBUTED_FROM * len(content)
        return bool(content) and any(len(content & own) >= enough for own in self._terms)


def _compared(spelling: str) -> str:
    return spelling.strip(" .。").lower()
