"""The choice of rules by which stored answers are read: a view, without new calls."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from evaluators.catalogue import from_spec
from evaluators.records import Run
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_rules import Policy
from ui.parts.words import readable

HELP = (
    "**Documented**: flexible wording, such as “no information” or “incorrect”.  \n"
    "**Paper**: the phrases of the benchmark's own script, nothing else.  \n"
    "The answers stay: only the verdicts change, and no model is asked."
)


def switch(run: Run) -> RGBEvaluator:
    """The run's evaluator under the rules that are chosen, at first its own; all pages share it."""
    evaluator = from_spec(run.evaluator)
    assert isinstance(evaluator, RGBEvaluator)
    policy = st.segmented_control(
        "Rules",
        get_args(Policy),
        default=evaluator.policy,
        format_func=lambda name: readable(name) + (" (as run)" if name == evaluator.policy else ""),
        required=True,
        help=HELP,
        key=f"policy_{run.id}",
        persist_state="session",
    )
    return evaluator.model_copy(update={"policy": policy})
