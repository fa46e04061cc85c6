"""A run at work: it outlives reloads and page switches, stops when told,
and goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from evaluators.records import Run
from tests.e2e.conftest import LONG, MANY, cancel

RUNNING = re.compile(r"Running · ([\d,]+) of [\d,]+ checked")


def test_a_reload_comes_back_to_the_run_at_work(page: Page, long_run: Run) -> None:
    set_to_work(page, long_run)
    page.reload()
    before = scored(page)
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    further(page, before)


def test_cancel_stops_a_run_and_resume_finishes_it(page: Page, long_run: Run) -> None:
    set_to_work(page, long_run)
    cancel(page)
    expect(
        page.get_by_test_id("stMain").get_by_text(
            re.compile(rf"Stopped · [\d,]+ of {MANY:,} checked")
        )
    ).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_test_id("stMain").get_by_text(f"{MANY:,} answers checked")).to_be_visible(
        timeout=LONG
    )


def test_the_sidebar_shows_the_run_on_every_page(page: Page, long_run: Run) -> None:
    set_to_work(page, long_run)
    page.get_by_role("link", name="Datasets").click()
    expect(page.get_by_role("heading", name="Datasets", exact=True)).to_be_visible()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text("A long run")).to_be_visible()
    expect(sidebar.get_by_text(RUNNING)).to_be_visible()


def test_another_browser_on_the_same_laptop_lists_the_run_and_can_open_it(
    trace_run: Run, new_context: Callable[..., BrowserContext]
) -> None:
    other = new_context().new_page()
    other.goto("/runs")
    expect(other.get_by_text("24 answers checked").first).to_be_visible()
    other.get_by_role("button", name="Open", exact=True).last.click()
    expect(other).to_have_url(re.compile(r"/(trace|rgb|metrics)\?run="))


def set_to_work(page: Page, run: Run) -> None:
    page.goto(f"/trace?run={run.id}")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_test_id("stMain").get_by_text(RUNNING)).to_be_visible()


def scored(page: Page) -> int:
    """How many samples the page says are scored, while the run is at work."""
    line = page.get_by_test_id("stMain").get_by_text(RUNNING)
    expect(line).to_be_visible()
    found = RUNNING.search(line.inner_text())
    assert found
    return int(found[1].replace(",", ""))


def further(page: Page, before: int) -> None:
    page.wait_for_function(
        """before => [...document.querySelectorAll('[data-testid="stMain"] [data-testid="stProgress"]')]
           .some(bar => Number((bar.innerText.match(/([\\d,]+) of/) || ['', '0'])[1].replace(/,/g, '')) > before)""",
        arg=before,
    )
