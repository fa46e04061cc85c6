"""A run once more: the same again with what that would cost, or the form with its settings."""

from __future__ import annotations

import streamlit as st

from evaluators.catalogue import leads
from evaluators.records import Run
from evaluators.runs.again import plan_again
from evaluators.runs.examples import is_made_up
from evaluators.runs.plan import RunPlan
from evaluators.text.language import mark, say
from ui import session
from ui.models import forecast, start_plan
from ui.parts import problems
from ui.parts.untrusted import plain

NOBODY_ASKED = mark("Nobody is asked: every value must come out the same.")


def button(run: Run) -> None:
    """Opens the choice between the same run and a changed one."""
    box = st.popover(
        say("Run again …"),
        icon=":material/replay:",
        key=f"again_{run.id}",
        # Only then drawn: what it would cost takes reading every sample.
        on_change="rerun",
    )
    if box.open:
        with box:
            _choose(run)


def _choose(run: Run) -> None:
    if is_made_up(run):
        st.caption(
            say("Its models and judges are made up: nobody can ask them again. Choose others.")
        )
    else:
        with problems.caught():
            _the_same(run)
    st.divider()
    if run.dataset_name not in session.sources():
        words = say(
            "{data} is not among the data sets here: the form begins with another one.",
            data=run.dataset_name,
        )
        st.caption(plain(words))
    if st.button(say("Change settings …"), icon=":material/tune:", key=f"change_{run.id}"):
        page = session.PAGES[leads(run.evaluator.name)]
        st.switch_page(page, query_params=session.address(again=run.id))


def _the_same(run: Run) -> None:
    """The button that starts the same run, with what it would cost or what it lacks."""
    st.markdown(say("The same samples, prompts, models and seed; then both are compared."))
    # Asked anew unless somebody chooses otherwise: a stored answer is the same by itself.
    use_cache = False
    if run.models or run.judges:
        use_cache = st.toggle(say("Take stored answers"), key=f"again_stored_{run.id}")
    plan = plan_again(session.store(), run, use_cache=use_cache)
    plan.check()
    st.caption(_cost_in_words(run, plan))
    start_plan.button(plan, say("Run the same again"), f"same_{run.id}")


def _cost_in_words(run: Run, plan: RunPlan) -> str:
    if not plan.llms:
        return say(NOBODY_ASKED)
    measures = forecast.RememberedMeasures(("again", session.workspace(), run.id))
    price = forecast.price(forecast.of(plan, measures), plan.cap)
    if plan.use_cache:
        return plain(
            say(
                "Only what has no stored answer is asked: {price}. That proves little.", price=price
            )
        )
    return plain(say("Every model is asked anew: {price}.", price=price))
