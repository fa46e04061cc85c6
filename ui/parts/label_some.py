"""Label some: from a run to the page on which people label answers of it."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.runs.engine import registry
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say
from ui import session
from ui.parts import own_copy
from ui.parts.untrusted import plain

PAGE = "../pages/label.py"
EXAMPLE = mark("Everybody sees the same example. A copy of your own can be labelled.")


def button(run: Run) -> None:
    """Goes to the form of a queue of answers of this run."""
    if st.button(say("Label some …"), icon=":material/edit_note:", key=f"label_{run.id}"):
        st.switch_page(PAGE, query_params=session.address(run=run.id))


def is_stopped(run: Run) -> bool:
    """Whether nothing of this run can be labelled now; says why, and what to do."""
    if run.workspace == EXAMPLES:
        st.info(say(EXAMPLE), icon=":material/info:")
        own_copy.button(run, say("Make a copy and go on"), is_primary=True)
        return True
    return is_unfinished(run)


def is_unfinished(run: Run) -> bool:
    """Whether this run is at work, so that nothing can be drawn from it; says what to do."""
    if registry.is_at_work(run.id, session.store()):
        # Drawn now, the labels would speak for the answers checked so far, not for the run.
        wait = say("This run is at work. Wait for its end, or stop it: then draw from all of it.")
        st.info(wait, icon=":material/info:")
        return True
    return False


def way_back(run: Run) -> None:
    """Above what is done with a run: back to it, and what it is called."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(say("Back to the run"), icon=":material/arrow_back:"):
            session.open_run(run)
        st.caption(plain(run.title))
