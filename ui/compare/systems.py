"""Three systems or more: a sentence and a row for each, and which one is looked at closely."""

from __future__ import annotations

import streamlit as st

from evaluators.comparison import words
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several, System
from evaluators.text.words import readable
from ui.parts import value_table
from ui.parts.untrusted import plain
from ui.parts.value_table import Below, Column, Row


def show(several: Several) -> Comparison:
    """The table of all; gives the comparison that is looked at closely below it."""
    st.header(plain(f"Each against {several.reference.title}"), anchor=False)
    findings = []
    for own in several.comparisons:
        findings.append(f"- **{plain(own.second)}:** {plain(own.against_reference())}")
    st.markdown("\n".join(findings))
    columns = [Column(readable(name)) for name in several.values]
    rows = [_system_row(system, several) for system in several.systems]
    value_table.show("", columns, rows)
    st.caption(
        plain(
            "Each mean with its 95 % interval and how many answers were checked. Below it the "
            "difference from the first in points, over the answers checked for both: with ▲ or ▼ "
            "where it is beyond chance (p below 0.05, counting all that is compared here, Holm)."
        )
    )
    st.header("Closer", anchor="closer")
    by_title = {own.second: own for own in several.comparisons}
    chosen = st.segmented_control(
        "Against the first",
        list(by_title),
        default=next(iter(by_title)),
        required=True,
        format_func=plain,
        key="compare_closer",
        label_visibility="collapsed",
    )
    return by_title.get(chosen, several.comparisons[0])


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
    own = f", {len(compared.rows):,} both" if len(compared.rows) < system.means[name].scored else ""
    return Below(f"{arrow}{words.in_points(difference)}{own}", difference.is_told_apart)
