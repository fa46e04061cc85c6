"""What the screens of a round share: nothing of the app around them, and a word on a bare page."""

from __future__ import annotations

import streamlit as st

from evaluators.text.markup import html
from ui import script
from ui.parts import highlight

STYLE = script.STATIC / "round.css"


def bare_style() -> None:
    """Once on each screen, before anything else."""
    highlight.style()
    st.html(STYLE)


def note(text: str) -> None:
    """The only thing on the screen."""
    st.html(f'<p class="pl-round-note" role="status">{html(text)}</p>')
