"""Runs: everything this workspace ran."""

import streamlit as st

from evaluators.text.language import say
from ui.batch import listing
from ui.parts import head
from ui.runs import files, table

with head.row(say("Runs")):
    st.caption(
        say("Every result is stored the moment it exists. A stopped run resumes where it was.")
    )
    with st.container(width="content"):
        files.opener()
table.show()
listing.show()
