"""The answers of a run that people labelled, or the data, beside what the run's labeller says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from evaluators.people.labels import by_person, people_values, verdict_values
from evaluators.people.records import LabelledSample, PersonLabel, stratum_of
from evaluators.records import LabelEvidence, Sample, Score
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import RunView
from evaluators.trace.labelling import GOLD
from evaluators.trace.metrics import from_score, trace_scores

Against = Literal["people", "gold"]


def labelled(
    view: RunView,
    metric: int = 0,
    against: Against = "people",
    definition: str | None = None,
) -> list[LabelledSample]:
    """One metric's answers that people are done with, or that have published labels, in order.

    TRACE values are counted by the definition, `None` for that of the run. Of other metrics it is
    enough that a person said whether one of its values is right. Answers of which nothing is
    determined are left out.
    """
    formula = formula_of(view.run, definition)
    if against == "gold":
        return list(_gold(view, metric, formula))
    return list(_by_people(view, metric, formula))


def _gold(view: RunView, metric: int, definition: str) -> Iterator[LabelledSample]:
    for cell, sample, score in view.store.results.scored(view.run, metric):
        if sample.labels is None or not isinstance(score.evidence, LabelEvidence):
            continue
        scores = from_score(score, sample, definition)
        values = trace_scores(scores.sentences, sample.labels, definition).values()
        known = {name: value for name, value in values.items() if value is not None}
        yield LabelledSample(
            cell=cell,
            judged=scores.values(),
            people=known,
            stratum=stratum_of(scores.values()),
            # Whoever has published labels is there, not a choice among them.
            drawn="at random",
            probability=1.0,
            blind=True,
            by=(GOLD,),
        )


def _by_people(view: RunView, metric: int, definition: str) -> Iterator[LabelledSample]:
    positions = {cell.position for cell in view.people if cell.metric == metric}
    for cell, sample, score in view.store.results.scored(view.run, metric, positions):
        given = view.people.get(cell)
        if not given:
            continue
        judged, people = _values(sample, score, given, definition)
        if not people:
            continue
        basis = _basis(given)
        yield LabelledSample(
            cell=cell,
            judged=judged,
            people=people,
            stratum=stratum_of(judged),
            drawn=basis.drawn,
            probability=basis.probability,
            blind=all(label.blind for label in given),
            by=tuple(by_person(given)),
        )


def _values(
    sample: Sample,
    score: Score,
    given: Sequence[PersonLabel],
    definition: str,
) -> tuple[dict[str, float | None], dict[str, float]]:
    """What the run's labeller says, and what people say."""
    if isinstance(score.evidence, LabelEvidence):
        scores = from_score(score, sample, definition)
        return scores.values(), people_values(scores.labels, scores.sentences, given, definition)
    return score.values, verdict_values(score.values, given)


def _basis(given: Sequence[PersonLabel]) -> PersonLabel:
    """The label that tells how the answer came before people: one drawn at random where any was."""
    telling = [label for label in given if label.label in ("verdict", "sample")]
    return max(telling or given, key=lambda label: label.probability is not None)
