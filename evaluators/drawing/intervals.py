"""Values on one axis, a row each, with their intervals; with a zero line it is a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from evaluators.drawing.axis import Axis, finite
from evaluators.drawing.chart import IntervalChart, IntervalRow
from evaluators.drawing.fitting import broken_lines, widest
from evaluators.drawing.marks import interval_line, series_look, series_mark
from evaluators.drawing.svg import (
    DOUBLE,
    FAINT,
    LINE,
    NOTHING,
    SOFT,
    Size,
    add_note,
    svg_document,
    svg_line,
    words_at,
)
from evaluators.text.language import say

LABELS, BESIDE = 0.33, 0.34
"""Parts of the width that names and numbers may take at most."""


def draw_intervals(chart: IntervalChart, size: Size = DOUBLE) -> str:
    """The values of all rows on one axis, as SVG."""
    em = size.font
    # As narrow as the words allow, so that the axis gets what is left of the width.
    labels = min(widest(row.label for row in chart.rows), LABELS * size.points / em)
    every_beside = [text for row in chart.rows for text in row.beside]
    beside = min(widest(every_beside), BESIDE * size.points / em)
    ticks = chart.ticks
    # Half of the first and of the last number stands beyond the axis.
    margin = max(1.5, widest(words for _, words in ticks) / 2)
    axis = Axis(
        ticks,
        start=(labels + margin) * em,
        end=size.points - (beside + margin) * em,
    )
    parts: list[str] = []
    y = 0.5 * em
    if chart.sides:
        y = _add_sides(parts, axis, chart.sides, size)
    top = y
    y = _add_rows_in_groups(parts, chart.rows, axis, y, (labels, beside), size)
    # Known only now how far down it goes, but drawn first: it lies below the marks.
    grid = _vertical_grid(axis, top, y, em, is_zero_drawn=chart.sides is not None)
    y = _add_axis_words(parts, axis, y, em, chart.axis_title)
    y = add_note(parts, chart.note, y, size)
    return svg_document(size, y, [*grid, *parts], chart.title, chart.aloud)


def _add_sides(
    parts: list[str],
    axis: Axis,
    sides: tuple[str, str],
    size: Size,
) -> float:
    """Says on both sides of zero what lies there; where it ends."""
    em, zero = size.font, axis.place(0)
    left = broken_lines(sides[0], zero / em - 1, 2)
    right = broken_lines(sides[1], (size.points - zero) / em - 1, 2)
    for lines, x, anchor in ((left, zero - em, "end"), (right, zero + em, "start")):
        for place, text in enumerate(lines):
            y = (place + 0.5) * LINE * em
            parts.append(words_at(x, y, text, em, text_anchor=anchor, fill_opacity=SOFT))
    return (max(len(left), len(right)) * LINE + 0.3) * em


def _add_rows_in_groups(
    parts: list[str],
    rows: Sequence[IntervalRow],
    axis: Axis,
    y: float,
    rooms: tuple[float, float],
    size: Size,
) -> float:
    """All rows, those of a group under its name; where they end."""
    em = size.font
    # Not sorted before: rows of a group that do not follow one another stand under it twice.
    for group, own in groupby(rows, key=lambda row: row.group):
        if group:
            y += 0.4 * em
            for text in broken_lines(group, size.points / em, 2):
                parts.append(words_at(0, y + LINE / 2 * em, text, em, font_weight="bold"))
                y += LINE * em
        for row in own:
            y = _add_row(parts, row, axis, y, rooms, size)
    if not rows:
        parts.append(words_at(0, y + LINE / 2 * em, say(NOTHING), em, fill_opacity=SOFT))
        y += LINE * em
    return y


def _add_row(
    parts: list[str],
    row: IntervalRow,
    axis: Axis,
    y: float,
    rooms: tuple[float, float],
    size: Size,
) -> float:
    """A row with its name, its mark and what stands beside it; where it ends."""
    em = size.font
    names = broken_lines(row.label, rooms[0] + 0.1, 2)
    beside = [broken_lines(text, rooms[1] + 0.1, 1)[0] for text in row.beside]
    height = (max(len(names), len(beside), 1) * LINE + 0.5) * em
    middle = y + height / 2
    for lines, x, softened in ((names, 0.0, 0), (beside, size.points - rooms[1] * em, 1)):
        first = middle - (len(lines) - 1) * LINE / 2 * em
        for place, text in enumerate(lines):
            # Beside a value its first line is what is read, the coverage stands back.
            opacity = SOFT if softened and place else 1.0
            line_y = first + place * LINE * em
            parts.append(words_at(x, line_y, text, em, fill_opacity=opacity))
    if row.value is not None and finite([row.value]):
        # Rows have names beside them, so the shape need not tell the series: all are circles.
        look = series_look(row.series, em)._replace(shape=())
        spot = (axis.place(row.value), middle)
        for end in finite([row.low, row.high]):
            there = (axis.place(end), middle)
            parts.append(interval_line(spot, there, em, look.paint))
        parts.append(series_mark(spot, em, look, hollow=row.hollow))
    return y + height


def _vertical_grid(
    axis: Axis,
    top: float,
    bottom: float,
    em: float,
    *,
    is_zero_drawn: bool,
) -> list[str]:
    lines = []
    for tick, _ in axis.ticks:
        x = axis.place(tick)
        opacity = SOFT if is_zero_drawn and not tick else FAINT
        lines.append(svg_line(x, top, x, bottom, stroke_width=0.09 * em, stroke_opacity=opacity))
    return lines


def _add_axis_words(
    parts: list[str],
    axis: Axis,
    y: float,
    em: float,
    title: str,
) -> float:
    """The numbers of the axis and its title below `y`; where they end."""
    y += LINE / 2 * em + 0.2 * em
    room = (axis.end - axis.start) / em / (len(axis.ticks) - 1)
    # Where the numbers would touch one another every second one stands, zero among them.
    step = 2 if widest(words for _, words in axis.ticks) + 0.6 > room else 1
    first = next((place for place, (tick, _) in enumerate(axis.ticks) if not tick), 0) % step
    look: dict[str, str | float] = {"text_anchor": "middle", "fill_opacity": SOFT}
    for tick, text in axis.ticks[first::step]:
        parts.append(words_at(axis.place(tick), y, text, em, **look))
    if title:
        y += LINE * em
        middle = (axis.start + axis.end) / 2
        parts.append(words_at(middle, y, title, em, text_anchor="middle"))
    return y + (LINE / 2 + 0.2) * em
