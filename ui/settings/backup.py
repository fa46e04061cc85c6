"""A backup of one's own store: on the Settings page, and on every page once its file is gone."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import streamlit as st

from evaluators.config import config
from evaluators.errors import ParameterError, StoreError
from evaluators.runs.backup import back_up
from evaluators.runs.store.database import SAVED_ELSEWHERE
from evaluators.text.language import say
from evaluators.text.words import counted
from ui import session
from ui.parts import problems
from ui.parts.untrusted import plain

PLACE = "backup"
LAST = "backup_made"
"""Where a session keeps the words about the backup that was made just now."""


def show() -> None:
    """Where the backup goes, and the button."""
    # The store of a public host is not one person's.
    if config().public:
        return
    if config().database:
        st.caption(say(SAVED_ELSEWHERE))
        return
    proposed = str(Path.home() / f"plumbline-{date.today()}.sqlite3")
    with st.form("backup"):
        st.text_input(
            say("File"),
            proposed,
            key="backup_file",
            help=say("On this machine. Only you can read it."),
        )
        st.checkbox(say("Replace the file if it exists"), key="backup_replace")
        on_click = problems.guarded(_back_up, PLACE)
        label = say("Save a backup")
        st.form_submit_button(label, icon=":material/save:", on_click=on_click)
    problems.show(PLACE)
    if saved := st.session_state.pop(LAST, ""):
        st.success(plain(saved), icon=":material/check_circle:")


def is_store_there() -> bool:
    """Whether the store is still the one that was opened; else says so and offers to save it.

    Raises `StoreError` for a store that cannot be opened at all.
    """
    store = session.store()
    try:
        store.check()
    except StoreError as error:
        st.error(plain(str(error)), icon=":material/error:")
        # Of a database nothing is held here that its server does not have.
        if not (config().public or config().database):
            st.caption(
                say("What this process still holds of it can be saved; the copy is checked.")
            )
            show()
        return False
    return True


def _back_up() -> None:
    """Makes the backup; raises `StoreError` where that is not possible."""
    file = st.session_state["backup_file"].strip()
    if not file:
        raise ParameterError(say("No file is named. Enter where the backup goes."))
    replace = bool(st.session_state["backup_replace"])
    backup = back_up(session.store(), Path(os.path.expanduser(file)), replace=replace)
    size = f"{backup.size / 2**20:,.1f} MB"
    st.session_state[LAST] = say(
        "Saved {path}: {runs}, {size}, checked by opening it.",
        path=backup.path,
        runs=counted(backup.runs, "run"),
        size=size,
    )
