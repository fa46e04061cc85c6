"""The head of a page: its title, and beside it in a line what the page is."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def show(title: str, line: str) -> None:
    with row(title):
        st.caption(line)


def row(title: str) -> DeltaGenerator:
    """The title, with room beside it."""
    place = st.container(horizontal=True, vertical_alignment="bottom", key="head")
    place.title(title, width="content")
    return place
