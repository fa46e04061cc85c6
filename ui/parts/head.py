"""The head of a page: its title, and beside it in a line what the page is."""

import streamlit as st


def show(title: str, line: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title(title, width="content")
        st.caption(line)
