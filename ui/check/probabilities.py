"""How far a labeller's probabilities can be trusted, and what a threshold that one moves costs."""

from __future__ import annotations

import streamlit as st

from evaluators.drawing import Curve, CurveChart, Point
from evaluators.people.checked import Against
from evaluators.people.reliability import Reliability
from evaluators.runs.probabilities import KINDS, reliabilities
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.text.scale import RATE, SCORE
from ui.parts import charts
from ui.parts.forms import KEPT

STEP = 0.05


def show(view: RunView, model: int, against: Against) -> None:
    """The curve and the threshold; nothing where the labeller gives no probabilities."""
    found = reliabilities(view, model, against)
    if found:
        st.subheader(say("Probabilities"), anchor=False)
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
    own = found[kind]
    left, right = st.columns(2)
    with left:
        charts.show(_curve(own), f"{key}_curve", charts.BESIDE)
    with right:
        st.markdown("\n".join(f"- {line}" for line in _lines(own)))
        threshold = st.slider(say("Threshold"), 0.0, 1.0, 0.5, STEP, key=f"{key}_from", **KEPT)
        costs = st.columns(2)
        of_miss = costs[0].number_input(
            say("Cost of a miss"), 0.0, 1e6, 1.0, key=f"{key}_miss", **KEPT
        )
        of_alarm = costs[1].number_input(
            say("Cost of a false alarm"), 0.0, 1e6, 1.0, key=f"{key}_alarm", **KEPT
        )
        st.markdown("\n".join(f"- {line}" for line in _at(own, threshold, of_miss, of_alarm)))


def _curve(own: Reliability) -> CurveChart:
    points = []
    for tenth in own.tenths:
        low, high = tenth.interval or (None, None)
        words = say("{count:,} labels", count=tenth.count)
        points.append(Point(tenth.probability, tenth.share, low, high, words=words))
    ideal = Curve(say("As said"), (Point(0, 0), Point(1, 1)), published=True)
    return CurveChart(
        say("Reliability"),
        [Curve(say("True"), points), ideal],
        x_title=say("Probability"),
        y_title=say("Share that is true"),
        x_span=(0, 1),
    )


def _lines(own: Reliability) -> list[str]:
    """What the probabilities of all labels come to."""
    lines = [
        say(
            "{count:,} labels: expected {expected}, counted from 0.5 {counted}, true {true}",
            count=own.count,
            expected=f"**{RATE.shown(own.expected)}**",
            counted=f"**{RATE.shown(own.at(0.5).share)}**",
            true=f"**{RATE.shown(own.true)}**",
        ),
        say(
            "Off by {error} in the mean of the tenths (calibration error)",
            error=f"**{RATE.shown(own.error)}**",
        ),
    ]
    if own.auroc is not None:
        area = SCORE.with_interval(own.auroc, *own.auroc_interval or ())
        lines.append(say("AUROC {auroc}: so often a true one is held likelier", auroc=area))
    return lines


def _at(own: Reliability, threshold: float, of_miss: float, of_alarm: float) -> list[str]:
    """What the threshold gives."""
    hits, alarms, misses, left = own.at(threshold)
    cheapest = _cheapest(own, of_miss, of_alarm)
    return [
        say(
            "Finds {hits:,} of {true:,} true ones, misses {misses:,}",
            hits=hits,
            true=hits + misses,
            misses=misses,
        ),
        say("False alarms: {alarms:,} of {false:,}", alarms=alarms, false=alarms + left),
        say(
            "Costs {cost:,.0f}; least at {best:.2f}: {least:,.0f}",
            cost=own.at(threshold).cost(of_miss, of_alarm),
            best=cheapest,
            least=own.at(cheapest).cost(of_miss, of_alarm),
        ),
    ]


def _cheapest(own: Reliability, of_miss: float, of_alarm: float) -> float:
    thresholds = [round(number * STEP, 2) for number in range(round(1 / STEP) + 1)]
    return min(thresholds, key=lambda threshold: own.at(threshold).cost(of_miss, of_alarm))
