"""Whether the figures of a run that came out of a file follow from its rows."""

from __future__ import annotations

import streamlit as st

from evaluators.runs.recount import Recount, recounted
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from ui import session
from ui.held import held
from ui.parts.untrusted import plain

AT_ONCE = 300
"""Results that are worked out anew without a click: some seconds for the slowest metric."""
BYTES = 1000


def show(view: RunView) -> None:
    """A line under the head of a run that was opened from a file; else nothing."""
    if not session.store().environments.of(view.run).opened:
        return
    place = f"recount_{view.run.id}"
    key = (recounted, view.store, view.run.id)

    def work_out() -> Recount:
        with st.spinner(say("Recomputing the values")):
            return recounted(view)

    if view.counts.asked > AT_ONCE and not st.session_state.get(place):
        st.caption(f":material/folder_open: {say('Opened from a file.')}")
        st.button(
            say("Recompute its values"),
            icon=":material/calculate:",
            on_click=st.session_state.update,
            args=({place: True},),
            key=f"ask_{place}",
        )
        return
    # Again only after the results changed: every value of the run is worked out for it.
    found = held.read(key, work_out, view.results_revision, lambda _: BYTES)
    sentence = plain(f"{say('Opened from a file.')} {found.sentence()}")
    if found.is_same:
        st.caption(f":material/folder_open: {sentence}")
    else:
        st.warning(sentence, icon=":material/warning:")
