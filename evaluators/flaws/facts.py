"""The facts of a true answer (nuggets): given by the answer, only in the documents, or nowhere.

A true answer's sentences, or its required answers, are its facts. One that the documents hold and
the answer does not was lost by the generator, one that stands nowhere by the retriever. A fact
stands where its words do, or a spelling of it as a whole: an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from evaluators.context_recall import ATTRIBUTED_FROM, statements
from evaluators.records import Sample
from evaluators.text.accepted import Spellings
from evaluators.text.language import mark
from evaluators.text.normalise import remove_reasoning
from evaluators.text.phrases import Phrase, Search
from evaluators.text.similarity import STOP, terms

SAYS_LITTLE = frozenset(("yes", "no", "true", "false", "是", "否", "不是", "对", "错"))
"""True answers that stand in texts by chance."""


class Stands(StrEnum):
    """Where a fact stands."""

    ANSWER = mark("in the answer")
    DOCUMENTS = mark("only in the documents")
    NOWHERE = mark("nowhere")


class Fact(NamedTuple):
    """A fact of a true answer, as its first spelling."""

    text: str
    in_answer: bool
    in_documents: bool

    @property
    def stands(self) -> Stands:
        if self.in_answer:
            return Stands.ANSWER
        return Stands.DOCUMENTS if self.in_documents else Stands.NOWHERE


def facts_of(sample: Sample) -> list[Fact]:
    """The facts of the true answer; none where there is none that can be looked for."""
    required = statements(sample.ground_truth)
    every = {spelling.strip(" .。").lower() for group in required for spelling in group}
    if SAYS_LITTLE.intersection(every):
        return []
    answer = _Texts([remove_reasoning(sample.response or "")])
    documents = _Texts(sample.retrieved_documents)
    return [
        Fact(group[0], answer.hold(group), documents.hold(group))
        for group in required
        if any(map(_content_of, group))
    ]


class _Texts:
    """Texts in which facts are looked for."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._terms = [frozenset(terms(text)) for text in self._texts]

    def hold(self, spellings: Spellings) -> bool:
        """Whether a spelling stands in one of them, or 70 % of its content words do."""
        return any(map(self._hold, spellings))

    def _hold(self, spelling: str) -> bool:
        content = _content_of(spelling)
        if any(len(content & own) >= ATTRIBUTED_FROM * len(content) for own in self._terms):
            return bool(content)
        # Chinese words do not end where the terms of a text do.
        search = Search([Phrase(spelling, "answer")])
        return any(next(search.places(text), None) for text in self._texts)


def _content_of(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - {STOP}
