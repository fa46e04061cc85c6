"""Whose labels count in a comparison: people's only where they labelled both sides of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evaluators.catalogue import goes_by_rules, labels_sentences, metric_named
from evaluators.comparison.sides import Side
from evaluators.errors import ParameterError
from evaluators.people import labellers
from evaluators.people.labels import is_of_people
from evaluators.runs import whose
from evaluators.runs.aggregate import Counted
from evaluators.runs.shown_values import is_judged
from evaluators.runs.store import Answer
from evaluators.text.language import say
from evaluators.text.words import counted
from evaluators.trace.labelling import CORRECTED, JURY


def check_same_labels(first: Side, second: Side) -> None:
    """Raises `ParameterError` where what people say would count for one of two systems alone."""
    chosen = first.counted.by, second.counted.by
    if chosen[0] == chosen[1] or not any(map(is_of_people, chosen)):
        return
    names = [whose.labeller_in_words(side.view, side.counted) for side in (first, second)]
    raise ParameterError(
        say(
            "The first is to be counted by the labels of {first}, the second by those of {second}: "
            "a difference would be the labellers'. Choose the same labels on both sides.",
            first=names[0],
            second=names[1],
        )
    )


def relabelled_on_both(first: Side, second: Side, pairs: Mapping[int, int]) -> tuple[Side, Side]:
    """The sides with people's labels in the labeller's place where both sides of a pair have them.

    Raises `ParameterError` where no pair has them on both sides.
    """
    ours, theirs = _relabelled(first), _relabelled(second)
    both = {position: other for position, other in pairs.items() if position in ours}
    both = {position: other for position, other in both.items() if other in theirs}
    if not both:
        raise ParameterError(
            say(
                "People labelled {first} of the first and {second} of the second, and no pair of "
                "both. Label the same samples on both sides, or compare without people's labels.",
                first=counted(len(ours), "answer"),
                second=counted(len(theirs), "answer"),
            )
        )
    return (
        replace(first, relabelled=frozenset(both)),
        replace(second, relabelled=frozenset(both.values())),
    )


def _relabelled(side: Side) -> set[int]:
    """The prompts of which people labelled an answer of this side."""
    answers = side.view.relabelled(side.model)
    return {row.prompt for row in side.rows() if Answer(row.position, row.model) in answers}


def labels_in_words(first: Side, second: Side) -> str:
    """The labels that were chosen for both sides; empty where each has those of its run."""
    by = first.counted.by
    if by is None or by != second.counted.by:
        return ""
    if by != CORRECTED:
        return say("Labels: {labeller}.", labeller=labellers.in_a_sentence(by))
    own = dict.fromkeys(whose.own_labeller(side.view) for side in (first, second))
    return say(
        "Labels: {labeller}, {pairs} relabelled by people on both sides. Elsewhere what people say "
        "does not count.",
        labeller=say(" and ").join(own),
        pairs=counted(len(first.relabelled or ()), "pair"),
    )


def different_labellers(first: Side, second: Side) -> str:
    """That another labeller judged each of two systems, in a sentence; empty for the same one."""
    ours, theirs = _labellers(first), _labellers(second)
    if not ours or not theirs or ours == theirs:
        return ""
    names = [say(" and ").join(map(labellers.in_a_sentence, sorted(own))) for own in (ours, theirs)]
    return say(
        "The first is labelled by {first}, the second by {second}: a difference may be the "
        "labellers', and does not tell which system is better.",
        first=names[0],
        second=names[1],
    )


def labellers_of(side: Side, value: Counted) -> set[str]:
    """Who gave a value of any metric; nobody where no person and no LLM did."""
    spec = side.run.evaluators[value.metric]
    if is_of_people(side.counted.by) and value.metric:
        return {str(side.counted.by)}
    if goes_by_rules(spec) and not value.record.judge_of:
        return set()
    if not value.metric:
        return _labellers(side)
    metric = metric_named(spec.name)
    asks = metric is None or metric.most_judges()
    return {judge.id for judge in side.run.judges} if asks else set()


def _labellers(side: Side) -> set[str]:
    """Who gave the values of the metric that leads the run; of metrics without an LLM nobody."""
    if side.counted.by not in (None, CORRECTED):
        return {str(side.counted.by)}
    run = side.run
    judges = {judge.id for judge in run.judges} if is_judged(run) else set()
    if not labels_sentences(run.evaluator):
        return judges
    names = {row.by for row in side.rows() if row.metric == 0 and row.by}
    # Two juries are the same labeller where they have the same judges.
    return names - {JURY} | judges if JURY in names else names
