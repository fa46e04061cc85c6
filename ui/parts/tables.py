"""Tables of numbers behind the charts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

import streamlit as st

from evaluators.document.blocks import Block, Passage, Table
from evaluators.document.tables import filled_columns
from evaluators.runs.aggregate import MOST_GROUPS, Mean
from evaluators.runs.rgb_figures import Curves, curve_title
from evaluators.runs.shown_values import beside, coverage, why_no_interval
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE, SCORE, Scale
from evaluators.values import Value
from ui.parts import explained, value_table
from ui.parts.untrusted import plain
from ui.parts.value_table import Column, Row

COUNT = re.compile(r"[\d,]+")
COUNTS = partial(st.column_config.NumberColumn, format="localized")


def noise_levels(curves: Mapping[str, Curves]) -> None:
    """The numbers behind the accuracy-by-noise chart, by model."""
    lines = []
    for model, own in curves.items():
        for value, points in own.items():
            for point in points:
                reached = point.effective_noise
                line = {
                    mark("Ability"): curve_title(value),
                    mark("Model"): say(model) if len(curves) > 1 else "",
                    mark("Noise asked"): RATE.shown(point.noise),
                    mark("Noise had"): say("unknown") if reached is None else RATE.shown(reached),
                }
                lines.append(line | _mean_cells(point.mean))
    show([filled_columns(lines)], say("Accuracy by noise"))


def rates(means: Mapping[str, Mapping[Value, Mean]]) -> None:
    """The numbers behind the bars, by model: those of one rate stand together."""
    lines = []
    for value in dict.fromkeys(itertools.chain.from_iterable(means.values())):
        for model, own in means.items():
            if value in own:
                name = say(model) if len(means) > 1 else ""
                line = {mark("Rate"): say(value.heading), mark("Model"): name}
                lines.append(line | _mean_cells(own[value]))
    show([filled_columns(lines)], say("Rates"))


def by_group(
    means: Mapping[str, Mapping[str, Mean]],
    titles: Mapping[str, str],
    scales: Mapping[str, Scale],
) -> None:
    """The means of each group of samples with their intervals, under the titles of the values.

    Nothing where the data name no groups.
    """
    if not any(means.values()):
        return
    st.header(say("By group"))
    rows = []
    for group, own in itertools.islice(means.items(), MOST_GROUPS):
        shown = [own.get(name) for name in titles]
        coverages = {coverage(mean) for mean in shown if mean is not None}
        # Of RGB no value applies to every answer: there each says on how many it stands.
        note = coverages.pop() if len(coverages) == 1 else ""
        rows.append(Row(group, shown, note))
    columns = [
        Column(title, term=name, scale=scales.get(name, SCORE)) for name, title in titles.items()
    ]
    value_table.show(say("Group"), columns, rows)
    if why := why_no_interval((mean for row in rows for mean in row.means), of_groups=True):
        st.caption(why)
    if len(means) > MOST_GROUPS:
        st.caption(say("The first {most} of {all:,} groups.", most=MOST_GROUPS, all=len(means)))


def plain_rows(rows: Sequence[Mapping[str, object]], alt: str, right: Collection[str] = ()) -> None:
    """Rows as they are; the head of a column that the glossary knows explains itself.

    The columns named in `right` are texts of numbers.
    """
    columns = {}
    for head in dict.fromkeys(itertools.chain.from_iterable(rows)):
        side: Literal["right"] | None = "right" if head in right else None
        kind = COUNTS if isinstance(rows[0].get(head), int) else st.column_config.Column
        columns[head] = kind(help=explained.help_of(head), alignment=side)
    st.dataframe(rows, hide_index=True, alt=alt, column_config=columns)


def show(blocks: Iterable[Block], alt: str) -> None:
    """Tables of a document with their numbers on the right, and its texts small below them."""
    for block in blocks:
        if isinstance(block, Table) and block.rows:
            headings = list(map(say, block.headings))
            right = {say(heading) for heading in block.numbers}
            by_column = zip(*map(_sortable, zip(*block.rows, strict=True)), strict=True)
            plain_rows([dict(zip(headings, row, strict=True)) for row in by_column], alt, right)
        if isinstance(block, Passage) and block.text:
            st.caption(plain(block.text))


def _sortable(column: Sequence[str]) -> Sequence[str | int]:
    """A column of nothing but counts as numbers, which a table sorts as such."""
    if not all(map(COUNT.fullmatch, column)):
        return column
    return [int(cell.replace(",", "")) for cell in column]


def _mean_cells(mean: Mean) -> dict[str, str]:
    return {
        mark("Value"): say("nothing checked") if mean.mean is None else RATE.shown(mean.mean),
        mark("95 % interval"): RATE.interval(mean.low, mean.high),
        mark("Checked"): mean.checked,
        mark("Same prompt"): mean.within.in_words if mean.within else "",
        mark("Not applicable"): f"{mean.not_applicable}",
        mark("Failed"): f"{mean.failed}",
        mark("Beside"): "; ".join(beside(mean)),
    }
