"""Which answers of a run people can be asked about, and a queue drawn from them."""

from __future__ import annotations

import random
import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evaluators.catalogue import declared_values, labels_sentences
from evaluators.errors import ParameterError
from evaluators.people import drawing, queues
from evaluators.people.drawing import Candidate, QueuedAnswer
from evaluators.people.labels import people_values, verdict_values
from evaluators.people.queues import MOST, LabelQueue, Reveal
from evaluators.people.records import DONE, PersonLabel, QueueDrawn, stratum_of
from evaluators.records import Cell, LabelEvidence, Sample, Score, Support
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.runs.store.bodies import timestamp
from evaluators.text.language import mark, say
from evaluators.text.words import counted
from evaluators.trace.definitions import response_supports
from evaluators.trace.metrics import from_score
from evaluators.trace.values import TRACE_VALUES
from evaluators.trace_evaluator import TRACEEvaluator
from evaluators.values import Value

_NONE_FOUND: Mapping[QueueDrawn, str] = {
    "by verdict": mark("Every answer stands in an earlier queue by now. Go on with that one."),
    "by doubt": mark("Nothing tells which answers are doubtful here. Draw at random."),
    "by filter": mark(
        "The filter lets no answer through that can be labelled. Choose another one."
    ),
}

MOST_DOUBTED = 1000
"""Answers whose doubt is worked out, by chance where there are more: each takes milliseconds."""


class Labelable(NamedTuple):
    """The answers of one metric that people can be asked about, and how many they cannot.

    `undrawn` counts those that no earlier queue has drawn at random, `not_applicable` those of
    which the labeller gave no verdict.
    """

    candidates: tuple[Candidate, ...]
    undrawn: int
    failed: int
    not_applicable: int
    unchecked: int


class Wish(NamedTuple):
    """What is wished for: how many answers, how they are found, and how they are shown.

    `among` are the answers to take where they are taken by a filter.
    """

    n: int = 50
    drawn: QueueDrawn = "by verdict"
    metric: int = 0
    blind: bool = True
    reveal: Reveal = "at the end"
    among: Sequence[Answer] = ()


def asked_values(view: RunView, metric: int) -> tuple[str, ...]:
    """The yes-or-no values of a metric that people can be asked for, by name.

    Empty where there are none. People label the sentences of TRACE, and no value.
    """
    if _labels_sentences(view, metric):
        return ()
    values: dict[str, set[float | None]] = {}
    for row in view.of_metric(metric):
        for name, value in row.values.items():
            values.setdefault(name, set()).add(value)
    names = []
    for name, own in values.items():
        # One that applied to no answer may be anything.
        if own - {None} and own <= {0.0, 1.0, None}:
            names.append(name)
    # All else is derived from these, or a judge's word.
    verdicts = _verdicts(view, metric)
    return tuple(name for name in names if name in verdicts or not verdicts)


def _labels_sentences(view: RunView, metric: int) -> bool:
    # Only the first metric of a run can be one with a page of its own.
    return metric == 0 and labels_sentences(view.run.evaluator)


def _verdicts(view: RunView, metric: int) -> list[str]:
    """The values of a metric that say yes or no to what people are asked as well."""
    declared = declared_values(view.run.evaluators[metric].name)
    return list(dict.fromkeys(value.in_score for value in declared if value.verdict))


def metrics(view: RunView) -> list[int]:
    """The run's metrics that people can label, by their numbers."""
    every = range(len(view.run.evaluators))
    return [
        number for number in every if _labels_sentences(view, number) or asked_values(view, number)
    ]


