"""Which language a visitor reads: what was chosen, now or before, else the one of the browser."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from evaluators.text.language import (
    CHINESE,
    ENGLISH,
    LANGUAGES,
    ask_for_language,
    say,
    speak,
    tag,
)
from ui import script

LANGUAGE = "language"
"""Where the session keeps the code of its language."""
SWITCH = "language_switch"
IS_CHOSEN = "language_is_chosen"
"""Where the session notes that the switch was used; only then is a cookie written."""
COOKIE = "plumbline_language"
A_YEAR = 365 * 24 * 3600

_component = script.component("language")


def set_up() -> None:
    """From now on texts are in the language of the session that draws them."""
    ask_for_language(_of_session)
    # To ask the session for each text takes as long as to draw the page.
    speak(_of_session())


def _of_session() -> str:
    # Threads of runs have no session: what they store is English.
    if get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    if LANGUAGE not in st.session_state:
        st.session_state[LANGUAGE] = _at_first()
    return str(st.session_state[LANGUAGE])


def _at_first() -> str:
    kept = st.context.cookies.get(COOKIE, "")
    if kept in LANGUAGES:
        return kept
    # Traditional Chinese is not there, and its readers get on better with simplified than English.
    is_chinese = (st.context.locale or "").lower().startswith("zh")
    return CHINESE if is_chinese else ENGLISH


def switch() -> None:
    """The choice of language, and what the browser has to know of it."""
    st.segmented_control(
        say("Language"),
        list(LANGUAGES),
        default=_of_session(),
        format_func=LANGUAGES.__getitem__,
        required=True,
        key=SWITCH,
        on_change=_choose,
        label_visibility="collapsed",
    )
    tell_browser()


def tell_browser() -> None:
    """Says which language the page is in; a choice is kept in the browser for a year."""
    code = _of_session()
    cookie = ""
    if IS_CHOSEN in st.session_state:
        cookie = f"{COOKIE}={code}; path=/; max-age={A_YEAR}; SameSite=Lax"
    _component(key="language_of_page", data={"tag": tag(), "cookie": cookie})


def _choose() -> None:
    st.session_state[LANGUAGE] = st.session_state[SWITCH]
    st.session_state[IS_CHOSEN] = True
    _keep_choices()


def _keep_choices() -> None:
    """What is chosen in the fields of the page stays chosen in another language.

    The browser names a choice by its label, and after this the labels are others: a field would
    have the old label for its value. Here the values are still read by the old labels.
    """
    for key, value in st.session_state.items():
        # Streamlit refuses that buttons (True or False) and files are set.
        if isinstance(value, (str, int, float, tuple, list)) and not isinstance(value, bool):
            are_files = isinstance(value, list) and any(hasattr(own, "file_id") for own in value)
            if not are_files:
                st.session_state[key] = value
