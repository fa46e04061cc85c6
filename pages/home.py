"""Home: finished examples to see, one's own data and models to try, recent runs."""

import streamlit as st

from evaluators.text.language import say
from ui import session
from ui.home import tiles
from ui.parts import head
from ui.runs import overview

with head.row("Plumbline"):
    line = say(
        "RAG: a model answers from documents that a search found. "
        "Plumbline shows whether such answers are true to them."
    )
    st.caption(line, width="content")
    # On a phone the menu is folded, and whoever never heard of RAG would not find it there.
    st.page_link(
        "../pages/learn.py",
        label=say("New to this? Learn by playing"),
        icon=":material/school:",
        query_params=session.address(),
    )
    # No address of the workspace: a class that joins sees nothing of it.
    st.page_link("../pages/round.py", label=say("Join a round"), icon=":material/groups:")
tiles.see_it()
tiles.do_it()
st.header(say("Recent runs"))
overview.show(limit=5)
