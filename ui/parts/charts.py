"""Charts: figures come in as records, none is computed here."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any, NamedTuple

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from evaluators.comparison import words
from evaluators.comparison.paired import Difference
from evaluators.comparison.result import Comparison
from evaluators.runs.aggregate import Mean, NoisePoint
from evaluators.runs.rgb_figures import missed_noise, noise_had
from evaluators.runs.shown_values import coverage, is_of_few
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import joined_sentences, short_name

# Plotly's button saves an SVG in the browser; a PNG of the server would need a browser there.
CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg"},
}
BARE = {"displayModeBar": False}
"""For small charts, which the button would cover."""
STILL = {"staticPlot": True}
"""For charts on a magnified page, on which Plotly mistakes where the mouse is."""

FONT = 14
HEIGHT = 440
HEIGHT_OF_TWO = 520
"""Pixels of two plots below one another."""
PRESENTED = 280
"""Pixels of a chart with its text, of the 360 that a presented page has below one another."""
BUTTONS = 36
"""Pixels above the plot, where the button stands on a phone, which shows it all the time."""

# Greys between black and white: one chart has to be read in the light and in the dark theme.
WHISKER_COLOUR = "rgb(128, 128, 128)"
PUBLISHED_COLOUR = "rgba(128, 128, 128, 0.75)"
BAND_COLOUR = "rgba(128, 128, 128, 0.3)"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x")
LEGEND_ROW = 22
"""Pixels of a legend's entry, where a narrow screen gives each a row."""

NOISE_AXIS = mark("Noise: share of documents beside the point")

RIGHT = mark("right")

NOTES = 38
"""Pixels above the plot for two lines."""

LABEL = 14
"""Letters of a line's label beside its end; a longer one is broken, and cut after two lines."""
LABEL_WIDTH = 8 * LABEL
LOWEST, HIGHEST = -4, 104
"""Ends of the axes in percent: a mark at 0 or 100 % is shown whole."""
LABEL_LINE = 18
"""Pixels of a label's line."""
HEIGHT_OF_GROUPS = 240
MOST_TICKS = 4
"""Periods that are named below a chart: a phone has room for no more."""
AROUND = 120
"""Pixels above and below the plot, for its button, its ticks and its title."""

ROW_OF_ONE, ROW_OF_SEVERAL = 56, 74
"""Pixels of a row in the panel of a rate: its words, with the model where there are several."""


def accuracy_by_noise(
    curves: Mapping[str, Sequence[NoisePoint]],
    published: Mapping[str, Sequence[tuple[float, float]]],
    *,
    verb: str = RIGHT,
    is_presented: bool = False,
    is_at_work: bool = False,
) -> go.Figure:
    """A share in percent over the noise that prompts really had, with 95 % intervals.

    Published curves lie underneath. No two curves have the same dash and marker, so that of equal
    ones each can be seen. A hollow marker has a note: another noise was asked for, or few answers
    were checked. Of a run `is_at_work` no answers are counted, as in `rate`.
    """
    figure = go.Figure()
    height = (PRESENTED if is_presented else HEIGHT) + LEGEND_ROW * len(published)
    judged = {name: _judged(points) for name, points in curves.items()}
    ends = []
    for number, (name, points) in enumerate(judged.items()):
        if points:
            _add_curve(figure, name, points, number, verb, is_at_work=is_at_work)
            ends.append((_percent(points[-1].mean), name, _colour(number)))
    for number, (name, curve) in enumerate(published.items()):
        _add_published_curve(figure, number, name, curve)
    _add_labels(figure, ends, LABEL_LINE * (HIGHEST - LOWEST) / (height - AROUND))
    every_point = list(chain.from_iterable(judged.values()))
    has_notes = _add_notes(figure, every_point)
    # 80 % is the highest noise level of the paper.
    most_noise = max([80, *(100 * noise_had(point) for point in every_point)])
    _percent_axis(figure.update_xaxes, most_noise, say(NOISE_AXIS))
    _percent_axis(figure.update_yaxes, 100)
    figure.update_layout(dragmode=False)
    top = NOTES * has_notes + (8 if is_presented else BUTTONS)
    return _laid_out(figure, height, top=top, right=LABEL_WIDTH)


