"""Messages that no person's browser sends: thousands of changes in one, and labels by the second."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
import streamlit as st

from evaluators.errors import HostLimitError, ParameterError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Labels, Sentences
from evaluators.runs.store import Store
from evaluators.runs.store.person_labels import MOST_OF_A_PERSON
from tests.comparison.made import results
from ui import session
from ui.trace import correction

SENTENCES = Sentences.model_validate(
    {
        "documents": [[{"key": "0a", "text": "It is tall."}]],
        "response": [{"key": "a", "text": "It is tall."}],
    }
)
NOW = datetime.now(UTC).isoformat(timespec="seconds")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> correction.RunCell:
    store = Store(":memory:")
    run = results(store, "Made", ["Who?"], [1.0]).run
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(session, "store", lambda: store)
    return correction.RunCell(run.id, Cell(0))


def changes(place: correction.RunCell, first: int, last: int) -> list[dict[str, object]]:
    return [
        {
            "sample": place.name,
            "number": number,
            "label": "support",
            "key": "a",
            "value": ("full", "none")[number % 2],
            "blind": True,
        }
        for number in range(first, last + 1)
    ]


def keep(place: correction.RunCell, sent: object) -> int:
    """How many labels are stored after the browser sent this."""
    correction.keep_changes(place, sent, SENTENCES, Labels(), correction.Origin())
    return len(session.store().person_labels.history(place.run_id))


@pytest.mark.parametrize(
    "facts",
    [
        {"key": "z"},
        {"value": "yes"},
        {"key": "0a"},
        {"label": "relevant", "value": "yes"},
        {"label": "supported_by", "value": "9z"},
        {"label": "<script>"},
        {"sample": "another"},
        {"number": 0},
        {"key": ["a"]},
        {"more": 1},
    ],
)
def test_what_does_not_fit_the_sample_is_not_stored(place, facts):
    (change,) = changes(place, 1, 1)
    assert keep(place, [change | facts]) == 0
    assert keep(place, changes(place, 2, 2)) == 1


@pytest.mark.parametrize("sent", [None, {}, "x" * 1000, 7, [7], [[]], [{"sample": 1}]])
def test_what_is_not_a_change_is_passed_over(place, sent):
    assert keep(place, sent) == 0


def test_of_ten_thousand_changes_in_one_message_fifty_are_kept(place):
    assert keep(place, changes(place, 1, 10_000)) == correction.MOST_CHANGES
    # What was not looked at is no answered change: the browser sends it again.
    assert correction.last_answered(place) == correction.MOST_CHANGES


def test_labels_that_come_faster_than_anybody_reads_are_refused(place):
    keep(place, changes(place, 1, 50))
    keep(place, changes(place, 51, 100))

    with pytest.raises(HostLimitError, match="too fast"):
        keep(place, changes(place, 101, 150))
    assert len(session.store().person_labels.history(place.run_id)) == 120


@pytest.mark.parametrize(
    "labels",
    [["support"], ["undo"], ["undo all"], ["support", "undo"], ["support", "undo", "undo all"]],
)
def test_the_labels_of_an_answer_are_read_once_for_a_message_whatever_it_says(place, labels):
    store = session.store()
    store.person_labels.save(*place, *[label("Ada")] * 500)
    sent = changes(place, 1, 50)
    for number, change in enumerate(sent):
        change |= {"label": labels[number % len(labels)], "blind": False}
    statements: list[str] = []
    store.database._db.set_trace_callback(statements.append)

    correction.keep_changes(place, sent, SENTENCES, Labels(), correction.Origin())

    read = [text for text in statements if text.startswith("select position, model, metric, with")]
    assert len(read) == 1
    assert correction.last_answered(place) == 50


@pytest.mark.parametrize("seed", range(20))
def test_of_a_message_is_kept_what_each_of_its_changes_alone_would_keep(place, seed):
    """Whatever is said, taken back and said again; the first place gets all in one message."""
    chance = random.Random(seed)
    store = session.store()
    places = [place, place._replace(cell=Cell(0, 1))]
    sent = [
        {
            "label": chance.choice(["support", "relevant", "supported_by", "undo", "undo all"]),
            "key": chance.choice(["a", "0a"]),
            "value": chance.choice(["full", "none", "yes", "no", "0a"]),
            "blind": chance.random() < 0.5,
        }
        for _ in range(40)
    ]
    for own in places:
        store.person_labels.save(*own, label("Ada"))
        numbered = [
            {"sample": own.name, "number": number, **change}
            for number, change in enumerate(sent, 1)
        ]
        for message in [numbered] if own is place else [[change] for change in numbered]:
            correction.keep_changes(own, message, SENTENCES, Labels(), correction.Origin())

    in_one, alone = (store.person_labels.by_cell(*own).get(own.cell) for own in places)
    said = [
        [given.model_copy(update={"created": NOW}) for given in labels or ()]
        for labels in (in_one, alone)
    ]
    assert said[0] == said[1]


def label(person: str) -> PersonLabel:
    return PersonLabel(person=person, label="support", key="a", value="full", created=NOW)


def test_one_person_gives_an_answer_so_many_labels_those_taken_back_as_well(place):
    table = session.store().person_labels
    table.save(*place, *[label("Ada")] * MOST_OF_A_PERSON)
    table.withdraw_all(*place, "Ada")

    with pytest.raises(ParameterError, match="1,000 labels at most"):
        table.save(*place, label("Ada"))
    table.save(*place, label("Ben"))


def test_a_run_keeps_so_many_labels(place, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_LABELS_PER_RUN", "3")
    table = session.store().person_labels
    for person in ("Ada", "Ben", "Cleo"):
        table.save(*place, label(person))

    with pytest.raises(ParameterError, match="keeps 3 labels"):
        table.save(*place, label("Dan"))
