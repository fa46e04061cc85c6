"""The button that starts a plan that is made already, with what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from evaluators.errors import AccessError
from evaluators.llm.clients import access_for
from evaluators.runs.plan import RunPlan
from evaluators.text.language import say
from ui import session
from ui.models import forecast
from ui.parts import problems, remedies
from ui.parts.untrusted import plain


def folded(title: str, icon: str, key: str, offer: Callable[[], None]) -> None:
    """Offers a run in a fold, drawn only where it is open: its plan takes reading answers."""
    box = st.expander(title, icon=icon, key=key, on_change="rerun")
    if box.open:
        with box, problems.caught():
            offer()


def offer(plan: RunPlan, facts: Sequence[str], label: str, *place: str) -> None:
    """What the run is, with its price where it asks a model, and the button that starts it."""
    if plan.llms:
        measures = forecast.RememberedMeasures((session.workspace(), *place))
        facts = [*facts, forecast.price(forecast.of(plan, measures), plan.cap)]
    st.caption(plain(" · ".join(facts)))
    button(plan, label, "_".join(place[:2]))


def button(plan: RunPlan, label: str, key: str) -> None:
    """Starts the run, or says which keys or models are missing and leads to where they are."""
    lacking = _lacking(plan)
    for words in lacking:
        st.warning(plain(words), icon=":material/key_off:")
    if lacking:
        st.page_link("../pages/settings.py", label=say("Settings"), icon=":material/key:")
    if st.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=bool(lacking),
        key=key,
    ):
        session.start(plan)


def _lacking(plan: RunPlan) -> list[str]:
    """Which keys or models are missing, each once, with where to enter them."""
    # A dictionary for its order: several judges may lack one key, which is named once.
    words: dict[str, None] = {}
    for spec in plan.llms:
        try:
            access_for(spec, session.keys())
        except AccessError as error:
            words[f"{spec.id}: {remedies.worded(error)}"] = None
    return list(words)
