"""A run at work: how far it is, what failed, and the buttons to cancel, resume and retry."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evaluators.runs.engine import registry
from evaluators.runs.store import Counts
from evaluators.types import Run
from ui import session
from ui.untrusted import plain

TICK = 0.7
REDRAW = 3.0
"""Seconds between two drawings of partial results: they cost the workers time."""


def watched(run: Run, body: Callable[[], None]) -> None:
    """Draws the run's state and then `body`; while the run is live both are drawn again and again."""
    live = registry.is_live(run.id)

    def follow(draw: Callable[[], None]) -> None:
        if registry.is_live(run.id) != live:
            st.rerun()  # begun or ended: the whole page, because only that sets or stops the ticking
        draw()

    st.fragment(lambda: follow(lambda: state(run)), run_every=TICK if live else None, key=f"state_{run.id}")()
    st.fragment(lambda: follow(body), run_every=REDRAW if live else None, key=f"body_{run.id}")()


def state(run: Run) -> None:
    """One line and a bar: scored / asked, failures, and what can be done now."""
    counts, live = session.store().counts(run), registry.is_live(run.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress((counts.asked - counts.open) / max(counts.asked, 1), text=words(counts, live))
        actions(run, counts, live)
    if error := registry.error(run.id):
        st.error(plain(error), icon=":material/error:")


def actions(run: Run, counts: Counts, live: bool) -> None:
    """The buttons that fit the run's state."""
    if live:
        st.button("Cancel", icon=":material/stop:", key=f"cancel_{run.id}", on_click=registry.cancel, args=(run.id,))
    elif counts.open:
        st.button("Resume", icon=":material/play_arrow:", key=f"resume_{run.id}", on_click=_start, args=(run,))
    elif counts.failed:
        st.button("Retry failed", icon=":material/refresh:", key=f"retry_{run.id}", on_click=_start, args=(run,))


def words(counts: Counts, live: bool) -> str:
    """The state in words, the same everywhere."""
    head = "Running" if live else "Stopped" if counts.open else "Finished"
    failed = f" · {counts.failed} failed" if counts.failed else ""
    return f"{head} · {counts.scored:,} / {counts.asked:,} scored{failed}"


def sidebar() -> None:
    """The live runs of this workspace, on every page."""
    live = [run for run in session.store().runs(session.workspace(), limit=20) if registry.is_live(run.id)]
    if not live:
        return

    @st.fragment(run_every=TICK)
    def watch() -> None:
        for run in live:
            counts = session.store().counts(run)
            st.progress((counts.asked - counts.open) / max(counts.asked, 1), text=plain(run.title))
            st.caption(words(counts, registry.is_live(run.id)))
        if not all(registry.is_live(run.id) for run in live):
            st.rerun()

    watch()


def _start(run: Run) -> None:
    registry.start(run, session.store())
