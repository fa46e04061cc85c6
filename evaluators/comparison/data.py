"""What else than the answers differs where two systems answered data sets of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice

from evaluators.comparison.sides import Side
from evaluators.records import Sample
from evaluators.text.language import say

MOST = 1000
"""Samples that are looked at: texts of more would have to be read while somebody waits."""


def differences(first: Side, second: Side, pairs: Mapping[int, int]) -> tuple[str, ...]:
    """What differs in the samples that are compared, beside their answers, in sentences.

    `pairs` holds the positions of each sample in both data sets.
    """
    looked_at = dict(islice(pairs.items(), MOST))
    ours = _readable_samples(first, looked_at.keys())
    theirs = _readable_samples(second, looked_at.values())
    both = [
        (ours[position], theirs[partner])
        for position, partner in looked_at.items()
        if position in ours and partner in theirs
    ]
    documents = sum(one.retrieved_documents != other.retrieved_documents for one, other in both)
    true_answers = sum(one.ground_truth != other.ground_truth for one, other in both)
    sentences = []
    if documents:
        sentences.append(
            say(
                "The documents of {part:,} of {all:,} samples differ: what was retrieved may make "
                "the difference.",
                part=documents,
                all=len(both),
            )
        )
    if true_answers:
        sentences.append(
            say(
                "The true answers of {part:,} of {all:,} samples differ: the two are not held "
                "against the same.",
                part=true_answers,
                all=len(both),
            )
        )
    return tuple(sentences)


def _readable_samples(side: Side, positions: Collection[int]) -> dict[int, Sample]:
    """Those that can be read, by position."""
    found = side.view.store.samples.get_many(side.run.fingerprint, positions)
    return {position: sample for position, sample in found.items() if isinstance(sample, Sample)}
