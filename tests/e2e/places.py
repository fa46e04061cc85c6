"""Every page, with something on it to look at: an address of the app by what is shown."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import settled

PAGES = {
    "Home": "/",
    "A page that is not there": "/nosuch",
    "Learn": "/learn",
    "Lesson 1": "/learn?lesson=1",
    "Lesson 2": "/learn?lesson=2",
    "Lesson 3": "/learn?lesson=3",
    "Lesson 4": "/learn?lesson=4",
    "Lesson 5": "/learn?lesson=5",
    "Plan of a lesson": "/learn?lesson=plan",
    "Datasets": "/datasets",
    "RGB, form": "/rgb",
    "TRACE, form": "/trace",
    "Metrics": "/metrics",
    "Runs": "/runs",
    "Settings": "/settings",
    "RGB, result": "/rgb?run=example-noise",
    "TRACE, result": "/trace?run=example-invented",
    "Compare": "/compare?first=example-noise.1&second=example-noise.2",
    "Leaderboard": "/leaderboard?ranked=example-noise",
    "Label": "/label?run=example-invented",
    "Check": "/check?run=example-invented",
    "Round, code": "/round",
    "Sample of RGB": "/sample?run=example-noise&sample=1",
    "Sample of TRACE": "/sample?run=example-invented&sample=6",
    "A chart, presented": "/rgb?run=example-noise&present=1&block=2",
    "A sample, presented": "/sample?run=example-invented&sample=6&present=1",
}

SOME = ("Home", "TRACE, result", "Sample of TRACE")
on_every_page = pytest.mark.parametrize(
    "pages",
    [{name: PAGES[name] for name in SOME}, pytest.param(PAGES, marks=pytest.mark.exhaustive)],
    ids=["some", "all"],
)


def opened(page: Page, address: str) -> None:
    """Opens an address and waits for all of it; a page has one title, once it is drawn."""
    page.goto(address)
    settled(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
