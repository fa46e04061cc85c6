"""What stands in a round: the texts that are asked about, and what labellers say of them."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from evaluators.records import (
    DocumentRole,
    LabelEvidence,
    Run,
    Sample,
    Score,
    Sentences,
    Support,
)
from evaluators.rounds.records import AskedPlace, Round, RoundKind
from evaluators.rounds.tally import answer_support
from evaluators.runs.run_view import Content
from evaluators.runs.store import Answer, Store
from evaluators.text.scale import SCORE
from evaluators.trace.labelling import GOLD, HEURISTIC, labellings
from evaluators.trace.values import TRACE_VALUES
from evaluators.trace_evaluator import TRACEEvaluator

PLANTED, METRIC = "planted", "metric"
"""Who says which documents hold the planted error; which of two answers is better, or its score."""
MOST_DOCUMENTS = 6
"""Of a prompt: more do not fit on a phone."""


class Noticed(NamedTuple):
    """Whether a model noticed a planted error and gave the true answer; `None` if that failed."""

    detection: bool | None
    correction: bool | None


class RoundAnswer(NamedTuple):
    """An answer of a round: what is asked about in it, and how each labeller labels it, by key.

    `by` is who counts where there is no gold: the run's own labeller, the metric, or who planted
    the errors. `sentences` are those of an answer that is labelled; `pair` are two answers as they
    stand left and right, `models` the numbers of who gave them; `noticed` is what each model did.
    `value` is what was guessed, 0 to 1.
    """

    sample: Sample
    asked: Mapping[str, str]
    by: str
    supports: Mapping[str, Mapping[str, Support]]
    sentences: Sentences | None = None
    pair: tuple[str, ...] = ()
    models: tuple[int, ...] = ()
    noticed: tuple[Noticed, ...] = ()
    value: float | None = None


class RoundContent(NamedTuple):
    """All that can be read of a round's answers, by their place; the same until the run changes."""

    kind: RoundKind
    answers: Mapping[int, RoundAnswer]

    @property
    def places(self) -> list[AskedPlace]:
        """All that is asked about, in order."""
        return [
            AskedPlace(number, key)
            for number, answer in self.answers.items()
            for key in answer.asked
        ]

    @property
    def own_labeller(self) -> str:
        """Whose labels the run goes by: a judge, the jury, the heuristic, or what decides else."""
        by = [answer.by for answer in self.answers.values()]
        # Of a hybrid run some answers have the heuristic's only: the judge is who was asked.
        return next((name for name in by if name != HEURISTIC), HEURISTIC)

    @property
    def truth(self) -> str:
        """The labeller that counts as right: the data's own labels, else the run's labeller.

        Whose verdict is guessed is the run's labeller.
        """
        has_gold = any(GOLD in answer.supports for answer in self.answers.values())
        return GOLD if has_gold and self.kind == "support" else self.own_labeller

    def text(self, place: AskedPlace) -> str:
        """The sentence or document, or the question of a whole answer."""
        return self.answers[place.answer].asked[place.key]

    def labels_by(self, labeller: str) -> dict[AskedPlace, Support]:
        """What the labeller says of what is asked; nothing of what it left out."""
        labels = {}
        for number, answer in self.answers.items():
            for key, support in answer.supports.get(labeller, {}).items():
                labels[AskedPlace(number, key)] = support
        return labels


def content(store: Store, run: Run, made: Round) -> RoundContent:
    """The answers of a round, with everybody's labels; the heuristic's are worked out if need be.

    An answer that cannot be read any more is left out.
    """
    positions = {answer.position for answer in made.answers}
    samples = store.samples.get_many(run.fingerprint, positions)
    wanted = {}
    for number, asked in enumerate(made.answers):
        models = _models_read(run, made, asked.model)
        wanted[number] = [Answer(asked.position, model) for model in models]
    every = list(chain.from_iterable(wanted.values()))
    results = store.results.of_answers(run.id, every)
    answers = {}
    for number, own in wanted.items():
        sample = samples[made.answers[number].position]
        if isinstance(sample, Sample):
            contents = [Content.of(sample, results.get(answer, {})) for answer in own]
            read = _READ[made.kind](made, sample, contents)
            # Of an answer without a sentence nothing can be said.
            if read is not None and read.asked:
                answers[number] = read
    return RoundContent(made.kind, answers)


def _models_read(run: Run, made: Round, own: int) -> Sequence[int]:
    """The numbers of the models whose answers to a sample are read."""
    if made.kind == "planted":
        return range(max(1, len(run.models)))
    return made.models or (own,)


def _score_of(content: Content) -> Score | None:
    result = content.results.get(0)
    return result.score if result else None


# Sentences, and the verdict on all of them


def sentences_judged(content: Content) -> Sentences | None:
    """The sentences that were labelled in the run; `None` where none were."""
    score = _score_of(content)
    if score is None or not isinstance(score.evidence, LabelEvidence):
        return None
    return score.evidence.sentences or content.sample.sentences


