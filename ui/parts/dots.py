"""Values as dots with their intervals on a line, without a script: drawn at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st

from evaluators.drawing import IntervalChart, IntervalRow
from evaluators.drawing.axis import Axis
from evaluators.drawing.marks import COLOURS
from evaluators.runs.aggregate import BINS, Mean
from evaluators.runs.shown_values import FEW, Dot, Group, beside, is_of_few, why_no_interval
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.text.words import joined_sentences, name_and_text
from ui import script
from ui.parts import explained
from ui.parts.present import Block

FROM_0_TO_1 = Axis(((0, "0"), (1, "1")), 0, 100)
ON_A_SCREEN = 3
"""Values that a presented page has room for."""


def show(groups: Iterable[Group], level: int = 3, *, is_at_work: bool = False) -> None:
    """Every value with its mean, interval, coverage and spread, under the groups' questions.

    `level` is that of the groups' headings, one below the heading that they stand under. Of a run
    `is_at_work` the coverage is left out: its page says how far it is in one place.
    """
    style = script.static("dots.css")
    shown = list(groups)
    axis = _axis([dot for group in shown for dot in group.dots])
    body = "".join(_group(group, level, axis, is_at_work) for group in shown)
    ends = "".join(f"<span>{words}</span>" for _, words in axis.ticks)
    foot = f"<span></span><span></span><span>{ends}</span>"
    foot = f'<div class="pl-axis" aria-hidden="true">{foot}</div>'
    st.html(f'<style>{style}</style><div class="pl-dots">{body}{foot}</div>')


def _axis(dots: Sequence[Dot]) -> Axis:
    """From 0 to 1; values of one's own metric may lie anywhere, and then it fits them."""
    rows = [IntervalRow(dot.title, dot.mean.mean, dot.mean.low, dot.mean.high) for dot in dots]
    scale = dots[0].scale if dots else SCORE
    return Axis(IntervalChart("", rows, scale).ticks, 0, 100)


def say_what_marks_mean(groups: Iterable[Group]) -> None:
    """Below values: what a hollow mark is, why some have no interval, and what to do."""
    means = [dot.mean for group in groups for dot in group.dots]
    few = say(FEW) if any(map(is_of_few, means)) else ""
    if words := joined_sentences([few, why_no_interval(means)]):
        st.caption(words)


def blocks(group: Group) -> list[Block]:
    """The values of a group, on as many screens as they take."""
    shown = []
    for start in range(0, len(group.dots), ON_A_SCREEN):
        part = Group("", "", group.dots[start : start + ON_A_SCREEN])
        title = group.question or group.title
        shown.append(Block(title, partial(show, [part])))
    return shown


def _group(group: Group, level: int, axis: Axis, is_at_work: bool) -> str:
    rows = "".join(_dot(dot, axis, is_at_work) for dot in group.dots)
    if not group.title:
        return rows
    question = f" <span>{html(group.question)}</span>" if group.question else ""
    title = f"{html(group.title)}{explained.mark(group.term)}"
    return f"<h{level}>{title}{question}</h{level}>{rows}"


def _dot(dot: Dot, axis: Axis, is_at_work: bool) -> str:
    mean = dot.mean
    notes = [dot.meaning] if dot.meaning else []
    if not is_at_work:
        notes += beside(mean, dot.scale)
    meaning = f"<small>{html(say('; ').join(notes))}</small>" if notes else ""
    title = f"<bdi>{html(dot.title)}</bdi>{explained.mark(dot.term or dot.title)}"
    about = [ends] if (ends := dot.scale.interval(mean.low, mean.high)) else []
    if mean.estimated:
        estimate, remark = html(say("an estimate")), html(dot.remark)
        about.append(f'<abbr title="{remark}">{estimate}</abbr>' if dot.remark else estimate)
    repeated = f" ({mean.asked // mean.repeats:,} × {mean.repeats})" if mean.repeats > 1 else ""
    if not is_at_work:
        about.append(dot.counts + repeated)
    if mean.within:
        about.append(mean.within.in_words)
    kind = "pl-value pl-hollow" if dot.is_unsure else "pl-value"
    return (
        f'<div class="{kind}" style="--hue: {colour(dot.series)}">'
        f'<span class="pl-name">{title}{meaning}</span>'
        f'<span class="pl-mean">{dot.scale.shown(mean.mean)}</span>'
        f'<span class="pl-track" aria-hidden="true">{track(mean, axis)}</span>'
        f'<span class="pl-about">{"<br>".join(about)}</span>'
        f"{_drawn_spread(dot.spread)}</div>"
    )


def colour(series: int) -> str:
    """The colour of a series, the same wherever it is drawn."""
    return COLOURS[series % len(COLOURS)]


def track(mean: Mean, axis: Axis = FROM_0_TO_1) -> str:
    """The dot of a mean and the line of its interval, as parts of the line that they stand on."""
    ends = (mean.mean, mean.low, mean.high)
    value, low, high = (None if end is None else axis.place(end) for end in ends)
    # A value of one's own metric may be any number: what is not on the line is not drawn.
    if value is None or not 0 <= value <= 100:
        return ""
    dot = f'<b style="left: {value:.1f}%"></b>'
    if low is None or high is None or low < 0 or high > 100:
        return dot
    return f'<i style="left: {low:.1f}%; width: {high - low:.1f}%"></i>{dot}'


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
