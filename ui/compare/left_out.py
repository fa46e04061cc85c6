"""What does not count in a comparison: samples without a partner, or not checked for both."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.comparison.result import Compared, Comparison
from evaluators.comparison.sides import Side
from evaluators.runs.store import Answer
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
    title = "What does not count"
    if alone:
        title += f": {counted(alone, 'sample')} without a partner"
    with st.expander(title, icon=":material/rule:"):
        if alone:
            _show_without_partner(comparison, sides)
        if unchecked:
            st.markdown("\n".join(f"- {_not_checked(value, comparison)}" for value in unchecked))


def _not_checked(value: Compared, comparison: Comparison) -> str:
    """ "Adherence: checked 12 only for A, 3 for neither"."""
    parts = []
    for number, whom in (
        (value.only_first, f"only for {comparison.first}"),
        (value.only_second, f"only for {comparison.second}"),
        (value.neither, "for neither"),
    ):
        if number:
            parts.append(f"{number:,} {whom}")
    return plain(f"{readable(value.name)}: checked {', '.join(parts)}")


def _show_without_partner(comparison: Comparison, sides: tuple[Side, Side]) -> None:
    listed = []
    titles = (comparison.first, comparison.second)
    for title, side, positions in zip(titles, sides, comparison.alone, strict=True):
        listed += _rows_without_partner(title, side, positions[:MOST_LISTED])
    st.dataframe(listed, hide_index=True)
    if any(len(positions) > MOST_LISTED for positions in comparison.alone):
        st.caption(f"The first {MOST_LISTED} of each.")


def _rows_without_partner(
    title: str, side: Side, positions: Sequence[int]
) -> list[dict[str, object]]:
    answers = [Answer(position, side.model) for position in positions]
    contents = side.view.contents(answers)
    return [
        {
            "Only in": title,
            "#": answer.position + 1,
            "Question": contents[answer].sample.question if answer in contents else "",
        }
        for answer in answers
    ]
