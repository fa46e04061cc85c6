"""Home: finished examples to see, one's own data and models to try, recent runs."""

import streamlit as st

from ui import session
from ui.home import tiles
from ui.parts import head
from ui.runs import overview

with head.row("Plumbline"):
    st.caption("Shows whether a RAG system's answers are true to their sources.", width="content")
    # On a phone the menu is folded, and whoever never heard of RAG would not find it there.
    st.page_link(
        "../pages/learn.py",
        label="New to this? Learn by playing",
        icon=":material/school:",
        query_params=session.address(),
    )
tiles.see_it()
tiles.do_it()
st.header("Recent runs")
overview.show(limit=5)
