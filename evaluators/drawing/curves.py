"""Curves over noise: a mark with its interval at each level, the name at the end of each curve."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from evaluators.drawing.axis import Axis, finite
from evaluators.drawing.chart import Curve, CurveChart
from evaluators.drawing.fitting import apart, broken_lines, widest
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
from evaluators.text.language import say

PLOT_HEIGHT = 22
"""Height of the plot in em, more where the names of many curves stand below one another."""
NAMES = 0.3
"""Part of the width that names may take at most."""
MOST_IN_TWO_LINES = 6
"""Curves up to which a long name is broken; of more each has a line."""
PADDING = 0.8
"""Room in em around the values of the plot: a mark at an end is shown whole."""


class _Plot(NamedTuple):
    across: Axis
    up: Axis
    em: float


def draw_curves(chart: CurveChart, size: Size = DOUBLE) -> str:
    """The curves as SVG; each of 30 can be told from the others without colour."""
    em = size.font
    shown = chart.drawn
    most_lines = 2 if len(shown) <= MOST_IN_TWO_LINES else 1
    room = NAMES * size.points / em
    names = [broken_lines(curve.name, room, most_lines) for curve in shown]
    widest_name = widest(text for lines in names for text in lines)
    x_ticks, y_ticks = chart.x_ticks, chart.y_ticks
    left = widest(words for _, words in y_ticks) + 0.5 + PADDING
    # Half of the last number may stand beyond the plot, behind which marks and names stand.
    right = max(widest_name + 2.6, 1.5) + PADDING
    top = PADDING + (1.6 if chart.y_title else 0.6)
    bottom = top + max(PLOT_HEIGHT, LINE * sum(map(len, names)))
    plot = _Plot(
        Axis(x_ticks, left * em, size.points - right * em),
        Axis(y_ticks, bottom * em, top * em),
        em,
    )
    parts = _grid_of_plot(plot)
    if chart.y_title:
        parts.append(words_at(0, 0.7 * em, chart.y_title, em))
    # Published curves lie below the others.
    for place, curve in sorted(enumerate(shown), key=lambda pair: not pair[1].published):
        parts.append(_curve_group(curve, place, len(shown), plot))
    parts += _names(shown, names, plot)
    if not shown:
        middle = (top + bottom) / 2 * em
        parts.append(words_at((left + 1) * em, middle, say(NOTHING), em, fill_opacity=SOFT))
    y = (bottom + PADDING + LINE + 0.3) * em
    if chart.x_title:
        middle = (plot.across.start + plot.across.end) / 2
        parts.append(words_at(middle, y + LINE / 2 * em, chart.x_title, em, text_anchor="middle"))
        y += LINE * em
    y = add_note(parts, chart.note, y + 0.2 * em, size)
    return svg_document(size, y, parts, chart.title, chart.aloud)


def _grid_of_plot(plot: _Plot) -> list[str]:
    em, padding = plot.em, PADDING * plot.em
    left, right = plot.across.start - padding, plot.across.end + padding
    bottom, top = plot.up.start + padding, plot.up.end - padding
    look: dict[str, str | float] = {"stroke_width": 0.09 * em, "stroke_opacity": FAINT}
    parts = []
    for tick, shown in plot.up.ticks:
        y = plot.up.place(tick)
        parts.append(svg_line(left, y, right, y, **look))
        parts.append(words_at(left - 0.4 * em, y, shown, em, text_anchor="end", fill_opacity=SOFT))
    for tick, shown in plot.across.ticks:
        x = plot.across.place(tick)
        parts.append(svg_line(x, top, x, bottom, **look))
        below = bottom + 0.8 * em
        # There is room for one line.
        name = shown.partition("\n")[0]
        parts.append(words_at(x, below, name, em, text_anchor="middle", fill_opacity=SOFT))
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
    wanted = [plot.up.place(curve.drawn[-1].y or 0) for curve in curves]
    heights = [len(lines) * LINE * em for lines in names]
    ends = (plot.up.end - PADDING * em, plot.up.start + PADDING * em)
    parts = []
    x = plot.across.end + (PADDING + 1.3) * em
    for place, middle in enumerate(apart(wanted, heights, *ends)):
        look = series_look(place, em, published=curves[place].published)
        parts.append(series_mark((x, middle), em, look))
        for row, text in enumerate(names[place]):
            y = middle - heights[place] / 2 + (row + 0.5) * LINE * em
            parts.append(words_at(x + 0.8 * em, y, text, em))
    return parts
