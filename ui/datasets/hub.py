"""Data from the Hugging Face hub: a subset of RAGBench by name, or any data set by its id."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets import hub
from evaluators.datasets.hub import Listing
from evaluators.datasets.origin import license_of
from evaluators.text.language import mark, say
from evaluators.text.words import name_and_text
from ui.datasets import fetching
from ui.parts import problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

WAYS = RAGBENCH, ANY = "RAGBench", mark("Any data set")
LISTING = "hub_listing"
ROWS = 100
"""How many rows are asked for at first: enough for a first look, and soon loaded."""


def show() -> None:
    """Asks which data set, shows its licence and its parts, and loads the one that is chosen."""
    way = st.segmented_control(
        say("From the hub"),
        WAYS,
        format_func=say,
        default=RAGBENCH,
        required=True,
        key="hub_way",
        label_visibility="collapsed",
        **KEPT,
    )
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    name, subset = hub.RAGBENCH, ""
    if way == RAGBENCH:
        subset = left.selectbox(say("Subset"), hub.SUBSETS, key="hub_subset", **KEPT)
    else:
        name = left.text_input(
            say("Data set"),
            placeholder=say("owner/name"),
            max_chars=200,
            key="hub_id",
            **KEPT,
        )
    right.button(
        say("Look it up"),
        icon=":material/search:",
        width="stretch",
        disabled=not name.strip(),
        on_click=problems.guarded(_look, "hub"),
        args=(name,),
        key="hub_look",
    )
    problems.show("hub")
    asked, listing = st.session_state.get(LISTING, ("", None))
    # The name in the field may be another one by now.
    if listing and asked == name:
        _choose_part(listing, subset)


def _look(name: str) -> None:
    """Asks the hub what the data set holds; the answer stays until another one is asked for."""
    # First: what cannot be listed must not stand beside the list of another one.
    st.session_state.pop(LISTING, None)
    st.session_state[LISTING] = name, hub.files(name)


def _choose_part(listing: Listing, subset: str) -> None:
    """What can be loaded of a data set, and how much of it."""
    names = [subset] if subset in listing.configs else list(listing.configs)
    # A data set with one configuration needs no choice of it
    widths = [3, 3, 2, 2] if len(names) > 1 else [3, 2, 2]
    *before, second, third, fourth = st.columns(widths, vertical_alignment="bottom")
    part = names[0]
    if before:
        part = before[0].selectbox(say("Configuration"), names, key=f"hub_config_{listing.id}")
    splits = listing.configs[part]
    # A key for each part: the split that was chosen of another one may not exist here.
    split = second.selectbox(say("Split"), list(splits), key=f"hub_split_{listing.id}_{part}")
    rows = third.number_input(
        say("Rows"),
        1,
        value=ROWS,
        placeholder=say("All"),
        help=say("The first rows of the split; empty for as many as a data set may have."),
        key="hub_rows",
        **KEPT,
    )
    load = fourth.button(
        say("Load"),
        type="primary",
        icon=":material/download:",
        width="stretch",
        key="hub_load",
    )
    size = fetching.in_bytes(sum(file.size for file in splits[split]))
    license_name = license_of(listing.license)
    revision = say("revision {revision}", revision=listing.revision[:7])
    facts = [listing.id, license_name, revision, name_and_text(split, size)]
    st.caption(plain(" · ".join(facts)))
    if load:
        fetching.load(lambda progress: hub.fetch(listing, part, split, rows, progress))
