"""Runs: everything this workspace ran."""

import streamlit as st

from ui import run_list

st.title("Runs")
st.caption("Every result is stored the moment it exists. A stopped run resumes where it was.")
run_list.show(limit=100, editable=True)
