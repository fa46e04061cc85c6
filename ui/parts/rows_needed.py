"""How many samples show a difference, for a run that is still to be made."""

from __future__ import annotations

import streamlit as st

from evaluators.comparison.paired import rows_for_rates
from evaluators.comparison.past import Differing, differing
from evaluators.comparison.words import about_samples
from evaluators.text.language import language, say
from evaluators.text.words import readable
from ui import run_views, session
from ui.held import held
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

MOST_RUNS = 50
USUAL_SHARE = 20.0
"""Percent of the samples on which two systems differ, where nothing is known of these data."""


def show(data: str, key: str) -> None:
    """The calculator, folded; past runs over `data` are read only once it is open."""
    folded = st.expander(
        say("How many samples do I need?"),
        icon=":material/calculate:",
        key=f"{key}_needed",
        on_change="rerun",
    )
    if not folded.open:
        return
    with folded:
        past = _past(data)
        share, points = _asked_difference(past, key)
        st.markdown(_needed(share, points))
        st.caption(plain(_source(past)))


def difference_field(key: str, *, usual: float) -> float:
    """The difference that matters, in percent."""
    return st.number_input(
        say("Difference that matters, in points of a hundred"),
        min_value=0.5,
        max_value=100.0,
        value=usual,
        step=0.5,
        format="%.1f",
        key=key,
        width=340,
        **KEPT,
    )


def _asked_difference(past: Differing | None, key: str) -> tuple[float, float]:
    """The share on which the two differ and the difference that matters, both in percent."""
    left, right = st.columns(2)
    with left:
        points = difference_field(f"{key}_needed_points", usual=5.0)
    share = right.number_input(
        say("Samples on which the two differ, in percent"),
        min_value=1.0,
        max_value=100.0,
        value=round(100 * past.share, 1) if past else USUAL_SHARE,
        step=1.0,
        format="%.1f",
        key=f"{key}_needed_share",
        **KEPT,
    )
    return share, points


def _needed(share: float, points: float) -> str:
    needed = rows_for_rates(share / 100, points / 100)
    if needed is None:
        return say("Systems cannot be further apart than the samples on which they differ.")
    samples = about_samples(needed)
    return say(
        "**{samples}** show a difference of {points:g} points in 8 of 10 cases, at 5 % "
        "false alarms.",
        samples=samples[0].upper() + samples[1:],
        points=points,
    )


def _source(past: Differing | None) -> str:
    if past is None:
        return say(
            "For right or wrong on different questions. No two runs over these data yet: on "
            "{share:.0f} % of samples two systems often differ.",
            share=USUAL_SHARE,
        )
    return say(
        "For right or wrong on different questions. Measured: {first} and {second} differed in "
        "{value} on {share:.0f} % of these data.",
        first=past.first,
        second=past.second,
        value=readable(past.value).lower(),
        share=100 * past.share,
    )


def _past(data: str) -> Differing | None:
    """What the visitor's past runs over the data tell, read once for as long as they stay."""
    runs = session.store().runs.newest(session.workspace(), MOST_RUNS)
    version = tuple(run.id for run in runs if run.dataset_name == data)

    def read() -> tuple[Differing | None]:
        return (differing(runs, data, run_views.latest),)

    # The two are called by words of the reader's language.
    key = (differing, session.store(), session.workspace(), data, language())
    # In a tuple, as nothing found is worth remembering too.
    (past,) = held.read(key, read, version, lambda _: 200)
    return past
