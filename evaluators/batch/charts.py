"""The chart of a batch: how a value drifts from period to period."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date

from evaluators.drawing import Curve, CurveChart, Point
from evaluators.runs.aggregate import Mean
from evaluators.runs.shown_values import coverage
from evaluators.text.language import say
from evaluators.text.scale import SCORE
from evaluators.text.words import name_and_text

MOST_TICKS = 4
"""Periods that are named below a chart: a phone has room for no more."""


def over_time(title: str, means: Mapping[str, Mean], days: Mapping[str, date]) -> CurveChart:
    """A value by period with its 95 % intervals; `days` says when each period began.

    Below the first, the last and some between stands on how many rows they rest.
    """
    judged = [(days[name].toordinal(), name, mean) for name, mean in means.items() if mean.scored]
    points = []
    for day, name, mean in judged:
        value = say(", ").join([SCORE.estimate(mean), coverage(mean)])
        words = name_and_text(name, value)
        points.append(Point(day, mean.mean, mean.low, mean.high, words=words))
    step = max(1, math.ceil((len(judged) - 1) / (MOST_TICKS - 1)))
    ends = [end for _, _, mean in judged for end in (mean.mean, mean.low, mean.high)]
    is_share = all(end is None or 0 <= end <= 1 for end in ends)
    return CurveChart(
        title,
        [Curve(title, points)],
        y_scale=SCORE,
        # Values of one's own metric may lie anywhere, and then the axis fits them.
        y_span=(0, 1) if is_share else (),
        # Counted from the end: of drift the last period matters most.
        x_names={day: f"{name}\nn {mean.scored:,}" for day, name, mean in judged[::-1][::step]},
    )
