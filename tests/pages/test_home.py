"""Home: one click from an empty workspace to a real evaluation."""

from __future__ import annotations

import pytest

from .conftest import Filled, OpenPage
from .screen import button, cards, said, settled, state


def test_an_empty_workspace_says_where_to_begin(open_page: OpenPage) -> None:
    assert "No run yet." in said(open_page("home"))


@pytest.mark.parametrize(("label", "page_title", "asked"), [
    ("Run the RGB sample", "RGB", 216),
    ("Run the TRACE sample", "TRACE", 24),
])
def test_a_sample_button_leads_to_the_finished_run(
    open_page: OpenPage, label: str, page_title: str, asked: int
) -> None:
    at = open_page("home")
    button(at, label).click()
    at = settled(at.run())
    assert [title.value for title in at.title] == [page_title]
    assert state(at) == f"Finished · {asked} / {asked} scored"
    assert not at.exception


def test_recent_runs_are_listed_newest_first_and_open(open_page: OpenPage, filled: Filled) -> None:
    at = open_page("home")
    kinds = [line for line in said(at, "markdown").splitlines() if "UTC" in line]
    assert [kind.split(" · ")[0] for kind in kinds] == [
        "TRACE (heuristic)",
        "RGB with Offline reader (baseline, no key)",
    ]
    at.button(key=f"open_{filled.trace.id}").click()
    at.run()
    assert at.query_params["run"] == filled.trace.id
    assert "Adherence" in cards(at)
