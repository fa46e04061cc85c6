"""Three systems or more: a sentence and a row for each, and which one is looked at closely."""

from __future__ import annotations

import streamlit as st

from evaluators.comparison import words
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several, System
from evaluators.text.language import say
from evaluators.text.words import readable
from ui.parts import value_table
from ui.parts.untrusted import plain
from ui.parts.value_table import Below, Column, Row


def show(several: Several) -> Comparison:
    """The table of all; gives the comparison that is looked at closely below it."""
    st.header(plain(say("Each against {title}", title=several.reference.title)), anchor=False)
    findings = []
    for own in several.comparisons:
        name = say("{name}:", name=plain(own.second))
        findings.append(f"- **{name}** {plain(own.against_reference())}")
    st.markdown("\n".join(findings))
    scales = several.scales()
    columns = [Column(readable(name), term=name, scale=scales[name]) for name in several.values]
    rows = [_system_row(system, several) for system in several.systems]
    value_table.show("", columns, rows)
    st.caption(
        plain(
            say(
                "Each mean with its 95 % interval and how many answers were checked. Below it the "
                "difference from the first in points, over the answers checked for both: with ▲ "
                "or ▼ where it is beyond chance (p below 0.05, counting all that is compared "
                "here, Holm)."
            )
        )
    )
    st.header(say("Closer"), anchor="closer")
    # By their numbers, as a title may have a word of the reader's language.
    titles = [plain(own.second) for own in several.comparisons]
    chosen = st.segmented_control(
        say("Against the first"),
        list(range(len(titles))),
        default=0,
        required=True,
        format_func=lambda number: titles[number] if number < len(titles) else "",
        key="compare_closer",
        label_visibility="collapsed",
    )
    return several.comparisons[chosen if chosen < len(titles) else 0]


def _system_row(system: System, several: Several) -> Row:
    return Row(
        title=system.title,
        means=[system.means.get(name) for name in several.values],
        below=[_difference(system, name) for name in several.values],
    )


def _difference(system: System, name: str) -> Below | None:
    compared = system.against_reference(name)
    if compared is None or compared.difference is None:
        return None
    difference = compared.difference
    arrow = ""
    if difference.is_told_apart:
        arrow = "▲ " if difference.difference > 0 else "▼ "
    points = f"{arrow}{words.in_points(difference)}"
    if len(compared.rows) < system.means[name].scored:
        points = say("{points}, {number:,} both", points=points, number=len(compared.rows))
    return Below(points, difference.is_told_apart)
