"""Metrics in the browser: from the form to the values and the sample behind them."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import LONG, STARTS, mean, open_sample, settled


def test_two_metrics_run_from_one_form_and_explain_themselves(page):
    page.goto("/metrics")
    settled(page)
    page.get_by_role("combobox", name="Metrics", exact=True).click()
    page.get_by_role("option", name=re.compile(r"^Context recall \(lexical\)")).click()
    page.keyboard.press("Escape")
    page.get_by_text("Advanced", exact=True).click()
    expect(
        page.get_by_text("Needs: documents, true answer. 24 of 24 samples can be judged.")
    ).to_be_visible()
    page.get_by_role("button", name=STARTS).click()
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("24 answers checked")).to_be_visible(timeout=LONG)
    expect(mean(page, "Answer match")).to_have_text(re.compile(r"[01]\.\d\d"))
    expect(mean(page, "Context recall (lexical)")).to_have_text(re.compile(r"0\.\d\d"))
    page.get_by_text("About this metric").last.click()
    formula = page.get_by_text(re.compile("attributed sentences / all sentences"))
    expect(formula.locator("visible=true").first).to_be_visible()

    open_sample(page)
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    expect(
        page.get_by_test_id("stMetric").filter(has_text="Context recall (lexical)")
    ).to_be_visible()
    expect(page.get_by_role("heading", name="Statements")).to_be_visible()
