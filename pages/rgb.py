"""RGB: noise robustness, negative rejection, information integration, counterfactual robustness."""

import streamlit as st

from ui import progress, rgb_form, rgb_view, run_list, session

st.title("RGB")
run = session.shown_run("rgb")
run_list.missing(run)
with st.expander("New run", expanded=run is None, icon=":material/tune:"):
    rgb_form.show()
if run is None:
    run_list.none_shown(rgb_form.hint())
else:
    run_list.keep_link()
    rgb_view.card(run)
    progress.watched(run, lambda: rgb_view.show(run))
