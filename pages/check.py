"""Check: how far a run's labeller can be trusted."""

import streamlit as st

from evaluators.text.language import say
from ui import session
from ui.check import scores
from ui.check import view as check_view
from ui.parts import check_link
from ui.runs import overview

run = session.find_run(st.query_params.get("run") or st.session_state.get(check_link.LAST))
overview.head_of_run(
    say("Check your judge"), say("How far a labeller can be trusted, by labels of people."), run
)
if run is None:
    overview.none_shown(say("Open a run and press “Check” there."))
    scores.of_data()
else:
    st.session_state[check_link.LAST] = run.id
    st.query_params["run"] = run.id
    check_view.show(run)
