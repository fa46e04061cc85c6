"""The TRACE metrics: three definitions, each a pure function of sentences and labels.

`sentence` is what both TRACE documents state, `fixed_20` what the code of the GPT labelling document does, and
`ragbench` reproduces the values published with RAGBench (Friel et al., arXiv 2407.11005).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple, Self

from evaluators.errors import StoreError
from evaluators.records import Labels, Record, Sample, Score, Sentences, Support

METRICS = ("context_relevance", "context_utilization", "completeness", "adherence")
_FIXED_TOTAL = 20


class Definition(StrEnum):
    """Which formulas turn labels into the four values; a view, changed without a new call."""

    SENTENCE = "sentence"
    FIXED_20 = "fixed_20"
    RAGBENCH = "ragbench"


class TRACEScores(Record):
    """The four TRACE values of one sample, 0 to 1 or None where one does not apply, with what they were counted from.

    `supported_share` is the share of the labelled response sentences that are fully supported; `reason` says why
    a value is None or was decided without any sentence.
    """

    context_relevance: float | None
    context_utilization: float | None
    completeness: float | None
    adherence: float | None
    supported_share: float | None
    definition: Definition
    reason: str = ""
    labels: Labels
    sentences: Sentences

    @property
    def relevance(self) -> float | None:
        return self.context_relevance

    @property
    def utilization(self) -> float | None:
        return self.context_utilization

    def average(self) -> float | None:
        """The mean of those of the four values that apply; None where none does."""
        values = [value for name in METRICS if (value := getattr(self, name)) is not None]
        return sum(values) / len(values) if values else None

    def to_dict(self) -> dict[str, float | None]:
        """The four values and their average, under the documented names."""
        return {**{name: getattr(self, name) for name in METRICS}, "average": self.average()}

    def values(self) -> dict[str, float | None]:
        """What is stored and shown: the documented values and the supported share."""
        return {**self.to_dict(), "supported_share": self.supported_share}

    def under(self, definition: Definition | str) -> Self:
        """The same labels counted by another definition."""
        return self.model_copy(update=_fields(self.sentences, self.labels, Definition(definition)))


def trace_scores(
    sentences: Sentences, labels: Labels, definition: Definition | str = Definition.SENTENCE
) -> TRACEScores:
    """The TRACE values of these labels."""
    return TRACEScores(sentences=sentences, labels=labels, **_fields(sentences, labels, Definition(definition)))


def arithmetic(scores: TRACEScores) -> dict[str, str]:
    """How each of the four values was worked out, in plain text, with the numbers of this sample."""
    worked = _worked(scores.sentences, scores.labels, scores.definition)
    return {name: f"{name.replace('_', ' ').capitalize()} {step.words}" for name, step in worked.items()}


def to_score(scores: TRACEScores, sample: Sample) -> Score:
    """The stored form: the values, and in `details` the labels, with the sentences unless they are the sample's own."""
    details: dict[str, Any] = {"labels": scores.labels.model_dump(mode="json")}
    if scores.sentences is not sample.sentences:
        details["sentences"] = scores.sentences.model_dump(mode="json")
    return Score(values=scores.values(), reason=scores.reason, details=details)


def from_score(score: Score, sample: Sample, definition: Definition | str = Definition.SENTENCE) -> TRACEScores:
    """What `to_score` stored, counted by any definition. Raises `StoreError` where labels or sentences are missing."""
    stored = score.details.get("sentences")
    sentences = Sentences.model_validate(stored) if stored else sample.sentences
    if sentences is None or "labels" not in score.details:
        raise StoreError(f"Sample {sample.id}: the score holds no labels or no sentences. Run it again.")
    return trace_scores(sentences, Labels.model_validate(score.details["labels"]), definition)


class _Step(NamedTuple):
    """One value and the words that lead to it."""

    value: float | None
    words: str


class _Counts(NamedTuple):
    """How many document sentences there are, are relevant, are utilized, are both."""

    total: int
    relevant: int
    utilized: int
    both: int


def _fields(sentences: Sentences, labels: Labels, definition: Definition) -> dict[str, Any]:
    worked = _worked(sentences, labels, definition)
    return {
        **{name: step.value for name, step in worked.items()},
        "supported_share": _supported_share(sentences, labels),
        "definition": definition,
        "reason": _reason(sentences, worked["adherence"]),
    }


