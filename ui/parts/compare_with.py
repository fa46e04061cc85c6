"""The way from a run to the page that lays it beside another."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.records import Run
from evaluators.text.language import say
from ui import session
from ui.parts.untrusted import plain

FIRST, SECOND, MORE = "first", "second", "more"
"""The query parameters of a comparison: each names a run and the number of its model, from 1.

The last one may stand several times, and names a labeller too where it is not whose labels count.
"""
GROUPS = "groups"
"""Names a run, and its model, whose groups are compared with each other, in place of all these."""
RANKED = "ranked"
"""Names a run of a leaderboard; it stands as often as there are runs."""
OF_RUN = "run"
"""Names the run that is to be compared with what is likeliest meant."""


COLUMN_SHOWN = 40

PAIR, VALUE = "pair", "value"
"""What is opened on arrival: a sample of the first run, from 1, and the value it is looked at for.
"""


def address(run: Run, model: int = 0, by: str | None = None) -> str:
    """What a query parameter says of one system."""
    labeller = f".{by}" if by else ""
    return f"{run.id}.{model + 1}{labeller}"


def button(run: Run) -> None:
    """Goes to the comparison with the baseline of the data, else the likeliest other run."""
    baseline = session.store().runs.baseline_id(run)
    label = say("Compare")
    if baseline and baseline != run.id and session.find_run(baseline):
        label = say("Compare with the baseline")
    if st.button(label, icon=":material/compare_arrows:", key=f"compare_{run.id}"):
        st.switch_page("../pages/compare.py", query_params=session.address(**{OF_RUN: run.id}))


def groups_button(run: Run, column: str, model: int = 0) -> None:
    """Goes to the comparison of the groups of a run, which this column of its data names."""
    label = plain(say("Compare by {column}", column=column[:COLUMN_SHOWN]))
    if st.button(label, icon=":material/alt_route:", key=f"groups_{run.id}"):
        query = session.address(**{GROUPS: address(run, model)})
        st.switch_page("../pages/compare.py", query_params=query)


def several(runs: Sequence[Run]) -> None:
    """Goes to the comparison of these runs: the baseline among them first, else the oldest."""
    baselines = session.store().runs.baseline_ids(session.workspace()).values()
    in_order = sorted(runs, key=lambda run: (run.id not in baselines, run.created))
    label = say("Compare")
    if st.button(label, type="primary", icon=":material/compare_arrows:", key="runs_compare"):
        _go(in_order)


def ranked(runs: Sequence[Run]) -> None:
    """Goes to the leaderboard of these runs."""
    if st.button(say("Leaderboard"), icon=":material/leaderboard:", key="runs_leaderboard"):
        query = {**session.address(), RANKED: [run.id for run in runs]}
        st.switch_page("../pages/leaderboard.py", query_params=query)


def _go(runs: Sequence[Run]) -> None:
    first, *others = map(address, runs)
    query: dict[str, str | list[str]] = {**session.address(), FIRST: first}
    if others:
        query |= {SECOND: others[0], MORE: others[1:]}
    st.switch_page("../pages/compare.py", query_params=query)
