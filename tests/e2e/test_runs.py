"""A run at work: it outlives reloads and page switches, stops when told,
and goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from evaluators.records import Run
from tests.e2e.conftest import (
    LONG,
    MANY,
    RUNNING,
    Server,
    cancel,
    count_checked,
    create_long_run,
    settled,
)


def test_a_reload_comes_back_to_the_run_at_work(page: Page, long_run: Run) -> None:
    set_to_work(page, long_run)
    page.reload()
    before = count_checked(page.get_by_test_id("stMain"), RUNNING)
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
    settled(page)
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
    other.locator(".runs").get_by_role("button", name=f"Open {trace_run.title}").first.click()
    expect(other).to_have_url(re.compile(r"/trace\?run="))


def test_two_runs_are_named_found_and_compared_by_keyboard(page: Page, server: Server) -> None:
    runs = [create_long_run(server.store, f"named {number}") for number in (1, 2)]
    page.goto(f"/trace?run={runs[0].id}")
    settled(page)
    page.get_by_role("button", name="Rename").press("Enter")
    page.get_by_label("Title", exact=True).fill("First try")
    page.get_by_text("Baseline of named 1").click()
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_test_id("stMain").get_by_text("First try")).to_be_visible()
    expect(page).to_have_title("TRACE · First try · Plumbline")

    page.get_by_role("link", name="Runs").click()
    search = page.get_by_label("Search", exact=True)
    search.fill("trace named")
    search.press("Enter")
    table = page.locator(".runs")
    expect(table.locator("tbody tr")).to_have_count(2)
    table.get_by_role("button", name="Title").press("Enter")
    expect(table.locator("th[aria-sort=ascending]")).to_have_text("Title ▲")
    expect(table.locator("button.open")).to_have_text(["A long run", "First try"])
    for name in ("A long run", "First try"):
        table.get_by_role("checkbox", name=f"Select {name}").press("Space")
    page.get_by_role("button", name="Compare", exact=True).press("Enter")

    expect(page).to_have_url(re.compile(f"first={runs[0].id}.*second={runs[1].id}"))
    expect(page.get_by_role("heading", name="Compare", exact=True)).to_be_visible()
    for run in runs:
        server.store.runs.delete(run.id)


def set_to_work(page: Page, run: Run) -> None:
    page.goto(f"/trace?run={run.id}")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_test_id("stMain").get_by_text(RUNNING)).to_be_visible()


def further(page: Page, before: int) -> None:
    page.wait_for_function(
        """before => [...document.querySelectorAll('[data-testid="stMain"] [data-testid="stProgress"]')]
           .some(bar => Number((bar.innerText.match(/([\\d,]+) of/) || ['', '0'])[1].replace(/,/g, '')) > before)""",
        arg=before,
    )
