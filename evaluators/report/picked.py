"""The samples of a run that teach most: what went wrong in which way, and one that went well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from evaluators.catalogue import goes_by_rules, labels_sentences
from evaluators.records import Ability
from evaluators.runs import aggregate, rulings
from evaluators.runs.aggregate import View
from evaluators.runs.rgb_figures import deciding
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import column_titles
from evaluators.runs.store import Answer, Selection, ValueName
from evaluators.text.language import mark, say

MOST = 10
DISPUTED, UNSUPPORTED, LOWEST = 3, 4, 2
"""How many samples of a TRACE run are shown for each reason, where there are so many; one is left
for a sample without a fault."""
BESIDE_JUDGE = 2
"""Samples on which rule and judge differ, as many as leave room for every ability."""


class Picked(NamedTuple):
    """An answer, and why it is worth reading."""

    answer: Answer
    why: str


def samples_to_read(view: RunView, counted: View) -> list[Picked]:
    """At most `MOST` answers of the run, the same ones at every call."""
    if labels_sentences(view.run.evaluator):
        return _trace_samples(view, counted)
    if goes_by_rules(view.run.evaluator):
        return _rgb_samples(view, counted)
    return _metric_samples(view, counted)


def _trace_samples(view: RunView, counted: View) -> list[Picked]:
    adherence, average = ValueName(0, "adherence"), ValueName(0, "average")
    share = ValueName(0, "supported_share")
    wrong = Selection(values=(adherence,), high=0, order=share)
    right = Selection(values=(adherence,), low=1, order=average, descending=True)
    disputed = _picked_for(view.labelled().differ, mark("Labellers differ"))
    unsupported = _picked_for(view.answers(wrong, counted), mark("Says what no document says"))
    lowest = _picked_for(
        view.answers(Selection(values=(average,), order=average), counted), mark("Lowest average")
    )
    # One on which all agree, else the best of those that are disputed.
    supported = view.answers(right, counted)
    differ = set(view.labelled().differ)
    undisputed = [answer for answer in supported if answer not in differ]
    good = _picked_for(undisputed or supported, mark("Every sentence supported"))
    # First a few for each reason; what room is left goes to more of the same in the same order.
    ways = [
        unsupported[:UNSUPPORTED],
        disputed[:DISPUTED],
        lowest[:LOWEST],
        good[:1],
        unsupported,
        disputed,
        lowest,
    ]
    return _different(chain.from_iterable(ways))


def _rgb_samples(view: RunView, counted: View) -> list[Picked]:
    """Wrong answers, each ability and model in its turn, and the first right one."""
    rows = aggregate.of_metric(view.counted(counted), 0)
    abilities = {Answer(row.position, row.model): row.ability for row in rows}
    wrong: dict[tuple[int, Ability], list[Picked]] = {}
    for answer in view.answers(Selection(values=deciding(view.run), high=0), counted):
        ability = Ability(abilities[answer] or Ability.NOISE)
        own = wrong.setdefault((answer.model, ability), [])
        own.append(Picked(answer, say("Wrong: {ability}", ability=say(ability.label).lower())))
    differing = _picked_for(rulings.rule_and_judge_differ(rows), mark("Rule and judge differ"))
    right = _picked_for(
        view.answers(Selection(values=deciding(view.run), low=1), counted), mark("Right")
    )
    # All abilities of a model, then those of the next: ten samples have room for each ability.
    in_turn = filter(None, chain.from_iterable(zip_longest(*(wrong[key] for key in sorted(wrong)))))
    before = _different([*differing[:BESIDE_JUDGE], *in_turn])
    # The right one has the last place; without one the place goes to a further wrong answer.
    return _different([*before[: MOST - 1], *right[:1], *before])


def _metric_samples(view: RunView, counted: View) -> list[Picked]:
    """The lowest of each value in its turn, and the highest of the first."""
    titles = column_titles(view)
    lowest, highest = [], []
    for value, column in view.columns().items():
        # Limits, though they exclude no number, leave out answers without this value.
        any_number = Selection(values=(value,), low=-math.inf, high=math.inf, order=value)
        answers = view.answers(any_number, counted)
        lowest.append(_picked_for(answers[:MOST], say("Lowest: {value}", value=titles[column])))
        highest += _picked_for(answers[-1:], say("Highest: {value}", value=titles[column]))
    in_turn = filter(None, chain.from_iterable(zip_longest(*lowest)))
    before = _different(in_turn)
    return _different([*before[: MOST - 1], *highest[:1], *before])


def _picked_for(answers: Sequence[Answer], why: str) -> list[Picked]:
    return [Picked(answer, why) for answer in answers]


def _different(every: Iterable[Picked]) -> list[Picked]:
    """The first `MOST` different answers, each for the first of its reasons."""
    first: dict[Answer, Picked] = {}
    for one in every:
        first.setdefault(one.answer, one)
        if len(first) == MOST:
            break
    return list(first.values())
