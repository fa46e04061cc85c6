"""People label a sample: who they are, what they confirm, what they guessed, and each other's word.

The heuristic has relevance 1 / 4, adherence 0 (sentence a supported, b not); see
`test_sample_labels`.
"""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.people.records import PersonLabel
from evaluators.records import Cell
from evaluators.runs.labelled import labelled
from evaluators.runs.run_view import RunView
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import change, evidence, markdown, numbers, said, segments, table
from tests.pages.test_sample_labels import NAME, heuristic_run, show
from ui import session

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def opened(open_page: OpenPage) -> AppTest:
    heuristic_run()
    return open_page("sample", run="hand", sample="1")


def kept() -> list[PersonLabel]:
    return session.store().person_labels.by_cell("hand").get(Cell(0), [])


def by(person: str, *labels: tuple[str, str, str], blind: bool = False) -> None:
    """What another person said of the sample."""
    for kind, key, value in labels:
        label = PersonLabel(
            person=person,
            label=kind,
            key=key,
            value=value,
            blind=blind,
            created="2026-11-22T10:00:00+00:00",
        )
        session.store().person_labels.save("hand", Cell(0), label)


def call_me(at: AppTest, name: str) -> AppTest:
    return checked(at.text_input("label_name").set_value(name).run())


def test_a_look_that_finds_all_right_is_kept_as_a_label(opened):
    assert not evidence(opened)["done"]
    at = checked(change(opened, "sample", "", "done"))
    (label,) = kept()
    assert (label.person, label.label, label.value, label.blind) == ("you", "sample", "done", False)
    assert evidence(at)["done"] == "You: all right as it is"
    assert evidence(at)["corrections"] == ""
    assert [each.strip() for each in segments(at, f"labels_{NAME}").options] == ["Heuristic", "You"]
    assert numbers(show(at, "person:you")) == numbers(at)
    (found,) = labelled(RunView.read(session.store(), session.store().runs.get("hand")))
    assert found.people == found.judged

    at = checked(change(at, "undo"))
    assert not evidence(at)["done"]
    assert kept() == []


@pytest.mark.parametrize("blind", [True, False])
def test_who_is_done_and_labelled_otherwise_did_not_find_all_right(opened, blind):
    at = opened
    for key in ("a", "b"):  # the heuristic calls a supported, b not
        at = checked(change(at, "support", key, "full", blind=blind))
    at = checked(change(at, "sample", "", "done", blind=blind))
    assert evidence(at)["done"] == "You: 1 sentence labelled otherwise"
    assert table(at, "Who")[-1]["Said"] == "done"
    # By another labeller's labels it is still the run's own that were not confirmed.
    at = show(at, "corrected")
    assert evidence(at)["done"] == "You: 1 sentence labelled otherwise"
    at = call_me(at, "Ben")
    assert evidence(at)["done"] == ""


def test_a_person_has_a_name_under_which_the_labels_are_kept(opened):
    at = checked(change(call_me(opened, " Anna "), "support", "b", "full"))
    assert [label.person for label in kept()] == ["Anna"]
    at = call_me(at, "Ben")
    assert evidence(at)["own"] == {}
    assert evidence(at)["people"] == ["Anna: 1 label"]
    assert {"who": "Anna", "counts": False, "isPerson": True, "of": {"b": "supported"}} in (
        evidence(at)["said"]
    )
    at = checked(change(at, "undo"))  # nothing of Ben's
    assert [label.person for label in kept()] == ["Anna"]


@pytest.mark.parametrize(
    ("entered", "name"), [("  ", "you"), ("An\u202ena", "you"), ("李雷", "李雷")]
)
def test_what_cannot_be_a_name_changes_nothing(opened, entered, name):
    checked(change(call_me(opened, entered), "support", "b", "full"))
    assert [label.person for label in kept()] == [name]


def test_a_hostile_name_stays_text(opened):
    at = checked(change(call_me(opened, HOSTILE), "sample", "", "done"))
    assert not [text for text in markdown(at) if HOSTILE in text]
    assert table(at, "Who")[0]["Who"] == HOSTILE
    at = call_me(at, "you")
    assert evidence(at)["people"] == [f"{HOSTILE}: all right as it is"]


def test_what_was_guessed_is_kept_and_counts_once_all_of_it_is_done(opened):
    at = checked(change(opened, "support", "b", "full", blind=True))
    (label,) = kept()
    assert (label.key, label.value, label.blind) == ("b", "full", True)
    assert evidence(at)["guesses"] == {"b": {"support": "full"}}
    assert (numbers(at)["adherence"], evidence(at)["corrections"]) == ("0.00", "")

    at = change(at, "support", "a", "full", blind=True)
    at = show(checked(change(at, "sample", "", "done", blind=True)), "corrected")
    assert numbers(at)["adherence"] == "1.00"
    assert evidence(show(at, "person:you"))["numbers"][0]["figure"] == "–"  # not labelled


def test_of_several_people_the_majority_counts_and_a_tie_is_the_stricter(opened):
    by("Anna", ("support", "b", "full"), ("sample", "", "done"))
    at = checked(opened.run())
    assert numbers(at)["adherence"] == "0.00"  # the heuristic's, whatever people say
    at = show(at, "corrected")
    assert numbers(at)["adherence"] == "1.00"
    by("Ben", ("sample", "", "done"))  # b stays not supported
    at = checked(opened.run())
    assert numbers(at)["adherence"] == "0.00"
    by("Cleo", ("support", "b", "full"))
    at = checked(opened.run())
    assert numbers(at)["adherence"] == "1.00"
    assert evidence(at)["people"] == [
        "Anna: 1 label, done",
        "Ben: all right as it is",
        "Cleo: 1 label",
    ]
    row = next(row for row in table(at, "Sentence") if row["Sentence"] == "b")
    assert [row[name] for name in ("Heuristic", "Corrected", "Anna", "Ben")] == [
        "not supported",
        "supported",
        "supported",
        "not supported",
    ]


def test_two_browsers_of_one_person_the_last_word_counts_and_both_are_kept(opened):
    by("you", ("support", "b", "full"), ("support", "b", "partial"))
    assert evidence(show(checked(opened.run()), "corrected"))["verdicts"]["b"] == "partly supported"
    assert [row["Said"] for row in table(opened, "Who")] == ["supported", "partly supported"]


def test_labels_of_a_run_that_is_gone_are_refused_with_the_reason(opened):
    session.store().runs.delete("hand")
    at = change(opened, "support", "b", "full")
    assert "deleted" in said(at, "error") + said(at)


def test_labels_of_sentences_that_are_not_there_are_kept_and_told_and_count_nowhere(opened):
    by("Anna", ("support", "z", "none"), ("relevant", "9a", "yes"))
    session.store().person_labels.save(
        "hand",
        Cell(0),
        PersonLabel(
            label="support",
            key="b",
            value="full",
            sentence="of another cut",
            created="2026-11-22T10:00:00+00:00",
        ),
    )
    at = checked(opened.run())
    assert numbers(at)["adherence"] == "0.00"
    assert (
        "3 labels of people kept and not counted: of sentences that are not there"
        in (evidence(at)["notes"])
    )
    assert evidence(at)["own"] == {}
    assert len(kept()) == 3
