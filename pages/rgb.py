"""RGB: noise robustness, negative rejection, information integration, counterfactual robustness."""

import streamlit as st

from ui import session
from ui.parts import head, present, samples
from ui.parts.words import RGB
from ui.rgb import form as rgb_form
from ui.rgb import results as rgb_results
from ui.runs import overview, page

run = session.shown_run("rgb")
if run is not None and present.is_on():
    page.presented(run, rgb_results.blocks)
else:
    head.show("RGB", RGB)
    overview.say_first(run)
    # Another run begins with another expander, shut: after Start its results are in sight.
    place = f"new_run_{run.id}" if run else "new_run"
    with st.expander("New run", expanded=run is None, icon=":material/tune:", key=place):
        rgb_form.show()
    if run is None:
        overview.none_shown(rgb_form.hint())
    else:
        samples.skip_link()
        overview.keep_link()
        page.watched(run, rgb_results.card, rgb_results.show)
