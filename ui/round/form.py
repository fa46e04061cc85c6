"""The form of a round: which answers of a run a class labels, and what it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import streamlit as st

from evaluators.records import Run
from evaluators.rounds.records import MOST_ANSWERS, Round, RoundKind
from evaluators.runs import rounds
from evaluators.runs.rounds import USUAL, Kind
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.text.words import counted
from ui import run_views, session
from ui.parts import head, label_some, problems, samples, start_round
from ui.parts.untrusted import plain
from ui.round import projector

WORDS: Mapping[Kind, str] = {
    "disputed": "labellers differ",
    "unsupported": "says too much",
    "supported": "all supported",
}
KINDS: Mapping[RoundKind, str] = {"support": "Label sentences", "guess": "Guess the verdict"}
WHAT_FOR: Mapping[RoundKind, str] = {
    "support": "Chosen because they teach, not drawn at random: the class becomes a labeller of "
    "this run, but its labels cannot correct the mean.",
    "guess": "Of each answer: does the run's labeller call all, some or none of its sentences "
    "supported? Guesses are kept with the round and change nothing in the run.",
}
MOST_OFFERED = 300
"""Answers in the list: more make it slow to open."""
QUESTION = 45


def show() -> None:
    """The form for the run in the address, below it the run's earlier rounds."""
    head.show("Round", "A class labels sentences on its phones; the wall shows where it quarrels.")
    run = session.find_run(st.query_params.get("run"))
    if run is None:
        st.info("Open a TRACE run and press “Start a round” there.", icon=":material/groups:")
        st.page_link("../pages/runs.py", label="Runs", icon=":material/history:")
        return
    label_some.way_back(run)
    if why := label_some.why_not(run):
        st.info(why, icon=":material/info:")
        return
    with problems.caught():
        _round_form(run_views.latest(run))
    _earlier_rounds(run)


def _round_form(view: RunView) -> None:
    kinds = rounds.kinds(view)
    if not kinds:
        st.info("No answer of this run has sentences to label.", icon=":material/info:")
        return
    with st.container(border=True, key="round_form"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input(
                "Name", rounds.class_name(view, datetime.now().date()), max_chars=40, width=280
            )
            others = f"other_answers_{view.run.id}"
            if st.button("Other answers", icon=":material/shuffle:"):
                st.session_state[others] = st.session_state.get(others, 0) + 1
            kind = st.segmented_control(
                "Asked",
                list(KINDS),
                default="support",
                format_func=KINDS.__getitem__,
                required=True,
            )
        answers = _answers_field(view, kinds, st.session_state.get(others, 0))
        has_board = st.toggle("Show who was right most often, at the end", value=True)
        st.caption(WHAT_FOR[kind])
        what = counted(len(answers), "answer")
        if st.button(f"Start with {what}", type="primary", icon=":material/play_arrow:"):
            session.check_room()
            _open_round(rounds.start(view, answers, name.strip(), kind=kind, has_board=has_board))


def _answers_field(view: RunView, kinds: Mapping[Answer, Kind], seed: int) -> list[Answer]:
    """The answers that are chosen, at first the proposed ones."""
    proposed = _proposed(view, kinds, seed)
    titles = _answer_titles(view, kinds, proposed)
    chosen = st.multiselect(
        "Answers",
        list(titles),
        # The proposed ones stand first.
        list(titles)[: len(proposed)],
        max_selections=MOST_ANSWERS,
        # Under one key the earlier choice would stay when others are proposed.
        key=f"round_answers_{view.run.id}_{seed}",
    )
    return [titles[title] for title in chosen]


def _proposed(
    view: RunView,
    kinds: Mapping[Answer, Kind],
    seed: int,
) -> list[Answer]:
    """What the table on the run's page was filtered to, where somebody did; else what teaches."""
    passing = [answer for answer in samples.last_answers(view.run) if answer in kinds]
    if seed == 0 and 0 < len(passing) < len(kinds):
        return passing[:USUAL]

    def choose() -> list[Answer]:
        return rounds.instructive(view, USUAL, seed)

    # Some hundred answers are read for it, and a form is drawn at every click.
    return view.kept(f"round {seed}", list[Answer], choose)


def _answer_titles(
    view: RunView,
    kinds: Mapping[Answer, Kind],
    proposed: Sequence[Answer],
) -> dict[str, Answer]:
    """The answers that can be chosen by what they are called, the proposed ones first."""
    questions = {Answer(row.position, row.model): row.question for row in view.of_metric(0)}
    offered = dict.fromkeys([*proposed, *list(kinds)[:MOST_OFFERED]])
    titles = {}
    for answer in offered:
        model = f" by model {answer.model + 1}" if len(view.run.models) > 1 else ""
        question = questions[answer][:QUESTION]
        titles[f"{answer.position + 1}{model} · {WORDS[kinds[answer]]} · {question}"] = answer
    return titles


def _open_round(made: Round) -> None:
    # Without the workspace in the address: the class sees it.
    st.switch_page(start_round.PAGE, query_params={projector.LEAD: made.id})


def _earlier_rounds(run: Run) -> None:
    """The run's rounds, newest first."""
    earlier = session.store().rounds.of_run(run.id)
    if not earlier:
        return
    st.header("Rounds")
    for made in earlier:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            took_part = len(session.store().rounds.participants(made.id))
            facts = (
                counted(len(made.answers), "answer"),
                counted(took_part, "participant"),
                made.state,
            )
            st.markdown(f"**{plain(made.name)}** · {' · '.join(facts)}")
            if st.button("Open", icon=":material/open_in_new:", key=f"open_{made.id}"):
                _open_round(made)
