"""The pages of the app as its menu lists them."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Literal

import streamlit as st


def page(
    name: str, title: str, icon: str, *, is_default: bool = False, is_hidden: bool = False
) -> st.Page:
    """A page by its file's name; one that is hidden is reached by a link or an address alone."""
    # A copy, as Streamlit notes in it when its turn has come.
    return copy(_made(name, title, icon, is_default, "hidden" if is_hidden else "visible"))


# Once: each looks for its file, and every drawing of every page would wait for fifteen of them.
@cache
def _made(
    name: str, title: str, icon: str, is_default: bool, visibility: Literal["visible", "hidden"]
) -> st.Page:
    return st.Page(
        f"../pages/{name}.py",
        title=title,
        icon=f":material/{icon}:",
        default=is_default,
        visibility=visibility,
    )
