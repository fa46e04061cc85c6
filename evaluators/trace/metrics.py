"""The TRACE metrics of a sample: a pure function of sentences, labels and a definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from evaluators.errors import StoreError
from evaluators.messages import Text
from evaluators.records import (
    LabelEvidence,
    Labelling,
    Labels,
    Record,
    Sample,
    Score,
    Sentences,
    Support,
)
from evaluators.text.language import ENGLISH, mark, say, speaking, translated
from evaluators.text.words import joined_sentences, of_sample
from evaluators.trace.definitions import (
    SENTENCE,
    Step,
    definition_named,
    expected_share,
    response_supports,
)
from evaluators.trace.patterns import Pattern, ideals, pattern
from evaluators.trace.values import AVERAGE, METRICS, SUPPORTED_SHARE, mean_of_four

VALUES = (*METRICS, AVERAGE.name, SUPPORTED_SHARE.name)
"""What a sample has of TRACE: the four metrics, and what stands beside them."""
EXPECTED = METRICS[1:3]
"""Those that a labeller may expect where it does not count; see `ExpectedShares`."""


class TRACEScores(Record):
    """The four TRACE values of one sample, 0 to 1, with the labels that they were counted from.

    A value that does not apply is None. `supported_share` is the share of the labelled response
    sentences that are fully supported; `reason` says why a value is None or was decided without
    any sentence.
    """

    context_relevance: float | None
    context_utilization: float | None
    completeness: float | None
    adherence: float | None
    supported_share: float | None
    definition: str
    reason: Text = ""
    labels: Labels
    sentences: Sentences

    @property
    def relevance(self) -> float | None:
        return self.context_relevance

    @property
    def utilization(self) -> float | None:
        return self.context_utilization

    @property
    def num_fully_supported_sentences(self) -> int:
        return self._count(Support.FULL)

    @property
    def num_partially_supported_sentences(self) -> int:
        return self._count(Support.PARTIAL)

    @property
    def num_unsupported_sentences(self) -> int:
        return self._count(Support.NONE)

    def average(self) -> float | None:
        """The mean of those of the four values that apply; None where none does, and of a labeller
        that judges the answer alone.
        """
        if self.labels.of_support_alone:
            return None
        return mean_of_four({name: getattr(self, name) for name in METRICS})

    def to_dict(self) -> dict[str, Any]:
        """The four values, their average and the supported share, under the documented names."""
        return self.values()

    def values(self) -> dict[str, float | None]:
        """What is stored and shown."""
        four = {name: getattr(self, name) for name in METRICS}
        return {**four, "average": self.average(), "supported_share": self.supported_share}

    def pattern(self) -> Pattern | None:
        """The documented pattern that the values show, with its meaning and remedy, if any."""
        return pattern(self.values())

    def ideals(self) -> dict[str, bool | None]:
        """Whether each of the four values is in its documented ideal range; None where unknown."""
        return ideals(self.values())

    def under(self, definition: str) -> Self:
        """The same labels by another definition; raises `ParameterError` for an unknown one."""
        return self.model_copy(update=_fields(self.sentences, self.labels, definition))

    def _count(self, support: Support) -> int:
        return sum(sentence.support is support for sentence in self.labels.sentence_support)


def trace_scores(
    sentences: Sentences,
    labels: Labels,
    definition: str = SENTENCE,
) -> TRACEScores:
    """The TRACE values of these labels; raises `ParameterError` for an unknown definition."""
    return TRACEScores(sentences=sentences, labels=labels, **_fields(sentences, labels, definition))


def arithmetic(scores: TRACEScores) -> dict[str, str]:
    """How each of the four values was worked out, in words, with the numbers of this sample."""
    worked = _worked(scores.sentences, scores.labels, scores.definition)
    lines = {}
    for name, step in worked.items():
        title = name.replace("_", " ").capitalize()
        lines[name] = f"{say(title)} {translated(step.words)}"
    return lines


def fractions(scores: TRACEScores) -> dict[str, str]:
    """What was divided for each of the four values, such as "2/5"; empty where nothing was.

    That of adherence counts the sentences that pass: of 1/2 the value is 0.
    """
    worked = _worked(scores.sentences, scores.labels, scores.definition)
    return {name: step.fraction for name, step in worked.items()}


def why_missing(scores: TRACEScores) -> dict[str, str]:
    """Why each value that is None is so, by its name."""
    further = {name: say(reason) for name, reason in _FURTHER_REASONS.items()}
    if scores.labels.of_support_alone:
        further[AVERAGE.name] = say(_OF_ANSWER_ALONE)
    reasons = {**arithmetic(scores), **further}
    missing = [name for name, value in scores.values().items() if value is None]
    return {name: reasons[name] for name in missing}


_OF_ANSWER_ALONE = mark("does not apply: the labeller judges the answer alone.")
_FURTHER_REASONS = {
    AVERAGE.name: mark("None of the four values applies."),
    SUPPORTED_SHARE.name: mark("No sentence of the answer has a label."),
}


def to_score(
    scores: TRACEScores,
    sample: Sample,
    labellings: Sequence[Labelling],
) -> Score:
    """The stored form: the values, and as evidence the labellings, the one that counts first."""
    # Published sentences are stored with the sample already.
    own_sentences = None if scores.sentences is sample.sentences else scores.sentences
    evidence = LabelEvidence(labellings=tuple(labellings), sentences=own_sentences)
    return Score(values=scores.values(), reason=scores.reason, evidence=evidence)


def from_score(score: Score, sample: Sample, definition: str = SENTENCE) -> TRACEScores:
    """What `to_score` stored, counted by any definition; raises `StoreError` as `stored_labels`."""
    return trace_scores(*stored_labels(score, sample), definition)


def stored_labels(score: Score, sample: Sample) -> tuple[Sentences, Labels]:
    """The sentences and the labels that count, as `to_score` stored them.

    Raises `StoreError` where labels or sentences are missing.
    """
    if isinstance(score.evidence, LabelEvidence):
        sentences = score.evidence.sentences or sample.sentences
        if sentences is not None:
            return sentences, score.evidence.counted.labels
    raise StoreError(
        of_sample(sample.id, say("the score holds no labels or no sentences. Run it again."))
    )


def _fields(
    sentences: Sentences,
    labels: Labels,
    name: str,
) -> dict[str, Any]:
    # What is stored is English; and of thousands of answers nobody reads how each was worked out.
    with speaking(ENGLISH):
        worked = _worked(sentences, labels, name)
    supports = response_supports(sentences, labels)
    # A sentence without a label is neither supported nor not.
    judged = [support for support in supports if support is not None]
    return {
        **{metric: step.value for metric, step in worked.items()},
        "supported_share": judged.count(Support.FULL) / len(judged) if judged else None,
        "definition": name,
        "reason": joined_sentences(_reason_notes(sentences, worked)),
    }


def _worked(
    sentences: Sentences,
    labels: Labels,
    name: str,
) -> dict[str, Step]:
    chosen = definition_named(name)
    counts = chosen.counts(sentences, labels)
    steps = [Step(None, mark("does not apply: the documents hold no sentence."))] * 3
    if counts.total and labels.of_support_alone:
        steps = [Step(None, _OF_ANSWER_ALONE)] * 3
    # Every formula but that of adherence divides by document sentences, or asks which are there.
    elif counts.total:
        formulas = (chosen.relevance, chosen.utilization, chosen.completeness)
        steps = [formula(counts) for formula in formulas]
        if labels.expected:
            utilization = getattr(labels.expected, chosen.expected_utilization)
            steps[1] = expected_share(utilization, steps[1])
            steps[2] = expected_share(labels.expected.completeness, steps[2])
        if labels.relevance_unknown and not counts.relevant:
            steps[2] = Step(None, mark("does not apply: the heuristic finds no sentence relevant."))
    steps.append(chosen.adherence(sentences, labels))
    return dict(zip(METRICS, steps, strict=True))


def _reason_notes(sentences: Sentences, worked: Mapping[str, Step]) -> Iterable[str]:
    _, _, completeness, adherence = worked.values()
    if not sentences.retrieved_keys:
        yield mark(
            "The documents hold no sentence: relevance, utilization and completeness do not apply."
        )
    elif completeness.value is None:
        yield mark("Completeness {why}").format(why=completeness.words)
    if not sentences.response:
        yield mark("The answer holds no sentence: nothing in it is unsupported.")
    if adherence.value is None:
        yield mark("Adherence {why}").format(why=adherence.words)
