"""What else than the answers differs where two systems answered data sets of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice
from typing import NamedTuple

from evaluators.comparison.sides import Side
from evaluators.text.language import say

MOST = 20_000
"""Pairs whose texts are compared: those of more would have to be read while somebody waits."""
AT_ONCE = 1_000
OF_DOCUMENTS, OF_DATA = "context_relevance", "context_recall"
"""The values that no answer changes: by the documents alone, and by these and true answers."""


class DataDifferences(NamedTuple):
    """How many of the `compared` pairs have other documents, and how many other true answers."""

    compared: int
    documents: int
    true_answers: int
    is_whole: bool

    @property
    def same_documents(self) -> bool:
        """Whether all pairs have the same documents; not where there are too many to compare."""
        return self.is_whole and not self.documents

    def decide(self, value: str) -> bool:
        """Whether the value follows from data that are the same: no answer changes it."""
        if value == OF_DATA:
            return self.same_documents and not self.true_answers
        return self.same_documents and value == OF_DOCUMENTS

    def in_words(self) -> tuple[str, ...]:
        """What may make a difference beside the answers, in sentences."""
        sentences = []
        if self.documents:
            sentences.append(
                say(
                    "The documents of {part:,} of {all:,} samples differ: what was retrieved may "
                    "make the difference.",
                    part=self.documents,
                    all=self.compared,
                )
            )
        if self.true_answers:
            sentences.append(
                say(
                    "The true answers of {part:,} of {all:,} samples differ: the two are not held "
                    "against the same.",
                    part=self.true_answers,
                    all=self.compared,
                )
            )
        return tuple(sentences)


def differences(first: Side, second: Side, pairs: Mapping[int, int]) -> DataDifferences:
    """What differs in the samples that are compared, beside their answers.

    `pairs` holds the positions of each sample in both data sets.
    """
    if first.has_same_data(second):
        return DataDifferences(len(pairs), documents=0, true_answers=0, is_whole=True)
    compared = documents = true_answers = 0
    looked_at = list(islice(pairs.items(), MOST))
    for start in range(0, len(looked_at), AT_ONCE):
        some = dict(looked_at[start : start + AT_ONCE])
        ours = _data_of(first, some.keys())
        theirs = _data_of(second, some.values())
        for position, partner in some.items():
            # One that cannot be read is none of which anything is known.
            if position in ours and partner in theirs:
                compared += 1
                documents += ours[position][0] != theirs[partner][0]
                true_answers += ours[position][1] != theirs[partner][1]
    return DataDifferences(compared, documents, true_answers, is_whole=compared == len(pairs))


def _data_of(side: Side, positions: Collection[int]) -> dict[int, tuple[object, ...]]:
    """Documents and true answer of those that can be read, by position."""
    fields = ("retrieved_documents", "ground_truth")
    return side.view.store.samples.fields(side.run.fingerprint, positions, fields)
