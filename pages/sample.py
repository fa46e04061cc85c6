"""Sample: one sample under the lamp."""

import streamlit as st

from ui import highlight, run_list, sample_view, session

st.title("Sample")
run, position = sample_view.chosen()
if run is None:
    run_list.none_shown("Open a run and select a row there.")
else:
    highlight.style()
    position = sample_view.steps(run, position)
    sample_view.show(run, session.store().sample(run.fingerprint, position), position)
