"""Projector: the usual pages in large type and with fewer controls, for those in the last row."""

from __future__ import annotations

import streamlit as st

from evaluators.config import ROOT
from evaluators.text.language import say
from ui.parts import present

ON = "projector"
"""The query parameter, and where the session keeps that it is on."""

STATIC = ROOT / "ui" / "static"


def is_on() -> bool:
    """Whether it was switched on, here or by the address that this session came with."""
    return bool(st.session_state.setdefault(ON, ON in st.query_params))


def begin() -> None:
    """The button that goes over to it; what is presented is large already."""
    if not present.is_on():
        _button(say("Projector"), "cast", turns_on=True)


def show() -> None:
    """The style of every page while it is on, and the way out."""
    # A click on the menu drops the parameters.
    st.query_params[ON] = "1"
    if present.is_on():
        return
    st.html(STATIC / "magnified.css")
    st.html(STATIC / "projector.css")
    _button(say("Leave the projector"), "close", turns_on=False)


def _button(label: str, icon: str, *, turns_on: bool) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        type="tertiary",
        key="projector_begin" if turns_on else "projector_leave",
        on_click=_switch,
        args=(turns_on,),
    )


def _switch(is_on: bool) -> None:
    st.session_state[ON] = is_on
    if not is_on:
        st.query_params.pop(ON, None)
