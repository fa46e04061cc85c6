"""A queue that was opened: who labels, then one answer after the other, then what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import streamlit as st

from evaluators.config import ROOT, config
from evaluators.errors import UnreadableRowError
from evaluators.people import drawing, queues
from evaluators.people.queues import LabelQueue, Progress
from evaluators.people.records import PersonLabel
from evaluators.records import Run
from evaluators.runs import workspaces
from ui import session
from ui.label import answer, bar, end, people_names
from ui.label.bar import Action
from ui.parts import head, highlight, problems
from ui.parts.untrusted import plain
from ui.parts.words import counted

STYLE = ROOT / "ui" / "static" / "label_page.css"
UNKNOWN = "There is no such queue here: the link is incomplete, or its run was deleted."
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
    name = people_names.in_address()
    if not name:
        _begin(queue, run)
        return
    highlight.style()
    st.html(STYLE)
    _labelling(Opened(queue, run, name))


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
        name = people_names.field()
        if st.button("Start", type="primary", icon=":material/play_arrow:"):
            with problems.caught():
                people_names.check(name)
                people_names.remember(name)
                st.query_params["person"] = name
                st.rerun()


# A step is drawn without the rest of the page.
@st.fragment
def _labelling(opened: Opened) -> None:
    queue, name = opened.queue, opened.name
    with problems.caught():
        note = _act(opened)
        labels = session.store().person_labels.by_cell(opened.run.id)
        progress = queues.progress(queue, labels, name)
        place = st.session_state.setdefault(opened.place_key, progress.first_open())
        if place is None:
            end.show(opened.run, queue, name, labels)
            return
        _one_answer(opened, progress, place, labels.get(queue.cell(place), []), note)


def _one_answer(
    opened: Opened,
    progress: Progress,
    place: int,
    own: list[PersonLabel],
    note: str,
) -> None:
    queue = opened.queue
    cell, last = queue.cell(place), len(queue.answers) - 1
    said = queues.said_of(queue, own, opened.name)
    shown = answer.read(opened.run, queue, cell)
    answer.show(shown)
    if queues.is_judge_shown(queue, progress, place):
        note = note or answer.judged(shown)
    ends = {"back": place == 0, "forward": place == last, "undo": place == 0 and not said}
    bar.show(
        bar.Bar(
            sample=_sample_name(opened, place),
            progress=f"{place + 1:,} of {last + 1:,}",
            share=progress.finished / len(queue.answers),
            note=note,
            questions=answer.questions(shown, said),
            off=[name for name, is_end in ends.items() if is_end],
        )
    )


# What was asked for in the bar


def _act(opened: Opened) -> str:
    """Does what was asked for since the last drawing; returns what to say of it."""
    note = ""
    for action in bar.asked():
        place = st.session_state.get(opened.place_key)
        # What was meant for an answer that is no longer on the screen is meant for none.
        if place is not None and action.sample == _sample_name(opened, place):
            note = _do(opened, place, action)
    return note


def _do(opened: Opened, place: int, action: Action) -> str:
    """Does it; returns why it could not be done, where it could not."""
    queue, store = opened.queue, session.store()
    cell = queue.cell(place)
    labels = store.person_labels.by_cell(queue.run_id)
    said = queues.said_of(queue, labels.get(cell, []), opened.name)
    progress = queues.progress(queue, labels, opened.name)
    if action.action in ("back", "forward"):
        step = 1 if action.action == "forward" else -1
        _go(opened, min(max(place + step, 0), len(queue.answers) - 1))
    elif action.action == "undo":
        if said:
            store.person_labels.undo(queue.run_id, cell, opened.name)
        else:
            _go(opened, max(place - 1, 0))
    elif action.action == "verdict":
        if action.key in queue.values:
            _keep(opened, progress, place, "verdict", action)
    else:
        return _finish(opened, progress, place, action, said)
    return ""


def _finish(
    opened: Opened,
    progress: Progress,
    place: int,
    action: Action,
    said: Mapping[tuple[str, str], str],
) -> str:
    """Ends an answer as done, skipped or one that nobody can tell, and goes on."""
    queue = opened.queue
    if action.action == "done" and not queues.is_judge_shown(queue, progress, place):
        shown = answer.read(opened.run, queue, queue.cell(place))
        if missing := answer.missing(shown, said):
            return missing
    if progress.said[place] == action.action:
        _go(opened, progress.following(place))
        return ""
    _keep(opened, progress, place, "sample", action)
    is_revealed_now = queue.blind and queue.reveal == "after each" and action.action == "done"
    if not is_revealed_now:
        _go(opened, progress.finish(place, action.action).first_open(after=place))
    return ""


def _keep(
    opened: Opened,
    progress: Progress,
    place: int,
    kind: Literal["verdict", "sample"],
    action: Action,
) -> None:
    queue = opened.queue
    label = PersonLabel(
        person=opened.name,
        label=kind,
        key=action.key,
        value=action.value or action.action,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        blind=not queues.is_judge_shown(queue, progress, place),
        drawn=queue.drawn,
        probability=queue.answers[place].probability,
        queue=queue.id,
    )
    session.store().person_labels.save(queue.run_id, queue.cell(place), label)


def _go(opened: Opened, place: int | None) -> None:
    st.session_state[opened.place_key] = place


def _sample_name(opened: Opened, place: int) -> str:
    return f"{opened.queue.id}_{opened.name}_{place}"
