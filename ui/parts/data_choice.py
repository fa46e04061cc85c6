"""Choosing data in a form."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.base import Benchmark
from evaluators.datasets.bundled import bundled
from evaluators.text.language import say
from ui import session
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

FIELDS: dict[Benchmark | None, str] = {
    "rgb": "rgb_data",
    "trace": "trace_dataset",
    None: "metrics_dataset",
}
"""The field of the data in each page's form, by its benchmark; the Metrics page has none."""


def name_shown(name: str) -> str:
    """The name of data in the visitor's language where they are our own, else as it is."""
    return say(name) if name in bundled() else name


def choose(
    place: DeltaGenerator,
    label: str,
    names: Iterable[str],
    key: str,
    title: Callable[[str], str] = name_shown,
) -> str | None:
    """The name of the chosen data; `None`, with a word, if there are none or it is gone."""
    options = list(names)
    # Taken away at once: what is chosen here later must not be overwritten by it.
    asked_for = st.session_state.pop(session.NEW_RUN, "")
    if asked_for:
        st.session_state[key] = asked_for
    gone = _forget_what_is_gone(options, key)
    name: str | None = place.selectbox(
        label,
        options,
        format_func=title,
        placeholder=say("Choose"),
        key=key,
        **KEPT,
    )
    if name is None and (gone or not options):
        words = say("No data set yet.")
        if gone:
            words = say("{name} is no longer there. Choose another one.", name=gone)
        st.warning(plain(words), icon=":material/database_off:")
    return name


def _forget_what_is_gone(options: list[str], key: str) -> str:
    """What was chosen and is no longer there; Streamlit would go on with the first option."""
    chosen = st.session_state.get(key)
    if chosen is None:
        return str(st.session_state.get(f"{key}_gone", ""))
    if chosen in options:
        st.session_state.pop(f"{key}_gone", None)
        return ""
    st.session_state[f"{key}_gone"], st.session_state[key] = chosen, None
    return str(chosen)
