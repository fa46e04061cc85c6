"""Choosing data in a form, and starting a run over the data that were seen there, no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.base import Benchmark
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from ui import session
from ui.parts import problems, starting
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

FIELDS: dict[Benchmark | None, str] = {
    "rgb": "rgb_data",
    "trace": "trace_dataset",
    None: "metrics_dataset",
}
"""The field of the data in each page's form, by its benchmark; the Metrics page has none."""

CHANGED = mark(
    "The data changed since this form was drawn, so no run was started. Look at it again, "
    "then press Start."
)


def choose_or_upload(
    label: str,
    names: Iterable[str],
    key: str,
    upload: str,
) -> str | None:
    """The name of the chosen data, beside a link to the page where others are uploaded."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    right.page_link("../pages/datasets.py", label=upload, icon=":material/upload_file:")
    return choose(left, label, names, key)


def choose(
    place: DeltaGenerator,
    label: str,
    names: Iterable[str],
    key: str,
    title: Callable[[str], str] = str,
) -> str | None:
    """The name of the chosen data; `None`, with a word, where there are none or they are gone."""
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
    if name is None:
        words = say("No data set yet.")
        if gone:
            words = say("{name} is no longer there. Choose another one.", name=gone)
        st.warning(plain(words), icon=":material/database_off:")
    return name


def start_button(
    what: str,
    key: str,
    name: str,
    *,
    is_ready: bool,
    price: str = "",
    missing: str = "",
) -> bool:
    """Whether it was pressed over the data as they were when the button was drawn.

    It says what a press does and, where known, for how much: "Label 9 samples, up to $0.12". Where
    something is `missing` it is shut and says that: "Choose a judge to start".
    """
    now = session.identity(name)
    label = say("{what}, {price}", what=what, price=price) if price else what
    if missing:
        label = say("{missing} to start", missing=missing)
    pressed = starting.button(
        plain(label),
        key,
        is_ready=is_ready and not missing,
        on_click=_note_what_was_seen,
        args=(key, now),
    )
    if pressed and st.session_state.pop(f"{key}_seen", now) != now:
        problems.keep(DatasetError(CHANGED), key)
        starting.reopen()
    return pressed


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


def _note_what_was_seen(key: str, seen: session.Identity) -> None:
    st.session_state[f"{key}_seen"] = seen
