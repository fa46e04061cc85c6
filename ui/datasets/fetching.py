"""Fetching a file with progress on the page, and handing it on as if it had been uploaded."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evaluators.datasets.download import Fetched, Progress
from evaluators.text.language import say
from ui.datasets import view as dataset_view
from ui.parts import problems


class Bar:
    """A progress bar that is sent to the browser only where it looks different from before."""

    def __init__(self, text: str) -> None:
        self._bar = st.progress(0.0, text=text)
        self._shown = 0.0, text

    def show(self, share: float, text: str) -> None:
        """How far it is, from 0 to 1, and what is being done."""
        # A file comes in thousands of pieces, and each message redraws the bar
        looks = round(min(share, 1.0), 2), text
        if looks != self._shown:
            self._shown = looks
            self._bar.progress(looks[0], text=text)

    def empty(self) -> None:
        self._bar.empty()


def load(fetch: Callable[[Progress], Fetched]) -> None:
    """Fetches a file and offers what it holds.

    A problem is told with its remedy, and nothing is kept.
    """
    bar = Bar(say("Connecting"))

    def report(done: int, total: int) -> None:
        # Some hosts do not say how much is to come
        share = done / total if total else 0.0
        words = in_bytes(done)
        if total:
            words = say("{done} of {total}", done=words, total=in_bytes(total))
        bar.show(share, words)

    with problems.caught():
        found = fetch(report)
        bar.show(1.0, say("Reading"))
        dataset_view.offer(found.name, found.table, found.origin)
    # After the block, which ends a problem: the bar goes away then too.
    bar.empty()


def in_bytes(size: int) -> str:
    """The size of a file in words; of some the hub does not tell it."""
    if not size:
        return say("size unknown")
    if size >= 2**20:
        return f"{size / 2**20:,.1f} MB"
    return f"{max(1, size // 2**10):,} kB"
