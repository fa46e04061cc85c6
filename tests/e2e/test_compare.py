"""Two models in the browser: the sentence, the sample with the greatest difference, both answers."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import settled


def test_the_sample_that_differs_most_is_read_side_by_side(page: Page) -> None:
    page.goto("/compare?first=example-noise.1&second=example-noise.2")
    expect(
        page.get_by_role("heading", name="Model A is better in noise robustness")
    ).to_be_visible()
    settled(page)

    page.get_by_role("button", name="Sample 5:").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Model A", exact=False).first).to_be_visible()
    changed = dialog.locator(".pl-changed mark")
    expect(changed.first).to_be_visible()
    assert "23" in changed.all_inner_texts()

    dialog.get_by_role("link", name="Open the sample").first.click()
    expect(page.get_by_role("heading", name="Sample", level=1)).to_be_visible()
    assert "run=example-noise" in page.url
    assert "sample=5" in page.url
