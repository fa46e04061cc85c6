"""RGB in the browser: from the first click to a chart."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import LONG, STARTS, press


def test_fewer_abilities_and_levels_are_asked_and_charted(page):
    page.goto("/rgb")
    press(page, "Negative rejection", "Information integration", "Counterfactual robustness")
    page.get_by_text("Advanced", exact=True).click()
    press(page, *(f"Remove {level} %" for level in (20, 40, 60)))
    expect(page.get_by_role("button", name="Ask 48 questions")).to_be_visible()
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text("48 answers checked")).to_be_visible(
        timeout=LONG
    )
    expect(page.locator(".js-plotly-plot .scatterlayer path.point")).to_have_count(2)
    expect(page.locator(".pl-about")).to_contain_text([re.compile(r"\d+ of 48 right")])
    ticks = page.locator(".js-plotly-plot .xtick text")
    expect(ticks.filter(has_text=re.compile(r"^0 %$"))).to_have_count(1)
    expect(ticks.filter(has_text=re.compile(r"^20 %$"))).to_have_count(1)


def test_a_shared_link_opens_the_run_in_a_browser_that_never_was_here(page, rgb_run):
    page.goto(f"/rgb?run={rgb_run.id}")
    expect(page.get_by_test_id("stMain").get_by_text("216 answers checked")).to_be_visible()
    expect(page.get_by_role("link", name="Home")).to_be_attached()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
