"""Uploads in the browser: by the file chooser, and hostile."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

ROWS = [
    {"question": "When was the mill built?", "response": "In 1812.", "retrieved_documents": ["It was built in 1812."]},
    {"question": "What does it grind?", "response": "It grinds rye.", "retrieved_documents": ["The mill grinds rye."]},
]
HOSTILE = (
    "![x](http://127.0.0.2:9/x.png) <img src=http://127.0.0.2:9/y.png onerror=alert(1)>"
    "<script>alert(2)</script><style>*{background:red !important}</style>"
)


def test_a_file_is_chosen_previewed_and_evaluated(page: Page, tmp_path: Path) -> None:
    choose(page, tmp_path / "mill.jsonl", ROWS)
    expect(page.get_by_text("Samples · 2 rows")).to_be_visible()
    expect(page.get_by_role("combobox", name="Data set")).to_have_value("mill.jsonl (uploaded)")
    page.get_by_role("link", name="TRACE", exact=True).click()
    expect(page.get_by_text("2 samples will be labelled.")).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_test_id("stMain").get_by_text("Finished · 2 / 2 scored")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stMain").get_by_text("2 / 2 scored")).to_have_count(7)  # the run's and six cards'


def test_a_broken_file_is_answered_with_its_line(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text("\n".join([json.dumps(ROWS[0])] * 16 + ["{oops"]))
    page.goto("/datasets")
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("alert").filter(has_text="Line 17")).to_be_visible()


def test_hostile_text_stays_text_on_every_page(page: Page, tmp_path: Path) -> None:
    row = {"question": HOSTILE, "response": HOSTILE, "retrieved_documents": [HOSTILE], "ground_truth": HOSTILE}
    choose(page, tmp_path / "![x](x).jsonl", [row | {"situation": HOSTILE}])
    expect(page.get_by_text("Samples · 1 rows")).to_be_visible()
    colour = background(page)
    page.get_by_role("link", name="TRACE", exact=True).click()
    expect(page.get_by_text("1 sample will be labelled.")).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_test_id("stMain").get_by_text("Finished · 1 / 1 scored")).to_be_visible(timeout=60_000)
    assert background(page) == colour
    page.goto(page.url.replace("/trace", "/sample"))
    expect(page.locator(".pl-text").filter(has_text="<script>alert(2)</script>").first).to_be_visible()
    expect(page.get_by_test_id("stText").filter(has_text="![x](http://127.0.0.2:9/x.png)").first).to_be_visible()
    assert background(page) == colour
    assert page.locator("main img, main script").count() == 0


def choose(page: Page, file: Path, rows: list[dict[str, object]]) -> None:
    """Uploads the rows as a JSONL file through the browser's own file chooser."""
    file.write_text("\n".join(map(json.dumps, rows)))
    page.goto("/datasets")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).click()
    chooser.value.set_files(file)


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor"))
