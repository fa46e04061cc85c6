"""The form of a round: which answers of a run a class labels, and what it is called."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import streamlit as st

from evaluators.records import Run
from evaluators.rounds.kinds import KINDS
from evaluators.rounds.records import MOST_ANSWERS, Asking, Round, RoundKind, State
from evaluators.runs import examples, rounds
from evaluators.runs.glossary import meanings_of, terms
from evaluators.runs.rounds import Lesson
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say
from evaluators.text.words import counted
from ui import run_views, session
from ui.parts import head, label_some, problems, samples, start_round, tables
from ui.parts.untrusted import plain
from ui.round import projector, qr, reach, systems

WORDS: Mapping[Lesson, str] = {
    "disputed": mark("labellers differ"),
    "unsupported": mark("says too much"),
    "supported": mark("all supported"),
    "unnoticed": mark("no model notices"),
    "noticed": mark("noticed by a model"),
    "told apart": mark("the metric prefers one"),
    "alike": mark("alike for the metric"),
    "high": mark("high"),
    "middle": mark("middle"),
    "low": mark("low"),
}
STATES: Mapping[State, str] = {
    "open": mark("open"),
    "paused": mark("paused"),
    "closed": mark("closed"),
    "revealed": mark("revealed"),
}
MOST_OFFERED = 300
"""Answers in the list: more make it slow to open."""
QUESTION = 45


def show() -> None:
    """The form for the run in the address, below it the run's earlier rounds."""
    head.show(say("Round"), say("A class answers on its phones; the wall shows where it quarrels."))
    run = session.find_run(st.query_params.get("run"))
    if run and run.workspace == EXAMPLES:
        # A class that goes on is asked other answers than in its first round.
        run = examples.own_copy(session.store(), run, session.workspace()) or run
    if run is None:
        st.info(say("Open a run and press “Start a round” there."), icon=":material/groups:")
        st.page_link("../pages/runs.py", label=say("Runs"), icon=":material/history:")
        return
    label_some.way_back(run)
    if label_some.is_unfinished(run):
        return
    with problems.caught():
        _round_form(run_views.latest(run))
    _earlier_rounds(run)


def _round_form(view: RunView) -> None:
    kinds = view.kept("kinds of rounds", list[RoundKind], lambda: rounds.kinds_of(view))
    if not kinds:
        nothing = say("This run has no labelled sentences, no planted errors and not two models.")
        st.info(nothing, icon=":material/info:")
        return
    with st.container(border=True, key="round_form"):
        # Side by side, so that Start is seen without scrolling.
        with st.container(horizontal=True, vertical_alignment="bottom"):
            kind = st.segmented_control(
                say("Kind of round"),
                kinds,
                default=kinds[0],
                format_func=lambda kind: say(KINDS[kind].title),
                required=True,
            )
            today = datetime.now().date()
            name = st.text_input(
                say("Name"), rounds.class_name(view, today), max_chars=40, width=240
            )
            others = f"other_answers_{view.run.id}"
            if st.button(say("Other answers"), icon=":material/shuffle:"):
                st.session_state[others] = st.session_state.get(others, 0) + 1
        st.caption(say(KINDS[kind].what_for))
        asking = Asking(kind)
        if KINDS[kind].is_preference:
            asking = Asking(kind, models=_models_field(view))
        if kind == "score":
            asking = Asking(kind, value=_value_field(view))
        before = rounds.asked_before(view)
        asked = _Asked(view, asking, st.session_state.get(others, 0), before)
        _start_field(asked, name.strip(), _answers_field(asked))


def _start_field(asked: _Asked, name: str, chosen: Mapping[str, Answer]) -> None:
    """What the wall shows, and the button that opens it."""
    with st.container(horizontal=True):
        # On demand alone: on a wall it would give away what is right.
        is_told_why = st.toggle(say("Show why (gives away what is right)"))
        has_board = st.toggle(say("Show who was right most often, at the end"), value=True)
        hides_spread = st.toggle(say("Hide who says what until the reveal"), value=True)
    if is_told_why:
        _reasons(asked, chosen)
    # Before the start, as the round's address begins with the one under which this is open.
    reach.warn(qr.reachable(qr.base()))
    start = say("Start with {answers}", answers=counted(len(chosen), "answer"))
    if st.button(start, type="primary", icon=":material/play_arrow:"):
        session.check_room()
        view = asked.view
        # Everybody sees the same example, so the round is held over a copy.
        if view.run.workspace == EXAMPLES:
            copied = examples.copy(view.store, view.run, session.workspace())
            view = run_views.latest(copied)
        made = rounds.start(
            view,
            list(chosen.values()),
            name,
            asked.asking,
            has_board=has_board,
            hides_spread=hides_spread,
        )
        _open_round(made)


