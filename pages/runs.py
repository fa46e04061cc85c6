"""Runs: everything this workspace ran."""

import streamlit as st

from ui.parts import head
from ui.runs import files, table

with head.row("Runs"):
    st.caption("Every result is stored the moment it exists. A stopped run resumes where it was.")
    with st.container(width="content"):
        files.opener()
table.show()