def difference_by_noise(comparison: Comparison) -> go.Figure:
    """Both systems' accuracy over noise and, below, the difference with its 95 % band, in points.

    Only answers count that both were judged on. The curves have no intervals of their own: the
    answers are paired, so whether two intervals overlap says nothing. A filled mark is told apart.
    """
    levels: dict[float, Difference] = {}
    for value in comparison.by_noise:
        # On some level no answer may have been checked for both.
        if value.difference:
            levels[100 * float(value.name)] = value.difference
    noise, differences = list(levels), list(levels.values())
    figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[3, 2], vertical_spacing=0.06)
    _add_accuracy(figure, comparison.first, noise, [own.first for own in differences], 0)
    _add_accuracy(figure, comparison.second, noise, [own.second for own in differences], 1)
    if differences:
        last = differences[-1]
        ends = [
            (100 * last.first, comparison.first, _colour(0)),
            (100 * last.second, comparison.second, _colour(1)),
        ]
        above = 0.6 * (HEIGHT_OF_TWO - AROUND)
        _add_labels(figure, ends, LABEL_LINE * (HIGHEST - LOWEST) / above)
        _add_difference(figure, noise, differences)
    most_noise = max([80, *noise])
    figure.update_xaxes(dtick=20, range=[LOWEST, most_noise - LOWEST], ticksuffix=" %")
    figure.update_xaxes(title=say(NOISE_AXIS), row=2, col=1)
    figure.update_yaxes(dtick=20, range=[LOWEST, HIGHEST], ticksuffix=" %", row=1, col=1)
    figure.update_yaxes(title=say("Difference, points"), row=2, col=1)
    figure.update_layout(dragmode=False)
    return _laid_out(figure, HEIGHT_OF_TWO, top=BUTTONS, right=LABEL_WIDTH)


def _add_accuracy(
    figure: go.Figure,
    name: str,
    noise: Sequence[float],
    accuracy: Sequence[float],
    number: int,
) -> None:
    """One system's curve in the upper plot."""
    figure.add_scatter(
        x=noise,
        y=[100 * own for own in accuracy],
        name=name,
        mode="lines+markers",
        # Of curves at the same place the later lies on top, and is smaller.
        marker={"size": 12 - 3 * number, "symbol": _in_turn(SYMBOLS, number)},
        line={"dash": _in_turn(DASHES, number), "color": _colour(number)},
        hovertemplate=f"{_point_in_words()}<extra>%{{fullData.name}}</extra>",
        showlegend=False,
        row=1,
        col=1,
    )


def _add_difference(
    figure: go.Figure,
    noise: Sequence[float],
    differences: Sequence[Difference],
) -> None:
    """The band of the differences in the lower plot, and a mark for each."""
    lower, upper = [], []
    for own in differences:
        lower.append(None if own.low is None else 100 * own.low)
        upper.append(None if own.high is None else 100 * own.high)
    for side, fill in ((lower, None), (upper, "tonexty")):
        figure.add_scatter(
            x=noise,
            y=side,
            mode="lines",
            line={"width": 0},
            fill=fill,
            fillcolor=BAND_COLOUR,
            hoverinfo="skip",
            showlegend=False,
            row=2,
            col=1,
        )
    # Without blanks Plotly's braces, which it fills itself, stay as they are.
    hover = say("%{customdata[0]} points, p %{customdata[1]}")
    figure.add_scatter(
        x=noise,
        y=[100 * own.difference for own in differences],
        mode="lines+markers",
        marker={
            "size": 11,
            "symbol": ["circle" if own.is_told_apart else "circle-open" for own in differences],
            "line": {"width": 2, "color": WHISKER_COLOUR},
        },
        line={"color": WHISKER_COLOUR},
        customdata=[(words.in_points(own), words.p_value(own.adjusted)) for own in differences],
        hovertemplate=f"{hover}<extra></extra>",
        showlegend=False,
        row=2,
        col=1,
    )
    figure.add_hline(y=0, line={"width": 1.5, "color": WHISKER_COLOUR}, row=2, col=1)


def accuracy_in_words(curves: Mapping[str, Sequence[NoisePoint]], what: str) -> str:
    """What the chart shows: "A: accuracy falls from 100 % at 0 % noise to 75 % at 80 %"."""
    sentences = []
    for name, points in curves.items():
        judged = _judged(points)
        if not judged:
            continue
        first, last = judged[0], judged[-1]
        start, end = RATE.shown(first.mean.mean), RATE.shown(last.mean.mean)
        blanks = {
            "name": name,
            "what": what.lower(),
            "start": start,
            "end": end,
            "low": RATE.shown(noise_had(first)),
            "high": RATE.shown(noise_had(last)),
        }
        if len(judged) == 1:
            sentence = say("{name}: {what} is {start} at {low} noise.", **blanks)
        elif start == end:
            sentence = say("{name}: {what} is {start} at {low} noise as at {high}.", **blanks)
        elif (last.mean.mean or 0) < (first.mean.mean or 0):
            sentence = say(
                "{name}: {what} falls from {start} at {low} noise to {end} at {high}.",
                **blanks,
            )
        else:
            sentence = say(
                "{name}: {what} rises from {start} at {low} noise to {end} at {high}.",
                **blanks,
            )
        sentences.append(sentence)
    return joined_sentences(sentences)


