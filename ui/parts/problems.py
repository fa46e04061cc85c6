"""What could not be done, told on the page with its remedy, wherever it happened: in a page, a
fragment, a callback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import streamlit as st

from evaluators.errors import HostLimitError, PlumblineError
from ui import session
from ui.parts import remedies
from ui.parts.untrusted import plain

MOVED = (
    "This workspace has got a new link, or has expired. Nothing was done: open it with its "
    "own link."
)


@contextmanager
def told() -> Iterator[None]:
    """Shows the error that ends the block. A fragment needs one of its own: it is drawn again
    without its page.
    """
    try:
        yield
    except PlumblineError as error:
        _show(error)


def guarded(callback: Callable[..., object], place: str) -> Callable[..., None]:
    """The callback of a widget; it runs before the page is drawn, so an error waits for `show` of
    the same place.
    """

    @wraps(callback)
    def call(*arguments: object) -> None:
        seen = st.session_state.get("workspace")
        try:
            if (
                seen and session.workspace() != seen
            ):  # what was clicked belongs to somebody else by now
                raise HostLimitError(MOVED)
            callback(*arguments)
        except PlumblineError as error:
            st.session_state[_key(place)] = error

    return call


def show(place: str) -> bool:
    """Shows, once, why the last click there came to nothing; tells whether there was anything to
    show.
    """
    problem: PlumblineError | None = st.session_state.pop(_key(place), None)
    if problem:
        _show(problem)
    return problem is not None


def _key(place: str) -> str:
    return f"problem_{place}"


def _show(problem: PlumblineError) -> None:
    st.error(plain(remedies.worded(problem)), icon=":material/error:")
    if problem.remedy and problem.remedy.code in remedies.NEED_SETTINGS:
        st.page_link("../pages/settings.py", label="Open the Settings page", icon=":material/key:")
