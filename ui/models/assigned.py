"""An assignment's link: the form of its page stands filled in, and nothing runs without a click."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from evaluators.base import Benchmark
from evaluators.catalogue import leads
from evaluators.datasets.rgb import TestBed
from evaluators.errors import ParameterError, PlumblineError
from evaluators.llm.catalogue import model_title
from evaluators.records import Dataset, ModelSpec, Run
from evaluators.runs import assignment
from evaluators.runs.assignment import Assignment
from evaluators.text.language import say
from evaluators.text.words import counted, in_a_line
from ui import session
from ui.models import form as model_form
from ui.parts import problems
from ui.parts.untrusted import plain


class Assigned(NamedTuple):
    """What a link asked for: the settings, and the LLMs of it that this visitor cannot ask."""

    run: Run
    not_usable: tuple[ModelSpec, ...]


def take(benchmark: Benchmark | None) -> Assigned | None:
    """What the link in the address asks of this page's form; `None` without one that can be used.

    While its data are missing the link waits for them, and the page says what to do.
    """
    token = st.session_state.get(session.ASSIGNMENT)
    if token is None:
        return None
    try:
        link = assignment.read(token)
        run = assignment.as_run(link)
        _check_place(run, benchmark)
        if not _has_data(run, benchmark):
            _ask_for_data(link)
            return None
    except PlumblineError as error:
        problems.keep(error, _place(benchmark))
        st.session_state.pop(session.ASSIGNMENT)
        forget(benchmark)
        return None
    st.session_state.pop(session.ASSIGNMENT)
    by_id = model_form.choices()
    not_usable = []
    for spec in (*run.models, *run.judges):
        if spec.id not in by_id or by_id[spec.id].problem:
            not_usable.append(spec)
    assigned = Assigned(run, tuple(not_usable))
    st.session_state[_place(benchmark)] = assigned
    return assigned


def _ask_for_data(link: Assignment) -> None:
    """Says which data the assignment needs, and fills in where they are asked for on the hub."""
    words = say(
        "The data set “{data}” is not here. Upload it on the Datasets page under this name; the "
        "form is filled in then.",
        data=link.data,
    )
    if link.hub:
        words = say(
            "The assignment takes {rows} of {id} ({config}, {split}) from Hugging Face. Load them "
            "on the Datasets page under the name “{data}”; the form is filled in then.",
            rows=counted(link.hub.rows, "row"),
            id=link.hub.id,
            config=link.hub.config,
            split=link.hub.split,
            data=link.data,
        )
        # The fields of the page, before any of them is drawn; loading takes a click there.
        fields = {"hub_way": "Any data set", "hub_id": link.hub.id, "hub_rows": link.hub.rows}
        st.session_state.update(fields)
    with st.container(border=True):
        st.warning(plain(words), icon=":material/assignment:")
        st.page_link(
            "../pages/datasets.py",
            label=say("Datasets"),
            icon=":material/database:",
            query_params=session.address(),
        )


def forget(benchmark: Benchmark | None) -> None:
    """Another choice began: the form is no longer that of an assignment."""
    st.session_state.pop(_place(benchmark), None)


def show(benchmark: Benchmark | None) -> None:
    """Above the form: what keeps the link from being used, or what to do with it."""
    problems.show(_place(benchmark))
    assigned: Assigned | None = st.session_state.get(_place(benchmark))
    if assigned is None:
        return
    words = say("Assignment: look at the settings, press Start, then hand in the run file.")
    st.info(plain(words), icon=":material/assignment:")
    if assigned.not_usable:
        titles = in_a_line(map(model_title, assigned.not_usable))
        with st.container(horizontal=True, vertical_alignment="center"):
            wanted = say(
                "It asks {models}, which cannot be asked here yet. Enter a key, or choose another.",
                models=titles,
            )
            st.caption(plain(wanted))
            model_form.settings_link()


def hand_in(run: Run) -> None:
    """On the page of a run that was made for an assignment: how it is handed in."""
    assigned: Assigned | None = st.session_state.get(_place(leads(run.evaluator.name)))
    # A moment is kept with its run, so earlier runs over the same data are told from it.
    if assigned is None or assigned.run.dataset_name != run.dataset_name:
        return
    if run.created >= assigned.run.created:
        words = say("To hand it in: Share, Whole run. The file holds results and settings.")
        st.caption(f":material/assignment_turned_in: {plain(words)}")


def _place(benchmark: Benchmark | None) -> str:
    return f"assigned_{benchmark or 'metrics'}"


def _check_place(run: Run, benchmark: Benchmark | None) -> None:
    if leads(run.evaluator.name) != benchmark:
        raise ParameterError(say("This assignment link belongs to another page. Ask for it again."))


def _has_data(run: Run, benchmark: Benchmark | None) -> bool:
    """Whether data of this name and kind are here; raises `ParameterError` for unfit ones."""
    name = run.dataset_name
    if benchmark != "rgb":
        return name in session.named(Dataset)
    if not run.models:
        return name in session.answered()
    if name not in session.named(TestBed):
        return False
    if not set(run.origin.get("abilities", ())) <= set(session.test_bed(name).abilities):
        raise ParameterError(
            say("The assignment tests abilities that “{data}” does not have.", data=name)
        )
    return True