def _add_curve(
    figure: go.Figure,
    name: str,
    points: Sequence[NoisePoint],
    number: int,
    verb: str,
    *,
    is_at_work: bool,
) -> None:
    symbol = _in_turn(SYMBOLS, number)
    marker = {
        "symbol": [f"{symbol}-open" if _is_hollow(point) else symbol for point in points],
        # Of curves at the same place the later lies on top, and is smaller.
        "size": max(8, 13 - 2 * number),
        "color": _colour(number),
        "line": {"width": 2, "color": _colour(number)},
    }
    figure.add_scatter(
        x=[100 * noise_had(point) for point in points],
        y=[_percent(point.mean) for point in points],
        name=name,
        mode="lines+markers",
        marker=marker,
        line={"dash": _in_turn(DASHES, number), "color": _colour(number)},
        error_y=_whiskers([point.mean for point in points]),
        customdata=["<br>".join(_notes(point, verb, is_at_work=is_at_work)) for point in points],
        hovertemplate=f"{_point_in_words()}%{{customdata}}<extra>%{{fullData.name}}</extra>",
        showlegend=False,
    )


def _add_published_curve(
    figure: go.Figure,
    number: int,
    name: str,
    curve: Sequence[tuple[float, float]],
) -> None:
    figure.add_scatter(
        x=[noise for noise, _ in curve],
        y=[accuracy for _, accuracy in curve],
        name=say("{name} (paper)", name=name),
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


def _add_labels(
    figure: go.Figure,
    ends: Sequence[tuple[float, str, str]],
    apart: float,
) -> None:
    """The names of the curves at the height of their ends, moved so that none lies on another.

    `apart` is what a line takes, in percent of accuracy.
    """
    labels = []
    lowest_free: float = LOWEST
    for height, name, colour in sorted(ends):
        lines = textwrap.wrap(short_name(say(name)), LABEL, max_lines=2, placeholder="…")
        half = apart * len(lines) / 2
        height = max(height, lowest_free + half)
        lowest_free = height + half
        text = f'<span style="color:{colour}">●</span> {"<br>".join(map(html, lines))}'
        labels.append((height, half, text))
    highest_free: float = HIGHEST
    for height, half, text in reversed(labels):
        height = min(height, highest_free - half)
        highest_free = height - half
        figure.add_annotation(
            x=1,
            xref="paper",
            y=height,
            text=text,
            xanchor="left",
            align="left",
            showarrow=False,
        )


def _add_notes(figure: go.Figure, points: Iterable[NoisePoint]) -> bool:
    """Above the plot, what noise was asked for where another one was reached, if anywhere."""
    had_by_asked: dict[float, float] = {}
    for point in filter(missed_noise, points):
        had_by_asked[point.noise] = noise_had(point)
    # In one line: levels that lie close together would have their notes on one another.
    levels = [
        f"{RATE.number(asked)} → {RATE.shown(had)}" for asked, had in sorted(had_by_asked.items())
    ]
    if levels:
        figure.add_annotation(
            x=0,
            xref="paper",
            y=1,
            yref="paper",
            text=say("Noise asked → had: {levels}", levels=say(", ").join(levels)),
            xanchor="left",
            yanchor="bottom",
            showarrow=False,
        )
    return bool(levels)


def value_over_time(means: Mapping[str, Mean], days: Mapping[str, date]) -> go.Figure:
    """A value by period with its 95 % intervals; `days` says when each period began.

    Below the first, the last and some between stands on how many rows they rest.
    """
    judged = {name: mean for name, mean in means.items() if mean.mean is not None}
    names = list(judged)
    figure = go.Figure()
    figure.add_scatter(
        x=[days[name] for name in names],
        y=[mean.mean for mean in judged.values()],
        mode="lines+markers",
        marker={"size": 9, "color": _colour(0)},
        line={"color": _colour(0)},
        error_y=_whiskers([*judged.values()], 1),
        customdata=[html(value_in_words(name, mean)) for name, mean in judged.items()],
        hovertemplate="%{customdata}<extra></extra>",
        # At 0 and 1 else half of it were missing.
        cliponaxis=False,
    )
    step = max(1, math.ceil((len(names) - 1) / (MOST_TICKS - 1)))
    # Counted from the end: of drift the last period matters most.
    ticks = names[::-1][::step][::-1]
    figure.update_xaxes(
        type="date",
        tickvals=[days[name] for name in ticks],
        ticktext=[f"{html(name)}<br>n {judged[name].scored:,}" for name in ticks],
        tickfont={"size": FONT},
    )
    _value_axis(figure.update_yaxes, judged.values())
    figure.update_layout(dragmode=False, showlegend=False)
    return _laid_out(figure, HEIGHT_OF_GROUPS, right=30)


def value_by_group(means: Mapping[str, Mean]) -> go.Figure:
    """A value by group, each a point in a row of its own, with its 95 % interval and its rows."""
    judged = {name: mean for name, mean in means.items() if mean.mean is not None}
    figure = go.Figure()
    rows = list(range(len(judged)))
    figure.add_scatter(
        x=[mean.mean for mean in judged.values()],
        y=rows,
        mode="markers",
        marker={"size": 11, "color": _colour(0)},
        error_x=_whiskers([*judged.values()], 1) | {"color": WHISKER_COLOUR, "thickness": 2},
        customdata=[html(value_in_words(name, mean)) for name, mean in judged.items()],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )
    names = [textwrap.shorten(name, LABEL, placeholder="…") or name[:LABEL] for name in judged]
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[
            f"{html(name)}<br>n {mean.scored:,}"
            for name, mean in zip(names, judged.values(), strict=True)
        ],
        range=[max(1, len(rows)) - 0.5, -0.5],
        tickfont={"size": FONT},
    )
    _value_axis(figure.update_xaxes, judged.values())
    figure.update_layout(dragmode=False, showlegend=False)
    return _laid_out(figure, 40 + ROW_OF_ONE * max(1, len(rows)), bottom=24, right=22)


