"""The runs on the screen: each version of one is read once, for all who look at it."""

from __future__ import annotations

import time
from zlib import crc32

import streamlit as st

from evaluators.records import Run
from evaluators.runs.engine import registry
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from ui import session
from ui.held import held, weight

FRESH = 2.0
"""Seconds for which the partial results of a run at work are shown before they are read again."""

READ_A_SECOND = 1000
"""So many samples of all watched runs together are read anew in a second: each takes a tenth of a
millisecond, for which the pages of everybody wait."""

ROW_BYTES = 3000
"""Bytes in memory for each row of a view: a TRACE row takes some 2,150, its merged row 780 more."""


def latest(run: Run) -> RunView:
    """The run as it is now; while it is at work, as it was up to `FRESH` seconds ago.

    A page asks once for each drawing and hands the view down, so that all it shows is of one
    moment.
    """
    store = session.store()
    is_live = registry.is_live(run.id)
    revision = _recent_revision(store, run.id) if is_live else store.figures.revision(run.id)

    def read() -> RunView:
        return RunView.read(store, run, revision)

    # The run is a part of the version because its cap can be raised.
    return held.read((latest, store, run.id), read, (run, revision), _most_bytes)


def watched(run: Run) -> RunView:
    """The run for a page that draws itself anew; read the less often the more is at work."""
    if not registry.is_live(run.id):
        return latest(run)
    store = session.store()
    seconds = seconds_between(store.results.counts(run).asked, registry.at_work)
    # A part of the time that is each run's own, lest all of them are read at once.
    moment = int(time.monotonic() / seconds + crc32(run.id.encode()) / 2**32)
    return held.read((watched, store, run.id), lambda: latest(run), (run, moment), _most_bytes)


def seconds_between(samples: int, runs: int) -> float:
    """Seconds for which the partial results of a run of so many samples are shown, beside others
    of its size.
    """
    return max(FRESH, samples * runs / READ_A_SECOND)


# Each of all who watch a run has it drawn every few seconds; without this each would count anew.
@st.cache_resource(
    ttl=FRESH,
    max_entries=1000,
    show_spinner=False,
    hash_funcs={Store: id},
)
def _recent_revision(store: Store, run_id: str) -> int:
    return store.figures.revision(run_id)


def _most_bytes(view: RunView) -> int:
    # Its rows are read when somebody needs all of them, which is after it was weighed.
    return ROW_BYTES * view.counts.asked + weight(view.people)
