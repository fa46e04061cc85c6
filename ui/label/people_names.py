"""Who labels: a name that a person enters once, and that the address of the page keeps."""

from __future__ import annotations

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from evaluators.errors import ParameterError
from evaluators.people.records import LONGEST_NAME, YOU, PersonName

_LAST = "label_as"
"""Where the session keeps the name that was entered last."""
_NAME: TypeAdapter[str] = TypeAdapter(PersonName)


def field() -> str:
    """A field for the name, with the one that was entered last."""
    entered = st.text_input(
        "Your name",
        st.session_state.get(_LAST, YOU),
        max_chars=LONGEST_NAME,
        width=260,
    )
    return str(entered).strip()


def check(name: str) -> None:
    """Raises `ParameterError` for what cannot be a name."""
    try:
        _NAME.validate_python(name)
    except ValidationError:
        raise ParameterError(
            f"A name has 1 to {LONGEST_NAME} letters that can be seen. Enter another one."
        ) from None


def remember(name: str) -> None:
    st.session_state[_LAST] = name


def in_address() -> str:
    """The name in the address; empty where there is none, or what cannot be one."""
    name = st.query_params.get("person", "")
    try:
        return _NAME.validate_python(name)
    except ValidationError:
        return ""
