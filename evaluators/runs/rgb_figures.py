"""The curves and rates of an RGB run, as its page and its report show them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence

from evaluators.catalogue import declared_values
from evaluators.drawing import Curve, CurveChart, Point
from evaluators.records import Ability, Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import NoisePoint, View
from evaluators.runs.published import published_noise_curves
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import FEW, counts_in_words, is_of_few
from evaluators.runs.store import Outline, ValueName
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE
from evaluators.text.words import in_a_line, joined_sentences, short_name
from evaluators.values import Value

Curves = Mapping[Value, Sequence[NoisePoint]]
"""The points of one model, by the value that is drawn over noise."""

NOISE = mark("Noise: share of documents beside the point")
WITH_INTERVAL = mark("{value} (95 % interval)")
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


def charts_over_noise(
    view: RunView,
    number: int,
    chosen: View,
    published: Collection[str] = (),
) -> list[CurveChart]:
    """What one metric of a run declares to be read over noise; none without levels of noise."""
    declared = declared_values(view.run.evaluators[number].name)
    if not any(value.over_noise for value in declared):
        return []
    rows = aggregate.of_metric(view.counted(chosen), number)
    by_model = run_facts.rows(view.run, rows)
    curves = {model: noise_curves(own, declared) for model, own in by_model.items()}
    return charts_of(curves, published)


def charts_of(
    curves: Mapping[str, Curves],
    published: Collection[str] = (),
    *,
    is_at_work: bool = False,
) -> list[CurveChart]:
    """The charts over noise: of one model all abilities in one, else all models of one value each.

    Curves that papers `published` of these models lie underneath, where they compare. Of a run
    `is_at_work` no answers are counted, and that a value falls or rises is not said: a verdict.
    """
    every = list(dict.fromkeys(itertools.chain.from_iterable(curves.values())))
    in_papers = [
        _published_curve(model, points)
        for model, points in in_reach(curves).items()
        if model in published
    ]
    abilities = [value for value in every if value.of]
    charts = []
    if abilities and len(curves) == 1:
        (own,) = curves.values()
        lines = {curve_title(value): own[value] for value in abilities}
        title = say("Accuracy by noise")
        charts.append(_chart(title, lines, abilities[0], in_papers, is_at_work=is_at_work))
        every = [value for value in every if not value.of]
    # Not all in one: of two models with two values nobody would tell the lines apart.
    for value in every:
        title = say("{value} by noise", value=curve_title(value))
        if value.of:
            title = say("{ability}: accuracy by noise", ability=curve_title(value))
        lines = {model: own[value] for model, own in curves.items() if value in own}
        if len(curves) == 1:
            lines = dict(zip([say(value.heading_of_column)], lines.values(), strict=True))
        below = in_papers if value.of == Ability.NOISE else []
        charts.append(_chart(title, lines, value, below, is_at_work=is_at_work))
    return charts


def _chart(
    title: str,
    lines: Mapping[str, Sequence[NoisePoint]],
    value: Value,
    in_papers: Sequence[Curve],
    *,
    is_at_work: bool,
) -> CurveChart:
    """One chart; `value` says what is drawn upwards, of several abilities the first."""
    verb = "" if is_at_work else value.verb
    curves = []
    for name, points in lines.items():
        drawn = [_point(point, verb, is_at_work=is_at_work) for point in points]
        curves.append(Curve(short_name(say(name)), drawn))
    what = say(value.heading_of_column)
    return CurveChart(
        title,
        [*curves, *in_papers],
        x_title=say(NOISE),
        y_title=say(WITH_INTERVAL, value=what),
        finding=title if is_at_work else _finding(curves, what),
        note=_note(lines.values()),
    )


def _note(lines: Iterable[Sequence[NoisePoint]]) -> str:
    """What hollow marks mean, and what noise was asked for where another one was reached."""
    points = [point for line in lines for point in line if point.mean.mean is not None]
    had_by_asked = {point.noise: noise_had(point) for point in points if missed_noise(point)}
    levels = [
        f"{RATE.number(asked)} → {RATE.shown(had)}" for asked, had in sorted(had_by_asked.items())
    ]
    sentences = []
    if levels:
        sentences.append(
            say("Hollow: not the noise that was asked for ({levels}).", levels=in_a_line(levels))
        )
    if any(is_of_few(point.mean) for point in points):
        sentences.append(say(FEW))
    return joined_sentences(sentences)


def _is_unsure(point: NoisePoint) -> bool:
    return missed_noise(point) or is_of_few(point.mean)


def _point(point: NoisePoint, verb: str, *, is_at_work: bool) -> Point:
    """The mean at the noise that the prompts had, with what is said of it."""
    mean, noise = point.mean, noise_had(point)
    parts = [value_at_noise(RATE.estimate(mean), noise)]
    if not is_at_work:
        parts.append(counts_in_words(mean, verb))
    if missed_noise(point):
        asked, had = RATE.shown(point.noise), RATE.shown(noise)
        parts.append(say("asked {asked}, had {had}", asked=asked, had=had))
    return Point(noise, mean.mean, mean.low, mean.high, _is_unsure(point), in_a_line(parts))


def value_at_noise(value: str, noise: float) -> str:
    return say("{value} at {noise} noise", value=value, noise=RATE.shown(noise))


def _finding(curves: Sequence[Curve], what: str) -> str:
    """What the chart shows: "A: accuracy falls from 100 % at 0 % noise to 75 % at 80 %."."""
    sentences = []
    for curve in curves:
        if not curve.drawn:
            continue
        first, last = curve.drawn[0], curve.drawn[-1]
        start, end = RATE.shown(first.y), RATE.shown(last.y)
        sentence = mark("{name}: {what} rises from {start} at {low} noise to {end} at {high}.")
        if len(curve.drawn) == 1:
            sentence = mark("{name}: {what} is {start} at {low} noise.")
        elif start == end:
            sentence = mark("{name}: {what} is {start} at {low} noise as at {high}.")
        elif (last.y or 0) < (first.y or 0):
            sentence = mark("{name}: {what} falls from {start} at {low} noise to {end} at {high}.")
        blanks = {"name": curve.name, "what": what.lower(), "start": start, "end": end}
        sentences.append(say(sentence, low=RATE.shown(first.x), high=RATE.shown(last.x), **blanks))
    return joined_sentences(sentences)


def in_reach(curves: Mapping[str, Curves]) -> dict[str, list[tuple[float, float]]]:
    """Published curves by model, as far as the run's noise robustness goes: beyond that there is
    nothing to compare with.
    """
    reached = []
    for own in curves.values():
        for value, points in own.items():
            if value.of == Ability.NOISE:
                reached += [100 * noise_had(point) for point in points]
    return published_noise_curves(min(reached), max(reached)) if reached else {}


def _published_curve(model: str, curve: Sequence[tuple[float, float]]) -> Curve:
    points = []
    for noise, accuracy in curve:
        words = value_at_noise(RATE.shown(accuracy / 100), noise / 100)
        points.append(Point(noise / 100, accuracy / 100, words=words))
    return Curve(say("{model} (paper)", model=model), points, published=True)


def curve_title(value: Value) -> str:
    """What a line is of: the ability of RGB, of other metrics the value."""
    return say(Ability(value.of).label if value.of else value.heading)


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
