"""Runs: everything this workspace ran."""

import streamlit as st

from ui.runs import overview

st.title("Runs")
st.caption("Every result is stored the moment it exists. A stopped run resumes where it was.")
overview.show(limit=100, editable=True)
