"""The official RGB files, fetched from the benchmark's own repository."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets import official
from ui import fetching
from ui.model_form import KEPT


def show() -> None:
    """Asks which file, and loads it."""
    bed = st.selectbox(
        "Test bed", list(official.BEDS), format_func=official.BEDS.__getitem__, key="official_bed", **KEPT
    )
    st.caption(
        "From github.com/chen700564/RGB · licence CC BY-NC-SA 4.0. "
        "The benchmark's own prompt can be chosen on the RGB page, under Prompt."
    )
    if st.button("Load", type="primary", icon=":material/download:", key="official_load"):
        fetching.load(lambda told: official.fetch(bed, told))
