"""Label some: from a run to the page on which people label answers of it."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.runs.engine import registry
from evaluators.runs.store.workspaces import EXAMPLES
from ui import session
from ui.parts.untrusted import plain

PAGE = "../pages/label.py"
EXAMPLE = "Everybody sees the same example. Press “Make it yours” on its page to label a copy."


def button(run: Run) -> None:
    """Goes to the form of a queue of answers of this run."""
    if st.button("Label some …", icon=":material/edit_note:", key=f"label_{run.id}"):
        st.switch_page(PAGE, query_params=session.address(run=run.id))


def why_not(run: Run) -> str:
    """Why nothing of this run can be labelled now; empty where it can."""
    if run.workspace == EXAMPLES:
        return EXAMPLE
    if registry.is_at_work(run.id, session.store()):
        # Drawn now, the labels would speak for the answers checked so far, not for the run.
        return "This run is at work. Wait for its end, or stop it: then draw from all of it."
    return ""


def way_back(run: Run) -> None:
    """Above what is done with a run: back to it, and what it is called."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Back to the run", icon=":material/arrow_back:"):
            session.open_run(run)
        st.caption(plain(run.title))
