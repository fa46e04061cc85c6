"""RGB: noise robustness, negative rejection, information integration, counterfactual robustness."""

import streamlit as st

from ui import session
from ui.parts import head
from ui.parts.words import RGB
from ui.rgb import form as rgb_form
from ui.rgb import results as rgb_results
from ui.runs import overview, progress

head.show("RGB", RGB)
run = session.shown_run("rgb")
overview.say_first(run)
with st.expander("New run", expanded=run is None, icon=":material/tune:"):
    rgb_form.show()
if run is None:
    overview.none_shown(rgb_form.hint())
else:
    overview.keep_link()
    rgb_results.card(run)
    progress.watched(run, rgb_results.show)
