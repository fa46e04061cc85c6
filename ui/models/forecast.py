"""What a run will take, as a form shows it: measured once, however often the form is drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.llm.estimate import (
    DAY,
    bases,
    cut_short,
    duration,
    impossible,
    lengthy,
    rows_in_words,
    together,
)
from evaluators.llm.money import dollar_range
from evaluators.records import Cap
from evaluators.runs.forecast import Forecast, Measures, forecast
from evaluators.runs.inputs import keys_for_estimates
from evaluators.runs.plan import RunPlan
from evaluators.text.language import say
from ui import session
from ui.held import held, weight
from ui.models import when
from ui.parts.untrusted import plain

T = TypeVar("T")


class RememberedMeasures(Measures):
    """Measures the prompts of a plan over these data once, for all visitors and all redraws.

    `data` tells the samples of the plan from all others: reading or composing them is left out
    where all is known.
    """

    def __init__(self, data: Hashable) -> None:
        self.data = data

    def once(self, words: str, key: Hashable, measure: Callable[[], T]) -> T:
        """What was measured before, else what is measured now, beside a spinner with words."""
        key = (RememberedMeasures, self.data, key)
        measured: T | None = held.find(key)
        if measured is None:
            # Not `held.read`, where one visitor waits for another: this takes time, no memory.
            with st.spinner(say(words)):
                measured = measure()
            held.keep(key, measured, weight(measured))
        return measured


def of(plan: RunPlan, measures: Measures) -> Forecast:
    """What the plan will take, with a key or without one."""
    count_stored = partial(session.store().calls.answered, session.workspace())
    return forecast(plan, keys_for_estimates(session.keys()), count_stored, measures)


def show(
    plan: RunPlan,
    measures: Measures,
    advanced: DeltaGenerator,
    key: str,
) -> tuple[RunPlan, str]:
    """The plan with when its models are to answer, and the price in a few words.

    Draws that choice and warnings here, and the details under Advanced.
    """
    if not plan.llms:
        return plan, ""
    taken = of(plan, measures)
    later = taken.in_batches()
    now = " · ".join(filter(None, [price(taken, plan.cap), waiting(taken)]))
    tomorrow = f"{price(later, plan.cap)} · {say('within {time}', time=duration(DAY))}"
    if when.is_overnight(plan, now, tomorrow, key):
        plan, taken = replace(plan, overnight=True), later
    with advanced:
        details(plan, taken)
        if plan.repeats_alike:
            st.caption(plan.repeats_alike)
    # Not among the details, which may be closed.
    warnings(plan, taken)
    return plan, price(taken, plan.cap)


def details(plan: RunPlan, taken: Forecast) -> None:
    """A line for each model and judge, and what it rests on; nothing without an LLM."""
    if not plan.llms:
        return
    # Without models only judges are asked, and nobody can take one for anything else.
    named = taken.named(marks_judges=bool(plan.models))
    rows = rows_in_words(named)
    st.dataframe(
        rows,
        hide_index=True,
        column_config=_columns(rows),
        alt=say("Estimate"),
    )
    if sentences := bases(named):
        st.caption("  \n".join(map(plain, sentences)))


def warnings(plan: RunPlan, taken: Forecast) -> None:
    """What will not go as it is planned."""
    named = taken.named(marks_judges=bool(plan.models))
    if words := cut_short(plan.cap, named):
        st.caption(plain(words))
    for name, estimate in named:
        if words := impossible(name, estimate):
            st.warning(plain(words), icon=":material/warning:")
        elif words := lengthy(name, estimate):
            st.warning(plain(words), icon=":material/hourglass_top:")


def price(taken: Forecast, cap: Cap | None = None, times: float = 1.0) -> str:
    """What it costs at most, within the budget, in a few words: "up to $0.12"."""
    cost = together((*taken.models, *taken.judges)).cost_high
    most = None if cost is None else cost * times
    if cap and cap.cost is not None:
        # The budget holds for any price, known or not.
        most = cap.cost if most is None else min(most, cap.cost)
    if most is None:
        return say("price unknown")
    return dollar_range(0.0, most)


def waiting(taken: Forecast, times: float = 1.0) -> str:
    """How long the slowest of them makes it last, as far as its limits are known."""
    longest = (together((*taken.models, *taken.judges)).minutes_high or 0.0) * times
    return say("{time} on the free plan", time=duration(longest)) if longest else ""


def _columns(rows: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """The heads of the columns in the language of the reader."""
    heads: dict[str, Any] = {name: st.column_config.Column(say(name)) for name in rows[0]}
    waiting_help = say("What the provider's limits impose, beside the time of the answers.")
    heads["Waiting"] = st.column_config.TextColumn(say("Waiting"), help=waiting_help)
    # As wide as its longest range: a column keeps the width that its first values took.
    longest = max(len(str(row["Cost"])) for row in rows)
    width = max(80, 8 * longest + 16)
    heads["Cost"] = st.column_config.TextColumn(say("Cost"), width=width)
    return heads
