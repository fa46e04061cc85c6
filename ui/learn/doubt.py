"""Lesson 5: how sure a value is by its rows, and what people's labels do to a judge's mean."""

from __future__ import annotations

from random import Random

import streamlit as st

from evaluators.people.correction import EstimatedMean, Stratum, corrected_rate, labelled_rate
from evaluators.runs.aggregate import Mean
from evaluators.runs.shown_values import Dot, Group
from evaluators.statistics import wilson
from evaluators.text.language import say
from evaluators.text.scale import RATE
from ui.learn.lesson import note_played
from ui.parts import dots

KEY = "learn_doubt_"
TRUTH = 0.75
"""The share of right answers among all answers there could be, which nobody knows in real life."""
ROWS = (10, 20, 50, 100, 200, 500, 1000, 2000)
CLASSES = 5
"""People who each check rows of their own."""

JUDGED = 1000
JUDGED_YES = 800
# Of those labelled inside the judge's yes and no: how many there are, and how many people call
# supported. Made up so that the judge is too kind, as judges are, and right in nine of ten: with a
# worse one, or few judged answers, people alone would say as much.
LABELS = {
    0: ((0, 0), (0, 0)),
    20: ((16, 14), (4, 0)),
    50: ((40, 36), (10, 1)),
    100: ((80, 72), (20, 2)),
    200: ((160, 144), (40, 4)),
}


def show() -> None:
    """First the rows, then the judge."""
    _rows_to_drag()
    _judge_to_correct()


# The slider draws its dots anew and nothing else of the page.
@st.fragment
def _rows_to_drag() -> None:
    st.header(say("1 · Five people check the same model"), anchor=False)
    st.markdown(
        say(
            "In truth it answers **{share:.0f} %** right (the upright line), but nobody knows "
            "that. Each person checks other rows. Drag, and watch dots and lines.",
            share=100 * TRUTH,
        )
    )
    rows = st.select_slider(say("Rows that each one checks"), ROWS, 20, key=f"{KEY}rows")
    seed = st.session_state.setdefault(f"{KEY}seed", 0)
    # Seeds of their own at every drawing, so that no two people check the same rows.
    measured = [_measured(rows, seed * CLASSES + person) for person in range(CLASSES)]
    shown = []
    for number, mean in enumerate(measured, start=1):
        shown.append(Dot(say("Person {number}", number=number), mean))
    with st.container(key="learn_truth"):
        dots.show([Group("", "", shown)])
    # Wilson's interval has both ends; `or` is for the type, which allows for neither.
    holding = sum((mean.low or 0) <= TRUTH <= (mean.high or 0) for mean in measured)
    widest = max((mean.high or 0) - (mean.low or 0) for mean in measured)
    st.markdown(
        say(
            "The line is the **95 % interval**: up to {width:.0f} points wide. "
            "{holding} of {all} lines hold the truth; in the long run 95 of 100 do. "
            "Half the width takes four times as many rows.",
            width=100 * widest,
            holding=holding,
            all=CLASSES,
        )
    )
    st.button(say("Other rows"), icon=":material/casino:", on_click=_draw_again)


def _measured(rows: int, seed: int) -> Mean:
    """What somebody measures on so many rows, drawn by this seed."""
    # Seeded: a slider that comes back to a number shows what it showed before.
    rng = Random(seed)
    right = sum(rng.random() < TRUTH for _ in range(rows))
    low, high = wilson(right, rows)
    return Mean(
        mean=right / rows,
        low=low,
        high=high,
        asked=rows,
        scored=rows,
        not_applicable=0,
        failed=0,
    )


def _draw_again() -> None:
    st.session_state[f"{KEY}seed"] += 1


@st.fragment
def _judge_to_correct() -> None:
    st.header(say("2 · A judge labels everything. Can you believe it?"), anchor=False)
    st.markdown(
        say(
            "A judge (an LLM) calls **{yes} of {all:,}** answers supported. Label some of them "
            "yourself and see what becomes of its mean. The numbers are made up.",
            yes=JUDGED_YES,
            all=JUDGED,
        )
    )
    count = st.select_slider(say("Answers that people label"), tuple(LABELS), 0, key=f"{KEY}labels")
    low, high = wilson(JUDGED_YES, JUDGED)
    judge = EstimatedMean(mean=JUDGED_YES / JUDGED, low=low, high=high)
    shown = [
        Dot(
            say("The judge alone"),
            _mean_of_estimate(judge, JUDGED),
            (),
            say("Its line knows nothing of its errors"),
            0,
        )
    ]
    if not count:
        dots.show([Group("", "", shown)])
        st.markdown(say("Its line is narrow. But is it in the right place? Nobody knows yet."))
        return
    people, corrected = _estimates_by_people(count)
    shown += [
        Dot(say("People alone"), _mean_of_estimate(people, count), (), say("Sure, but wide"), 1),
        Dot(
            say("Judge, corrected"),
            _mean_of_estimate(corrected, JUDGED),
            (),
            say("Both together"),
            2,
            term="corrected_mean",
        ),
    ]
    dots.show([Group("", "", shown)])
    st.markdown(_what_happened(count, corrected))
    note_played(True)


def _estimates_by_people(count: int) -> tuple[EstimatedMean, EstimatedMean]:
    """What people's labels say alone, and what the judge's mean becomes by them."""
    (of_yes, kept), (of_no, found) = LABELS[count]
    strata = [Stratum(JUDGED_YES, of_yes, kept), Stratum(JUDGED - JUDGED_YES, of_no, found)]
    supported = kept + found
    values = [1.0] * supported + [0.0] * (count - supported)
    return labelled_rate(values), corrected_rate(strata)


def _what_happened(count: int, corrected: EstimatedMean) -> str:
    (of_yes, kept), (of_no, found) = LABELS[count]
    yes = JUDGED_YES / JUDGED
    return say(
        "Of {of_yes} answers that the judge calls supported people agree with {kept}; of {of_no} "
        "that it does not they call {found} supported. So the mean is not {yes:.0f} % but "
        "{yes:.0f} % · {kept}/{of_yes} + {no:.0f} % · {found}/{of_no} = **{estimate}**. "
        "The judge was too kind, and its narrow line was wrong.",
        of_yes=of_yes,
        kept=kept,
        of_no=of_no,
        found=found,
        yes=100 * yes,
        no=100 * (1 - yes),
        estimate=RATE.estimate(corrected),
    )


def _mean_of_estimate(estimate: EstimatedMean, count: int) -> Mean:
    return Mean(
        mean=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        asked=count,
        scored=count,
        not_applicable=0,
        failed=0,
    )
