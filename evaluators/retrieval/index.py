"""Which chunks fit a question best: BM25 over their words, or the likeness of embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evaluators.errors import DatasetError
from evaluators.text.language import say
from evaluators.text.similarity import STOP, Embed, embedder, terms

BATCH = 64
"""Texts that are embedded at a time."""

MOST_TERMS = 200
"""Terms by which a question is searched for; the rest of a longer one is left out."""

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1."""

Scores = npt.NDArray[np.floating[Any]]


class Index(Protocol):
    """Chunks, ready to be searched."""

    def best(self, question: str, k: int) -> list[int]:
        """The numbers of at most `k` chunks, the best first; of equal ones the earlier."""


def index(texts: Sequence[str], embedding_model: str, on_progress: Progress) -> Index:
    """An index over these texts: BM25 for "lexical", else by the embeddings of that model.

    Raises `ParameterError` where the model is not available, `DatasetError` where no text holds
    a word.
    """
    embed = embedder(embedding_model)
    if embed is None:
        return BM25Index(texts, on_progress)
    return EmbeddingIndex(texts, embed, on_progress)


class BM25Index:
    """BM25 (Lucene's: k1 1.5, b 0.75) over the terms that TRACE compares.

    Terms are stems, and pairs of Chinese characters. A chunk that shares no term with the question
    is not found.
    """

    def __init__(self, texts: Sequence[str], on_progress: Progress) -> None:
        from bm25s import BM25

        self._columns: dict[str, int] = {}
        rows = []
        for number, text in enumerate(texts):
            row = []
            for term in terms(text):
                if term != STOP:
                    # A new term gets the next free column.
                    row.append(self._columns.setdefault(term, len(self._columns)))
            rows.append(row)
            on_progress(number / len(texts))
        if not self._columns:
            raise DatasetError(say("The documents hold no words to search for. Choose others."))
        self._ranking = BM25()
        self._ranking.index((rows, self._columns), create_empty_token=False, show_progress=False)

    def best(self, question: str, k: int) -> list[int]:
        """The chunks that share most with the question, rare terms counting more."""
        known = [term for term in terms(question) if term in self._columns]
        # Each takes the time of a look at all chunks.
        columns = [self._columns[term] for term in known[:MOST_TERMS]]
        if not columns:
            return []
        scores = self._ranking.get_scores(columns)
        # Of fewer than k that share a term the rest have 0.
        return [number for number in _top(scores, k) if scores[number] > 0]


class EmbeddingIndex:
    """The cosine of embeddings."""

    def __init__(
        self,
        texts: Sequence[str],
        embed: Embed,
        on_progress: Progress,
    ) -> None:
        self._embed = embed
        rows = []
        for start in range(0, len(texts), BATCH):
            rows.append(embed(texts[start : start + BATCH]))
            on_progress(start / len(texts))
        self._rows = np.concatenate(rows)

    def best(self, question: str, k: int) -> list[int]:
        """The chunks whose meaning is nearest to the question's."""
        (embedded,) = self._embed([question])
        return _top(self._rows @ embedded, k)


def _top(scores: Scores, k: int) -> list[int]:
    """The numbers of the `k` highest scores, of equal ones the earlier."""
    # Only what is at least as high as the last of them is sorted, which is far faster than all.
    if k < len(scores):
        least = np.partition(scores, -k)[-k]
        numbers = np.flatnonzero(scores >= least)
    else:
        numbers = np.arange(len(scores))
    order = np.argsort(-scores[numbers], kind="stable")[:k]
    return [int(number) for number in numbers[order]]
