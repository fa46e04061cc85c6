"""What a page says of an example first of all: what it is, and how to have one's own."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.runs import examples
from ui import session
from ui.parts import problems

ILLUSTRATION = (
    "**Illustration:** answers and judges' labels written for this example, not measurements of a "
    "named model. Everybody sees the same."
)


def banner(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="example"):
        st.caption(ILLUSTRATION)
        if st.button("Make it yours", icon=":material/content_copy:", type="tertiary"):
            with problems.caught():
                session.check_room(examples.size(run.id))
                copied = examples.copy(session.store(), run, session.workspace())
                # The page goes on with the copy where it was, at the same sample.
                st.query_params["run"] = copied.id
                st.rerun()