def value_in_words(name: str, mean: Mean) -> str:
    """ "2026-W02: 0.68 (0.61 to 0.74), 35 of 36"."""
    counts = coverage(mean)
    if mean.mean is None:
        return say("{name}: nothing checked, {counts}", name=name, counts=counts)
    return say("{name}: {value}, {counts}", name=name, value=SCORE.estimate(mean), counts=counts)


def _value_axis(update: Callable[..., object], means: Iterable[Mean]) -> None:
    """An axis from 0 to 1; values of one's own metric may lie anywhere, and then it fits them."""
    ends = [end for mean in means for end in (mean.mean, mean.low, mean.high) if end is not None]
    is_share = all(0 <= end <= 1 for end in ends)
    scale = {"tick0": 0, "dtick": 0.2, "range": [LOWEST / 100, HIGHEST / 100]} if is_share else {}
    update(tickfont={"size": FONT}, **scale)


def rate(
    by_model: Mapping[str, Mean],
    by_judge: Mapping[str, Mean],
    verb: str,
    *,
    is_at_work: bool = False,
) -> go.Figure:
    """The panel of one rate: for each model a dot with its interval on a scale from 0 to 100 %.

    What the judge says of the same answers is a diamond below it. Above each mark stand its words;
    `verb` is what the counted answers did. A hollow mark stands for few of the answers. Of a run
    `is_at_work` no answers are counted: its page says how far it is in one place.
    """
    figure = go.Figure()
    rows = _rows_of_rate(by_model, by_judge)
    for number, row in enumerate(rows):
        symbol = f"{row.symbol}-open" if is_of_few(row.mean) else row.symbol
        words = rate_in_words(row.mean, "" if is_at_work else verb)
        figure.add_scatter(
            x=[_percent(row.mean)],
            y=[-number],
            name=row.name,
            mode="markers",
            marker={
                "size": 13,
                "symbol": symbol,
                "color": row.colour,
                "line": {"width": 2, "color": row.colour},
            },
            error_x=_whiskers([row.mean]) | {"color": WHISKER_COLOUR, "thickness": 2},
            hovertemplate=f"{words}<extra></extra>",
            cliponaxis=False,
        )
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=-number,
            yanchor="bottom",
            yshift=8,
            align="left",
            text=f"{html(row.name)}<br>{words}" if row.name else words,
            showarrow=False,
        )
    height = ROW_OF_ONE if rows and not rows[0].name else ROW_OF_SEVERAL
    _percent_axis(figure.update_xaxes, 100)
    figure.update_yaxes(visible=False, range=[0.7 - max(1, len(rows)), 0.7])
    figure.update_layout(dragmode=False, showlegend=False)
    return _laid_out(figure, 32 + height * max(1, len(rows)), bottom=24, right=22)


class _RowOfRate(NamedTuple):
    name: str
    mean: Mean
    colour: str
    symbol: str


