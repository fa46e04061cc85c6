"""Sample: one sample under the lamp."""

import streamlit as st

from ui import highlight, run_list, sample_view

st.title("Sample")
run, cell = sample_view.chosen()
run_list.missing(run)
if run is None:
    run_list.none_shown("Open a run and select a row there.")
else:
    highlight.style()
    sample_view.show(run, sample_view.steps(run, cell))
