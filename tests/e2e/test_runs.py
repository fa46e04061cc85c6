"""The list of runs: open to every browser of a laptop, named, searched and compared by keyboard."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import create_long_run, settled


def test_another_browser_on_the_same_laptop_lists_the_run_and_can_open_it(trace_run, new_context):
    other = new_context().new_page()
    other.goto("/runs")
    expect(other.get_by_text("24 answers checked").first).to_be_visible()
    other.locator(".runs").get_by_role("button", name=f"Open {trace_run.title}").first.click()
    expect(other).to_have_url(re.compile(r"/trace\?run="))


def test_two_runs_are_named_found_and_compared_by_keyboard(page, server):
    runs = [create_long_run(server.store, f"named {number}") for number in (1, 2)]
    page.goto(f"/trace?run={runs[0].id}")
    settled(page)
    in_head = page.locator("[class*=st-key-head_] button:visible")
    expect(in_head).to_have_text(
        [re.compile(word) for word in ("Share", "Compare", "Label", "More")]
    )
    page.get_by_role("button", name="More", exact=True).press("Enter")
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
