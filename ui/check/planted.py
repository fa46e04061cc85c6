"""A labeller tested without a label: a run over copies of its answers with planted errors."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evaluators.catalogue import labels_sentences
from evaluators.flaws.planting import UNTOUCHED
from evaluators.runs.planted import plan_of_planted
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.text.words import counted
from ui import session
from ui.models import forecast, start_plan
from ui.parts import chosen_view
from ui.parts.untrusted import plain


def show(view: RunView) -> None:
    """Offers the test with its price; nothing for a run without labels of sentences."""
    if not labels_sentences(view.run.evaluator):
        return
    start_plan.folded(
        say("Without a label: test it by planted errors"),
        ":material/bug_report:",
        f"planted_{view.run.id}",
        partial(_offer, view),
    )


def _offer(view: RunView) -> None:
    run = view.run
    st.markdown(
        say(
            "Answers that it calls supported are asked about again, each as it is and with one "
            "error: another number, another name, a negation put in or taken out, a sentence of "
            "another answer. The run shows how many of each kind it finds. Twice more nothing is "
            "changed but the order of the documents, or a courtesy line at the end: does it change "
            "its mind?"
        )
    )
    plan = plan_of_planted(view, chosen_view.of(run))
    plan.check()
    samples = plan.dataset.samples
    answers = sum(sample.situation == UNTOUCHED for sample in samples)
    facts = [
        say(
            "{answers}, {samples} to label",
            answers=counted(answers, "answer"),
            samples=counted(len(samples), "sample"),
        )
    ]
    if plan.llms:
        measures = forecast.RememberedMeasures(("planted", session.workspace(), run.id))
        facts.append(forecast.price(forecast.of(plan, measures), plan.cap))
    st.caption(plain(" · ".join(facts)))
    start_plan.button(plan, say("Plant errors and label"), f"plant_{run.id}")
