"""TRACE in the browser: from the cards to the sentences behind them."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import LONG, STARTS, mean, open_sample, settled


def test_a_run_starts_from_the_form_and_opens_its_sample_by_a_click_on_a_row(page):
    page.goto("/trace")
    settled(page)
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text("24 answers checked")).to_be_visible(
        timeout=LONG
    )
    open_sample(page)
    expect(page.get_by_role("heading", name="Sample", exact=True)).to_be_visible()
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/sample\?run=.+&sample=1"))


def test_another_definition_changes_the_cards_and_stays_chosen_on_the_sample(page, trace_run):
    page.goto(f"/trace?run={trace_run.id}")
    relevance = mean(page, "Context relevance")
    expect(relevance).to_have_text(re.compile(r"0\.\d\d"))
    before = relevance.inner_text()
    page.get_by_role("radio", name="Fixed 20").click()
    expect(relevance).not_to_have_text(before)
    open_sample(page)
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    page.get_by_text("How each number was worked out").click()
    expect(
        page.get_by_text(re.compile(r"Context relevance = relevant sentences / 20 = \d+ / 20"))
    ).to_be_visible()


def test_a_sample_marks_its_sentences_with_colour_and_words(page, trace_run):
    page.goto(f"/sample?run={trace_run.id}&sample=1")
    expect(page.locator(".sentence").first).to_be_visible()
    expect(page.locator(".badge", has_text="supported").first).to_be_visible()
    expect(page.locator(".badge", has_text="relevant").first).to_be_visible()
    expect(page.locator(".sentence.v-full").first).not_to_have_css(
        "background-color", "rgba(0, 0, 0, 0)"
    )


def test_the_browsers_way_back_leads_to_the_same_sample(page, trace_run):
    page.goto(f"/trace?run={trace_run.id}")
    expect(page.get_by_text("24 samples. ")).to_be_visible()
    in_order = page.locator(".samples td.number")
    expect(in_order).to_have_count(24)
    numbers = in_order.all_inner_texts()
    following = f"Sample {numbers[numbers.index('1') + 1]} of 24"
    open_sample(page)
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text(following)).to_be_visible()
    page.get_by_role("button", name="Back to the run").click()
    expect(page.get_by_role("heading", name="TRACE", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_text(following)).to_be_visible()


def test_by_keyboard_a_row_opens_and_the_way_back_leads_to_it(page, trace_run):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"/trace?run={trace_run.id}")
    rows = page.locator(".samples tbody tr")
    expect(rows).to_have_count(24)
    # The worst come first, so it goes by their numbers.
    numbers = rows.locator("td.number").all_inner_texts()
    rows.first.get_by_role("button").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Sample {numbers[23]} of 24")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_text(f"Sample {numbers[22]} of 24")).to_be_visible()
    settled(page)

    page.get_by_role("button", name="Back to the run").click()

    expect(rows.nth(22)).to_have_attribute("aria-current", "true")
    expect(rows.nth(22)).to_be_in_viewport()
    rows.nth(5).click()
    expect(page.get_by_text(f"Sample {numbers[5]} of 24")).to_be_visible()
    settled(page)
    page.go_back()
    expect(rows.nth(5)).to_have_attribute("aria-current", "true")
    expect(rows.nth(5)).to_be_in_viewport()


def test_all_samples_are_searched_filtered_and_ordered(page, trace_run):
    page.goto(f"/trace?run={trace_run.id}")
    rows = page.locator(".samples tbody tr")
    page.get_by_role("radio", name=re.compile(r"^Unsupported \d+")).click()
    expect(rows.first).to_contain_text("not supported")
    # The worst come first.
    expect(page.locator(".samples th[aria-sort=ascending]")).to_contain_text("Supported share")
    shares = rows.locator("td[data-title='Supported share']")
    values = shares.all_inner_texts()
    assert values == sorted(values)
    page.locator(".samples th[aria-sort] button").press("Enter")
    # The rows and their heads are drawn anew, and the keyboard is where it was.
    expect(page.locator(".samples th[aria-sort=descending] button")).to_be_focused()
    values = shares.all_inner_texts()
    assert values == sorted(values, reverse=True)
    page.get_by_role("textbox", name="Search in questions and answers").fill("wessel")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("Wessel Bridge")


def test_on_a_phone_the_samples_are_cards_that_fit(page, trace_run):
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"/trace?run={trace_run.id}")
    first = page.locator(".samples tbody tr").first
    expect(first).to_have_css("display", "flex")
    box = first.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 400
