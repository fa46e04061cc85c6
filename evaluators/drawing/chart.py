"""What a chart shows, in a record that every door draws: Plotly on a screen, SVG in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.drawing.axis import Ticks, finite, number, ticks
from evaluators.text.language import say
from evaluators.text.scale import POINTS, RATE, SCORE, Scale
from evaluators.text.words import joined_sentences, name_and_text


class Point(NamedTuple):
    """A value `y` at `x` with its interval and what is said of it; a `hollow` mark is less sure."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    words: str = ""


class Curve(NamedTuple):
    """Points under one name; a `published` curve is drawn thin and grey, below the others."""

    name: str
    points: Sequence[Point]
    published: bool = False

    @property
    def drawn(self) -> list[Point]:
        """The points that have a value, from left to right."""
        judged = [point for point in self.points if finite([point.y])]
        return sorted(judged, key=lambda point: point.x)


class CurveChart(NamedTuple):
    """Curves on one pair of axes, whose scales say how values are written.

    The axes hold their spans and every interval; `x_names` stand below instead of numbers. What is
    not finite is not drawn, nor a curve without a value. `finding` is what a chart says in words.
    """

    title: str
    curves: Sequence[Curve]
    x_title: str = ""
    y_title: str = ""
    x_scale: Scale = RATE
    y_scale: Scale = RATE
    # 80 % is the highest noise level of the paper.
    x_span: Sequence[float] = (0, 0.8)
    y_span: Sequence[float] = (0, 1)
    x_names: Mapping[float, str] = {}
    finding: str = ""
    note: str = ""

    @property
    def drawn(self) -> list[Curve]:
        """The curves that have a value."""
        return [curve for curve in self.curves if curve.drawn]

    @property
    def x_ticks(self) -> Ticks:
        drawn = [point.x for curve in self.drawn for point in curve.drawn]
        if not self.x_names:
            ends = [*self.x_span, *drawn]
            return _ticks(min(ends), max(ends), self.x_scale)
        low, high = min(drawn), max(drawn)
        if low == high:
            low, high = low - 1, high + 1
        # The axis reaches from the first to the last, named or not.
        return sorted(({low: "", high: ""} | dict(self.x_names)).items())

    @property
    def y_ticks(self) -> Ticks:
        points = [point for curve in self.drawn for point in curve.drawn]
        ends = finite(end for point in points for end in (point.y, point.low, point.high))
        return _ticks_around([*self.y_span, *ends], self.y_scale)

    @property
    def aloud(self) -> str:
        """The finding and every value, for those who do not see the chart."""
        sentences = [self.finding] if self.finding else []
        for curve in self.curves:
            words = say("; ").join(point.words for point in curve.drawn)
            sentences.append(_sentence(curve.name, words))
        return joined_sentences(sentences)


class IntervalRow(NamedTuple):
    """One value with its interval; `None` where there is none.

    `beside` are lines at its side, such as the numbers and the coverage. Rows that follow one
    another with the same `group` stand under it. `series` numbers whose it is, for its colour; a
    `hollow` mark is less sure.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    beside: Sequence[str] = ()
    group: str = ""
    series: int = 0
    hollow: bool = False


class IntervalChart(NamedTuple):
    """Values on one axis, a row each, with their intervals.

    The axis holds `span` and every interval. `sides` say what lies left and right of zero, which
    then gets a line in the middle of the axis: a forest plot. What is not finite is not drawn.
    """

    title: str
    rows: Sequence[IntervalRow]
    scale: Scale = SCORE
    span: Sequence[float] = (0, 1)
    axis_title: str = ""
    sides: tuple[str, str] | None = None
    note: str = ""

    @property
    def ticks(self) -> Ticks:
        drawn = finite(end for row in self.rows for end in (row.value, row.low, row.high))
        if self.sides:
            return _ticks_around(drawn, self.scale)
        ends = [*self.span, *drawn]
        return _ticks(min(ends), max(ends), self.scale, most=4)

    @property
    def aloud(self) -> str:
        """Every value, for those who do not see the chart."""
        return joined_sentences(
            _sentence(row.label, say(", ").join(row.beside)) for row in self.rows
        )


Chart = CurveChart | IntervalChart


def _sentence(name: str, words: str) -> str:
    words = name_and_text(name, words or say("nothing checked"))
    return say("{sentence}.", sentence=words)


def _ticks_around(ends: Iterable[float], scale: Scale) -> Ticks:
    """Those of differences reach as far on both sides of zero."""
    # A chart without a value has an axis all the same.
    reached = list(ends) or [0.0, 1.0]
    if scale != POINTS:
        return _ticks(min(reached), max(reached), scale)
    # A difference of a hundredth of a point is not drawn as wide as one of ten.
    furthest = max([1 / scale.factor, *map(abs, reached)])
    return _ticks(-furthest, furthest, scale)


def _ticks(low: float, high: float, scale: Scale, most: int = 6) -> Ticks:
    shown = []
    for tick in ticks(scale.factor * low, scale.factor * high, most):
        words = f"{number(tick, signed=scale == POINTS)}{scale.unit}"
        shown.append((tick / scale.factor, words))
    return shown