def _models_field(view: RunView) -> tuple[int, int]:
    """The two models whose answers are compared."""
    titles = systems.titles(view.run)
    if len(titles) == 2:
        return 0, 1
    with st.container(horizontal=True):
        first = st.selectbox(
            say("One model"), range(len(titles)), format_func=titles.__getitem__, width=280
        )
        others = [number for number in range(len(titles)) if number != first]
        second = st.selectbox(
            say("The other model"), others, format_func=titles.__getitem__, width=280
        )
    return first, second


def _value_field(view: RunView) -> str:
    """The value whose height is guessed."""
    values = view.kept("values to guess", list[str], lambda: rounds.values_of(view))
    value: str = st.segmented_control(
        say("Value"),
        values,
        default=values[-1],
        format_func=lambda value: say(terms()[value].title),
        required=True,
        help=meanings_of(*values),
    )
    return value


class _Asked(NamedTuple):
    """Of which answers the form speaks; another seed proposes others."""

    view: RunView
    asking: Asking
    seed: int
    before: Collection[Answer]

    @property
    def name(self) -> str:
        """Under which its answers are remembered, until a further round is started."""
        return f"{self.asking} {self.seed} {len(self.before)}"

    def lessons(self) -> Mapping[Answer, Lesson]:
        def read() -> list[tuple[Answer, Lesson]]:
            return list(rounds.lessons(self.view, self.asking).items())

        kind = list[tuple[Answer, Lesson]]
        return dict(self.view.kept(f"lessons {self.asking}", kind, read))

    def proposed(self) -> list[Answer]:
        """What the table on the run's page was filtered to, if it was; else what teaches."""
        lessons, usual = self.lessons(), KINDS[self.asking.kind].usual
        filtered = [answer for answer in samples.last_answers(self.view.run) if answer in lessons]
        if self.seed == 0 and 0 < len(filtered) < len(lessons):
            return sorted(filtered, key=lambda answer: answer in self.before)[:usual]

        def choose() -> list[Answer]:
            return rounds.instructive(self.view, usual, self.seed, self.asking, self.before)

        # Some hundred answers are read for it, and a form is drawn at every click.
        return self.view.kept(f"round {self.name}", list[Answer], choose)


def _answers_field(asked: _Asked) -> dict[str, Answer]:
    """The answers that are chosen by their titles, at first the proposed ones."""
    proposed = asked.proposed()
    titles = _answer_titles(asked, proposed)
    chosen = st.multiselect(
        say("Answers"),
        list(titles),
        # The proposed ones stand first.
        list(titles)[: len(proposed)],
        max_selections=MOST_ANSWERS,
        # Under one key the earlier choice would stay when others are proposed.
        key=f"round_answers_{asked.view.run.id}_{asked.name}",
    )
    return {title: titles[title] for title in chosen}


def _answer_titles(asked: _Asked, proposed: Sequence[Answer]) -> dict[str, Answer]:
    """The answers that can be chosen by what they are called, the proposed ones first."""
    view = asked.view
    questions = {Answer(row.position, row.model): row.question for row in view.of_metric(0)}
    offered = dict.fromkeys([*proposed, *list(asked.lessons())[:MOST_OFFERED]])
    is_of_one = len(view.run.models) > 1 and asked.asking.kind in rounds.LABELLED
    titles = {}
    for answer in offered:
        facts = [f"{answer.position + 1}"]
        if is_of_one:
            facts.append(say("model {number}", number=answer.model + 1))
        question = questions[answer]
        if len(question) > QUESTION:
            question = f"{question[:QUESTION].rsplit(' ', 1)[0]} …"
        facts.append(question)
        titles[" · ".join(facts)] = answer
    return titles


def _reasons(asked: _Asked, chosen: Mapping[str, Answer]) -> None:
    """Why each is chosen."""
    lessons = asked.lessons()
    rows = []
    for title, answer in chosen.items():
        rows.append({say("Answer"): title, say("Why"): say(WORDS[lessons[answer]])})
    if rows:
        tables.plain_rows(rows, say("Why each answer is chosen"))


def _open_round(made: Round) -> None:
    # Without the workspace in the address: the class sees it.
    st.switch_page(start_round.PAGE, query_params={projector.LEAD: made.id})


def _earlier_rounds(run: Run) -> None:
    """The run's rounds, newest first."""
    earlier = session.store().rounds.of_run(run.id)
    if not earlier:
        return
    st.header(say("Rounds"))
    for made in earlier:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            took_part = len(session.store().rounds.participants(made.id))
            facts = (
                say(KINDS[made.kind].title),
                counted(len(made.answers), "answer"),
                counted(took_part, "participant"),
                say(STATES[made.state]),
            )
            st.markdown(f"**{plain(made.name)}** · {' · '.join(facts)}")
            if st.button(say("Open"), icon=":material/open_in_new:", key=f"open_{made.id}"):
                _open_round(made)
