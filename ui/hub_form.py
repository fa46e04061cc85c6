"""Data from the Hugging Face hub: a subset of RAGBench by name, or any data set by its id."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from evaluators.datasets import hub
from evaluators.datasets.hub import Listing
from ui import dataset_view, fetching, origin, problems
from ui.model_form import KEPT
from ui.untrusted import plain

RAGBENCH, ANY = "RAGBench", "Any data set"
LISTING = "hub_listing"
ROWS = 100
"""How many rows are asked for at first: enough for a first look, and soon loaded."""


def show() -> None:
    """Asks which data set, shows its licence and its parts, and loads the one that is chosen."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    way = left.segmented_control("From the hub", [RAGBENCH, ANY], default=RAGBENCH, required=True, key="hub_way", **KEPT)
    if way == RAGBENCH:
        name, subset = hub.RAGBENCH, right.selectbox("Subset", hub.SUBSETS, key="hub_subset", **KEPT)
    else:
        name, subset = right.text_input("Data set", placeholder="owner/name", max_chars=200, key="hub_id", **KEPT), ""
    look = problems.guarded(_look, "hub")
    st.button("Look it up", icon=":material/search:", disabled=not name.strip(), key="hub_look", on_click=look, args=(name,))
    problems.show("hub")
    asked, listing = st.session_state.get(LISTING, ("", None))
    if listing and asked == name:
        _parts(listing, subset)


def _look(name: str) -> None:
    """Asks the hub what the data set holds; the answer stays until another one is asked for."""
    with st.spinner("Asking huggingface.co"):
        st.session_state[LISTING] = name, hub.files(name)


def _parts(listing: Listing, subset: str) -> None:
    """What can be loaded of a data set, and how much of it."""
    st.caption(plain(f"{listing.id} · {origin.license_of(listing.license)} · revision {listing.revision[:7]}"))
    first, second, third = st.columns(3, vertical_alignment="bottom")
    configs = [subset] if subset in listing.configs else list(listing.configs)
    config = first.selectbox("Configuration", configs, disabled=len(configs) == 1, key=f"hub_config_{listing.id}")
    splits = listing.configs[config]
    split = second.selectbox("Split", list(splits), key=f"hub_split_{listing.id}_{config}")
    rows = third.number_input(
        "Rows", 1, value=ROWS, placeholder="All", help="The first rows; empty for all.", key="hub_rows", **KEPT
    )
    size = sum(file.size for file in splits[split])
    st.caption(f"{fetching.megabytes(size)} in {len(splits[split])} files.")
    if st.button("Load", type="primary", icon=":material/download:", key="hub_load"):
        fetching.load(lambda told: hub.fetch(listing, config, split, rows, told))
