"""TRACE: relevance, utilization, completeness and adherence, from sentence labels."""

import streamlit as st

from ui import session
from ui.parts import head
from ui.parts.words import TRACE
from ui.runs import overview, progress
from ui.trace import form as trace_form
from ui.trace import results as trace_results

head.show("TRACE", TRACE)
run = session.shown_run("trace")
overview.say_first(run)
with st.expander("New run", expanded=run is None, icon=":material/tune:"):
    trace_form.show()
if run is None:
    overview.none_shown(
        "No run on this page yet. Choose a method and press Start; the heuristic needs no key."
    )
else:
    overview.keep_link()
    trace_results.card(run)
    progress.watched(run, trace_results.show)
