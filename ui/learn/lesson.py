"""What a lesson is: its words on the list, what one plays, and where it ends in the app."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from evaluators.config import ROOT
from evaluators.records import Record
from evaluators.text.language import CHINESE, language

IS_PLAYED = "learn_is_played"
"""Where the session keeps that the open lesson was played, or that its end was asked for."""


# Every tap draws a lesson anew, and its file comes with the program.
@cache
def material(name: str) -> dict[str, Any]:
    """What a lesson is made of, in English: `data/lessons` has a file for it."""
    path = ROOT / "data" / "lessons" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


class AppPlace(Record):
    """A page of the app with what it opens there: an example, or one of its samples."""

    label: str
    page: str
    parameters: dict[str, str]


class Stage(Record):
    """What leads to a place in the app, to another one where its material is Chinese."""

    title: str
    place: AppPlace
    place_in_chinese: AppPlace | None = None

    @property
    def own_place(self) -> AppPlace:
        """Where it leads in the reader's language."""
        return (language() == CHINESE and self.place_in_chinese) or self.place


class Lesson(Stage):
    """One lesson; `name` stands in the address, `promise` says what one can do afterwards."""

    name: str
    promise: str
    icon: str
    draw: Callable[[], None]
    takeaway: str


def note_played(is_played: bool) -> None:
    """Brings what to take from the lesson onto the page as soon as the lesson was played."""
    if is_played and not st.session_state.get(IS_PLAYED):
        st.session_state[IS_PLAYED] = True
        # What to take with one stands outside of the lesson's fragment.
        st.rerun()
