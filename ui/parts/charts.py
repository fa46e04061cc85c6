"""Charts: figures come in as records, none is computed here."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from evaluators.records import Ability
from evaluators.runs.aggregate import Mean, NoisePoint

Curves = Mapping[Ability, Sequence[NoisePoint]]
"""The points of one model, by ability."""

# Plotly's button saves an SVG in the browser; a PNG of the server would need a browser there.
CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d"],
    "toImageButtonOptions": {"format": "svg"},
}
BARE = {"displayModeBar": False}
"""For small charts, which the buttons would cover."""

# Greys between black and white: one chart has to be read in the light and in the dark theme.
WHISKER_COLOUR = "rgb(140, 140, 140)"
PUBLISHED_COLOUR = "rgba(128, 128, 128, 0.75)"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x")
LEGEND_ROW = 22
"""Pixels of a legend's entry, where a narrow screen gives each a row."""

BAR_GAP = 0.2
BAR_SLOT = 36
"""Pixels of a bar with what it says above it."""


def accuracy_by_noise(
    by_model: Mapping[str, Curves], published: Mapping[str, Sequence[tuple[float, float]]]
) -> go.Figure:
    """Accuracy in percent over nominal noise, with 95 % intervals; published curves underneath.

    One model has a colour for each ability; of several, each has its own. No two curves have the
    same dash and marker, so that of equal ones each can be seen; integration has open markers.
    """
    figure = go.Figure()
    abilities = {ability for curves in by_model.values() for ability in curves}
    for number, (model, curves) in enumerate(by_model.items()):
        for ability, points in curves.items():
            colour = _colour(number) if len(by_model) > 1 else None
            if len(by_model) == 1:
                name = ability.label
            elif len(abilities) == 1:
                name = model
            else:
                short = "integration" if ability is Ability.INTEGRATION else "noise"
                name = f"{model}, {short}"
            style = _curve_style(number, ability, len(figure.data))
            _add_curve(figure, name, points, style, colour)
    for number, (name, curve) in enumerate(published.items()):
        _add_published_curve(figure, number, name, curve)
    # The highest noise level of the paper, which published curves reach.
    most_noise = 0.8
    for curves in by_model.values():
        for points in curves.values():
            most_noise = max([most_noise, *(point.noise for point in points)])
    figure.update_xaxes(
        title="Noise: share of documents beside the point",
        ticksuffix=" %",
        range=[-4, 100 * most_noise + 4],
    )
    figure.update_yaxes(title="Accuracy", ticksuffix=" %", range=[-3, 105])
    return _laid_out(figure, 380 + LEGEND_ROW * max(0, len(figure.data) - 2))


def _add_published_curve(
    figure: go.Figure,
    number: int,
    name: str,
    curve: Sequence[tuple[float, float]],
) -> None:
    figure.add_scatter(
        x=[noise for noise, _ in curve],
        y=[accuracy for _, accuracy in curve],
        name=f"{name} (paper)",
        mode="lines+markers",
        marker={"symbol": f"{_in_turn(SYMBOLS, number)}-open", "size": 7},
        line={
            "color": PUBLISHED_COLOUR,
            "dash": _in_turn(DASHES, number),
            "width": 1.5,
        },
        hovertemplate="%{y:.1f} %<extra>%{fullData.name}</extra>",
        zorder=-1,
    )


def rates(by_model: Mapping[str, Mapping[str, Mean]]) -> go.Figure:
    """One bar for each rate and model, in percent, with its 95 % interval.

    What a bar says, with scored / asked, stands above it: so the bars have all the width.
    """
    judged = {
        model: {title: mean for title, mean in means.items() if mean.mean is not None}
        for model, means in by_model.items()
    }
    # Plotly draws bars from the bottom upwards: the first rate and the first model come last.
    in_order = dict.fromkeys(itertools.chain.from_iterable(judged.values()))
    titles = list(reversed(in_order))
    figure = go.Figure()
    for place, model in enumerate(reversed(judged)):
        means = judged[model]
        number = len(judged) - 1 - place
        colour = _colour(number) if len(judged) > 1 else None
        _add_bars(figure, model, [means.get(title) for title in titles], titles, colour)
        for row, title in enumerate(titles):
            if title in means:
                offset = (1 - BAR_GAP) * ((place + 0.5) / len(judged) - 0.5)
                _add_value(figure, row + offset, means[title])
    figure.update_xaxes(range=[0, 103], ticksuffix=" %")
    figure.update_yaxes(
        range=[-0.5, max(len(titles), 1) - 0.4],
        ticklabelposition="inside",
        ticklabelshift=-BAR_SLOT * len(judged) // 2,
    )
    figure.update_layout(
        barmode="group",
        bargap=BAR_GAP,
        bargroupgap=0.6,
        showlegend=len(judged) > 1,
    )
    slots = len(judged) * max(len(titles), 1) / (1 - BAR_GAP)
    height = 60 + LEGEND_ROW * len(judged) + round(BAR_SLOT * slots)
    legend = {"traceorder": "reversed", "y": 1, "yanchor": "bottom"}
    return _laid_out(figure, height).update_layout(legend=legend)


