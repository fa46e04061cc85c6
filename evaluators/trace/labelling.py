"""Who labelled what: each labeller's sentence labels of one sample, and which of them count.

Heuristic, judge, jury, published (gold) labels and a person's corrections are all `Labels`; the
four metrics, the colours and the comparison are written once, on those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import model_validator

from evaluators.records import (
    LabelEvidence,
    Labelling,
    Labels,
    Record,
    Sample,
    Score,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.text.sentences import cut
from evaluators.trace.metrics import to_score, trace_scores

HEURISTIC, JURY, GOLD, CORRECTED = "heuristic", "jury", "gold", "corrected"
"""Labellers that are no model; a judge goes by the id of its model."""

STRICTEST_FIRST = (Support.NONE, Support.PARTIAL, Support.FULL)


ALLOWED = {
    "relevant": ("yes", "no"),
    "utilized": ("yes", "no"),
    "support": ("full", "partial", "none"),
}


class Correction(Record):
    """One label that a person set, and when.

    `label` "relevant" or "utilized" goes with a document key and the `value` "yes" or "no",
    "support" with a response key and "full", "partial" or "none", "supported_by" with a response
    key and the key of the document sentence that carries it.
    """

    label: Literal["relevant", "utilized", "support", "supported_by"]
    key: str
    value: str
    created: str

    @model_validator(mode="after")
    def _value_fits_label(self) -> Self:
        if self.value not in ALLOWED.get(self.label, (self.value,)):
            raise ValueError(f"{self.label} cannot be set to {self.value!r:.40}")
        return self


def sentences_of(sample: Sample) -> Sentences:
    """The sample's published sentences; where it has none, its texts are cut into sentences."""
    return sample.sentences or cut(sample.response or "", sample.retrieved_documents)


def labelled_score(
    sample: Sample, sentences: Sentences, labellings: Sequence[Labelling], counted: Labelling
) -> Score:
    """The score of the `counted` labels, with all labellings that they came from."""
    others = [labelling for labelling in labellings if labelling.by != counted.by]
    return to_score(trace_scores(sentences, counted.labels), sample, [counted, *others])


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


def corrected(labels: Labels, corrections: Sequence[Correction]) -> Labels:
    """Other labels: these after a person's corrections, in their order."""
    for correction in corrections:
        labels = labels.model_copy(update=_changed_labels(labels, correction))
    return labels


def _changed_labels(labels: Labels, correction: Correction) -> dict[str, Any]:
    key = correction.key
    if correction.label in ("support", "supported_by"):
        supports = {support.key: support for support in labels.sentence_support}
        before = supports.get(key) or SentenceSupport(key=key, support=Support.NONE)
        changes: dict[str, Any] = {"supporting_keys": (correction.value,)}
        if correction.label == "support":
            changes = {"support": Support(correction.value)}
            if changes["support"] is Support.NONE:
                changes["supporting_keys"] = ()
        supports[key] = before.model_copy(update=changes)
        return {"sentence_support": tuple(supports.values())}
    field = f"{correction.label}_keys"
    keys = [other for other in getattr(labels, field) if other != key]
    if correction.value == "yes":
        keys.append(key)
    # What a person has looked at is counted, not expected.
    return {field: tuple(keys), "expected": None}
