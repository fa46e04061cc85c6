"""Runs that a check offers: the labeller tested by planted errors, and made better by examples."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evaluators.catalogue import labels_sentences
from evaluators.comparison.better_judge import is_offered, plan_of_trial, proposal
from evaluators.document.better_judge import errors_of_judge
from evaluators.flaws.planting import UNTOUCHED
from evaluators.runs.planted import plan_of_planted
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.text.words import counted
from evaluators.trace.labelling_prompt import MOST_OF_EXAMPLES
from ui.models import start_plan
from ui.parts import chosen_view, tables


def planted(view: RunView) -> None:
    """Offers the test with its price; nothing for a run without labels of sentences."""
    if not labels_sentences(view.run.evaluator):
        return
    start_plan.folded(
        say("Without a label: test it by planted errors"),
        ":material/bug_report:",
        f"planted_{view.run.id}",
        partial(_planted, view),
    )


def _planted(view: RunView) -> None:
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
    start_plan.offer(plan, facts, say("Plant errors and label"), "plant", run.id)


def better(view: RunView) -> None:
    """Offers examples with the price of their trial; nothing where no judge labels every answer."""
    if not is_offered(view.run):
        return
    start_plan.folded(
        say("Make the judge better, and prove it"),
        ":material/trending_up:",
        f"better_{view.run.id}",
        partial(_better, view),
    )


def _better(view: RunView) -> None:
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
    start_plan.offer(plan, facts, say("Try the examples"), "try", run.id, examples)
