"""A queue of answers to label: what stands in it, and how far a person is with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from evaluators.people.drawing import QueuedAnswer
from evaluators.people.labels import last_words
from evaluators.people.records import (
    CANNOT_TELL,
    DONE,
    SKIPPED,
    PersonLabel,
    PersonName,
    QueueDrawn,
)
from evaluators.records import Cell, Record

Reveal = Literal["at the end", "after each"]
"""When a person sees what the judge said of what they labelled blind."""

MOST_PEOPLE = 50
"""Names in a queue: a link may reach strangers, who would make it ever slower."""
MOST_QUEUES = 50
"""Queues of a run, whose page reads them all."""
MOST = 1000
"""Answers in a queue: more than a person labels, and few enough to be read at each step."""


class LabelQueue(Record):
    """Answers of a run that people label one after the other, by one of its metrics.

    The `id` cannot be guessed: whoever has it may see these answers and label them. `drawn` says
    how they were found, with this `seed`; `created` is UTC, ISO. `blind` hides the judge's labels
    until the moment of `reveal`. `values` are the yes-or-no values that people are asked for, by
    name; empty where they label sentences. `failed` answers could not be labelled, and were left
    out.
    """

    id: str
    run_id: str
    created: str
    drawn: QueueDrawn
    seed: int
    metric: int = Field(0, ge=0)
    blind: bool = True
    reveal: Reveal = "at the end"
    values: tuple[str, ...] = ()
    failed: int = 0
    answers: tuple[QueuedAnswer, ...] = Field(min_length=1, max_length=MOST)

    def cell(self, place: int) -> Cell:
        """The cell that stands at this place, from 0."""
        answer = self.answers[place]
        return Cell(answer.position, answer.model, self.metric)


class QueuePerson(Record):
    """Somebody in a queue; who has the `token`, which cannot be guessed, is that person.

    `seen` are the answers, by place, of which the labeller's labels were shown to that person.
    """

    queue_id: str
    run_id: str
    token: str
    name: PersonName
    seen: frozenset[int] = frozenset()


class QueueProgress(NamedTuple):
    """What a person said of each answer of a queue: done, cannot tell, skipped, or "" of nothing.

    In the order of the queue.
    """

    said: tuple[str, ...]

    @property
    def finished(self) -> int:
        """How many answers the person has dealt with, in whichever way."""
        return sum(word != "" for word in self.said)

    def count(self, word: str) -> int:
        return self.said.count(word)

    def first_open(self, after: int = -1) -> int | None:
        """The next place behind this one that is not dealt with, else the first; `None` if none."""
        behind = [place for place in range(after + 1, len(self.said)) if not self.said[place]]
        before = [place for place in range(after + 1) if not self.said[place]]
        return next(iter([*behind, *before]), None)

    def finish(self, place: int, word: str) -> QueueProgress:
        """The same once the person has said this of the answer at this place."""
        return QueueProgress((*self.said[:place], word, *self.said[place + 1 :]))

    def following(self, place: int) -> int | None:
        """Where to go from an answer that has been dealt with before; `None` at the end.

        To those that are open; once there are none, to the next.
        """
        is_last = place + 1 == len(self.said)
        next_place = None if is_last else place + 1
        still_open = self.first_open(after=place)
        return next_place if still_open is None else still_open


def is_judge_shown(
    queue: LabelQueue,
    progress: QueueProgress,
    place: int,
    seen: frozenset[int] = frozenset(),
) -> bool:
    """Whether a person may see what the judge said of the answer at this place by now.

    What was seen once is not blind again, whatever is taken back; who only skips sees nothing.
    """
    if not queue.blind or place in seen:
        return True
    if progress.first_open() is None:
        return progress.said[place] in (DONE, CANNOT_TELL)
    return queue.reveal == "after each" and progress.said[place] == DONE


def progress(
    queue: LabelQueue,
    labels: Mapping[Cell, Sequence[PersonLabel]],
    person: str,
) -> QueueProgress:
    """How far the person is, by all labels of the run; what was said outside the queue is none."""
    said = []
    for place in range(len(queue.answers)):
        word = said_of(queue, labels.get(queue.cell(place), ()), person).get(("sample", ""))
        said.append(word if word in (DONE, CANNOT_TELL, SKIPPED) else "")
    return QueueProgress(tuple(said))


def said_of(
    queue: LabelQueue,
    labels: Sequence[PersonLabel],
    person: str,
) -> dict[tuple[str, str], str]:
    """What counts of what a person said of an answer in the queue: values by label and key."""
    # Of this queue only: what a person said with the labels in sight must not fill a blind one.
    own = [label for label in labels if (label.queue, label.person) == (queue.id, person)]
    return {named: label.value for named, label in last_words(own).items()}


def people_in_queue(queue: LabelQueue, labels: Mapping[Cell, Sequence[PersonLabel]]) -> list[str]:
    """Who has said anything in the queue, in the order of their names."""
    given = (label for own in labels.values() for label in own if label.queue == queue.id)
    return sorted({label.person for label in given})
