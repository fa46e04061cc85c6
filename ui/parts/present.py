"""Present: a page block by block, each as large as the screen, for those in the last row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from evaluators.text.language import say
from evaluators.text.markup import html
from ui import script
from ui.parts.untrusted import plain

ON, BLOCK = "present", "block"
"""The query parameters: whether a page is presented, and which of its blocks is shown first."""

_component = script.component(
    "present", '<nav class="present" aria-label="Present"></nav>', "present_bar.css"
)


class Block(NamedTuple):
    """What fills the screen at a time; `draw` puts it on the page without its title."""

    title: str
    draw: Callable[[], None]


def is_on() -> bool:
    """Whether the address asks for it."""
    return ON in st.query_params


def button(place: str) -> None:
    """Begins with the first block of the page; the key P does so as well."""
    # On a presented page the key means to leave it.
    if not is_on() and st.button(
        say("Present"), icon=":material/slideshow:", shortcut="P", key=f"present_{place}"
    ):
        st.query_params[ON] = "1"
        # The button may stand in a fragment, but all else goes away.
        st.rerun()


def show(blocks: Sequence[Block], place: str = "") -> None:
    """All blocks, drawn once; a script in the browser shows one of them and goes on.

    `place` stands instead of the block's number where each page of a sequence is one block, whose
    title then is for a screen reader only.
    """
    st.html(script.STATIC / "magnified.css")
    st.html(script.STATIC / "present.css")
    if place:
        st.html(f'<h1 class="pl-skip">{html(blocks[0].title)}</h1>')
    for number, block in enumerate(blocks, start=1):
        with st.container(key=f"block_{number}"):
            if not place:
                st.title(plain(block.title), anchor=False)
            block.draw()
    words = {
        "back": say("Previous"),
        "on": say("Next"),
        "leave": say("Leave (Escape or P)"),
        "count": say("{place} of {all}"),
        "said": say("{count}: {title}"),
    }
    data = {"titles": [block.title for block in blocks], "place": place, "words": words}
    _component(key="present", data=data, on_left_change=_leave)


def _leave() -> None:
    for name in (ON, BLOCK):
        st.query_params.pop(name, None)
