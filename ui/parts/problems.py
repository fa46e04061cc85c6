"""What could not be done, shown on the page with its remedy: from a page, a fragment or a click."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import streamlit as st

from evaluators.errors import HostLimitError, PlumblineError
from evaluators.records import Reason
from evaluators.text.language import mark, say
from ui import session
from ui.parts import remedies
from ui.parts.untrusted import plain

MOVED = mark(
    "This workspace has a new link, or has expired. Nothing was done: open it with its own link."
)


@contextmanager
def caught() -> Iterator[None]:
    """Shows the error that ends the block.

    A fragment needs a block of its own: it is drawn again without its page.
    """
    try:
        yield
    except PlumblineError as error:
        _show_with_remedy(error.reason)


def guarded(callback: Callable[..., object], place: str) -> Callable[..., None]:
    """The callback of a widget, with its errors kept for `show` of the same place.

    A callback runs before the page is drawn, so it cannot show anything itself.
    """

    @wraps(callback)
    def call(*arguments: object) -> None:
        drawn_for = st.session_state.get("workspace")
        try:
            if drawn_for and session.workspace() != drawn_for:
                # What was clicked belongs to somebody else by now.
                raise HostLimitError(MOVED)
            callback(*arguments)
        except PlumblineError as error:
            keep(error, place)

    return call


def keep(error: PlumblineError, place: str) -> None:
    """Keeps why it failed for `show` of this place, in the next drawing of the page."""
    # Never the error itself: behind it stand the frames that it came through, with all that they
    # hold, such as a whole file, for as long as the session lives.
    st.session_state[_kept_under(place)] = error.reason


def show(place: str) -> bool:
    """Shows, once, why the last click there came to nothing; returns whether it did."""
    problem: Reason | None = st.session_state.pop(_kept_under(place), None)
    if problem:
        _show_with_remedy(problem)
    return problem is not None


def _kept_under(place: str) -> str:
    return f"problem_{place}"


def _show_with_remedy(problem: Reason) -> None:
    st.error(plain(remedies.worded(problem)), icon=":material/error:")
    # Where the remedy lies on another page, the way there stands beside it.
    if problem.remedy and problem.remedy.code in remedies.NEED_SETTINGS:
        st.page_link(
            "../pages/settings.py", label=say("Open the Settings page"), icon=":material/key:"
        )
