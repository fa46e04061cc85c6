"""Datasets: choose or upload data, look at it, see which evaluators it serves."""

import streamlit as st

from ui import dataset_view, session

st.title("Datasets")
dataset_view.uploader()
names = session.sources()
name = st.selectbox(
    "Data set", list(names), format_func=lambda n: f"{n} ({names[n]})", key="dataset", persist_state="session"
)
if (data := session.source(name)) is not None:
    dataset_view.show(data)
    if names[name] == "uploaded":
        dataset_view.delete_button(name)
