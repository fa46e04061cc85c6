"""A judge made better by examples of its errors: a run that tries them on answers unseen."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evaluators.comparison.better_judge import is_offered, plan_of_trial, proposal
from evaluators.document.better_judge import errors_of_judge
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.text.words import counted
from evaluators.trace.labelling_prompt import MOST_OF_EXAMPLES
from ui import session
from ui.models import forecast, start_plan
from ui.parts import chosen_view, tables
from ui.parts.untrusted import plain


def show(view: RunView) -> None:
    """Offers examples with the price of their trial; nothing where no judge labels every answer."""
    if not is_offered(view.run):
        return
    start_plan.folded(
        say("Make the judge better, and prove it"),
        ":material/trending_up:",
        f"better_{view.run.id}",
        partial(_offer, view),
    )


def _offer(view: RunView) -> None:
    run, seen = view.run, chosen_view.of(view.run)
    st.markdown(
        say(
            "Its errors on half of the labelled questions become examples in its prompt. A run "
            "labels the answers of the other half anew, and says whether it agrees more with "
            "people."
        )
    )
    found = proposal(view, seen)
    tables.show(errors_of_judge(found), say("Where the judge errs"))
    examples = st.text_area(
        say("Examples for the judge"),
        found.examples,
        height=280,
        max_chars=MOST_OF_EXAMPLES,
        key=f"examples_{run.id}",
        help=say("Take out what is not an error, and add nothing of the other half."),
    )
    plan = plan_of_trial(view, seen, examples)
    plan.check()
    facts = [say("{answers} to label", answers=counted(len(plan.dataset.samples), "answer"))]
    measures = forecast.RememberedMeasures(("examples", session.workspace(), run.id, examples))
    facts.append(forecast.price(forecast.of(plan, measures), plan.cap))
    st.caption(plain(" · ".join(facts)))
    start_plan.button(plan, say("Try the examples"), f"try_{run.id}")
