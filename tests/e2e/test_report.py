"""A report is taken from a run's page and opened without a network, on the screen and on paper."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.conftest import settled


def test_a_report_opens_offline_and_prints_with_all_that_was_folded(page, new_context, tmp_path):
    page.goto("/rgb?run=example-noise")
    settled(page)
    page.get_by_role("button", name="Share", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    file = tmp_path / "report.html"
    download.value.save_as(file)

    offline = new_context(offline=True, viewport={"width": 400, "height": 800})
    report = offline.new_page()
    asked: list[str] = []
    said: list[str] = []
    report.on("request", lambda request: asked.append(request.url))
    report.on("console", lambda entry: said.append(entry.text))
    report.goto(file.as_uri())
    finding = report.get_by_text("With 80 % noise Model A (best of 3) still answers")
    expect(finding).to_be_in_viewport()
    assert report.evaluate("document.documentElement.scrollWidth <= innerWidth")
    prompt = report.locator("details pre")
    expect(prompt).to_be_hidden()
    report.emulate_media(media="print")
    expect(prompt).to_be_visible()
    pdf = report.pdf(prefer_css_page_size=True)

    assert asked == [file.as_uri()]
    assert said == []
    # A4 in points, as the style sheet wants it.
    assert len(re.findall(rb"/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]", pdf)) >= 5