def _rows_of_rate(by_model: Mapping[str, Mean], by_judge: Mapping[str, Mean]) -> list[_RowOfRate]:
    rows = []
    has_several = len(by_model) > 1
    for number, (model, mean) in enumerate(by_model.items()):
        name = short_name(say(model)) if has_several else ""
        if mean.mean is not None:
            by_rule = say("{name}, by rule", name=name) if has_several else say("By rule")
            said = by_rule if by_judge else name
            rows.append(_RowOfRate(said, mean, _colour(number), "circle"))
        judged = by_judge.get(model)
        if judged and judged.mean is not None:
            said = say("{name}, by the judge", name=name) if has_several else say("By the judge")
            rows.append(_RowOfRate(said, judged, _colour(number), "diamond"))
    return rows


def rate_in_words(mean: Mean, verb: str) -> str:
    """ "58 % (36 to 78), 11 of 19 detected"; of few answers "10 of 60 checked".

    Without a verb nothing is counted: "58 % (36 to 78)".
    """
    if mean.mean is None:
        return say("nothing checked")
    return say(", ").join([RATE.estimate(mean), *([_counts_in_words(mean, verb)] if verb else [])])


def _counts_in_words(mean: Mean, verb: str) -> str:
    """ "7 of 12 right"; where much is missing, or nothing is counted, how much was checked."""
    if not verb:
        return coverage(mean)
    right = round((mean.mean or 0) * mean.scored)
    counts = say("{part:,} of {all:,} {verb}", part=right, all=mean.scored, verb=say(verb))
    if not is_of_few(mean):
        return counts
    asked = mean.asked - mean.not_applicable
    checked = say("{part:,} of {all:,} checked", part=mean.scored, all=asked)
    return say(", ").join((counts, checked))


def _judged(points: Sequence[NoisePoint]) -> list[NoisePoint]:
    """The points that have an accuracy, by the noise they really have."""
    judged = [point for point in points if point.mean.mean is not None]
    return sorted(judged, key=noise_had)


def _notes(point: NoisePoint, verb: str, *, is_at_work: bool) -> list[str]:
    """The lines below where a point lies, after an empty one for that."""
    lines = [""]
    if not is_at_work:
        lines.append(_counts_in_words(point.mean, verb))
    if missed_noise(point):
        asked, had = RATE.shown(point.noise), RATE.shown(noise_had(point))
        lines.append(say("asked {asked}, had {had}", asked=asked, had=had))
    return lines


def _point_in_words() -> str:
    """Where a point lies; its blanks are filled by Plotly."""
    return say("%{y:.1f} % at %{x:.0f} % noise")


def _is_hollow(point: NoisePoint) -> bool:
    return missed_noise(point) or is_of_few(point.mean)


def _percent(mean: Mean) -> float:
    return 100 * (mean.mean or 0)


def _in_turn(choices: Sequence[str], number: int) -> str:
    # From the start again: a run may have more models than there are colours.
    return choices[number % len(choices)]


def _colour(number: int) -> str:
    """A colour of the theme, for what belongs to one model."""
    colours: list[str] = st.get_option("theme.chartCategoricalColors") or ["gray"]
    return _in_turn(colours, number)


def _whiskers(means: Sequence[Mean], scale: float = 100) -> dict[str, Any]:
    """The intervals around the means; in percent unless another scale is given."""
    return {
        "symmetric": False,
        "array": [_distance(mean.mean, mean.high, scale) for mean in means],
        "arrayminus": [_distance(mean.low, mean.mean, scale) for mean in means],
        "thickness": 1.4,
    }


def _distance(low: float | None, high: float | None, scale: float) -> float | None:
    """`None` where there is no mean or no interval."""
    if low is None or high is None:
        return None
    return scale * (high - low)


def _percent_axis(update: Callable[..., object], most: float, title: str = "") -> None:
    """An axis in percent from 0 on, with a tick at every 20 %."""
    update(
        ticksuffix=" %",
        tick0=0,
        dtick=20,
        range=[LOWEST, most - LOWEST],
        tickfont={"size": FONT},
        # An empty title takes up room as well.
        **({"title": {"text": title, "font": {"size": FONT}}} if title else {}),
    )


def _laid_out(
    figure: go.Figure,
    height: int,
    top: int = 8,
    right: int = 8,
    bottom: int = 8,
) -> go.Figure:
    return figure.update_layout(
        height=height,
        font={"size": FONT},
        margin={"t": top, "b": bottom, "l": 8, "r": right},
        # Below the axis and its title: beside the plot it would take a phone's width.
        legend={"orientation": "h", "y": -0.25, "x": 0, "font": {"size": FONT}},
    )
