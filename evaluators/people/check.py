"""How far a labeller can be trusted: its values beside those of people, and the mean corrected."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from evaluators.people import findings
from evaluators.people.checked import Against, Check, Distance, More, TwoByTwo, ValueCheck
from evaluators.people.correction import (
    LEAST,
    MORE,
    EstimatedMean,
    Stratum,
    corrected_mean,
    corrected_rate,
    effective_number,
    labelled_mean,
    labelled_rate,
    mean_half_with_more,
    rate_half_with_more,
    worth,
)
from evaluators.people.records import RANDOM, LabelledSample
from evaluators.records import Cell
from evaluators.statistics import (
    auroc,
    auroc_interval,
    in_clusters,
    independent_count,
    kappa,
    kappa_interval,
    rmse,
    rmse_interval,
    tables_of_verdicts,
)

Judged = Mapping[Cell, float]
"""The labeller's value of each answer to which it applies."""

LEAD = ("adherence", "supported_share")
"""What a check of TRACE tells first; the other values follow in their own order."""


class _Pair(NamedTuple):
    """One value of an answer by the labeller and by people, and how many answers it stands for."""

    cell: Cell
    judged: float
    people: float
    weight: float
    question: Hashable
    """What it resembles other answers by."""


def check(
    labeller: str,
    answers: Mapping[Cell, Mapping[str, float | None]],
    labelled: Sequence[LabelledSample],
    against: Against = "people",
    likely: Mapping[str, Mapping[Cell, float]] | None = None,
    questions: Mapping[Cell, Hashable] | None = None,
) -> Check:
    """Every value of the labeller beside people's, from its values of all answers.

    `labelled` are those that people labelled. `likely` is how probable the labeller holds a yes of
    a value to be, where it says so. Labels that were not drawn at random are left out where `LEAST`
    others are there, else they count with a warning. Answers to one of the `questions` resemble
    each other: intervals of yes-or-no values count them as fewer independent ones.
    """
    names = dict.fromkeys(chain.from_iterable(answers.values()))
    in_order = [name for name in LEAD if name in names]
    in_order += [name for name in names if name not in LEAD]
    checked = []
    for name in in_order:
        judged = {}
        for cell, values in answers.items():
            value = values.get(name)
            if value is not None:
                judged[cell] = value
        if judged:
            probability = (likely or {}).get(name, {})
            told = findings.Told(labeller, name, against)
            checked.append(_value_check(told, judged, labelled, probability, questions or {}))
    people = dict.fromkeys(chain.from_iterable(sample.by for sample in labelled))
    return Check(
        labeller=labeller,
        against=against,
        people=tuple(people),
        labelled=len(labelled),
        values=tuple(checked),
    )


def _value_check(
    told: findings.Told,
    judged: Judged,
    labelled: Sequence[LabelledSample],
    likely: Mapping[Cell, float],
    questions: Mapping[Cell, Hashable],
) -> ValueCheck:
    # Where the labeller failed there is no verdict of its own to check.
    of_judged = [sample for sample in labelled if sample.cell in judged]
    with_value = [sample for sample in of_judged if told.value in sample.people]
    drawn = [sample for sample in with_value if sample.drawn in RANDOM]
    counted = drawn if len(drawn) >= LEAST else with_value
    pairs = _labelled_pairs(told.value, judged, counted, questions)
    value = ValueCheck(
        name=told.value,
        answers=len(judged),
        judged=sum(judged.values()) / len(judged),
        labelled=len(pairs),
    )
    if pairs:
        of_people = [pair.people for pair in pairs]
        # Decided by the numbers, not the metric: a metric of one's own need not say what it gives.
        if all(number in (0, 1) for number in (*judged.values(), *of_people)):
            by_question = [(questions.get(cell, cell), own) for cell, own in judged.items()]
            value = _rate_check(value, judged, pairs, _independent(by_question))
        else:
            value = _mean_check(value, judged, pairs)
        # Only a labeller that says how likely it is right can be ranked by that.
        scores = []
        truths = []
        for pair in pairs:
            if pair.cell in likely:
                scores.append(likely[pair.cell])
                truths.append(pair.people == 1)
        area = auroc(scores, truths)
        value = value.model_copy(
            update={
                "auroc": area,
                "auroc_interval": auroc_interval(area, sum(truths), len(truths) - sum(truths)),
                "is_drawn": all(sample.drawn in RANDOM for sample in counted),
                "weighting": _weighting(told, judged, pairs, counted),
            }
        )
    # The words come last, as they also tell what was left out.
    without_value = len(of_judged) - len(with_value)
    warnings = findings.warnings_of_value(told, value, judged, with_value, counted, without_value)
    words = {
        "sentence": findings.sentence_of_value(told, value),
        "headline": findings.headline_of_value(told, value),
        "warnings": warnings,
    }
    return value.model_copy(update=words)


