"""Sample: one sample under the lamp."""

import streamlit as st

from ui import highlight, sample_view, session

st.title("Sample")
run, position = sample_view.chosen()
if run is None:
    st.info("Open a run and select a row there.", icon=":material/search:")
    st.page_link("../pages/runs.py", label="Runs", icon=":material/history:")
else:
    highlight.style()
    position = sample_view.steps(run, position)
    sample_view.show(run, session.store().sample(run.fingerprint, position), position)
