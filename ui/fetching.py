"""Fetching a file with progress on the page, and handing it on as if it had been uploaded."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evaluators.datasets.download import Fetched, Progress
from ui import dataset_view, problems


def load(fetch: Callable[[Progress], Fetched]) -> None:
    """Fetches a file and offers what it holds; a problem is told with its remedy, and nothing is kept."""
    bar = st.progress(0.0, text="Connecting")
    with problems.told():
        found = fetch(lambda done, total: bar.progress(_share(done, total), text=_words(done, total)))
        bar.progress(1.0, text="Reading")
        dataset_view.offer(found.name, found.table, found.origin)
    bar.empty()


def _share(done: int, total: int) -> float:
    """How far it is, from 0 to 1; 0 where nobody knows how much is to come."""
    return min(1.0, done / total) if total else 0.0


def in_bytes(size: int) -> str:
    """The size of a file in words; of some the hub does not tell it."""
    if not size:
        return "size unknown"
    return f"{size / 2**20:,.1f} MB" if size >= 2**20 else f"{max(1, size // 2**10):,} kB"


def _words(done: int, total: int) -> str:
    return f"{in_bytes(done)} of {in_bytes(total)}" if total else in_bytes(done)
