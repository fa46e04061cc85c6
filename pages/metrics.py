"""Metrics: everything that is measured by one metric alone, with what it needs and how it works."""

import streamlit as st

from ui import metrics_form, metrics_view, progress, run_list, session

st.title("Metrics")
run = session.shown_run()
with st.expander("New run", expanded=run is None, icon=":material/tune:"):
    metrics_form.show()
if run is None:
    run_list.none_shown("No run on this page yet. Choose a metric and press Start; those without a judge need no key.")
else:
    metrics_view.card(run)
    progress.watched(run, lambda: metrics_view.show(run))
