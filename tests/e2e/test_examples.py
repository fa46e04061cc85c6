"""What a stranger sees by one click on Home."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import settled


def test_one_click_shows_how_noise_hurts(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="See the result").first.click()
    expect(page).to_have_title("RGB · Why noise hurts (illustration) · Plumbline")
    expect(page.get_by_text("not measurements of a named model")).to_be_visible()
    chart = page.locator(".js-plotly-plot").first
    expect(chart.get_by_text("Model A").first).to_be_visible()
    expect(chart.get_by_text("Model B").first).to_be_visible()


def test_one_click_shows_the_jury_beside_gold_and_an_example_is_changed_in_a_copy(
    page: Page,
) -> None:
    page.goto("/")
    settled(page)
    page.get_by_role("link", name="Open one answer").click()
    expect(page).to_have_title("Sample · Find the invented sentence (illustration) · Plumbline")
    for labeller in ("Jury", "Gold", "Judge B"):
        expect(page.get_by_text(labeller, exact=True).first).to_be_visible()
    expect(page.locator(".sentence", has_text="30 euros a month").first).to_be_visible()
    page.get_by_role("button", name="Make it yours").click()
    expect(page.get_by_role("heading", name="TRACE", exact=True)).to_be_visible()
    expect(page.get_by_text("not measurements of a named model")).to_have_count(0)
