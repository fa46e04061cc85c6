"""Who labelled what: every labeller's sentence labels of one sample, and which of them the score
counts.

Heuristic, judge, jury, published (gold) labels and a person's corrections are all `Labels`; the
four metrics, the colours and the comparison are written once, on those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from evaluators.errors import MissingInputError
from evaluators.records import Labels, Record, Sample, Score, Sentences, SentenceSupport, Support
from evaluators.text.sentences import cut
from evaluators.trace.metrics import to_score, trace_scores

HEURISTIC, JURY, GOLD, CORRECTED = "heuristic", "jury", "gold", "corrected"
"""Labellers that are no model; a judge goes by the id of its model."""

STRICTEST_FIRST = (Support.NONE, Support.PARTIAL, Support.FULL)


class Judgement(Record):
    """What a judge said beside its labels, and how it was asked.

    `outputs` are its raw answers in order, one for each window and one more where it was asked
    again; `mode` is how JSON was asked for; `template` is the hash of the prompt file; `warnings`
    name patterns in the material that look like instructions to the judge.
    """

    relevance_explanation: str = ""
    overall_supported: bool
    overall_supported_explanation: str = ""
    outputs: tuple[str, ...] = ()
    mode: str = ""
    repaired: bool = False
    asked_again: bool = False
    template: str = ""
    warnings: tuple[str, ...] = ()


class Labelling(Record):
    """One labeller's labels of one sample; `judgement` is there where an LLM gave them."""

    by: str
    labels: Labels
    judgement: Judgement | None = None


class Correction(Record):
    """One label that a person set, and when: of a document sentence (`value` "yes" or "no") or of
    its support.

    `label` "relevant" or "utilized" goes with a document key, "support" (full, partial, none) with
    a response key.
    """

    label: Literal["relevant", "utilized", "support"]
    key: str
    value: Literal["yes", "no", "full", "partial", "none"]
    created: str


def sentences_of(sample: Sample) -> Sentences:
    """The sample's published sentences, where it has some, else its documents and its answer cut
    into sentences.
    """
    return sample.sentences or cut(sample.response or "", sample.retrieved_documents)


def from_published(sample: Sample) -> Labelling:
    """The published labels; raises `MissingInputError` where the sample has none."""
    if sample.labels is None:
        raise MissingInputError(
            f"Sample {sample.id}: it has no published labels. Choose a method that labels it."
        )
    return Labelling(by=GOLD, labels=sample.labels)


def labelled_score(
    sample: Sample, sentences: Sentences, labellings: Sequence[Labelling], counted: Labelling
) -> Score:
    """The score of the `counted` labels, with all labellings it came from in `details` (read by
    `labellings`).
    """
    score = to_score(trace_scores(sentences, counted.labels), sample)
    kept = [labelling.model_dump(mode="json", exclude_defaults=True) for labelling in labellings]
    details: dict[str, Any] = {**score.details, "by": counted.by, "labellings": kept}
    return score.model_copy(update={"details": details})


def labellings(score: Score, sample: Sample) -> dict[str, Labelling]:
    """Every labeller's labels of a scored sample by name, the ones that count first, published ones
    last.
    """
    by = score.details.get("by", HEURISTIC)
    counted = Labelling(by=by, labels=Labels.model_validate(score.details["labels"]))
    own = [Labelling.model_validate(kept) for kept in score.details.get("labellings", [])]
    gold = [Labelling(by=GOLD, labels=sample.labels)] if sample.labels else []
    return {counted.by: counted} | {labelling.by: labelling for labelling in [*own, *gold]}


def corrected(labels: Labels, corrections: Sequence[Correction]) -> Labels:
    """The labels after a person's corrections, in their order; the labels themselves stay as they
    are.
    """
    for correction in corrections:
        labels = labels.model_copy(update=_change(labels, correction))
    return labels


def _change(labels: Labels, correction: Correction) -> dict[str, Any]:
    key = correction.key
    if correction.label == "support":
        supports = {support.key: support for support in labels.sentence_support}
        before = supports.get(key) or SentenceSupport(key=key, support=Support.NONE)
        support = Support(correction.value)
        keys = () if support is Support.NONE else before.supporting_keys
        supports[key] = before.model_copy(update={"support": support, "supporting_keys": keys})
        return {"sentence_support": tuple(supports.values())}
    field = f"{correction.label}_keys"
    others = tuple(each for each in getattr(labels, field) if each != key)
    return {field: (*others, key) if correction.value == "yes" else others}