def distribution(values: Sequence[float]) -> go.Figure:
    """How often each tenth of the range from 0 to 1 occurs."""
    figure = go.Figure(
        go.Histogram(
            # A bin does not hold its upper end: so that 1 falls into the last tenth.
            x=[min(value, 0.999) for value in values],
            xbins={"start": 0, "end": 1, "size": 0.1},
            hovertemplate="%{x}: %{y} samples<extra></extra>",
        )
    )
    figure.update_xaxes(range=[-0.02, 1.05], dtick=0.5)
    figure.update_layout(bargap=0.08)
    return _laid_out(figure, 150)


def _curve_style(number: int, ability: Ability, below: int) -> dict[str, dict[str, Any]]:
    """Line and marker of a model's curve; the more curves lie below, the smaller is the marker."""
    is_open = ability is Ability.INTEGRATION
    symbol = _in_turn(SYMBOLS, number) + ("-open" if is_open else "")
    marker = {
        "symbol": symbol,
        "size": max(7, 12 - 2 * below),
        "line": {"width": 2 if is_open else 0},
    }
    return {"line": {"dash": _in_turn(DASHES, 2 * number + is_open)}, "marker": marker}


def _in_turn(choices: Sequence[str], number: int) -> str:
    return choices[number % len(choices)]


def _add_curve(
    figure: go.Figure,
    name: str,
    points: Sequence[NoisePoint],
    style: Mapping[str, Any],
    colour: str | None,
) -> None:
    judged = [point for point in points if point.accuracy.mean is not None]
    figure.add_scatter(
        x=[100 * point.noise for point in judged],
        y=[100 * (point.accuracy.mean or 0) for point in judged],
        name=name,
        mode="lines+markers",
        marker=style["marker"],
        line=style["line"] | {"color": colour},
        error_y=_whiskers([point.accuracy for point in judged]),
        customdata=[(point.accuracy.coverage, _noise_reached(point)) for point in judged],
        hovertemplate=(
            "%{y:.1f} %<br>scored / asked %{customdata[0]}<br>effective noise %{customdata[1]}"
            "<extra>%{fullData.name}</extra>"
        ),
    )


def _add_bars(
    figure: go.Figure,
    model: str,
    means: Sequence[Mean | None],
    titles: Sequence[str],
    colour: str | None,
) -> None:
    """The bars of one model; a rate that it lacks keeps its place, so that groups stay alike."""
    all_means = [mean or Mean(mean=None, asked=0, scored=0) for mean in means]
    subject = "<extra>%{fullData.name}</extra>" if model else "<extra></extra>"
    figure.add_bar(
        x=[None if mean.mean is None else 100 * mean.mean for mean in all_means],
        y=titles,
        name=model,
        orientation="h",
        marker={"color": colour},
        error_x=_whiskers(all_means, WHISKER_COLOUR),
        hovertemplate=f"%{{y}}: %{{x:.1f}} %{subject}",
    )


def _add_value(figure: go.Figure, y: float, mean: Mean) -> None:
    """What a bar says, above its right end of the chart; `y` counts categories from 0."""
    text = f"{100 * (mean.mean or 0):.0f} % ({mean.coverage} scored)"
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=y,
        yanchor="middle",
        text=text,
        showarrow=False,
        yshift=BAR_SLOT // 2,
    )


def _colour(number: int) -> str | None:
    """A colour of the theme, for curves or bars of one model that belong together."""
    colours: list[str | None] = st.get_option("theme.chartCategoricalColors") or [None]
    return colours[number % len(colours)]


def _whiskers(means: Sequence[Mean], colour: str = "") -> dict[str, object]:
    return {
        "symmetric": False,
        "array": [_distance(mean.mean, mean.high) for mean in means],
        "arrayminus": [_distance(mean.low, mean.mean) for mean in means],
        "thickness": 1.4,
        **({"color": colour} if colour else {}),
    }


def _distance(low: float | None, high: float | None) -> float | None:
    """In percent; `None` where there is no mean or no interval."""
    return None if low is None or high is None else 100 * (high - low)


def _noise_reached(point: NoisePoint) -> str:
    return "unknown" if point.effective_noise is None else f"{100 * point.effective_noise:.0f} %"


def _laid_out(figure: go.Figure, height: int) -> go.Figure:
    legend = {"orientation": "h", "y": -0.25, "x": 0}
    return figure.update_layout(
        height=height,
        margin={"t": 12, "b": 8, "l": 8, "r": 8},
        legend=legend,
    )
