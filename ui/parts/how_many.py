"""How many samples a run takes: some at random, the same ones in every run over the data."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evaluators.runs.run_options import SETTINGS
from evaluators.text.language import say
from ui.parts.forms import KEPT, setting_number

FEW, MORE = 20, 100
ALL, OTHER = "all", "other"


def choose(total: int, key: str, *, label: str = "") -> int | None:
    """How many of `total` samples are taken at random; `None` for all.

    The `label` asks how many, where they are not of the whole data.
    """
    offered = [number for number in (FEW, MORE) if number < total]
    options = [*map(str, offered), ALL, OTHER]
    words = {str(number): say("{number} at random", number=number) for number in offered}
    words |= {ALL: say("All {total:,}", total=total), OTHER: say("Another number", "how many")}
    if st.session_state.get(key) not in options:
        # Other data may be too few for what was chosen.
        st.session_state.pop(key, None)
    chosen = st.segmented_control(
        label or say("How many"),
        options,
        default=ALL,
        format_func=words.__getitem__,
        required=True,
        key=key,
        **KEPT,
    )
    if chosen == ALL:
        return None
    if chosen != OTHER:
        return int(chosen)
    number_key = f"{key}_number"
    # Streamlit refuses a value beyond the bounds, which other data had.
    if st.session_state.get(number_key, 0) > total:
        st.session_state.pop(number_key)
    number: int = st.number_input(
        say("At random"),
        1,
        total,
        min(FEW, total),
        label_visibility="collapsed",
        key=number_key,
        **KEPT,
    )
    return number


def fields(count: int | None, key: str) -> dict[str, Any]:
    """The values of the fields of `choose` by which it gives this number."""
    if count is None or not SETTINGS["sample"].fits(count):
        return {key: ALL}
    if count in (FEW, MORE):
        return {key: str(count)}
    return {key: OTHER, f"{key}_number": count}


def seed(key: str, purpose: str) -> int:
    """The seed by which they are drawn."""
    number: int = setting_number("seed", say("Seed"), key, words=purpose)
    return number
