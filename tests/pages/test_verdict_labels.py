"""A person calls the verdict of a rule or of a judge right or wrong, and it counts."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.records import Cell, Dataset, Sample, Score
from evaluators.runs.aggregate import View
from evaluators.runs.labelled import labelled
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Selection
from evaluators.trace.labelling import CORRECTED
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import markdown, press, said, segments
from tests.stored import stored_run
from ui import session

KEY = "verdict_hand_0_0_0_llm_judge"


@pytest.fixture
def opened(open_page: OpenPage) -> AppTest:
    """The answer of a run whose judge says yes; of its second sample nothing is known."""
    samples = tuple(
        Sample(id=f"s{n}", question="Where is Rome?", response="In Italy.") for n in (0, 1)
    )
    data = Dataset(name="By hand", samples=samples)
    scores = [Score(values={"llm_judge": value}) for value in (1.0, None)]
    stored_run(session.store(), data, "llm_judge", scores=scores)
    return open_page("sample", run="hand", sample="1")


def view() -> RunView:
    return RunView.read(session.store(), session.store().runs.get("hand"))


def cards(at: AppTest) -> list[str]:
    return [metric.value for metric in at.metric]


def test_a_verdict_called_wrong_stands_beside_the_value_until_it_is_undone(opened):
    assert cards(opened) == ["1.00"]
    at = checked(segments(opened, KEY).set_value("wrong").run())
    assert cards(at) == ["1.00"]
    assert "people say 0.00" in said(at, "caption")
    (label,) = session.store().person_labels.by_cell("hand")[Cell(0)]
    assert (label.label, label.key, label.value) == ("verdict", "llm_judge", "no")
    assert view().figures().means["llm_judge"].mean == 1.0
    assert view().figures(view=View(by=CORRECTED)).means["llm_judge"].mean == 0.0
    (found,) = labelled(view())
    assert (found.judged, found.people) == ({"llm_judge": 1.0}, {"llm_judge": 0.0})

    at = press(at, "Undo")
    assert "people say" not in said(at, "caption")
    assert segments(at, KEY).value is None


def test_a_verdict_called_right_and_a_look_at_all_are_labels_that_correct_nothing(opened):
    at = checked(segments(opened, KEY).set_value("right").run())
    at = press(at, "All right as it is")
    assert "✓ You: all right as it is" in markdown(at)
    assert cards(at) == ["1.00"]
    assert view().answers(Selection(is_corrected=True)) == []
    (found,) = labelled(view())
    assert found.people == {"llm_judge": 1.0}


def test_who_called_a_verdict_wrong_did_not_find_all_right(opened):
    at = checked(segments(opened, KEY).set_value("wrong").run())
    at = press(at, "All right as it is")
    assert "✓ You: 1 of 1 wrong" in markdown(at)
    at = checked(at.text_input("verdict_name_0").set_value("Ann").run())
    assert "You: wrong, done" in said(at, "caption")


def test_another_person_sees_what_was_said_and_has_an_own_word(opened):
    at = checked(segments(opened, KEY).set_value("wrong").run())
    at = checked(at.text_input("verdict_name_0").set_value("<b>Ann</b>").run())
    assert segments(at, KEY).value is None
    assert "You: wrong" in said(at, "caption")
    at = checked(segments(at, KEY).set_value("right").run())
    assert "people say 0.00" in said(at, "caption")  # a tie goes to the stricter


def test_what_does_not_apply_cannot_be_called_right(opened, open_page):
    at = open_page("sample", run="hand", sample="2")
    assert [button.label for button in at.button if button.label.startswith("All right")] == []


def test_a_run_that_was_deleted_meanwhile_says_so(opened):
    session.store().runs.delete("hand")
    at = segments(opened, KEY).set_value("wrong").run()
    assert not at.exception
    assert session.store().person_labels.by_cell("hand") == {}
