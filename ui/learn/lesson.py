"""What a lesson is: its words on the list, what one plays, and where it ends in the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

IS_PLAYED = "learn_is_played"
"""Where the session keeps that the open lesson was played, or that its end was asked for."""


class AppPlace(NamedTuple):
    """A page of the app with what it opens there: an example, or one of its samples."""

    label: str
    page: str
    parameters: dict[str, str]


class Lesson(NamedTuple):
    """One lesson; `name` stands in the address, `promise` says what one can do afterwards."""

    name: str
    title: str
    promise: str
    icon: str
    draw: Callable[[], None]
    takeaway: str
    place: AppPlace
    place_in_chinese: AppPlace | None = None
    """Where it ends if what was played is Chinese."""


def note_played(is_played: bool) -> None:
    """Brings what to take from the lesson onto the page as soon as the lesson was played."""
    if is_played and not st.session_state.get(IS_PLAYED):
        st.session_state[IS_PLAYED] = True
        # What to take with one stands outside of the lesson's fragment.
        st.rerun()
