"""Check: from a run to the page that says how far its labeller can be trusted."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.text.language import say
from ui import session

PAGE = "../pages/check.py"
LAST = "run_checked"
"""Where the session keeps which run was checked last; the menu leads back to it."""


def button(run: Run) -> None:
    """Goes to the check of this run."""
    if st.button(say("Check"), icon=":material/balance:", key=f"check_{run.id}"):
        st.switch_page(PAGE, query_params=session.address(run=run.id))
