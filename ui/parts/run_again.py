"""A run once more: the form of a new run, filled with the settings of an earlier one."""

from __future__ import annotations

import streamlit as st

from evaluators.catalogue import leads
from evaluators.records import Run
from ui import session


def button(run: Run) -> None:
    """Goes to the form of a new run with the settings of this one."""
    if st.button("Run again …", icon=":material/replay:", key=f"again_{run.id}"):
        page = session.PAGES[leads(run.evaluator.name)]
        st.switch_page(page, query_params=session.address(again=run.id))
