"""TRACE: relevance, utilization, completeness and adherence, from sentence labels."""

import streamlit as st

from ui import progress, run_list, session, trace_form, trace_view

st.title("TRACE")
run = session.shown_run(*session.TRACE)
run_list.missing(run)
with st.expander("New run", expanded=run is None, icon=":material/tune:"):
    trace_form.show()
if run is None:
    run_list.none_shown("No run on this page yet. Choose a method and press Start; the heuristic needs no key.")
else:
    run_list.keep_link()
    trace_view.card(run)
    progress.watched(run, lambda: trace_view.show(run))