def labelable(view: RunView, metric: int = 0) -> Labelable:
    """What of a metric's answers can be labelled, each by the verdict of the run's labeller."""
    candidates: list[Candidate] = []
    failed = not_applicable = unchecked = 0
    can_be_asked = metric in metrics(view)
    # Of an answer without a verdict of the labeller no label tells how far that can be trusted.
    verdicts = asked_values(view, metric) or _verdicts(view, metric) if can_be_asked else ()
    for row in view.of_metric(metric):
        if row.status == "failed":
            failed += 1
        elif row.status is None:
            unchecked += 1
        elif all(row.values.get(name) is None for name in verdicts or row.values):
            not_applicable += 1
        elif can_be_asked:
            stratum = stratum_of(row.values)
            candidates.append(Candidate(row.position, row.model, stratum))
    before = _drawn_before(view, metric)
    undrawn = sum(candidate[:2] not in before for candidate in candidates)
    return Labelable(tuple(candidates), undrawn, failed, not_applicable, unchecked)


def draw(view: RunView, wish: Wish, seed: int) -> LabelQueue:
    """A new queue; the same seed draws the same answers. Nothing is stored.

    Raises `ParameterError` where there is no answer to label.
    """
    there = labelable(view, wish.metric)
    answers = _found(view, there.candidates, wish, seed)
    if not answers:
        none_found = say(_NONE_FOUND[wish.drawn])
        raise ParameterError(none_found if there.candidates else why_nothing(there))
    return LabelQueue(
        # Whoever has it may label, so it must not be guessed.
        id=secrets.token_urlsafe(16),
        run_id=view.run.id,
        created=timestamp(),
        drawn=wish.drawn,
        seed=seed,
        metric=wish.metric,
        values=asked_values(view, wish.metric),
        blind=wish.blind,
        reveal=wish.reveal,
        failed=there.failed,
        answers=tuple(answers[:MOST]),
    )


def why_nothing(there: Labelable) -> str:
    """Why a metric has no answer that can be labelled."""
    reasons = []
    if there.failed:
        samples = counted(there.failed, "failed sample")
        reasons.append(say("{samples} cannot be labelled", samples=samples))
    if there.not_applicable:
        reasons.append(say("{count:,} have no verdict of the labeller", count=there.not_applicable))
    if there.unchecked:
        reasons.append(say("{count:,} are not checked yet", count=there.unchecked))
    why = say(", ").join(reasons) or say("People label sentences of TRACE and yes-or-no values")
    return say("{why}. There is nothing to label.", why=f"{why[0].upper()}{why[1:]}")


def has_doubt(view: RunView, metric: int) -> bool:
    """Whether anything tells which answers of a metric are doubtful."""
    if _labels_sentences(view, metric):
        return True
    # Where a judge stood beside rules: those on which they differ are doubtful.
    judged = {value.in_score for value in _said_by_judges(view, metric)}
    return any(not judged.isdisjoint(row.values) for row in view.of_metric(metric))


def _said_by_judges(view: RunView, metric: int) -> list[Value]:
    declared = declared_values(view.run.evaluators[metric].name)
    return [value for value in declared if value.judge_of]


def _found(
    view: RunView,
    candidates: Collection[Candidate],
    wish: Wish,
    seed: int,
) -> list[QueuedAnswer]:
    if wish.drawn == "by filter":
        among = set(wish.among)
        passing = (candidate for candidate in candidates if Answer(*candidate[:2]) in among)
        return drawing.in_order(passing, wish.n)
    if wish.drawn == "by doubt":
        return drawing.by_doubt(_doubted(view, candidates, wish.metric, seed), wish.n)
    return drawing.by_verdict(candidates, wish.n, seed, _drawn_before(view, wish.metric))


def _drawn_before(view: RunView, metric: int) -> set[tuple[int, int]]:
    """The answers in the run's earlier queues that came at random."""
    drawn: set[tuple[int, int]] = set()
    for queue in view.store.label_queues.of_run(view.run.id):
        if queue.metric == metric and queue.drawn == "by verdict":
            drawn.update((answer.position, answer.model) for answer in queue.answers)
    return drawn


