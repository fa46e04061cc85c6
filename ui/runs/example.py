"""What a page says of an example first of all: what it is, and how to have one's own."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.text.language import mark, say
from ui.parts import own_copy

ILLUSTRATION = mark(
    "**Illustration:** answers and judges' labels written for this example, not measurements of a "
    "named model. Everybody sees the same."
)


def banner(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="example"):
        st.caption(say(ILLUSTRATION))
        own_copy.button(run, say("Make it yours"))
