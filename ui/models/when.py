"""When the models of a run answer: now, or by tomorrow at half the price."""

from __future__ import annotations

import streamlit as st

from evaluators.llm.catalogue import model_title
from evaluators.llm.providers import PROVIDERS
from evaluators.records import ModelSpec
from evaluators.runs.plan import RunPlan, not_overnight
from evaluators.text.language import mark, say
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

NOW, TOMORROW = mark("Now"), mark("By tomorrow, half the price")


def is_overnight(plan: RunPlan, now: str, tomorrow: str, key: str) -> bool:
    """Draws the choice with what each of the two takes, in words; whether it is tomorrow.

    Where one of the models cannot be asked so, the choice is shut and says why; where none can,
    there is no choice.
    """
    unfit = not_overnight(plan.llms)
    if len(unfit) == len(plan.llms):
        st.caption(plain(now))
        return False
    why_not = _why_not(unfit[0]) if unfit else ""
    if any(metric.asks_decisions for metric in plan.evaluators):
        why_not = say("not for a decision model")
    with st.container(border=True):
        choice = st.radio(
            say("When"),
            [NOW, TOMORROW],
            format_func=say,
            captions=[plain(now), plain(why_not or tomorrow)],
            horizontal=True,
            disabled=bool(why_not),
            help=say(
                "By tomorrow: the requests go out together as a batch, and you collect the answers "
                "on the page of the run. You may close the app meanwhile."
            ),
            # Shut under another key: what was chosen comes back with a model that can be asked so.
            key=f"{key}_now" if why_not else f"{key}_when",
            **KEPT,
        )
    return choice == TOMORROW and not why_not


def _why_not(spec: ModelSpec) -> str:
    if spec.is_own:
        return say("not for a system of your own")
    provider = PROVIDERS[spec.provider]
    if provider.batches is None:
        return say("not offered by {provider}", provider=say(provider.title))
    return say("price unknown for {model}", model=model_title(spec))
