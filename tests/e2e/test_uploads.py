"""Uploads in the browser: by the file chooser, with columns to be named, in part unusable, large,
and hostile.
"""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.conftest import LONG, STARTS, settled, upload

ROWS = [
    {
        "question": "When was the mill built?",
        "response": "In 1812.",
        "retrieved_documents": ["It was built in 1812."],
    },
    {
        "question": "What does it grind?",
        "response": "It grinds rye.",
        "retrieved_documents": ["The mill grinds rye."],
    },
]
SECOND_ROW = {"x": 16, "y": 87}
"""The box before it, below a header and a row of 35 pixels each."""

HOSTILE = (
    "![x](http://127.0.0.2:9/x.png) <img src=http://127.0.0.2:9/y.png onerror=alert(1)>"
    "<script>alert(2)</script><style>*{background:red !important}</style>"
)


def test_a_file_is_chosen_previewed_and_evaluated(page, tmp_path):
    choose(page, tmp_path / "mill.jsonl", ROWS)
    expect(page.get_by_text("Samples · 2 rows")).to_be_visible()
    expect(page.get_by_role("combobox", name="Data set")).to_have_value("mill.jsonl (uploaded)")
    expect(page.get_by_text("The mill grinds rye.")).not_to_be_visible()
    page.locator("canvas").first.click(position=SECOND_ROW, force=True)
    expect(page.get_by_text("The mill grinds rye.")).to_be_visible()
    page.get_by_role("link", name="TRACE", exact=True).click()
    expect(page.get_by_role("button", name="Evaluate all 2 samples")).to_be_visible()
    page.get_by_role("button", name=STARTS).click()
    expect(
        page.get_by_test_id("stMain").get_by_text("(heuristic) · 2 answers checked")
    ).to_be_visible(timeout=LONG)
    expect(page.get_by_text("of 2 answers to look at first (heuristic).")).to_be_visible()


def test_rows_that_cannot_be_used_are_told_and_can_be_downloaded(page, tmp_path):
    file = tmp_path / "broken.jsonl"
    file.write_text("\n".join([json.dumps(ROWS[0])] * 16 + ["{oops"]))
    put(page, file)
    expect(page.get_by_text("17 rows in the file, 16 usable")).to_be_visible()
    page.get_by_text("1 row left out").click()
    expect(page.get_by_text("row 17")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download these rows").click()
    assert download.value.path().read_bytes().decode("utf-8-sig").splitlines()[1].startswith("17,")


def test_a_file_that_cannot_be_used_is_answered_with_the_remedy(page, tmp_path):
    file = tmp_path / "picture.csv"
    file.write_bytes(b"\x89PNG\r\n")
    put(page, file)
    expect(
        page.get_by_role("alert").filter(has_text="picture.csv is a picture. Save the data as CSV")
    ).to_be_visible()


def test_a_file_with_unknown_columns_is_mapped_and_evaluated(page, tmp_path):
    file = tmp_path / "mills.csv"
    rows = [
        "asked;said;found",
        *(f"When was mill {n} built?;In 18{n}.;It was built in 18{n}." for n in (10, 11, 12)),
    ]
    file.write_text("\n".join(rows))
    put(page, file)
    expect(page.get_by_text("Which column is what in mills.csv?")).to_be_visible()
    for field, column in (
        ("Question", "asked"),
        ("Answer", "said"),
        ("Documents", "found"),
    ):
        page.get_by_role("combobox", name=field, exact=True).click()
        page.get_by_role("option", name=column, exact=True).click()
        settled(page)
    page.get_by_role("button", name="Use these columns").click()
    expect(page.get_by_text("3 rows in the file, 3 usable")).to_be_visible()
    page.get_by_role("link", name="Evaluate on the TRACE page").click()
    expect(page.get_by_role("button", name="Evaluate all 3 samples")).to_be_visible()
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text("3 answers checked")).to_be_visible(
        timeout=LONG
    )


def test_the_page_of_a_large_file_stays_small(page, tmp_path):
    received: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda data: received.append(len(data))),
    )
    text = "The mill was built in 1812 and grinds rye. " * 25
    row = {
        "question": "When was the mill built?",
        "response": text,
        "retrieved_documents": [text] * 4,
    }
    choose(
        page,
        tmp_path / "large.jsonl",
        [row | {"question": f"When was mill {n} built?"} for n in range(2000)],
    )
    expect(page.get_by_text("2,000 rows in the file, 2,000 usable")).to_be_visible()
    expect(page.get_by_text("The first 50 of 2,000 rows.")).to_be_visible()
    assert sum(received) < 1_000_000


def test_the_next_file_is_chosen_in_an_empty_field_once_one_was_read(page, tmp_path):
    choose(page, tmp_path / "first.jsonl", ROWS)
    expect(page.get_by_text("2 rows in the file, 2 usable")).to_be_visible()
    row: FilePayload = {
        "name": "next.csv",
        "mimeType": "text/csv",
        "buffer": b"question,response\nWhen?,In May.",
    }
    upload(page.get_by_test_id("stFileUploader").first.locator("input[type=file]"), row)
    expect(page.get_by_text("1 row in the file, 1 usable")).to_be_visible()


def test_hostile_text_stays_text_on_every_page(page, tmp_path):
    row = {
        "question": HOSTILE,
        "response": HOSTILE,
        "retrieved_documents": [HOSTILE],
        "ground_truth": HOSTILE,
    }
    choose(page, tmp_path / "![x](x).jsonl", [row | {"situation": HOSTILE}])
    expect(page.get_by_text("Samples · 1 row")).to_be_visible()
    colour = background(page)
    page.get_by_role("link", name="TRACE", exact=True).click()
    expect(page.get_by_role("button", name="Evaluate 1 sample")).to_be_visible()
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text("1 answer checked")).to_be_visible(
        timeout=LONG
    )
    assert background(page) == colour
    page.goto(page.url.replace("/trace", "/sample"))
    evidence = page.locator(".evidence")
    sentences = evidence.get_by_role("button", name="<script>alert(2)</script>")
    expect(sentences).to_have_count(2)
    for sentence in sentences.all():
        expect(sentence).to_be_visible()
    for words in (HOSTILE, f"Situation: {HOSTILE}", f"True answer: {HOSTILE}"):
        expect(evidence.get_by_text(words, exact=True).first).to_be_visible()
    # The same texts stand by, hidden, for browsers without the script.
    hidden = page.locator(".st-key-texts_without_script .pl-text")
    expect(hidden).to_have_count(3)
    for text in hidden.all():
        expect(text).to_contain_text("<script>alert(2)</script>")
    # Also where the page draws them after the script has run.
    drawn_later = page.evaluate(
        """() => {
            const texts = document.querySelector(".st-key-texts_without_script");
            const later = texts.cloneNode(true);
            later.removeAttribute("style");
            texts.after(later);
            const display = getComputedStyle(later).display;
            later.remove();
            return display;
        }"""
    )
    assert drawn_later == "none"
    assert background(page) == colour
    assert page.locator("main img, main script").count() == 0


def choose(page: Page, file: Path, rows: list[dict[str, object]]) -> None:
    """Uploads the rows as a JSONL file through the browser's own file chooser."""
    file.write_text("\n".join(map(json.dumps, rows)))
    page.goto("/datasets")
    settled(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).first.click()
    chooser.value.set_files(file)


def put(page: Page, file: Path) -> None:
    """Uploads the file by the first field of the page."""
    page.goto("/datasets")
    settled(page)
    upload(page.get_by_test_id("stFileUploader").first.locator("input[type=file]"), file)


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor"))
