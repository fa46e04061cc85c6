"""Charts: figures come in as records, none is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from evaluators.runs.aggregate import Mean, NoisePoint

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d"],
    "toImageButtonOptions": {"format": "svg"},
}
BARE = {"displayModeBar": False}
"""For small charts, which the buttons would cover."""

WHISKER_COLOUR = "rgb(140, 140, 140)"
PUBLISHED_COLOUR = "rgba(128, 128, 128, 0.55)"


def accuracy_by_noise(
    series: Mapping[str, Sequence[NoisePoint]], published: Mapping[str, Sequence[tuple[float, float]]]
) -> go.Figure:
    """Accuracy in percent over nominal noise, with 95 % intervals; published curves in grey underneath."""
    figure = go.Figure()
    for name, points in series.items():
        _add_curve(figure, name, [point for point in points if point.accuracy.mean is not None])
    for name, curve in published.items():
        figure.add_scatter(
            x=[noise for noise, _ in curve],
            y=[accuracy for _, accuracy in curve],
            name=f"{name} (paper)",
            mode="lines",
            line={"color": PUBLISHED_COLOUR, "dash": "dot"},
            hovertemplate="%{y:.1f} %<extra>%{fullData.name}</extra>",
            zorder=-1,
        )
    most = max((point.noise for points in series.values() for point in points), default=0.8)
    figure.update_xaxes(
        title="Noise: share of documents beside the point", ticksuffix=" %", range=[-4, 100 * max(most, 0.8) + 4]
    )
    figure.update_yaxes(title="Accuracy", ticksuffix=" %", range=[-3, 105])
    return _laid_out(figure, 380)


def rates(means: Mapping[str, Mean]) -> go.Figure:
    """One bar for each rate, in percent, with its 95 % interval and scored / asked."""
    judged = {title: mean for title, mean in reversed(means.items()) if mean.mean is not None}
    figure = go.Figure(
        go.Bar(
            x=[100 * (mean.mean or 0) for mean in judged.values()],
            y=list(judged),
            orientation="h",
            error_x=_whiskers(list(judged.values()), WHISKER_COLOUR),
            hovertemplate="%{y}: %{x:.1f} %<extra></extra>",
        )
    )
    for title, mean in judged.items():
        text = f"{100 * (mean.mean or 0):.0f} % ({mean.coverage} scored)"
        figure.add_annotation(x=1, xref="paper", xanchor="left", y=title, text=text, showarrow=False, xshift=8)
    figure.update_xaxes(range=[0, 103], ticksuffix=" %")
    figure.update_yaxes(automargin=True)
    return _laid_out(figure, 90 + 46 * max(len(judged), 1)).update_layout(margin_r=150)


def distribution(values: Sequence[float]) -> go.Figure:
    """How often each tenth of the range from 0 to 1 occurs."""
    figure = go.Figure(
        go.Histogram(
            x=[min(value, 0.999) for value in values],  # so that 1 falls into the last tenth
            xbins={"start": 0, "end": 1, "size": 0.1},
            hovertemplate="%{x}: %{y} samples<extra></extra>",
        )
    )
    figure.update_xaxes(range=[-0.02, 1.05], dtick=0.5)
    figure.update_layout(bargap=0.08)
    return _laid_out(figure, 150)


def _add_curve(figure: go.Figure, name: str, points: Sequence[NoisePoint]) -> None:
    figure.add_scatter(
        x=[100 * point.noise for point in points],
        y=[100 * (point.accuracy.mean or 0) for point in points],
        name=name,
        mode="lines+markers",
        marker={"size": 9},
        error_y=_whiskers([point.accuracy for point in points]),
        customdata=[(point.accuracy.coverage, _percent(point.effective_noise)) for point in points],
        hovertemplate=(
            "%{y:.1f} %<br>scored / asked %{customdata[0]}<br>effective noise %{customdata[1]}"
            "<extra>%{fullData.name}</extra>"
        ),
    )


def _whiskers(means: Sequence[Mean], colour: str = "") -> dict[str, object]:
    return {
        "symmetric": False,
        "array": [100 * ((mean.high or 0) - (mean.mean or 0)) for mean in means],
        "arrayminus": [100 * ((mean.mean or 0) - (mean.low or 0)) for mean in means],
        "thickness": 1.4,
        **({"color": colour} if colour else {}),
    }


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.0f} %"


def _laid_out(figure: go.Figure, height: int) -> go.Figure:
    legend = {"orientation": "h", "y": -0.25, "x": 0}
    return figure.update_layout(height=height, margin={"t": 12, "b": 8, "l": 8, "r": 8}, legend=legend)
