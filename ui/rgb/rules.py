"""The choice of rules by which stored answers are read: a view, without new calls."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from evaluators.records import Run
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_rules import Policy
from evaluators.runs.rulings import rgb_evaluator
from evaluators.text.language import mark, say
from evaluators.text.words import readable
from ui.parts import chosen_view, explained

POLICIES = get_args(Policy)
A_VIEW = mark("The answers stay: only the verdicts change, and no model is asked.")


def switch(run: Run) -> RGBEvaluator:
    """The run's evaluator under the rules that are chosen, at first its own; all pages share it."""
    own = rgb_evaluator(run).policy
    policy = st.segmented_control(
        say("Rules"),
        POLICIES,
        default=own,
        format_func=lambda name: (
            say("{rule} (as run)", rule=readable(name)) if name == own else readable(name)
        ),
        required=True,
        help=f"{explained.help_text(*POLICIES)}  \n{say(A_VIEW)}",
        key=chosen_view.rules_key(run),
        persist_state="session",
    )
    return rgb_evaluator(run, policy)
