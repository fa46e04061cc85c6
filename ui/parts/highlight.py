"""The style sheets of coloured and marked texts."""

from __future__ import annotations

import streamlit as st

from evaluators.report import coloured, marked


def style() -> None:
    """Sends the style sheet of coloured texts; once per page, before the first of them."""
    st.html(coloured.STYLE)


def style_of_marks() -> None:
    """Sends the style sheet of RGB's marked texts; once per page, before the first of them."""
    st.html(marked.STYLE)
