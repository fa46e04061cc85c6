"""Compare in the browser: the sentence, the sample with the greatest difference, both answers."""

from playwright.sync_api import expect

from evaluators.records import ModelSpec
from tests.comparison.made import results, two_versions
from tests.e2e.conftest import LONG, settled, upload


def test_the_sample_that_differs_most_is_read_side_by_side(page):
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


def test_of_three_the_greatest_difference_is_found(page, server):
    questions = [f"Question {number}?" for number in range(8)]
    worse, better = [1.0] * 2 + [0.0] * 6, [1.0] * 8
    models = tuple(ModelSpec(provider="groq", model=name) for name in ("old", "even", "new"))
    results(server.store, "Three", questions, worse, worse, better, models=models)
    page.goto("/compare?first=Three.1&second=Three.2")
    expect(page.get_by_role("heading", name="is the same on every sample")).to_be_visible()

    page.get_by_role("combobox", name="More, each compared with the first").click()
    page.get_by_role("option", name="new").first.click()
    # While the list is open, the page behind it is hidden from all that reads by roles.
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Each against old")).to_be_visible()
    expect(page.get_by_text("Better in answer match by 75.0 points")).to_be_visible()
    expect(page.get_by_role("cell", name="▲ +75.0")).to_be_visible()
    settled(page)
    # Pressed one right after the other: the rows have another order once the first is answered.
    closer = page.get_by_role("radio", name="new", exact=True)
    row = page.get_by_role("button", name="Sample 3:")
    page.evaluate(
        "pressed => pressed.forEach(element => element.click())",
        [closer.element_handle(), row.element_handle()],
    )
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Question 2?")).to_be_visible()
    expect(dialog.get_by_text("new", exact=True)).to_be_visible()
    server.store.runs.delete("Three")


def test_two_prompt_versions_in_one_file_are_compared_in_four_clicks(page, tmp_path):
    file = two_versions(tmp_path)
    page.goto("/datasets")
    settled(page)

    upload(page.get_by_test_id("stFileUploader").first.locator("input[type=file]"), file)
    expect(page.get_by_role("combobox", name="Compare by")).to_have_value("prompt_version")
    page.get_by_role("link", name="Measure on the Metrics page").click()
    page.get_by_role("button", name="Measure 16 samples").click()
    page.get_by_role("button", name="Compare by prompt_version").click(timeout=LONG)
    expect(
        page.get_by_role("heading", name="v2 is better in answer match by 100.0 points")
    ).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Sample 9:").press("Enter")
    expect(page.get_by_role("dialog").get_by_text("What is 0 plus 0?")).to_be_visible()
