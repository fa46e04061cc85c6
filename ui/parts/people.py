"""Who labels here: a name that a person enters once, kept for the session."""

from __future__ import annotations

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from evaluators.errors import ParameterError
from evaluators.people.records import LONGEST_NAME, YOU, PersonName
from evaluators.text.language import say
from ui.parts.untrusted import plain

NAME = "label_as"
"""Where the session keeps the name."""
_NAME: TypeAdapter[str] = TypeAdapter(PersonName)


def me() -> str:
    """The name of whoever labels in this session; "you" until one was entered."""
    return str(st.session_state.get(NAME, YOU))


def is_name(text: str) -> bool:
    """Whether a person may be called so."""
    try:
        _NAME.validate_python(text)
    except ValidationError:
        return False
    return True


def rename(name: str) -> None:
    """Labels from now on under this name; raises `ParameterError` for what cannot be one."""
    if not is_name(name):
        raise ParameterError(
            say(
                "A name has 1 to {most} letters that can be seen. Enter another one.",
                most=LONGEST_NAME,
            )
        )
    st.session_state[NAME] = name


def field(name: str) -> str:
    """A field for the name, where labelling begins with it."""
    return str(st.text_input(say("Your name"), name, max_chars=LONGEST_NAME, width=260)).strip()


def choose(key: str) -> None:
    """A button that says who one is, behind which the name is changed."""

    def change() -> None:
        entered = str(st.session_state[key]).strip() or YOU
        if is_name(entered):
            st.session_state[NAME] = entered

    label = say("You are: {name}", name=plain(me()))
    with st.popover(label, icon=":material/person:", key=f"{key}_button"):
        # Set before it is drawn: another page may have changed the name meanwhile.
        st.session_state[key] = me()
        st.text_input(
            say("Your name"),
            key=key,
            max_chars=LONGEST_NAME,
            on_change=change,
            help=say("Labels are kept under it. Several people may label the same sample."),
        )
