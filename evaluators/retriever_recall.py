"""Retriever recall: how much of the gold contexts was retrieved, and how far up does it stand?

A gold context is retrieved where it is contained, letter by letter, in the retrieved contexts
joined by spaces (the rule of AdalFlow's `RetrieverRecall`). Precision and reciprocal rank look at
single documents. No LLM.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice

from pydantic import Field

from evaluators import arguments
from evaluators.arguments import Documents
from evaluators.base import Evaluator, evaluator, require
from evaluators.errors import MissingInputError
from evaluators.item_lists import Averaged, averaged
from evaluators.records import Sample, Score
from evaluators.text.language import mark


@evaluator(
    "retriever_recall",
    title=mark("Retriever recall"),
    needs=("retrieved_documents", "gold_documents"),
)
class RetrieverRecall(Evaluator):
    """Compares the retrieved documents with the gold contexts, which hold what the answer needs.

    Retriever recall = gold contexts contained in the joined documents / gold contexts. Of the first
    `k` documents: recall at k, the same share; precision at k = documents that contain a gold
    context / documents looked at; reciprocal rank = 1 / place of the first such document, 0 if
    there is none; hit at k = 1 if there is one, else 0. nDCG at k is that of the gold contexts,
    each at the place of the first document that contains it (Järvelin and Kekäläinen, ACM TOIS 20,
    2002: a gain of 1 / log2(place + 1), over that of the best order).
    """

    k: int = Field(
        default=5,
        ge=1,
        le=1000,
        title="k",
        description=mark("How many documents, from the top, the values at k look at"),
    )

    def compute(
        self,
        retrieved_contexts: Iterable[Documents],
        gt_contexts: Iterable[Documents],
    ) -> Averaged:
        """The mean recall over all queries, and that of each; of the first `k` if `k` was given.

        The retrieved contexts of a query are a list, or one string where they are joined already.
        Raises `ParameterError` where the lengths differ.
        """
        return averaged(
            self.compute_single_item,
            retrieved_contexts=retrieved_contexts,
            gt_contexts=gt_contexts,
        )

    def compute_single_item(
        self,
        retrieved_context: Documents,
        gt_context: Documents,
    ) -> float:
        """The share of gold contexts that the retrieved contexts of one query contain.

        Raises `MissingInputError` where there is no gold context, or where a context is no text.
        """
        gold = _without_empty(arguments.retrieved(gt_context, "gt_context"))
        if not gold:
            raise MissingInputError("There is no gold context. Give one, or leave the query out.")
        documents = arguments.retrieved(retrieved_context, "retrieved_context")
        return _recall(documents[: self.k] if "k" in self.model_fields_set else documents, gold)

    def score(self, sample: Sample) -> Score:
        """All values of one sample; without gold contexts they do not apply."""
        require((), sample, self.title)
        documents = sample.retrieved_documents
        gold = _without_empty(sample.gold_documents)
        names = (
            *("retriever_recall", "recall_at_k", "precision_at_k", "reciprocal_rank"),
            *("hit_at_k", "ndcg_at_k"),
        )
        if not gold:
            return Score(
                values=dict.fromkeys(names),
                reason=mark("There is no gold document to look for among the documents."),
            )
        if not documents:
            # Of no documents a share is 0 / 0; all the others are measured, and are 0.
            values = {**dict.fromkeys(names, 0.0), "precision_at_k": None}
            return Score(
                values=values, reason=mark("Nothing was retrieved, so there is no precision.")
            )
        top = documents[: self.k]
        ranks = []
        for rank, document in enumerate(top, start=1):
            if any(text in document for text in gold):
                ranks.append(rank)
        measured = (
            _recall(documents, gold),
            _recall(top, gold),
            len(ranks) / len(top),
            1 / ranks[0] if ranks else 0.0,
            float(bool(ranks)),
            _ndcg(top, gold, self.k),
        )
        # Joined, as a gold context may have been cut in two when the documents were chunked.
        whole = " ".join(documents)
        missed = [text for text in gold if text not in whole]
        return Score(
            values=dict(zip(names, measured, strict=True)),
            details={"missed": missed, "found_in": ranks},
        )


def _ndcg(documents: Sequence[str], gold: Sequence[str], k: int) -> float:
    places: list[int] = []
    for text in gold:
        contains = (at for at, document in enumerate(documents, start=1) if text in document)
        places += islice(contains, 1)
    # One document may contain several, which no order of single ones could better.
    return min(1.0, _gain(places) / _gain(range(1, min(k, len(gold)) + 1)))


def _gain(places: Iterable[int]) -> float:
    return sum(1 / math.log2(place + 1) for place in places)


def _recall(documents: Sequence[str], gold: Sequence[str]) -> float:
    # Joined, so that a gold context which lies across two chunks counts as found.
    whole = " ".join(documents)
    return sum(text in whole for text in gold) / len(gold)


def _without_empty(texts: Sequence[str]) -> list[str]:
    """Without the empty ones, which every text contains."""
    return [text for text in texts if text and not text.isspace()]
