"""The steps through a queue: which answer is on the screen, and what a person does with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import streamlit as st

from evaluators.errors import HostLimitError
from evaluators.people import queues
from evaluators.people.queues import LabelQueue, QueuePerson, QueueProgress
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import Cell, Run
from ui import session
from ui.label import answer, sentences
from ui.label.bar import Action
from ui.parts import remedies
from ui.trace.correction import Origin


class Opened(NamedTuple):
    """A queue that somebody labels, with its run."""

    queue: LabelQueue
    run: Run
    person: QueuePerson

    @property
    def name(self) -> str:
        return self.person.name

    @property
    def place_key(self) -> str:
        """Where the session keeps which answer is on the screen."""
        return f"place_{self.queue.id}_{self.name}"


class QueueStep(NamedTuple):
    """An answer of the queue on the screen, with what was said up to now.

    `given` are the labels of the answer by anybody, in or outside the queue.
    """

    opened: Opened
    place: int
    progress: QueueProgress
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
        queue, seen = self.opened.queue, self.opened.person.seen
        return not queues.is_judge_shown(queue, self.progress, self.place, seen)

    @property
    def origin(self) -> Origin:
        queue = self.opened.queue
        probability = queue.answers[self.place].probability
        return Origin(self.opened.name, queue.drawn, probability, queue.id, self.is_blind)


def step_of(opened: Opened) -> QueueStep | None:
    """The answer on the screen, at first the first open one; `None` at the end."""
    table = session.store().person_labels
    # Read at every step: others' labels of the whole run would be many.
    own = table.by_cell(opened.run.id, person=opened.name)
    progress = queues.progress(opened.queue, own, opened.name)
    place = st.session_state.setdefault(opened.place_key, progress.first_open())
    if place is None:
        return None
    cell = opened.queue.cell(place)
    given = table.by_cell(opened.run.id, cell).get(cell, ())
    return QueueStep(opened, place, progress, given)


def revealed(opened: Opened, labels: Mapping[Cell, Sequence[PersonLabel]]) -> list[int]:
    """The places whose labels by the judge the person may see by now."""
    queue = opened.queue
    progress = queues.progress(queue, labels, opened.name)
    places = range(len(queue.answers))
    return [place for place in places if queues.is_judge_shown(queue, progress, place)]


def do(opened: Opened, action: Action) -> str:
    """Does it; returns why it could not be done, where it could not."""
    step = step_of(opened)
    # What was meant for an answer that is no longer on the screen is meant for none.
    if step is None or action.sample != step.name:
        return ""
    # The buttons are off at both ends, but a browser may send anything: hence `max` and `min`.
    last = len(opened.queue.answers) - 1
    if action.action == "back":
        go(opened, max(step.place - 1, 0))
    elif action.action == "forward":
        go(opened, min(step.place + 1, last))
    elif reason := _too_fast(opened):
        return reason
    elif action.action == "undo":
        _undo(step)
    elif action.action == "verdict":
        # Anybody can send anything: only an answer to what is asked is kept.
        if action.value and action.key in opened.queue.values:
            _keep_in_queue(step, "verdict", action.key, action.value)
    else:
        return _end_answer(step, action.action)
    return ""


def _too_fast(opened: Opened) -> str:
    """Why nothing is kept now; empty where labels come no faster than somebody reads."""
    try:
        session.check_pace(f"{session.tab()} {opened.run.id}")
    except HostLimitError as error:
        return remedies.worded(error)
    return ""


def _undo(step: QueueStep) -> None:
    """Takes back what the person said last of the answer; where there is nothing, steps back."""
    opened = step.opened
    if step.said:
        own = (opened.run.id, step.cell, opened.name, opened.queue.id)
        session.store().person_labels.undo(*own)
    else:
        go(opened, max(step.place - 1, 0))


def _end_answer(step: QueueStep, word: str) -> str:
    """Ends an answer as done, skipped or one that nobody can tell, and goes on."""
    opened = step.opened
    if word == DONE and step.is_blind:
        shown = answer.answer_of_cell(opened.run, opened.queue, step.cell)
        is_of_values = bool(opened.queue.values)
        if is_of_values:
            missing = answer.missing_verdicts(shown, step.said)
        else:
            missing = sentences.missing_sentences(shown, step.own)
        if missing:
            return missing
    # Gone through once more: said before, nothing new is kept.
    if step.progress.said[step.place] == word:
        go(opened, step.progress.following(step.place))
        return ""
    _keep_in_queue(step, "sample", "", word)
    is_revealed_now = step.is_blind and opened.queue.reveal == "after each" and word == DONE
    if not is_revealed_now:
        go(opened, step.progress.finish(step.place, word).first_open(after=step.place))
    return ""


def _keep_in_queue(
    step: QueueStep, kind: Literal["verdict", "sample"], key: str, value: str
) -> None:
    label = PersonLabel(
        label=kind,
        key=key,
        value=value,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        **step.origin._asdict(),
    )
    session.store().person_labels.save(step.opened.run.id, step.cell, label)


def go(opened: Opened, place: int | None) -> None:
    st.session_state[opened.place_key] = place
