"""Curves over noise: a mark with its interval at each level, the name at the end of each curve."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from evaluators.drawing.axis import Axis, finite, number, ticks
from evaluators.drawing.fitting import broken_lines, widest
from evaluators.drawing.marks import interval_line, segment, series_look, series_mark
from evaluators.drawing.svg import (
    DOUBLE,
    FAINT,
    LINE,
    NOTHING,
    SOFT,
    Size,
    add_note,
    element,
    svg_document,
    svg_line,
    words_at,
    xml_escaped,
)
from evaluators.text.scale import Scale

PLOT_HEIGHT = 22
"""Height of the plot in em, more where the names of many curves stand below one another."""
NAMES = 0.3
"""Part of the width that names may take at most."""
MOST_IN_TWO_LINES = 6
"""Curves up to which a long name is broken; of more each has a line."""
PADDING = 0.8
"""Room in em around the values of the plot: a mark at an end is shown whole."""


class Point(NamedTuple):
    """A value `y` at `x` with its interval; a `hollow` mark is less sure."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    hollow: bool = False


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


class _Plot(NamedTuple):
    across: Axis
    up: Axis
    em: float


def draw_curves(
    curves: Sequence[Curve],
    *,
    title: str,
    x_title: str = "",
    y_title: str = "",
    size: Size = DOUBLE,
    y_span: tuple[float, float] = (0, 100),
    unit: str = " %",
    note: str = "",
) -> str:
    """The curves on one pair of axes, as SVG.

    `x` begins at 0, `y` holds `y_span` and every interval; their numbers get the `unit`. Each of 30
    curves can be told from the others without colour. `note` stands below. What is not finite is
    not drawn, and a curve without a value neither.
    """
    em = size.font
    shown = [curve for curve in curves if curve.drawn]
    most_lines = 2 if len(shown) <= MOST_IN_TWO_LINES else 1
    room = NAMES * size.points / em
    names = [broken_lines(curve.name, room, most_lines) for curve in shown]
    widest_name = widest(text for lines in names for text in lines)
    x_ticks, y_ticks = _ticks_of_curves(shown, y_span)
    left = widest(f"{number(tick)}{unit}" for tick in y_ticks) + 0.5 + PADDING
    # Half of the last number may stand beyond the plot, behind which marks and names stand.
    right = max(widest_name + 2.6, 1.5) + PADDING
    top = PADDING + (1.6 if y_title else 0.6)
    bottom = top + max(PLOT_HEIGHT, LINE * sum(map(len, names)))
    plot = _Plot(
        Axis(x_ticks, left * em, size.points - right * em),
        Axis(y_ticks, bottom * em, top * em),
        em,
    )
    parts = _grid_of_plot(plot, unit)
    if y_title:
        parts.append(words_at(0, 0.7 * em, y_title, em))
    # Published curves lie below the others.
    for place, curve in sorted(enumerate(shown), key=lambda pair: not pair[1].published):
        parts.append(_curve_group(curve, place, len(shown), plot))
    parts += _names(shown, names, plot)
    if not shown:
        middle = (top + bottom) / 2 * em
        parts.append(words_at((left + 1) * em, middle, NOTHING, em, fill_opacity=SOFT))
    y = (bottom + PADDING + LINE + 0.3) * em
    if x_title:
        middle = (plot.across.start + plot.across.end) / 2
        parts.append(words_at(middle, y + LINE / 2 * em, x_title, em, text_anchor="middle"))
        y += LINE * em
    y = add_note(parts, note, y + 0.2 * em, size)
    return svg_document(size, y, parts, title, _curves_in_words(curves, unit))


