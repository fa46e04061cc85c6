"""The way from a run to the page that lays it beside another."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from ui import session

FIRST, SECOND, MORE = "first", "second", "more"
"""The query parameters of a comparison: each names a run and the number of its model, from 1.

The last one may stand several times, and names a labeller too where it is not whose labels count.
"""


def address(run: Run, model: int = 0, by: str | None = None) -> str:
    """What a query parameter says of one system."""
    labeller = f".{by}" if by else ""
    return f"{run.id}.{model + 1}{labeller}"


def button(run: Run) -> None:
    """Goes to the comparison of this run with the one that is likeliest meant."""
    if st.button("Compare", icon=":material/compare_arrows:", key=f"compare_{run.id}"):
        query = session.address(**{FIRST: address(run)})
        st.switch_page("../pages/compare.py", query_params=query)
