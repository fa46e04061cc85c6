"""Values as dots with their intervals on a line from 0 to 1, without a script: drawn at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st

from evaluators.config import ROOT
from evaluators.runs.aggregate import BINS, Mean
from evaluators.runs.shown_values import Dot, Group, coverage, why_no_interval
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.text.words import name_and_text
from ui.parts import explained
from ui.parts.present import Block

ON_A_SCREEN = 3
"""Values that a presented page has room for."""


def show(groups: Iterable[Group], level: int = 3, *, is_at_work: bool = False) -> None:
    """Every value with its mean, interval, coverage and spread, under the groups' questions.

    `level` is that of the groups' headings, one below the heading that they stand under. Of a run
    `is_at_work` the coverage is left out: its page says how far it is in one place.
    """
    style = (ROOT / "ui" / "static" / "dots.css").read_text(encoding="utf-8")
    body = "".join(_group(group, level, is_at_work) for group in groups)
    axis = "<span></span><span></span><span><span>0</span><span>0.5</span><span>1</span></span>"
    foot = f'<div class="pl-axis" aria-hidden="true">{axis}</div>'
    st.html(f'<style>{style}</style><div class="pl-dots">{body}{foot}</div>')


def say_why_no_interval(groups: Iterable[Group]) -> None:
    """Below values of which some have no interval: why, and what to do."""
    if words := why_no_interval(dot.mean for group in groups for dot in group.dots):
        st.caption(words)


def blocks(group: Group) -> list[Block]:
    """The values of a group, on as many screens as they take."""
    shown = []
    for start in range(0, len(group.dots), ON_A_SCREEN):
        part = Group("", "", group.dots[start : start + ON_A_SCREEN])
        title = group.question or group.title
        shown.append(Block(title, partial(show, [part])))
    return shown


def _group(group: Group, level: int, is_at_work: bool) -> str:
    rows = "".join(_dot(dot, is_at_work) for dot in group.dots)
    if not group.title:
        return rows
    question = f" <span>{html(group.question)}</span>" if group.question else ""
    title = f"{html(group.title)}{explained.mark(group.term)}"
    return f"<h{level}>{title}{question}</h{level}>{rows}"


def _dot(dot: Dot, is_at_work: bool) -> str:
    mean = dot.mean
    meaning = f"<small>{html(dot.meaning)}</small>" if dot.meaning else ""
    title = f"<bdi>{html(dot.title)}</bdi>{explained.mark(dot.term or dot.title)}"
    about = [ends] if (ends := SCORE.interval(mean.low, mean.high)) else []
    if mean.estimated:
        about.append(say("an estimate"))
    repeated = f" ({mean.asked // mean.repeats:,} × {mean.repeats})" if mean.repeats > 1 else ""
    if not is_at_work:
        about.append(coverage(mean) + repeated)
    if mean.within:
        about.append(mean.within.in_words)
    kind = "pl-value pl-hollow" if dot.hollow else "pl-value"
    return (
        f'<div class="{kind}" style="--hue: {colour(dot.series)}">'
        f'<span class="pl-name">{title}{meaning}</span>'
        f'<span class="pl-mean">{SCORE.shown(mean.mean)}</span>'
        f'<span class="pl-track" aria-hidden="true">{track(mean)}</span>'
        f'<span class="pl-about">{"<br>".join(about)}</span>'
        f"{_drawn_spread(dot.spread)}</div>"
    )


def colour(series: int) -> str:
    """The colour of a series, the same wherever it is drawn."""
    colours: list[str] = st.get_option("theme.chartCategoricalColors") or ["currentColor"]
    return colours[series % len(colours)]


def track(mean: Mean) -> str:
    """The dot of a mean and the line of its interval, as parts of the line that they stand on."""
    # A value of one's own metric may be any number: what is not on the line is not drawn.
    if mean.mean is None or not 0 <= mean.mean <= 1:
        return ""
    dot = f'<b style="left: {100 * mean.mean:.1f}%"></b>'
    if mean.low is None or mean.high is None or mean.low < 0 or mean.high > 1:
        return dot
    width = 100 * (mean.high - mean.low)
    return f'<i style="left: {100 * mean.low:.1f}%; width: {width:.1f}%"></i>{dot}'


def _drawn_spread(counts: Sequence[int]) -> str:
    most = max(counts, default=0)
    if not most:
        return ""
    # The highest bar fills the height, as small runs have a shape too; the hints have the counts.
    bars, words = [], []
    for part, count in enumerate(counts):
        hint = name_and_text(SCORE.interval(part / BINS, (part + 1) / BINS), f"{count:,}")
        bars.append(f'<i title="{hint}" style="height: {100 * count / most:.0f}%"></i>')
        if count:
            words.append(hint)
    label = say("How many answers have {counts}", counts=say(", ").join(words))
    return f'<span class="pl-spread" role="img" aria-label="{label}">{"".join(bars)}</span>'