def _weighting(
    told: findings.Told,
    judged: Judged,
    pairs: Sequence[_Pair],
    counted: Sequence[LabelledSample],
) -> str:
    """Why labels count differently, where they do by more than rounding."""
    weights = [pair.weight for pair in pairs]
    if max(weights) < 1.01 * min(weights):
        return ""
    is_by_verdict = all(sample.drawn == "by verdict" for sample in counted)
    if not all(number in (0, 1) for number in judged.values()):
        return findings.weighting(told, is_by_verdict)
    labelled_no = sum(pair.judged == 0 for pair in pairs)
    all_no = sum(number == 0 for number in judged.values())
    return findings.weighting_of_verdicts(
        told, is_by_verdict, (labelled_no, len(pairs)), (all_no, len(judged))
    )


def _labelled_pairs(
    name: str,
    judged: Judged,
    counted: Sequence[LabelledSample],
    questions: Mapping[Cell, Hashable],
) -> list[_Pair]:
    # A label without a probability stands for nobody knows how many: then all count the same.
    is_weighted = all(sample.probability for sample in counted)
    pairs = []
    for sample in counted:
        weight = 1 / sample.probability if is_weighted and sample.probability else 1.0
        cell = sample.cell
        question = questions.get(cell, cell)
        pairs.append(_Pair(cell, judged[cell], sample.people[name], weight, question))
    return pairs


def _independent(by_question: Iterable[tuple[Hashable, float]]) -> float:
    """The share of yes-or-no values that as many independent ones would tell as much as."""
    questions, values = zip(*by_question, strict=True)
    clusters = in_clusters(values, questions)
    # Nothing repeats: what arithmetic loses would move every draw of a seeded interval.
    if clusters.are_single:
        return 1.0
    return independent_count(clusters) / len(values)


def _independent_labels(pairs: Iterable[_Pair]) -> float:
    return _independent((pair.question, pair.people) for pair in pairs)


def _rate_check(
    value: ValueCheck,
    judged: Judged,
    pairs: Sequence[_Pair],
    independent: float,
) -> ValueCheck:
    """With what there is to say of a yes-or-no value.

    The share `independent` of the answers would tell as much if none resembled another.
    """
    fields: dict[tuple[bool, bool], list[_Pair]] = {}
    for pair in pairs:
        fields.setdefault((bool(pair.judged), bool(pair.people)), []).append(pair)
    both_yes = fields.get((True, True), [])
    only_labeller = fields.get((True, False), [])
    only_people = fields.get((False, True), [])
    both_no = fields.get((False, False), [])
    # Each verdict is a stratum: a judge errs in its own way where it says yes and where it says no.
    said_yes = sum(1 for number in judged.values() if number)
    strata = [
        _stratum(said_yes * independent, both_yes, only_labeller),
        _stratum((len(judged) - said_yes) * independent, only_people, both_no),
    ]
    table = TwoByTwo(
        both_yes=_cells_of(both_yes),
        only_labeller=_cells_of(only_labeller),
        only_people=_cells_of(only_people),
        both_no=_cells_of(both_no),
    )
    # By what they stand for: of answers drawn by verdict, those with a rare one are too many.
    tables = tables_of_verdicts(
        [pair.question for pair in pairs],
        [pair.judged for pair in pairs],
        *_columns(pairs),
    )
    value = value.model_copy(
        update={
            "alone": labelled_rate(*_columns(pairs), _independent_labels(pairs)),
            "corrected": corrected_rate(strata) if len(pairs) >= LEAST else None,
            "table": table,
            "sensitivity": _share_of_both(both_yes, only_people),
            "specificity": _share_of_both(both_no, only_labeller),
            "kappa": kappa(tables.sum(axis=0)),
            "kappa_interval": kappa_interval(tables),
        }
    )
    return _forecast(value, lambda more: rate_half_with_more(strata, more))


