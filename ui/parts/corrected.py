"""What people's labels make of a labeller's mean, above it; nothing without labels enough."""

from __future__ import annotations

import streamlit as st

from evaluators.runs.checks import corrected_headlines
from evaluators.runs.run_view import RunView
from ui.parts import chosen_view
from ui.parts.untrusted import plain


def say_headlines(view: RunView, metric: int = 0, model: int | None = None) -> bool:
    """What people say of one model, or of each, beside the labeller; whether there was anything."""
    lines = corrected_headlines(view, chosen_view.of(view.run), metric, model)
    for line in lines:
        st.header(plain(line), anchor=False)
    return bool(lines)
