"""A queue that was opened: who labels, then one answer after the other, then what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import streamlit as st

from evaluators.config import ROOT, config
from evaluators.errors import UnreadableRowError
from evaluators.people import drawing, queues
from evaluators.people.queues import LabelQueue, Progress
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import Cell, Run
from evaluators.runs import workspaces
from ui import session
from ui.label import answer, bar, end, sentences
from ui.label.answer import Shown
from ui.label.bar import Action
from ui.parts import head, highlight, people, problems
from ui.parts.untrusted import plain
from ui.parts.words import counted
from ui.trace.correction import Origin

STYLE = ROOT / "ui" / "static" / "label_page.css"
UNKNOWN = "There is no such queue here: the link is incomplete, or its run was deleted."
MOST_PEOPLE = 50
"""Names in a queue: a link may reach strangers, who would make it ever slower."""
WAYS = {
    "by verdict": "drawn at random inside the judge's verdicts",
    "by doubt": "the most doubtful first",
    "by filter": "all that a filter let through",
}


class Opened(NamedTuple):
    """A queue that somebody labels, with its run."""

    queue: LabelQueue
    run: Run
    name: str

    @property
    def place_key(self) -> str:
        """Where the session keeps which answer is on the screen."""
        return f"place_{self.queue.id}_{self.name}"


class Step(NamedTuple):
    """An answer of the queue on the screen, with what was said up to now.

    `given` are the labels of the answer by anybody, in or outside the queue.
    """

    opened: Opened
    place: int
    progress: Progress
    given: Sequence[PersonLabel]

    @property
    def name(self) -> str:
        """Tells it from all other answers on the screen."""
        return f"{self.opened.queue.id}_{self.opened.name}_{self.place}"

    @property
    def cell(self) -> Cell:
        return self.opened.queue.cell(self.place)

    @property
    def own(self) -> list[PersonLabel]:
        """What the person said of the answer, in or outside the queue."""
        return [label for label in self.given if label.person == self.opened.name]

    @property
    def said(self) -> dict[tuple[str, str], str]:
        """What of it was said in the queue and counts."""
        return queues.said_of(self.opened.queue, self.given, self.opened.name)

    @property
    def is_blind(self) -> bool:
        return not queues.is_judge_shown(self.opened.queue, self.progress, self.place)

    @property
    def origin(self) -> Origin:
        queue = self.opened.queue
        probability = queue.answers[self.place].probability
        return Origin(self.opened.name, queue.drawn, probability, queue.id)


def show() -> None:
    """The queue in the address, for whoever has its link.

    Its id opens its answers and nothing else: not the run, nor anything more of the workspace.
    """
    queue = session.store().label_queues.get(st.query_params["queue"])
    run = None
    if queue is not None:
        with suppress(UnreadableRowError):
            run = session.store().runs.get(queue.run_id)
    if queue is None or run is None:
        st.warning(UNKNOWN, icon=":material/link_off:")
        return
    if config().public:
        # Who labels keeps the run there for its owner, as a visit of the owner would.
        workspaces.of(session.store()).admits(run.workspace)
    name = st.query_params.get("person", "")
    if not people.is_name(name):
        _begin(queue, run)
        return
    if why := _why_closed(queue, run, name):
        st.warning(why, icon=":material/group_off:")
        return
    people.rename(name)
    highlight.style()
    st.html(STYLE)
    _menu(queue, run, name)
    _labelling(Opened(queue, run, name))


def _why_closed(queue: LabelQueue, run: Run, name: str) -> str:
    """Why a person cannot label here; empty where one can."""
    names = queues.people(queue, session.store().person_labels.by_cell(run.id))
    if len(names) < MOST_PEOPLE or name in names:
        return ""
    return f"{MOST_PEOPLE} people label here, the most a queue takes. Ask for another one."


def _menu(queue: LabelQueue, run: Run, name: str) -> None:
    """What is labelled by whom, the link to share, and for its owner the way back to the run."""
    with st.container(horizontal=True, vertical_alignment="center", key="label_menu"):
        st.caption(plain(f"{run.title} · {name}"), width="content")
        with st.popover("Share", icon=":material/group:", key=f"share_{queue.id}"):
            place = "" if config().public else " on this machine"
            st.caption(
                f"Whoever opens this link{place} labels the same answers under a name of their "
                "own, and sees nothing else of yours."
            )
            address = (st.context.url or "").partition("?")[0]
            st.code(f"{address}?queue={queue.id}", language=None, wrap_lines=True)
        is_own = session.find_run(run.id) is not None
        if is_own and st.button("Back to the run", icon=":material/arrow_back:", type="tertiary"):
            session.open_run(run)


def _begin(queue: LabelQueue, run: Run) -> None:
    """What is asked of a person, and the name under which the labels are kept."""
    head.show("Label", plain(run.title))
    with st.container(border=True):
        size = len(queue.answers)
        hidden = "the judge's labels stay hidden" if queue.blind else "the judge's labels are shown"
        minutes = counted(drawing.minutes(size), "minute")
        st.markdown(
            f"**{counted(size, 'answer')}**, {WAYS[queue.drawn]}; {hidden}. About {minutes}. "
            "You can leave at any time: the same name goes on where it was."
        )
        name = people.field()
        if st.button("Start", type="primary", icon=":material/play_arrow:"):
            with problems.caught():
                people.rename(name)
                st.query_params["person"] = name
                st.rerun()


# A step is drawn without the rest of the page.
@st.fragment
def _labelling(opened: Opened) -> None:
    with problems.caught():
        note = ""
        for action in bar.asked():
            note = _do(opened, action)
        step = _step(opened)
        if step is None:
            labels = session.store().person_labels.by_cell(opened.run.id)
            end.show(opened.run, opened.queue, opened.name, labels)
        else:
            _one_answer(step, note)


def _step(opened: Opened) -> Step | None:
    """The answer on the screen, at first the first open one; `None` at the end."""
    labels = session.store().person_labels.by_cell(opened.run.id)
    progress = queues.progress(opened.queue, labels, opened.name)
    place = st.session_state.setdefault(opened.place_key, progress.first_open())
    if place is None:
        return None
    return Step(opened, place, progress, labels.get(opened.queue.cell(place), ()))


def _one_answer(step: Step, note: str) -> None:
    queue = step.opened.queue
    shown = answer.read(step.opened.run, queue, step.cell)
    if queue.values:
        answer.show(shown)
    else:
        sentences.show(shown, step.origin, is_blind=step.is_blind)
    if not step.is_blind:
        note = note or _what_the_run_says(step, shown)
    last = len(queue.answers) - 1
    ends = {
        "back": step.place == 0,
        "forward": step.place == last,
        "undo": step.place == 0 and not step.said,
    }
    bar.show(
        bar.Bar(
            sample=step.name,
            progress=f"{step.place + 1:,} of {last + 1:,}",
            share=step.progress.finished / len(queue.answers),
            note=note,
            questions=answer.questions(shown, step.said),
            off=[name for name, is_end in ends.items() if is_end],
        )
    )


def _what_the_run_says(step: Step, shown: Shown) -> str:
    if step.opened.queue.values:
        return answer.judged(shown)
    return sentences.agreement(shown, step.own)


# What was asked for in the bar


def _do(opened: Opened, action: Action) -> str:
    """Does it; returns why it could not be done, where it could not."""
    step = _step(opened)
    # What was meant for an answer that is no longer on the screen is meant for none.
    if step is None or action.sample != step.name:
        return ""
    last = len(opened.queue.answers) - 1
    if action.action == "back":
        _go(opened, max(step.place - 1, 0))
    elif action.action == "forward":
        _go(opened, min(step.place + 1, last))
    elif action.action == "undo":
        _undo(step)
    elif action.action == "verdict":
        if action.key in opened.queue.values:
            _keep(step, "verdict", action.key, action.value)
    else:
        return _finish(step, action.action)
    return ""


def _undo(step: Step) -> None:
    """Takes back what the person said last of the answer; where there is nothing, steps back."""
    opened = step.opened
    if step.said:
        session.store().person_labels.undo(opened.run.id, step.cell, opened.name)
    else:
        _go(opened, max(step.place - 1, 0))


def _finish(step: Step, word: str) -> str:
    """Ends an answer as done, skipped or one that nobody can tell, and goes on."""
    opened = step.opened
    if word == DONE and step.is_blind:
        shown = answer.read(opened.run, opened.queue, step.cell)
        is_of_values = bool(opened.queue.values)
        if is_of_values:
            missing = answer.missing(shown, step.said)
        else:
            missing = sentences.missing(shown, step.own)
        if missing:
            return missing
    if step.progress.said[step.place] == word:
        _go(opened, step.progress.following(step.place))
        return ""
    _keep(step, "sample", "", word)
    is_revealed_now = step.is_blind and opened.queue.reveal == "after each" and word == DONE
    if not is_revealed_now:
        _go(opened, step.progress.finish(step.place, word).first_open(after=step.place))
    return ""


def _keep(step: Step, kind: Literal["verdict", "sample"], key: str, value: str) -> None:
    label = PersonLabel(
        label=kind,
        key=key,
        value=value,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        blind=step.is_blind,
        **step.origin._asdict(),
    )
    session.store().person_labels.save(step.opened.run.id, step.cell, label)


def _go(opened: Opened, place: int | None) -> None:
    st.session_state[opened.place_key] = place
