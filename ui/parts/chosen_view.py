"""How a run is looked at: whose labels, and by which formula or rules; the same on every page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.catalogue import leads
from evaluators.people import labellers
from evaluators.records import Run
from evaluators.runs import run_facts, whose
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.trace.labelling import CORRECTED
from ui.parts.untrusted import plain


def definition_key(run: Run) -> str:
    """Where the session keeps by which formula the run's labels are counted."""
    return f"definition_{run.id}"


def labels_key(run: Run) -> str:
    """Where the session keeps whose labels are looked at, empty for the run's own."""
    return f"labels_{run.id}"


def rules_key(run: Run) -> str:
    """Where the session keeps by which rules RGB's answers are read."""
    return f"policy_{run.id}"


def of(run: Run) -> View:
    """What is chosen for the run, also before or without the fields that choose it."""
    labeller = st.session_state.get(labels_key(run)) or None
    match leads(run.evaluator.name):
        case "trace":
            return View(st.session_state.get(definition_key(run)), labeller)
        case "rgb":
            return View(by=labeller, policy=st.session_state.get(rules_key(run)))
    return View(by=labeller)


def model_switch(run: Run, label: str, key: str) -> int:
    """The number of the model whose answers are looked at, to be chosen where there are several."""
    names = run_facts.titles(run)
    if len(names) < 2:
        return 0
    name = st.segmented_control(
        label,
        names,
        default=names[0],
        format_func=plain,
        required=True,
        key=key,
        persist_state="session",
    )
    return names.index(name)


def labels_switch(view: RunView, names: Sequence[str]) -> str | None:
    """The choice of whose labels are looked at, of these; `None` is the run's own labeller."""
    if not names:
        return None
    own = whose.own_labeller(view)
    # Where one labelled alone, that is the run's own.
    if not [name for name in names if labellers.in_a_sentence(name) != own]:
        return None

    def title(by: str) -> str:
        if not by:
            return say("The run's own ({labeller})", labeller=own)
        if by == CORRECTED:
            return whose.labeller_in_words(view, View(by=by))
        return labellers.labeller_title(by)

    name: str = st.selectbox(
        say("Labeller"),
        ["", *names],
        format_func=title,
        help=say("Whose labels the values are based on. What people say never changes the run's."),
        key=labels_key(view.run),
        width=320,
        persist_state="session",
    )
    return name or None


def say_whose(view: RunView, seen: View) -> None:
    """Above values and samples: whose labels they are of, where these are not the run's own."""
    if labeller := whose.chosen_labeller(view, seen):
        st.caption(plain(say("Labels: {labeller}", labeller=labeller)))
