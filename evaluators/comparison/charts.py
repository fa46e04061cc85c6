"""The charts of a comparison: every difference on one line, and both systems over the noise."""

from __future__ import annotations

from evaluators.comparison import words
from evaluators.comparison.leaderboard import Leaderboard
from evaluators.comparison.paired import Difference
from evaluators.comparison.result import Compared, Comparison
from evaluators.drawing import Curve, CurveChart, IntervalChart, IntervalRow, Point
from evaluators.runs.rgb_figures import NOISE, value_at_noise
from evaluators.text.language import say
from evaluators.text.scale import POINTS, RATE, SCORE
from evaluators.text.words import in_a_line, joined_sentences, readable


def forest(comparison: Comparison) -> IntervalChart:
    """The differences of all values as a forest plot, those at each noise level below."""
    rows = [_row(value, readable(value.name)) for value in comparison.values]
    for value in comparison.by_noise:
        row = _row(value, say("at {noise} noise", noise=RATE.shown(float(value.name))))
        rows.append(row._replace(group=say("Accuracy by noise")))
    first = say("{system} higher", system=comparison.first)
    second = say("{system} higher", system=comparison.second)
    intervals = say("95 % intervals. Filled: told apart beyond chance (Holm).")
    return IntervalChart(
        say("{second} against {first}", second=comparison.second, first=comparison.first),
        rows,
        POINTS,
        axis_title=say("Difference in points"),
        sides=(f"← {first}", f"{second} →"),
        note=joined_sentences([comparison.by_heuristic(), intervals]),
    )


def places(board: Leaderboard) -> IntervalChart:
    """The mean of each system in every column, one below the other; filled is rank 1."""
    rows = []
    for column in board.columns:
        for system in board.costs:
            if place := column.places.get(system):
                mean = place.mean
                beside = column.scale.estimate(mean), mean.checked
                is_first = place.rank == 1
                values = mean.mean, mean.low, mean.high
                rows.append(IntervalRow(system, *values, beside, column.title, hollow=not is_first))
    scales = {column.scale for column in board.columns}
    scale = scales.pop() if len(scales) == 1 else SCORE
    note = say("95 % intervals. Filled: rank 1, whose systems cannot be told apart.")
    return IntervalChart(say("Leaderboard"), rows, scale, note=note)


def _row(value: Compared, label: str) -> IntervalRow:
    difference = value.difference
    if difference is None:
        return IntervalRow(label, None, beside=(words.in_points(None), value.coverage))
    p = words.p_value(difference.adjusted)
    return IntervalRow(
        label,
        difference.difference,
        difference.low,
        difference.high,
        # A real minus is as wide as a plus, so that signs stand below one another.
        (
            words.in_points(difference).replace("-", "−"),
            f"{value.coverage}, p {p}" if p else value.coverage,
        ),
        hollow=not difference.is_told_apart,
    )


def over_noise(comparison: Comparison) -> list[CurveChart]:
    """Both systems' accuracy over noise and the difference with its intervals, a chart each.

    Only answers count that both were judged on. The curves of the systems have no intervals: the
    answers are paired, so whether two intervals overlap says nothing. A filled mark is told apart.
    """
    levels: dict[float, Difference] = {}
    for value in comparison.by_noise:
        # On some level no answer may have been checked for both.
        if value.difference:
            levels[float(value.name)] = value.difference
    first: list[Point] = []
    second: list[Point] = []
    points = []
    for noise, difference in levels.items():
        for side, mean in ((first, difference.first), (second, difference.second)):
            side.append(Point(noise, mean, words=value_at_noise(RATE.shown(mean), noise)))
        said = [value_at_noise(words.in_points(difference), noise)]
        if p := words.p_value(difference.adjusted):
            said.append(f"p {p}")
        points.append(
            Point(
                noise,
                difference.difference,
                difference.low,
                difference.high,
                not difference.is_told_apart,
                in_a_line(said),
            )
        )
    title = say("Over the noise")
    both = [Curve(comparison.first, first), Curve(comparison.second, second)]
    return [
        CurveChart(title, both, finding=comparison.noise_sentence()),
        CurveChart(
            title,
            [Curve(say("Difference"), points)],
            x_title=say(NOISE),
            y_title=say("Difference in points"),
            y_scale=POINTS,
            y_span=(),
        ),
    ]
