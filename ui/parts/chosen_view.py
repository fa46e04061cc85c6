"""How a run is looked at: whose labels, and by which formula or rules; the same on every page."""

from __future__ import annotations

import streamlit as st

from evaluators.catalogue import leads
from evaluators.records import Run
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import WHAT_COUNTS


def definition_key(run: Run) -> str:
    """Where the session keeps by which formula the run's labels are counted."""
    return f"definition_{run.id}"


def labels_key(run: Run) -> str:
    """Where the session keeps whose labels are looked at, empty for what counts."""
    return f"labels_{run.id}"


def rules_key(run: Run) -> str:
    """Where the session keeps by which rules RGB's answers are read."""
    return f"policy_{run.id}"


def of(run: Run) -> View:
    """What is chosen for the run, also before or without the fields that choose it."""
    match leads(run.evaluator.name):
        case "trace":
            definition = st.session_state.get(definition_key(run))
            labeller = st.session_state.get(labels_key(run)) or None
            return View(definition, labeller)
        case "rgb":
            return View(policy=st.session_state.get(rules_key(run)))
    return WHAT_COUNTS