def _labelled(made: Round, sample: Sample, contents: Sequence[Content]) -> RoundAnswer | None:
    sentences = sentences_judged(contents[0])
    score = _score_of(contents[0])
    if score is None or sentences is None:
        return None
    by_labeller = {by: own.labels for by, own in labellings(score, sample).items()}
    by = next(iter(by_labeller))
    if HEURISTIC not in by_labeller:
        # A model's answer stands in the score and not in the sample; its sentences are at hand.
        by_labeller[HEURISTIC] = TRACEEvaluator().label(sentences, sample.question)
    asked = {sentence.key: sentence.text for sentence in sentences.response}
    supports = {}
    for name, labels in by_labeller.items():
        own = {label.key: label.support for label in labels.sentence_support}
        supports[name] = {key: support for key, support in own.items() if key in asked}
    return RoundAnswer(sample, asked, by, supports, sentences)


def _guessed(made: Round, sample: Sample, contents: Sequence[Content]) -> RoundAnswer | None:
    labelled = _labelled(made, sample, contents)
    if labelled is None or not labelled.asked:
        return None
    supports = {}
    for name, own in labelled.supports.items():
        if own:
            supports[name] = {"": answer_support(own.values())}
    return labelled._replace(asked={"": sample.question}, supports=supports)


def _scored(made: Round, sample: Sample, contents: Sequence[Content]) -> RoundAnswer | None:
    labelled, score = _labelled(made, sample, contents), _score_of(contents[0])
    value = score.values.get(made.value) if score else None
    if labelled is None or value is None:
        return None
    return labelled._replace(
        asked={"": sample.question},
        by=METRIC,
        supports={METRIC: {"": height(value)}},
        value=value,
    )


def height(value: float) -> Support:
    """Which third of 0 to 1 a value is in, as it is shown: full 0.67 and more, none 0.33 and less.

    Of a bound between two shown numbers nobody can say that a value lies on it: two thirds, which
    are frequent, are shown as 0.67 and are high.
    """
    shown = float(SCORE.shown(value))
    if shown >= 0.67:
        return Support.FULL
    return Support.NONE if shown <= 0.33 else Support.PARTIAL


# The planted error


def _forged(made: Round, sample: Sample, contents: Sequence[Content]) -> RoundAnswer | None:
    asked, planted = {}, {}
    # Without roles it is not known which documents are forged, and nothing is asked.
    documents = zip(
        string.ascii_uppercase[:MOST_DOCUMENTS],
        sample.retrieved_documents,
        sample.roles,
        strict=False,
    )
    for key, text, role in documents:
        asked[key] = text
        planted[key] = Support.NONE if role is DocumentRole.PLANTED else Support.FULL
    noticed = []
    for each in contents:
        score = _score_of(each)
        values = score.values if score else {}
        detection = _passed(values, "detection")
        noticed.append(Noticed(detection, _passed(values, "correction")))
    return RoundAnswer(
        sample=sample,
        asked=asked,
        by=PLANTED,
        supports={PLANTED: planted},
        noticed=tuple(noticed),
    )


def _passed(values: Mapping[str, float | None], name: str) -> bool | None:
    value = values.get(name)
    return None if value is None else bool(value)


# Which answer is better


def _two_answers(made: Round, sample: Sample, contents: Sequence[Content]) -> RoundAnswer | None:
    first, second = contents
    scores = _score_of(first), _score_of(second)
    if first.response is None or second.response is None or made.models is None:
        return None
    opinion = None
    if scores[0] and scores[1]:
        opinion = preferred(scores[0].values, scores[1].values)
    pair, models = (first.response, second.response), made.models
    # By the round's id, which participants do not know: who is left follows no rule for them.
    if random.Random(f"{made.id}/{sample.id}/{sample.repeat}").random() < 0.5:
        pair = pair[1], pair[0]
        models = models[1], models[0]
        opinion = SWAPPED[opinion] if opinion else None
    supports = {METRIC: {"": opinion}} if opinion else {}
    return RoundAnswer(
        sample=sample,
        asked={"": sample.question},
        by=METRIC,
        supports=supports,
        pair=pair,
        models=models,
    )


SWAPPED = {
    Support.FULL: Support.NONE,
    Support.PARTIAL: Support.PARTIAL,
    Support.NONE: Support.FULL,
}
"""The same preference with left and right exchanged."""


def preferred(
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
) -> Support | None:
    """Which of two answers a metric's values prefer: full the first, none the second.

    TRACE by what decides, others by the sum of all values that both have; `None` without any.
    """
    names = [value.name for value in TRACE_VALUES if value.decides and value.name in first]
    names = names or list(first)
    own = other = 0.0
    compared = 0
    for name in names:
        value, value_of_other = first.get(name), second.get(name)
        if value is not None and value_of_other is not None:
            own += value
            other += value_of_other
            compared += 1
    if not compared:
        return None
    if own == other:
        return Support.PARTIAL
    return Support.FULL if own > other else Support.NONE


_Reader = Callable[[Round, Sample, Sequence[Content]], RoundAnswer | None]
_READ: Mapping[RoundKind, _Reader] = {
    "support": _labelled,
    "guess": _guessed,
    "score": _scored,
    "planted": _forged,
    "better": _two_answers,
}
