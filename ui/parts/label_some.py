"""Label some: from a run to the page on which people label answers of it."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from ui import session

PAGE = "../pages/label.py"


def button(run: Run) -> None:
    """Goes to the form of a queue of answers of this run."""
    if st.button("Label some …", icon=":material/edit_note:", key=f"label_{run.id}"):
        st.switch_page(PAGE, query_params=session.address(run=run.id))
