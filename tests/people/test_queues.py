"""How far a person is with a queue: what is done stays done, and everybody has a progress of one's
own.
"""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evaluators.people.drawing import QueuedAnswer
from evaluators.people.queues import (
    LabelQueue,
    QueueProgress,
    is_judge_shown,
    people_in_queue,
    progress,
)
from evaluators.people.records import PersonLabel
from evaluators.records import Cell

AT = "2026-11-23T00:30:00+00:00"
HOSTILE = "<script>alert(1)</script>"


def queue(size: int = 3, **facts) -> LabelQueue:
    answers = tuple(QueuedAnswer(position, 0, 0.5) for position in range(size))
    fields = {"run_id": "r", "created": AT, "drawn": "by verdict", "seed": 0} | facts
    return LabelQueue(id="q", answers=answers, **fields)


def word(value: str, person: str = "Anna", of: str = "q", kind: str = "sample") -> PersonLabel:
    return PersonLabel(person=person, label=kind, value=value, created=AT, queue=of)


@pytest.mark.parametrize(
    ("said", "after", "place"),
    [
        (("", "", ""), -1, 0),
        (("done", "", ""), -1, 1),
        (("done", "", ""), 0, 1),
        # What was left open comes again at the end.
        (("", "done", "done"), 2, 0),
        (("", "", "done"), 0, 1),
        (("done", "skipped", "cannot tell"), -1, None),
        (("done",), 0, None),
    ],
)
def test_a_queue_goes_on_at_the_first_answer_without_a_word(said, after, place):
    assert QueueProgress(said).first_open(after) == place


@pytest.mark.parametrize(
    ("said", "place", "following"),
    [
        (("done", "done", "done"), 0, 1),
        (("done", "done", "done"), 2, None),
        (("done", "done", ""), 0, 2),
    ],
)
def test_whoever_goes_through_it_again_comes_to_the_next_answer(said, place, following):
    assert QueueProgress(said).following(place) == following


def test_each_person_has_a_progress_of_their_own():
    labels = {
        Cell(0): [word("done"), word("skipped", person=HOSTILE)],
        Cell(1): [word("cannot tell")],
        # By hand, or in another queue: nothing that was said in this one.
        Cell(2): [word("done", of=""), word("done", of="other")],
    }

    assert progress(queue(), labels, "Anna").said == ("done", "cannot tell", "")
    assert progress(queue(), labels, HOSTILE).said == ("skipped", "", "")
    assert progress(queue(), labels, "Ben").said == ("", "", "")
    assert people_in_queue(queue(), labels) == [HOSTILE, "Anna"]


def test_of_two_browsers_of_one_person_the_last_word_counts():
    labels = {Cell(0): [word("skipped"), word("done")]}

    assert progress(queue(), labels, "Anna").said[0] == "done"


@pytest.mark.parametrize(
    ("facts", "said", "is_shown"),
    [
        ({"blind": False}, ("", "", ""), True),
        ({}, ("done", "", ""), False),
        ({}, ("done", "done", "skipped"), True),
        ({}, ("cannot tell", "done", "skipped"), True),
        # Who goes past everything has labelled nothing, and must not see what would sway a label.
        ({}, ("skipped", "skipped", "skipped"), False),
        ({}, ("skipped", "done", "done"), False),
        ({"reveal": "after each"}, ("done", "", ""), True),
        ({"reveal": "after each"}, ("skipped", "", ""), False),
    ],
)
def test_the_judge_is_shown_when_it_was_agreed(facts, said, is_shown):
    assert is_judge_shown(queue(**facts), QueueProgress(said), 0) is is_shown


def test_what_was_seen_once_is_never_blind_again():
    nothing_said = QueueProgress(("", "", ""))

    assert is_judge_shown(queue(), nothing_said, 0, seen=frozenset({0}))
    assert not is_judge_shown(queue(), nothing_said, 1, seen=frozenset({0}))


def test_a_queue_holds_at_least_an_answer():
    with pytest.raises(ValidationError):
        queue(0)
