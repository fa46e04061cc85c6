"""Metrics: one or several in a run, each with what it needs and how it works, and metrics of one's own."""

import streamlit as st

from ui import metrics_form, metrics_view, own_metrics, progress, run_list, session

st.title("Metrics")
run = session.shown_run()
run_list.missing(run)
with st.expander("New run", expanded=run is None, icon=":material/tune:"):
    metrics_form.show()
own_metrics.show()
if run is None:
    run_list.none_shown("No run on this page yet. Choose a metric and press Start; those without a judge need no key.")
else:
    run_list.keep_link()
    metrics_view.card(run)
    progress.watched(run, lambda: metrics_view.show(run))
