"""A form starts no run over other data than those that were seen: deleted or changed meanwhile, in
another tab.
"""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.datasets.mapping import load
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import BED, jsonl, runs, said, settled
from ui import session

SAMPLE = {
    "question": "When?",
    "response": "In May.",
    "retrieved_documents": ["It was in May."],
    "ground_truth": "May",
}
FORMS = [
    pytest.param("trace", "trace_dataset", "trace_start", SAMPLE, id="TRACE"),
    pytest.param("metrics", "metrics_dataset", "metrics_start", SAMPLE, id="Metrics"),
    pytest.param("rgb", "rgb_data", "rgb_start", BED, id="RGB, asking"),
    pytest.param("rgb", "rgb_data", "rgb_start", SAMPLE, id="RGB, scoring"),
]


@pytest.mark.parametrize(("page", "box", "start", "row"), FORMS)
def test_data_that_are_gone_are_not_replaced_by_others(open_page, page, box, start, row):
    at = form(open_page, page, box, row)
    session.store().uploads.delete("local", "own.jsonl")
    at.button(key=start).click()
    at = settled(checked(at.run()))
    assert not runs()
    assert at.selectbox(key=box).value is None
    assert "own.jsonl is no longer there. Choose another one." in said(at, "warning")
    assert start not in [button.key for button in at.button]
    at = checked(at.selectbox(key=box).select_index(0).run())
    assert "no longer there" not in said(at)
    first = at.selectbox(key=box).options[0]
    at.button(key=start).click()
    settled(checked(at.run()))
    assert runs()[0].dataset_name == first


@pytest.mark.parametrize(("page", "box", "start", "row"), FORMS)
def test_a_change_of_another_field_does_not_choose_other_data_either(
    open_page, page, box, start, row
):
    at = form(open_page, page, box, row)
    session.store().uploads.delete("local", "own.jsonl")
    for _ in range(2):
        assert checked(at.run()).selectbox(key=box).value is None
        assert "own.jsonl is no longer there." in said(at, "warning")


@pytest.mark.parametrize(("page", "box", "start", "row"), FORMS)
def test_data_that_changed_are_shown_before_a_run_starts(open_page, page, box, start, row):
    at = form(open_page, page, box, row)
    keep(row, row | {"id": "2"})
    checked(at.button(key=start).click().run())
    assert not runs()
    assert "The data changed since this form was drawn, so no run was started." in said(at, "error")
    at.button(key=start).click()
    settled(checked(at.run()))
    assert runs()[0].dataset_name == "own.jsonl"


def form(open_page: OpenPage, page: str, box: str, row: dict[str, object]) -> AppTest:
    """The form with own data chosen."""
    keep(row)
    at = open_page(page)
    return checked(at.selectbox(key=box).set_value("own.jsonl").run())


def keep(*rows: dict[str, object]) -> None:
    """An upload that another tab made or replaced."""
    own = load("own.jsonl", jsonl(*rows).encode())
    session.store().uploads.save("local", own.name, own)
