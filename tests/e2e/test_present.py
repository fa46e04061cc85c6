"""Present, by the keyboard alone: on, back and out, large enough for the last row."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import settled

LEAST = 26
"""Pixels of a text that is read from six metres off a picture two metres wide and 1280 wide."""

SMALLEST = """
block => Math.min(...[...block.querySelectorAll("*")]
  .filter(each => [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
  .filter(each => each.tagName !== "STYLE" && each.getBoundingClientRect().width > 1)
  .map(each => parseFloat(getComputedStyle(each).fontSize) * each.currentCSSZoom))
"""
"""The font size in pixels of the screen of the smallest text in a block."""


def test_a_result_is_presented_by_keys_from_the_first_block_to_the_last(page):
    page.goto("/rgb?run=example-noise")
    search = page.get_by_label("Search in questions and answers")
    expect(search).to_be_visible()
    settled(page)
    search.press("p")
    expect(search).to_have_value("p")
    search.clear()
    search.blur()
    page.keyboard.press("p")
    said = page.locator(".said")
    expect(said).to_have_text("1 of 9: Why noise hurts (illustration)")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    for key, words in (
        ("ArrowRight", "2 of 9: Noise robustness: accuracy by noise"),
        ("ArrowLeft", "1 of 9"),
        ("PageDown", "2 of 9"),
        ("Space", "3 of 9"),
        ("PageUp", "2 of 9"),
    ):
        page.keyboard.press(key)
        expect(said).to_contain_text(words)
        expect(page.locator(f".st-key-block_{words[0]}")).to_be_focused()
    expect(page).to_have_url(re.compile("present=1&block=2$"))
    page.reload()
    expect(said).to_contain_text("2 of 9")
    expect(page.locator(".st-key-block_2 .main-svg").first).to_be_visible()
    for number in range(1, 10):
        block = page.locator(f".st-key-block_{number}")
        assert block.evaluate(SMALLEST) >= LEAST, number
        # All of it is on the screen.
        assert block.evaluate("block => block.scrollHeight - block.clientHeight") <= 0, number
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).to_have_url(re.compile("rgb\\?run=example-noise$"))


def test_samples_follow_one_another_and_a_second_escape_leaves(page):
    page.goto("/sample?run=example-invented&sample=5")
    expect(page.locator(".sentence").first).to_be_visible()
    settled(page)
    page.keyboard.press("P")
    said = page.locator(".said")
    expect(said).to_contain_text("5 of 24")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("6 of 24")
    sentence = page.locator(".sentence").first
    settled(page)
    page.keyboard.press("ArrowDown")
    expect(sentence).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(sentence).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).to_have_url(re.compile("sample=6&model=1$"))


def test_on_a_phone_two_large_buttons_go_on_and_back(new_context):
    phone = new_context(viewport={"width": 400, "height": 800}, has_touch=True).new_page()
    phone.goto("/trace?run=example-invented&present=1&block=2")
    for name, words in (("Next", "3 of 5"), ("Previous", "2 of 5")):
        button = phone.get_by_role("button", name=name)
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
        button.tap()
        expect(phone.locator(".said")).to_contain_text(words)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 400