def _doubted(
    view: RunView,
    candidates: Collection[Candidate],
    metric: int,
    seed: int,
) -> list[Candidate]:
    """The candidates with how doubtful each is."""
    if len(candidates) > MOST_DOUBTED:
        candidates = random.Random(seed).sample(sorted(candidates), MOST_DOUBTED)
    by_answer = {Answer(*candidate[:2]): candidate for candidate in candidates}
    if _labels_sentences(view, metric):
        doubts = _doubts_of_labels(view, by_answer)
    else:
        doubts = _doubts_of_verdicts(view, metric)
    doubted = []
    for answer, candidate in by_answer.items():
        # What nobody doubts comes last.
        doubt = doubts.get(answer, 0.0)
        doubted.append(candidate._replace(doubt=doubt))
    return doubted


def _doubts_of_labels(view: RunView, answers: Collection[Answer]) -> dict[Answer, float]:
    """How far the labellers of an answer differ, or how likely the heuristic thinks them wrong."""
    heuristic = TRACEEvaluator()
    doubts = {}
    for answer, content in view.contents(list(answers)).items():
        score = content.results[0].score
        if score is None or not isinstance(score.evidence, LabelEvidence):
            continue
        sentences = from_score(score, content.sample).sentences
        estimates = heuristic.support_estimates(sentences, content.sample.question)
        least = min(estimates.values(), default=1.0)
        verdicts = []
        for labelling in score.evidence.labellings:
            supports = response_supports(sentences, labelling.labels)
            verdicts.append(all(support is Support.FULL for support in supports))
        # The first labelling is the one that counts.
        wrong = 1 - least if verdicts[0] else least
        # 1 where half of the labellers say yes, 0 where all say the same.
        split = 1 - abs(2 * sum(verdicts) / len(verdicts) - 1)
        doubts[answer] = max(split, wrong)
    return doubts


def _doubts_of_verdicts(view: RunView, metric: int) -> dict[Answer, float]:
    """1 where the judge beside the rules of RGB says another thing than they do."""
    doubts = {}
    for row in view.of_metric(metric):
        for value in _said_by_judges(view, metric):
            judged = row.values.get(value.in_score)
            if judged is not None and judged != row.values.get(value.judge_of):
                doubts[Answer(row.position, row.model)] = 1.0
    return doubts


class Compared(NamedTuple):
    """An answer that a person is done with: its place in the queue, and the values that both gave.

    Of TRACE the value is adherence.
    """

    place: int
    question: str
    judged: Mapping[str, float]
    person: Mapping[str, float]


def compared(
    view: RunView,
    queue: LabelQueue,
    labels: Mapping[Cell, Sequence[PersonLabel]],
    person: str,
) -> list[Compared]:
    """What a person says beside what the run's labeller says, in the order of the queue."""
    are_done = queues.progress(queue, labels, person).said
    done = {}
    for place, word in enumerate(are_done):
        # Skipped answers, and those that nobody can tell, have no word to compare.
        if word == DONE:
            of_answer = labels.get(queue.cell(place), ())
            done[place] = [label for label in of_answer if label.person == person]
    answers = {place: Answer(*queue.cell(place)[:2]) for place in done}
    contents = view.contents(list(answers.values()))
    rows = []
    for place, own in done.items():
        content = contents.get(answers[place])
        result = content.results.get(queue.metric) if content else None
        if content and result and result.score:
            judged, people = _both(queue, content.sample, result.score, own)
            rows.append(Compared(place, content.sample.question, judged, people))
    return rows


def _both(
    queue: LabelQueue,
    sample: Sample,
    score: Score,
    own: Sequence[PersonLabel],
) -> tuple[dict[str, float], dict[str, float]]:
    """The labeller's and the person's values that both gave."""
    if isinstance(score.evidence, LabelEvidence):
        scores = from_score(score, sample)
        judged = scores.values()
        names: Sequence[str] = [value.name for value in TRACE_VALUES if value.verdict]
        people = people_values(scores.labels, scores.sentences, own)
    else:
        judged, names = score.values, queue.values
        people = verdict_values(score.values, own)
    both = {}
    for name in names:
        value = judged.get(name)
        if value is not None and name in people:
            both[name] = value
    return both, {name: people[name] for name in both}
