"""TRACE in the browser: from the cards to the sentences behind them."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from evaluators.records import Run
from tests.e2e.conftest import LONG


def test_a_run_starts_from_the_form_and_opens_its_sample_by_a_click_on_a_row(page: Page) -> None:
    page.goto("/trace")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_test_id("stMain").get_by_text("Finished · 24 / 24 scored")).to_be_visible(
        timeout=LONG
    )
    select_first_row(page)
    expect(page.get_by_role("heading", name="Sample", exact=True)).to_be_visible()
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/sample\?run=.+&sample=1"))


def test_another_definition_changes_the_cards_and_stays_chosen_on_the_sample(
    page: Page, trace_run: Run
) -> None:
    page.goto(f"/trace?run={trace_run.id}")
    relevance = card(page, "Relevance")
    expect(relevance).to_have_text(re.compile(r"0\.\d\d"))
    before = relevance.inner_text()
    page.get_by_role("radio", name="Fixed 20").click()
    expect(relevance).not_to_have_text(before)
    select_first_row(page)
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    page.get_by_text("How each number was worked out").click()
    expect(
        page.get_by_text(re.compile(r"Context relevance = relevant sentences / 20 = \d+ / 20"))
    ).to_be_visible()


def test_a_sample_marks_its_sentences_with_colour_and_words(page: Page, trace_run: Run) -> None:
    page.goto(f"/sample?run={trace_run.id}&sample=1")
    expect(page.locator(".sentence").first).to_be_visible()
    expect(page.locator(".badge", has_text="supported").first).to_be_visible()
    expect(page.locator(".badge", has_text="relevant").first).to_be_visible()
    expect(page.locator(".sentence.v-full").first).not_to_have_css(
        "background-color", "rgba(0, 0, 0, 0)"
    )


def test_choosing_a_response_sentence_frames_its_evidence(page: Page, trace_run: Run) -> None:
    page.goto(f"/sample?run={trace_run.id}&sample=1")
    expect(page.locator(".sentence").first).to_be_visible()
    expect(page.locator(".lit")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^a, supported: ")).click()
    expect(page.locator(".documents .lit").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"Supported by \d+[a-z]"))).to_be_visible()


def test_the_browsers_way_back_leads_to_the_same_sample(page: Page, trace_run: Run) -> None:
    page.goto(f"/trace?run={trace_run.id}")
    expect(page.get_by_text("24 samples. ")).to_be_visible()
    select_first_row(page)
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Sample 2 of 24")).to_be_visible()
    page.get_by_role("button", name="Back to the run").click()
    expect(page.get_by_role("heading", name="TRACE", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Sample 2 of 24")).to_be_visible()


def select_first_row(page: Page) -> None:
    """Clicks the check box that the table paints at the left of its first row."""
    page.get_by_test_id("stDataFrame").last.locator(".dvn-scroller").click(
        position={"x": 18, "y": 53}
    )


def card(page: Page, title: str) -> Locator:
    metrics = page.get_by_test_id("stMetric").filter(has_text=title)
    return metrics.get_by_test_id("stMetricValue")
