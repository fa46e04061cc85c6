"""The official RGB files, fetched from the benchmark's own repository."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets import official
from evaluators.text.language import say
from ui.datasets import fetching
from ui.parts.forms import KEPT


def show() -> None:
    """Asks which file, and loads it."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    titles = {bed: f"{say(about)} · {bed}.json" for bed, about in official.BEDS.items()}
    bed = left.selectbox(
        say("File"),
        list(titles),
        format_func=titles.__getitem__,
        key="official_bed",
        **KEPT,
    )
    load = right.button(
        say("Load"),
        type="primary",
        icon=":material/download:",
        width="stretch",
        key="official_load",
    )
    st.caption(
        say(
            "From github.com/chen700564/RGB · licence CC BY-NC-SA 4.0. "
            "The RGB page can also ask with the benchmark's own prompt: see Prompt there."
        )
    )
    if load:
        fetching.load(lambda progress: official.fetch(bed, progress))
