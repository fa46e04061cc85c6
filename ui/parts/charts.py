"""Charts of curves on the screen, drawn by Plotly; what they show comes in as a record."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from evaluators.drawing import Curve, CurveChart, Point
from evaluators.drawing.axis import Ticks
from evaluators.drawing.fitting import apart, broken_lines
from evaluators.drawing.marks import COLOURS
from evaluators.text.markup import html
from ui.parts.untrusted import plain

# Plotly's button saves an SVG in the browser; a PNG of the server would need a browser there.
CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg"},
}
STILL = {"staticPlot": True}
"""For charts on a magnified page, on which Plotly mistakes where the mouse is."""

FONT = 14
HEIGHT = 440
BESIDE = 280
"""Pixels of a chart that stands below or beside others."""
PRESENTED = 260
"""Pixels of a chart with its text, of the 360 that a presented page has below one another."""
NOTE = 40
"""Pixels of these that two lines below it take."""
BUTTONS = 36
"""Pixels above the plot, where the button stands on a phone, which shows it all the time."""
AROUND = 120
"""Pixels above and below the plot, for its button, its ticks and its title."""

# Grey between black and white: one chart has to be read in the light and in the dark theme.
PUBLISHED_COLOUR = "rgba(128, 128, 128, 0.75)"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x")

LABEL = 7
"""Width in em of a curve's name beside its end; a longer one is broken, and cut after two lines."""
LABEL_WIDTH = 8 * FONT
LABEL_LINE = 18
"""Pixels of a name's line."""
MARGIN = 0.04
"""Part of an axis beyond its ends: a mark there is shown whole."""
HOVER = 40
"""Letters of a line of what is said where the mouse is."""


def show(chart: CurveChart, key: str, height: int = HEIGHT, *, is_presented: bool = False) -> None:
    """The chart, what it says for those who do not see it, and its note."""
    st.plotly_chart(
        figure(chart, height),
        config=STILL if is_presented else CONFIG,
        key=key,
        alt=chart.aloud,
    )
    if chart.note:
        st.caption(plain(chart.note))


def figure(chart: CurveChart, height: int = HEIGHT) -> go.Figure:
    """No two curves have the same dash and marker, so that of equal ones each can be seen."""
    drawn = go.Figure()
    names = [broken_lines(curve.name, LABEL, 2) for curve in chart.drawn]
    is_named = len(names) > 1
    # Many names take more than the usual plot has.
    height = max(height, AROUND + LABEL_LINE * sum(map(len, names)) * is_named)
    for number, curve in enumerate(chart.drawn):
        _add_curve(drawn, curve, number)
    low, high = _ends(chart.y_ticks)
    if is_named:
        ends = [curve.drawn[-1].y or 0 for curve in chart.drawn]
        line = LABEL_LINE * (high - low) / (height - AROUND)
        middles = apart(ends, [line * len(lines) for lines in names], low, high)
        for number, (lines, middle) in enumerate(zip(names, middles, strict=True)):
            text = f'<span style="color:{_colour(chart.drawn[number], number)}">●</span> '
            _add_words(drawn, text + "<br>".join(map(html, lines)), x=1, y=middle)
    if chart.y_title:
        _add_words(drawn, html(chart.y_title), x=0, y=1, yref="paper", yanchor="bottom")
    drawn.update_xaxes(**_axis(chart.x_ticks))
    drawn.update_yaxes(**_axis(chart.y_ticks), zeroline=chart.y_ticks[0][0] < 0, zerolinewidth=2)
    if chart.x_title:
        # An empty title takes up room as well.
        drawn.update_xaxes(title={"text": html(chart.x_title), "font": {"size": FONT}})
    return drawn.update_layout(
        dragmode=False,
        showlegend=False,
        height=height,
        font={"size": FONT},
        margin={"t": BUTTONS, "b": 8, "l": 8, "r": LABEL_WIDTH if is_named else 30},
    )


def _add_curve(drawn: go.Figure, curve: Curve, number: int) -> None:
    symbol = _in_turn(SYMBOLS, number)
    colour = _colour(curve, number)
    points = curve.drawn
    drawn.add_scatter(
        x=[point.x for point in points],
        y=[point.y for point in points],
        name=html(curve.name),
        mode="lines+markers",
        marker={
            "symbol": [
                f"{symbol}-open" if point.hollow or curve.published else symbol for point in points
            ],
            # Of curves at the same place the later lies on top, and is smaller.
            "size": 7 if curve.published else max(8, 13 - 2 * number),
            "color": colour,
            "line": {"width": 1.5 if curve.published else 2, "color": colour},
        },
        line={
            "dash": _in_turn(DASHES, number),
            "color": colour,
            "width": 1.5 if curve.published else 2,
        },
        error_y={
            "symmetric": False,
            "array": [_distance(point.y, point.high) for point in points],
            "arrayminus": [_distance(point.low, point.y) for point in points],
            "thickness": 1.4,
        },
        customdata=[_hover(point) for point in points],
        hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
        cliponaxis=False,
        zorder=-1 if curve.published else 0,
    )


def _hover(point: Point) -> str:
    return "<br>".join(map(html, textwrap.wrap(point.words, HOVER)))


def _distance(low: float | None, high: float | None) -> float | None:
    """`None` where there is no interval."""
    return None if low is None or high is None else high - low


def _add_words(drawn: go.Figure, text: str, **place: Any) -> None:
    drawn.add_annotation(
        text=text, xref="paper", xanchor="left", align="left", showarrow=False, **place
    )


def _axis(ticks: Ticks) -> dict[str, Any]:
    return {
        "tickvals": [tick for tick, _ in ticks],
        "ticktext": ["<br>".join(map(html, words.splitlines())) for _, words in ticks],
        "tickfont": {"size": FONT},
        "range": _ends(ticks),
    }


def _ends(ticks: Ticks) -> tuple[float, float]:
    low, high = ticks[0][0], ticks[-1][0]
    beyond = MARGIN * (high - low or 1)
    return low - beyond, high + beyond


def _in_turn(choices: Sequence[str], number: int) -> str:
    # From the start again: a run may have more models than there are colours.
    return choices[number % len(choices)]


def _colour(curve: Curve, number: int) -> str:
    return PUBLISHED_COLOUR if curve.published else _in_turn(COLOURS, number)
