"""Values of several labellers or groups in one table, drawn on one line for each value if wanted.

It is HTML without a script, so it is there at once; where it is narrow each row becomes a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import streamlit as st

from evaluators.runs.aggregate import Mean, with_questions
from evaluators.runs.shown_values import coverage
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE, Scale
from ui import script
from ui.parts import dots, explained


class Column(NamedTuple):
    """A column under its title; `note` stands small below, `series` numbers its colour.

    `term` is what the glossary is asked for, where it is not the title; its means have the `scale`.
    """

    title: str
    note: str = ""
    series: int | None = None
    term: str = ""
    scale: Scale = SCORE


class Below(NamedTuple):
    """What stands below a mean, in colour where it matters."""

    words: str
    matters: bool


class Row(NamedTuple):
    """The means of a row, one for each column, `None` where there is nothing to say.

    `below` has as many, or none at all. `term` is what the glossary is asked for, if anything.
    """

    title: str
    means: Sequence[Mean | None]
    note: str = ""
    below: Sequence[Below | None] = ()
    term: str = ""


def show(corner: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """The table; columns with a colour stand also as dots in a line of each row, in their order."""
    style = script.static("value_table.css")
    # One line for all columns, so that they compare at a glance.
    is_drawn = any(column.series is not None for column in columns)
    ends = "<div><span>0</span><span>0.5</span><span>1</span></div>"
    line = f'<th class=pl-scale aria-hidden="true">{ends}</th>'
    heads = "".join(map(_head, columns))
    head = f"<tr><th scope=col>{html(corner)}</th>{line if is_drawn else ''}{heads}</tr>"
    body = "".join(_means_row(row, columns, is_drawn=is_drawn) for row in rows)
    table = f"<table class=pl-values><thead>{head}</thead><tbody>{body}</tbody></table>"
    st.html(f"<style>{style}</style><div class=pl-values-box>{table}</div>")


def _head(column: Column) -> str:
    note = f"<small>{html(column.note)}</small>" if column.note else ""
    title = f"<bdi>{html(column.title)}</bdi>{explained.mark(column.term or column.title)}"
    return f"<th scope=col>{_mark(column)}{title}{note}</th>"


def _mark(column: Column) -> str:
    if column.series is None:
        return ""
    return f'<b class=pl-mark style="--hue: {dots.colour(column.series)}"></b>'


def _means_row(row: Row, columns: Sequence[Column], *, is_drawn: bool) -> str:
    note = f"<small>{html(row.note)}</small>" if row.note else ""
    pairs = list(zip(columns, row.means, strict=True))
    lanes = ""
    if is_drawn:
        # Hidden from screen readers: the cells beside it say the same in numbers.
        drawn = "".join(_lane(column, mean) for column, mean in pairs)
        lanes = f'<td class=pl-lanes aria-hidden="true">{drawn}</td>'
    cells = "".join(
        _cell(column, mean, row.note, below)
        for (column, mean), below in zip_longest(pairs, row.below)
    )
    title = f"<bdi>{html(row.title)}</bdi>{explained.mark(row.term)}"
    return f"<tr><th scope=row>{title}{note}</th>{lanes}{cells}</tr>"


def _lane(column: Column, mean: Mean | None) -> str:
    """A line of its own for each column: equal values would hide one another."""
    if mean is None or column.series is None:
        return ""
    return f'<span style="--hue: {dots.colour(column.series)}">{dots.track(mean)}</span>'


def _cell(column: Column, mean: Mean | None, note: str, below: Below | None) -> str:
    if mean is None or mean.mean is None:
        return "<td>–</td>"
    ends = column.scale.interval(mean.low, mean.high)
    interval = f"<small>{ends}</small>" if ends else ""
    # Where it is narrow the head is out of sight: each cell then says whose it is.
    name = f"<span class=pl-whose>{_mark(column)}{html(column.title)}</span>"
    about = html(coverage(mean))
    # On how many answers a mean stands is said of the row, of the column, or here.
    own = ""
    if not note and not column.note:
        counts = say("{part:,} of {all:,}", part=mean.scored, all=mean.asked)
        counts = with_questions(counts, mean.questions)
        own = f"<small>{counts}</small>"
    if below:
        matters = " class=pl-matters" if below.matters else ""
        own += f"<small{matters}>{html(below.words)}</small>"
    value = f"<strong>{column.scale.shown(mean.mean)}</strong>"
    return f'<td title="{about}">{name}{value}{interval}{own}</td>'
