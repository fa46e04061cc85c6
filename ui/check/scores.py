"""Scores of other tools: one in the labeller's place, all of a run's data, those of data sets."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evaluators.catalogue import declared_values, labels_sentences
from evaluators.document import tables as document
from evaluators.people.checked import Against
from evaluators.people.sample_groups import BY, parts
from evaluators.people.score_columns import YES_FROM, check_scores, value_scored
from evaluators.runs.checks import every_column, scores_of_data
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import RunView
from evaluators.runs.whose import own_labeller
from evaluators.text.language import say
from evaluators.text.scale import NO_VALUE
from evaluators.text.words import readable
from evaluators.trace.definitions import DEFINITIONS
from ui import session
from ui.parts import chosen_view, problems, tables
from ui.parts.untrusted import plain


def chosen(view: RunView, metric: int) -> dict[str, Any] | None:
    """The column that stands in the labeller's place, and how it is read; `None` for the run's."""
    columns = list(scores_of_data(view, metric))
    if not columns:
        return None
    key = f"{view.run.id}_{metric}"
    name = st.selectbox(
        say("Labeller"),
        columns,
        index=None,
        placeholder=plain(own_labeller(view, metric)),
        key=f"check_scores_{key}",
        help=say("The run's own, or scores of another tool that came with the data."),
        width=320,
    )
    if name is None:
        return None
    declared = declared_values(view.run.evaluators[metric].name)
    names = [value.name for value in declared]
    known = value_scored(name, declared)
    of = st.selectbox(
        say("Scores of"),
        names,
        index=names.index(known) if known else None,
        format_func=readable,
        placeholder=say("Which value?"),
        key=f"check_of_{key}_{name}",
        width=240,
    )
    scale = st.text_input(
        say("Scale, worst:best"),
        placeholder="0:1",
        max_chars=100,
        key=f"check_scale_{key}_{name}",
        help=say("Where the scores are not from 0 to 1: 1:5, 0:100, 1:0, wrong:right."),
        width=180,
    )
    yes_from = st.number_input(
        say("A yes from"),
        0.0,
        1.0,
        YES_FROM,
        step=0.05,
        key=f"check_yes_{key}_{name}",
        help=say("From where on a score of a yes-or-no value is a yes, from 0 to 1."),
        width=140,
    )
    return {
        "name": name,
        "metric": metric,
        "of": of or "",
        "scale": scale.strip(),
        "yes_from": yes_from,
    }


def of_run(view: RunView, metric: int, against: Against) -> None:
    """All columns of scores of the run's data; nothing where they have none."""
    if not scores_of_data(view, metric):
        return
    has_formula = labels_sentences(view.run.evaluators[metric])
    seen = chosen_view.of(view.run).definition
    definition = formula_of(view.run, seen) if has_formula else None
    with st.expander(say("Scores of other tools"), icon=":material/scoreboard:"):
        found = every_column(view, metric, against, seen)
        tables.show(document.scores(found, definition), say("Scores of other tools"))


def of_data() -> None:
    """The columns of scores of data sets beside their published labels, without a run."""
    st.header(say("Scores of other tools"), anchor=False)
    st.caption(
        say(
            "Columns of data sets in which another tool scored the answers, beside the labels that "
            "the data have: ragas, DeepEval, TruLens, RAGBench's published judges, a spreadsheet."
        )
    )
    names = st.multiselect(say("Data sets"), session.answered(), key="scores_of_data")
    if not names:
        return
    left, right = st.columns(2)
    by = right.selectbox(
        say("Parted by"),
        list(BY),
        index=None,
        format_func=lambda name: say(BY[name]),
        placeholder=NO_VALUE,
        key="scores_by",
    )
    definition = left.selectbox(
        say("Formula"),
        list(DEFINITIONS),
        format_func=lambda name: say(DEFINITIONS[name].title),
        key="scores_definition",
    )
    with problems.caught(), st.spinner(say("Comparing")):
        found = [
            each
            for name in names
            for part in parts(session.dataset(name), by)
            for each in check_scores(part, definition=definition)
        ]
        tables.show(document.scores(found, definition), say("Scores of other tools"))
