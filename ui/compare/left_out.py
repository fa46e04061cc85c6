"""What does not count in a comparison: samples without a partner, or not checked for both."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.comparison.result import Compared, Comparison
from evaluators.comparison.sides import Side
from evaluators.runs.store import Answer
from evaluators.text.language import say
from evaluators.text.words import counted, readable
from ui.parts.untrusted import plain

MOST_LISTED = 100
"""Samples without a partner that are listed of each side: their questions are read for it."""


def show(comparison: Comparison, sides: tuple[Side, Side]) -> None:
    """How many they are, folded; nothing where all samples count."""
    alone = sum(map(len, comparison.alone))
    unchecked = [value for value in comparison.values if len(value.rows) < value.matched]
    if not alone and not unchecked:
        return
    title = say("What does not count")
    if alone:
        samples = counted(alone, "sample")
        title = say("What does not count: {samples} without a partner", samples=samples)
    with st.expander(title, icon=":material/rule:"):
        if alone:
            _show_without_partner(comparison, sides)
        if unchecked:
            st.markdown("\n".join(f"- {_not_checked(value, comparison)}" for value in unchecked))


def _not_checked(value: Compared, comparison: Comparison) -> str:
    """ "Adherence: checked 12 only for A, 3 for neither"."""
    parts = []
    for number, title in (
        (value.only_first, comparison.first),
        (value.only_second, comparison.second),
    ):
        if number:
            parts.append(say("{number:,} only for {title}", number=number, title=title))
    if value.neither:
        parts.append(say("{number:,} for neither", number=value.neither))
    counts = say(", ").join(parts)
    return plain(say("{value}: checked {counts}", value=readable(value.name), counts=counts))


def _show_without_partner(comparison: Comparison, sides: tuple[Side, Side]) -> None:
    listed = []
    titles = (comparison.first, comparison.second)
    for title, side, positions in zip(titles, sides, comparison.alone, strict=True):
        listed += _rows_without_partner(title, side, positions[:MOST_LISTED])
    st.dataframe(listed, hide_index=True)
    if any(len(positions) > MOST_LISTED for positions in comparison.alone):
        st.caption(say("The first {most} of each.", most=MOST_LISTED))


def _rows_without_partner(
    title: str, side: Side, positions: Sequence[int]
) -> list[dict[str, object]]:
    answers = [Answer(position, side.model) for position in positions]
    contents = side.view.contents(answers)
    return [
        {
            say("Only in"): title,
            "#": answer.position + 1,
            say("Question"): contents[answer].sample.question if answer in contents else "",
        }
        for answer in answers
    ]
