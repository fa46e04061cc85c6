"""The forms of new runs in the browser: what is chosen stays, a link begins a new run, and a click
starts one.
"""

import json
import re

from playwright.sync_api import expect

from tests.e2e.conftest import LONG, settled, upload


def test_the_rgb_form_is_the_same_after_a_visit_to_another_page(page):
    page.goto("/rgb")
    settled(page)
    ask = page.get_by_role("button", name="Ask 192 questions")
    page.get_by_role("button", name="Negative rejection").click()
    expect(ask).to_be_visible()
    for away in ("Runs", "Settings"):
        page.get_by_role("link", name=away, exact=True).click()
        expect(page.get_by_role("heading", name=away, exact=True)).to_be_visible()
        page.get_by_role("link", name="RGB", exact=True).click()
        expect(ask).to_be_visible()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("spinbutton", name="Seed").fill("7")
    page.get_by_role("spinbutton", name="Seed").press("Enter")
    settled(page)
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("link", name="RGB", exact=True).click()
    page.get_by_text("Advanced", exact=True).click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("7")
    expect(ask).to_be_visible()


def test_a_link_from_the_data_begins_a_new_run_with_them(page, trace_run, tmp_path):
    page.goto(f"/trace?run={trace_run.id}")
    expect(page.get_by_test_id("stMain").get_by_text("24 answers checked")).to_be_visible()
    page.get_by_role("link", name="Datasets").click()
    row = {"question": "When?", "response": "In May.", "retrieved_documents": ["It was in May."]}
    file = tmp_path / "new.jsonl"
    file.write_text(json.dumps(row))
    upload(page.locator("input[type=file]").first, file)
    page.get_by_role("link", name="Evaluate on the TRACE page").click()
    expect(page.get_by_role("combobox", name="Data set")).to_have_value("new.jsonl")
    expect(page.get_by_role("button", name="Evaluate 1 sample")).to_be_visible()
    expect(page.get_by_text("24 answers checked")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/trace/?\??$"))


def test_three_impatient_clicks_on_home_start_one_run_that_ends_with_a_chart(page, server):
    before = set(server.store.runs.ids("local"))
    page.goto("/")
    start = page.get_by_role("button", name="Run the RGB sample")
    expect(start).to_be_enabled()
    start.evaluate(
        "button => { for (const n of [1, 2, 3]) setTimeout(() => button.click(), 80 * n) }"
    )
    expect(page.get_by_role("heading", name="RGB", exact=True)).to_be_visible()
    settled(page)
    expect(page.get_by_test_id("stMain").get_by_text("216 answers checked")).to_be_visible(
        timeout=LONG
    )
    expect(page.locator(".js-plotly-plot .scatterlayer path.point").first).to_be_visible()
    assert len(set(server.store.runs.ids("local")) - before) == 1