def _stratum(judged: float, yes: Sequence[_Pair], no: Sequence[_Pair]) -> Stratum:
    """What is known of the answers with one verdict."""
    if not yes and not no:
        return Stratum(judged, 0, 0)
    share = labelled_rate(*_columns([*yes, *no]))
    labels = effective_number(np.array([pair.weight for pair in (*yes, *no)]))
    labels *= _independent_labels([*yes, *no])
    # What arithmetic loses would move every draw of the seeded interval.
    return Stratum(judged, round(labels, 9), round(share.mean * labels, 9))


def _share_of_both(these: Sequence[_Pair], others: Sequence[_Pair]) -> EstimatedMean | None:
    """How many of both are these."""
    if not these and not others:
        return None
    values = [1] * len(these) + [0] * len(others)
    return labelled_rate(values, [pair.weight for pair in (*these, *others)])


def _mean_check(
    value: ValueCheck,
    judged: Judged,
    pairs: Sequence[_Pair],
) -> ValueCheck:
    """With what there is to say of a value between 0 and 1."""
    labelled = {pair.cell for pair in pairs}
    others = [number for cell, number in judged.items() if cell not in labelled]
    own = [pair.judged for pair in pairs]
    people, weights = _columns(pairs)
    # The distance is of the labelled answers only; the mean is carried over to the others as well.
    mean_of_people = sum(people) / len(people)
    mean_of_labeller = sum(own) / len(own)
    distance = Distance(
        rmse=rmse(own, people),
        rmse_of_constant=rmse([mean_of_people] * len(people), people),
        bias=mean_of_labeller - mean_of_people,
        rmse_interval=rmse_interval(own, people, [pair.question for pair in pairs]),
    )
    corrected = None
    if len(pairs) >= LEAST:
        corrected = corrected_mean(others, own, people, weights)
    value = value.model_copy(
        update={
            "alone": labelled_mean(people, weights),
            "corrected": corrected,
            "distance": distance,
        }
    )
    return _forecast(value, lambda more: mean_half_with_more(others, own, people, weights, more))


def _cells_of(pairs: Sequence[_Pair]) -> tuple[Cell, ...]:
    return tuple(pair.cell for pair in pairs)


def _columns(pairs: Sequence[_Pair]) -> tuple[list[float], list[float]]:
    return [pair.people for pair in pairs], [pair.weight for pair in pairs]


def _forecast(value: ValueCheck, half_with: Callable[[int], float]) -> ValueCheck:
    """With what the labels are worth, and what further ones would bring, where some are left."""
    unlabelled = value.answers - value.labelled
    if value.corrected is None or value.alone is None or not unlabelled:
        return value
    # No more than are left: with all labelled there is nothing to forecast.
    more = More(labels=min(MORE, unlabelled), half=half_with(min(MORE, unlabelled)))
    # What changes nothing in the digits that are shown is no news.
    is_gain = findings.points(more.half) < findings.points(value.corrected.half)
    return value.model_copy(
        update={
            "worth": worth(value.labelled, value.alone, value.corrected),
            "more": more if is_gain else None,
        }
    )
