"""The way from a run to the page that lays it beside another."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from ui import session

FIRST, SECOND = "first", "second"
"""The query parameters of a comparison: each names a run and the number of its model, from 1."""


def address(run: Run, model: int = 0) -> str:
    """What a query parameter says of one system."""
    return f"{run.id}.{model + 1}"


def button(run: Run) -> None:
    """Goes to the comparison of this run with the one that is likeliest meant."""
    if st.button("Compare", icon=":material/compare_arrows:", key=f"compare_{run.id}"):
        query = session.address(**{FIRST: address(run)})
        st.switch_page("../pages/compare.py", query_params=query)
