"""Start a round: from a run to the page on which a class labels answers of it."""

from __future__ import annotations

import streamlit as st

from evaluators.catalogue import leads
from evaluators.records import Run
from evaluators.text.language import say
from ui import session

PAGE = "../pages/round.py"


def button(run: Run) -> None:
    """Goes to the form of a round: over sentences, planted errors or the answers of two models."""
    if leads(run.evaluator.name) is None and len(run.models) < 2:
        return
    if st.button(say("Start a round …"), icon=":material/groups:", key=f"round_{run.id}"):
        st.switch_page(PAGE, query_params=session.address(run=run.id))
