"""Who labelled what: each labeller's sentence labels of one sample, and which of them count.

Heuristic, judge, jury, published (gold) labels and people's labels are all `Labels`; the
four metrics, the colours and the comparison are written once, on those.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from evaluators.records import (
    LabelEvidence,
    Labelling,
    Sample,
    Score,
    Sentences,
    Support,
)
from evaluators.text.sentences import cut
from evaluators.trace.definitions import SENTENCE
from evaluators.trace.metrics import to_score, trace_scores

HEURISTIC, JURY, GOLD, CORRECTED, PEOPLE = "heuristic", "jury", "gold", "corrected", "people"
"""Labellers that are no model; a judge goes by the id of its model."""

STRICTEST_FIRST = (Support.NONE, Support.PARTIAL, Support.FULL)


def has_heuristic(labellers: Collection[str]) -> bool:
    """Whether the heuristic labelled, or labelled a part.

    It reads wording and finds suspects: nothing is counted by its labels, and nothing is better.
    """
    return HEURISTIC in labellers


def sentences_of(sample: Sample) -> Sentences:
    """The sample's published sentences; where it has none, its texts are cut into sentences."""
    if sample.sentences:
        return sample.sentences
    return cut(sample.response or "", sample.retrieved_documents, sample.earlier_turns)


def labelled_score(
    sample: Sample,
    sentences: Sentences,
    labellings: Sequence[Labelling],
    counted: Labelling,
    definition: str = SENTENCE,
) -> Score:
    """The score of the `counted` labels, with all labellings that they came from."""
    others = [labelling for labelling in labellings if labelling.by != counted.by]
    scores = trace_scores(sentences, counted.labels, definition)
    return to_score(scores, sample, [counted, *others])


def labellings(score: Score, sample: Sample) -> dict[str, Labelling]:
    """Every labeller's labels of a scored sample by name.

    The ones that count come first, published ones last.
    """
    every: list[Labelling] = []
    if isinstance(score.evidence, LabelEvidence):
        every += score.evidence.labellings
    if sample.labels:
        every.append(Labelling(by=GOLD, labels=sample.labels))
    return {labelling.by: labelling for labelling in every}
