"""Starting a run by a click: the button shuts at once, and impatient clicks start nothing more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import streamlit as st

from evaluators.errors import PlumblineError
from evaluators.runs.plan import RunPlan
from evaluators.text.language import say
from ui import session
from ui.parts import problems

LASTS = 20.0
"""Seconds for which a click counts: one that led nowhere, as somebody left the page, is over then.
"""


def button(
    label: str,
    key: str,
    *,
    is_ready: bool = True,
    primary: bool = True,
    on_click: Callable[..., object] = lambda: None,
    args: tuple[object, ...] = (),
) -> bool:
    """Whether it was clicked; from the click on it is shut, until a run is shown or cannot begin.

    Streamlit calls `on_click` with the `args` of the drawing that was clicked, before the next.
    """
    name, since = st.session_state.get(session.CLICKED, ("", 0.0))
    # Monotonic: a clock that is set while a run starts must not open the button.
    is_clicked = is_ready and name == key and time.monotonic() - since < LASTS

    def note(*seen: object) -> None:
        st.session_state[session.CLICKED] = key, time.monotonic()
        on_click(*seen)

    options: dict[str, Any] = {"type": "primary"} if primary else {}
    st.button(
        say("Starting …") if is_clicked else label,
        icon=":material/play_arrow:",
        disabled=is_clicked or not is_ready,
        on_click=note,
        args=args,
        key=key,
        **options,
    )
    problems.show(key)
    return is_clicked


def start(plan: RunPlan, key: str) -> None:
    """Starts the run that the button of this key is for and goes to its page; says why it cannot.

    The button was drawn shut already, so the page is drawn once more where nothing was started.
    """
    try:
        session.start(plan)
    except PlumblineError as error:
        problems.keep(error, key)
        reopen()


def reopen() -> None:
    """Draws the page again with the button open."""
    st.session_state.pop(session.CLICKED, None)
    st.rerun()
