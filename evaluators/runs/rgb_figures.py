"""The curves and rates of an RGB run, as its page and its report show them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.catalogue import declared_values
from evaluators.records import Ability, Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import Mean, NoisePoint, View
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Outline, ValueName
from evaluators.text.language import say
from evaluators.text.scale import RATE
from evaluators.values import Value

Curves = Mapping[Value, Sequence[NoisePoint]]
"""The points of one model, by the value that is drawn over noise."""

NOISE_MISSED_FROM = 0.02
"""From this difference between the noise asked for and reached a point says so."""


def noise_had(point: NoisePoint) -> float:
    """The share of noise that the prompts had; what was asked for, where nobody knows."""
    return point.noise if point.effective_noise is None else point.effective_noise


def missed_noise(point: NoisePoint) -> bool:
    """Whether the prompts had another noise than was asked for."""
    return abs(noise_had(point) - point.noise) > NOISE_MISSED_FROM


def noise_named(point: NoisePoint) -> str:
    """The noise asked for and, where the prompts had another one, that: "asked 60 % (had 53 %)"."""
    return asked_and_had(point.noise, [noise_had(point)])


def asked_and_had(asked: float, had: Iterable[float]) -> str:
    """The same of the prompts of several systems; of those that had alike it is said once."""
    words = RATE.shown(asked)
    reached = dict.fromkeys(map(RATE.shown, had))
    if not reached.keys() - {words}:
        return words
    return say("asked {asked} (had {had})", asked=words, had=say(" and ").join(reached))


def noise_curves(rows: Sequence[Outline], declared: Iterable[Value]) -> Curves:
    curves = {}
    for value in declared:
        if value.over_noise and (points := aggregate.noise_points(rows, value)):
            curves[value] = points
    return curves


class NoiseChart(NamedTuple):
    """Lines over noise under one title; `what` is drawn upwards, and `verb` what counts for it.

    Figures that papers published belong under a chart that `is_in_papers`.
    """

    title: str
    lines: Mapping[str, Sequence[NoisePoint]]
    what: str
    verb: str = ""
    is_in_papers: bool = False


def charts_over_noise(view: RunView, number: int, chosen: View) -> list[NoiseChart]:
    """What one metric of a run declares to be read over noise; none without levels of noise."""
    declared = declared_values(view.run.evaluators[number].name)
    if not any(value.over_noise for value in declared):
        return []
    rows = aggregate.of_metric(view.counted(chosen), number)
    by_model = run_facts.rows(view.run, rows)
    return charts_of({model: noise_curves(own, declared) for model, own in by_model.items()})


def charts_of(curves: Mapping[str, Curves]) -> list[NoiseChart]:
    """The lines of each chart: of one model all abilities, else all models of one value."""
    every = list(dict.fromkeys(itertools.chain.from_iterable(curves.values())))
    abilities = [value for value in every if value.of]
    charts = []
    if abilities and len(curves) == 1:
        (own,) = curves.values()
        lines = {curve_title(value): own[value] for value in abilities}
        title, what = say("Accuracy by noise"), say(abilities[0].heading_of_column)
        charts.append(NoiseChart(title, lines, what, abilities[0].verb, is_in_papers=True))
        every = [value for value in every if not value.of]
    # Not all in one: of two models with two values nobody would tell the lines apart.
    for value in every:
        # Of an ability the value that each of its answers has.
        what = say(value.heading_of_column)
        title = say("{value} by noise", value=curve_title(value))
        if value.of:
            title = say("{ability}: accuracy by noise", ability=curve_title(value))
        lines = {model: own[value] for model, own in curves.items() if value in own}
        if len(curves) == 1:
            lines = dict(zip([what], lines.values(), strict=True))
        is_in_papers = value.of == Ability.NOISE
        charts.append(NoiseChart(title, lines, what, value.verb, is_in_papers))
    return charts


def curve_title(value: Value) -> str:
    """What a line is of: the ability of RGB, of other metrics the value."""
    return say(Ability(value.of).label if value.of else value.heading)


def judged_rates(rates: Mapping[str, Mapping[Value, Mean]]) -> list[Value]:
    """The rates by the rules that have a value: none where no error was detected."""
    judged = []
    for value in dict.fromkeys(itertools.chain.from_iterable(rates.values())):
        means = [own[value] for own in rates.values() if value in own]
        if not value.judge_of and any(mean.mean is not None for mean in means):
            judged.append(value)
    return judged


def deciding(run: Run) -> tuple[ValueName, ...]:
    """The values by which an answer of the run counts as right, each once."""
    declared = declared_values(run.evaluator.name)
    names = dict.fromkeys(value.in_score for value in declared if value.decides)
    return tuple(ValueName(0, name) for name in names)


def is_right(run: Run, row: Outline) -> bool | None:
    """Whether the answer counts as right; `None` where no value says so."""
    values = (row.values.get(value.name) for value in deciding(run))
    decided = next((value for value in values if value is not None), None)
    return None if decided is None else decided == 1
