"""An example becomes one's own: a copy in the visitor's workspace."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from evaluators.records import Run
from evaluators.runs import examples
from ui import session
from ui.parts import problems


def button(run: Run, label: str, *, is_primary: bool = False) -> None:
    """Copies the example; the page goes on with the copy where it was, at the same sample."""
    look: Literal["primary", "tertiary"] = "primary" if is_primary else "tertiary"
    if st.button(label, icon=":material/content_copy:", type=look):
        with problems.caught():
            copied = examples.copy(session.store(), run, session.workspace())
            st.query_params["run"] = copied.id
            st.rerun()