def _worked(sentences: Sentences, labels: Labels, definition: Definition) -> dict[str, _Step]:
    counts = _counts(sentences, labels, definition)
    steps = [_no_documents()] * 3
    if counts.total:
        steps = [_relevance(counts, definition), _utilization(counts, definition), _completeness(counts, definition)]
    is_ragbench = definition is Definition.RAGBENCH
    adherence = _ragbench_adherence(labels) if is_ragbench else _adherence(sentences, labels)
    return dict(zip(METRICS, [*steps, adherence], strict=True))


def _counts(sentences: Sentences, labels: Labels, definition: Definition) -> _Counts:
    """Published lists count as they are, repeated and unknown keys included; else a key counts once, if it exists."""
    keys = sentences.document_keys
    relevant, utilized = set(labels.relevant_keys), set(labels.utilized_keys)
    if definition is Definition.RAGBENCH:
        return _Counts(len(keys), len(labels.relevant_keys), len(labels.utilized_keys), len(relevant & utilized))
    relevant, utilized = relevant.intersection(keys), utilized.intersection(keys)
    return _Counts(len(keys), len(relevant), len(utilized), len(relevant & utilized))


def _no_documents() -> _Step:
    return _Step(None, "does not apply: the documents hold no sentence.")


def _relevance(counts: _Counts, definition: Definition) -> _Step:
    if definition is Definition.FIXED_20:
        return _capped("relevant sentences / 20", counts.relevant, _FIXED_TOTAL)
    return _ratio("relevant sentences / all document sentences", counts.relevant, counts.total)


def _utilization(counts: _Counts, definition: Definition) -> _Step:
    if definition is Definition.RAGBENCH:
        return _ratio("utilized sentences / all document sentences", counts.utilized, counts.total)
    if not counts.relevant:
        return _Step(0.0, "= 0.00, because no document sentence is relevant")
    return _capped("utilized sentences / relevant sentences", counts.utilized, counts.relevant)


def _completeness(counts: _Counts, definition: Definition) -> _Step:
    if counts.relevant:
        return _ratio("sentences both relevant and utilized / relevant sentences", counts.both, counts.relevant)
    if definition is Definition.RAGBENCH:
        return _Step(1.0, "= 1.00, because no document sentence is relevant")
    if not counts.utilized:
        return _Step(1.0, "= 1.00, because no document sentence is relevant and none is utilized")
    return _Step(0.0, f"= 0.00, because no document sentence is relevant, yet {counts.utilized} utilized")


def _adherence(sentences: Sentences, labels: Labels) -> _Step:
    supports = _response_supports(sentences, labels)
    rule = "= 1 if every response sentence is fully supported, else 0"
    full, missing = supports.count(Support.FULL), supports.count(None)
    if not supports:
        return _Step(1.0, f"{rule}; the response holds no sentence = 1.00")
    if missing and full + missing == len(supports):
        return _Step(None, f"is not known: {missing} of {len(supports)} response sentences have no label.")
    value = float(full == len(supports))
    return _Step(value, f"{rule}; {full} of {len(supports)} are = {value:.2f}")


def _ragbench_adherence(labels: Labels) -> _Step:
    count = sum(sentence.support is Support.NONE for sentence in labels.sentence_support)
    value = float(not count)
    return _Step(value, f"= 1 if no response sentence is unsupported, else 0; {count} unsupported = {value:.2f}")


def _response_supports(sentences: Sentences, labels: Labels) -> list[Support | None]:
    support = {sentence.key: sentence.support for sentence in labels.sentence_support}
    return [support.get(sentence.key) for sentence in sentences.response]


def _supported_share(sentences: Sentences, labels: Labels) -> float | None:
    judged = [support for support in _response_supports(sentences, labels) if support is not None]
    return judged.count(Support.FULL) / len(judged) if judged else None


def _reason(sentences: Sentences, adherence: _Step) -> str:
    return " ".join(_notes(sentences, adherence))


def _notes(sentences: Sentences, adherence: _Step) -> Iterable[str]:
    if not sentences.document_keys:
        yield "The documents hold no sentence: relevance, utilization and completeness do not apply."
    if not sentences.response:
        yield "The response holds no sentence: nothing in it is unsupported."
    if adherence.value is None:
        yield f"Adherence {adherence.words}"


def _ratio(names: str, part: int, whole: int) -> _Step:
    value = part / whole
    return _Step(value, f"= {names} = {part} / {whole} = {value:.2f}")


def _capped(names: str, part: int, whole: int) -> _Step:
    if part <= whole:
        return _ratio(names, part, whole)
    return _Step(1.0, f"= {names}, at most 1 = {part} / {whole}, so 1.00")