def _ticks_of_curves(
    curves: Sequence[Curve],
    y_span: tuple[float, float],
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The numbers across and up."""
    points = [point for curve in curves for point in curve.drawn]
    heights = finite(end for point in points for end in (point.y, point.low, point.high))
    # A curve at 0 alone gives no width: the axis is then that of all noise there can be.
    furthest = max((point.x for point in points), default=0) or 100
    up = ticks(min([y_span[0], *heights]), max([y_span[1], *heights]))
    return ticks(0, furthest), up


def _grid_of_plot(plot: _Plot, unit: str) -> list[str]:
    em, padding = plot.em, PADDING * plot.em
    left, right = plot.across.start - padding, plot.across.end + padding
    bottom, top = plot.up.start + padding, plot.up.end - padding
    look: dict[str, str | float] = {"stroke_width": 0.09 * em, "stroke_opacity": FAINT}
    parts = []
    for tick in plot.up.ticks:
        y, shown = plot.up.place(tick), f"{number(tick)}{unit}"
        parts.append(svg_line(left, y, right, y, **look))
        parts.append(words_at(left - 0.4 * em, y, shown, em, text_anchor="end", fill_opacity=SOFT))
    for tick in plot.across.ticks:
        x, shown = plot.across.place(tick), f"{number(tick)}{unit}"
        parts.append(svg_line(x, top, x, bottom, **look))
        below = bottom + 0.8 * em
        parts.append(words_at(x, below, shown, em, text_anchor="middle", fill_opacity=SOFT))
    return parts


def _curve_group(curve: Curve, place: int, of: int, plot: _Plot) -> str:
    """The lines, marks and intervals of a curve; a reader of the screen hears its name."""
    em, look = plot.em, series_look(place, plot.em, published=curve.published)
    # Side by side, so that the intervals of several curves at one level can all be seen.
    aside = (place - (of - 1) / 2) * min(0.4, 1.6 / of) * em
    spots = []
    for point in curve.drawn:
        x, y = plot.across.place(point.x), plot.up.place(point.y or 0)
        spots.append((x + aside, y))
    parts = [element("title", xml_escaped(curve.name))]
    for start, end in pairwise(spots):
        parts.append(segment(start, end, em, look.line))
    for point, spot in zip(curve.drawn, spots, strict=True):
        for end_of_interval in finite([point.low, point.high]):
            end = (spot[0], plot.up.place(end_of_interval))
            parts.append(interval_line(spot, end, em, look.paint))
        parts.append(series_mark(spot, em, look, hollow=point.hollow))
    return element("g", *parts)


def _names(curves: Sequence[Curve], names: Sequence[list[str]], plot: _Plot) -> list[str]:
    """The names at the height of their curves' ends, moved so that none lies on another."""
    em = plot.em
    wanted = []
    for place, curve in enumerate(curves):
        wanted.append((plot.up.place(curve.drawn[-1].y or 0), place))
    placed = []
    free = plot.up.end - PADDING * em
    for height, place in sorted(wanted):
        half = len(names[place]) * LINE / 2 * em
        middle = max(height, free + half)
        free = middle + half
        placed.append((middle, half, place))
    parts = []
    free = plot.up.start + PADDING * em
    x = plot.across.end + (PADDING + 1.3) * em
    # Pushed down, the last names may lie below the plot: from the bottom up they are pushed back.
    for middle, half, place in reversed(placed):
        middle = min(middle, free - half)
        free = middle - half
        look = series_look(place, em, published=curves[place].published)
        parts.append(series_mark((x, middle), em, look))
        for row, text in enumerate(names[place]):
            y = free + (row + 0.5) * LINE * em
            parts.append(words_at(x + 0.8 * em, y, text, em))
    return parts


def _curves_in_words(curves: Sequence[Curve], unit: str) -> str:
    """Every value, for those who do not see the figure."""
    scale = Scale(1, 0, unit)
    sentences = []
    for curve in curves:
        values = []
        for point in curve.drawn:
            ends = finite([point.low, point.high])
            low, high = ends if len(ends) == 2 else (None, None)
            value = scale.with_interval(point.y, low, high)
            values.append(f"{value} at {scale.shown(point.x)}")
        sentences.append(f"{curve.name}: {', '.join(values) or 'no value'}.")
    return " ".join(sentences) or "No values."
