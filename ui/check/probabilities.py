"""How far a labeller's probabilities can be trusted, and what a threshold that one moves costs."""

from __future__ import annotations

import streamlit as st

from evaluators.document import probabilities as document
from evaluators.drawing import Curve, CurveChart, Point
from evaluators.people.checked import Against
from evaluators.people.reliability import STEPS, Reliability
from evaluators.runs.probabilities import KINDS, reliabilities
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from ui.parts import charts, tables
from ui.parts.forms import KEPT


def show(view: RunView, model: int, against: Against) -> None:
    """The curve and the threshold; nothing where the labeller gives no probabilities."""
    found = reliabilities(view, model, against)
    if found:
        st.subheader(say(document.PROBABILITIES), anchor=False)
        tables.show([document.overview(found)], say(document.PROBABILITIES))
        _of_kind(view, found)


# The threshold is moved without drawing the rest of the page.
@st.fragment
def _of_kind(view: RunView, found: dict[str, Reliability]) -> None:
    key = f"check_probabilities_{view.run.id}"
    kind = st.segmented_control(
        say("Label"),
        list(found),
        default=next(iter(found)),
        format_func=lambda name: say(KINDS[name]),
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    left, right = st.columns(2)
    with left:
        charts.show(_curve(found[kind]), f"{key}_curve", charts.BESIDE)
    with right:
        threshold = st.slider(say("Threshold"), 0.0, 1.0, 0.5, 1 / STEPS, key=f"{key}_from", **KEPT)
        costs = st.columns(2)
        of_miss = costs[0].number_input(
            say("Cost of a miss"), 0.0, 1e6, 1.0, key=f"{key}_miss", **KEPT
        )
        of_alarm = costs[1].number_input(
            say("Cost of a false alarm"), 0.0, 1e6, 1.0, key=f"{key}_alarm", **KEPT
        )
    tables.show([document.outcomes(found, [threshold], of_miss, of_alarm)], say("Threshold"))


def _curve(own: Reliability) -> CurveChart:
    points = []
    for tenth in own.tenths:
        low, high = tenth.interval or (None, None)
        words = say("{count:,} labels", count=tenth.count)
        points.append(Point(tenth.probability, tenth.share, low, high, words=words))
    ideal = Curve(say("As said"), (Point(0, 0), Point(1, 1)), published=True)
    return CurveChart(
        say("Reliability"),
        [Curve(say(document.TRUE), points), ideal],
        x_title=say(document.PROBABILITY),
        y_title=say("Share that is true"),
        x_span=(0, 1),
    )
