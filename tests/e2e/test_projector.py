"""Projector: the usual pages are read from the last row, and nothing has to be scrolled sideways."""

import re
from contextlib import suppress

from playwright.sync_api import TimeoutError, expect

from tests.e2e.conftest import PATIENCE, settled

LEAST = 24
"""Pixels of the smallest text on a screen of 1280 by 720."""

SMALLEST = """
() => {
  const found = [];
  const look = (root) => {
    for (const each of root.querySelectorAll("*")) {
      if (each.shadowRoot) look(each.shadowRoot);
      const box = each.getBoundingClientRect();
      // Of 1 pixel is what only a screen reader reads.
      const isSeen = box.width > 2 && box.height > 2 && each.checkVisibility({ opacityProperty: true });
      const isText = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (!isSeen || !isText || each.matches("style, script")) continue;
      const size = parseFloat(getComputedStyle(each).fontSize) * each.currentCSSZoom;
      found.push([size, each.textContent.trim().slice(0, 40)]);
    }
  };
  look(document);
  return found.sort((one, other) => one[0] - other[0])[0];
}
"""
"""The smallest text that is seen, ticks of charts among them, with its pixels on the screen."""

SIDEWAYS = """
() => Math.max(...[document.documentElement, document.querySelector("[data-testid=stMain]")]
  .map((each) => each.scrollWidth - each.clientWidth))
"""


PAGES = {
    "/": "Why noise hurts",
    "/rgb?run=example-noise": "Rates",
    "/trace?run=example-invented": "Samples",
    "/sample?run=example-invented&sample=5": "Documents",
    "/learn?lesson=3": "The rules behind it",
    "/compare?first=example-noise.1&second=example-noise.2": "Over the noise",
}
"""Addresses, each with a heading far down its page."""


def test_every_text_is_large_and_nothing_is_wider_than_the_screen(page):
    small, wide = {}, {}
    for address, words in PAGES.items():
        page.goto(f"{address}{'&' if '?' in address else '?'}projector=1")
        expect(page.get_by_role("heading", name=words).first).to_be_visible()
        settled(page)
        # The sheet may come after the texts that it makes large.
        with suppress(TimeoutError):
            page.wait_for_function(f"() => ({SMALLEST})()[0] >= {LEAST}", timeout=PATIENCE)
        size, smallest = page.evaluate(SMALLEST)
        if size < LEAST:
            small[address] = (size, smallest)
        if page.evaluate(SIDEWAYS) > 0:
            wide[address] = page.evaluate(SIDEWAYS)
    assert small == {}
    assert wide == {}


def test_in_lesson_2_documents_and_answer_are_on_one_screen_below_the_values(page):
    page.goto("/learn?lesson=2&projector=1")
    settled(page)
    answer = page.get_by_role("heading", name="2 · The answer")
    expect(answer).to_be_visible()
    documents = page.get_by_role("heading", name="1 · The documents").bounding_box()
    beside = answer.bounding_box()
    assert documents
    assert beside
    assert documents["x"] < beside["x"]
    assert documents["y"] == beside["y"]
    strip = page.locator(".pl-strip-of-values").bounding_box()
    assert strip
    assert strip["height"] < 720 / 5


def test_it_is_switched_on_kept_from_page_to_page_and_left(page):
    page.goto("/trace?run=example-invented")
    share = page.get_by_role("button", name="Share", exact=True)
    expect(share).to_be_visible()
    page.get_by_role("button", name="Projector").click()
    expect(share).to_be_hidden()
    expect(page).to_have_url(re.compile("projector=1"))
    page.get_by_role("link", name="Learn").click()
    expect(page.get_by_role("heading", name="Learn", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("learn.*projector=1"))
    page.get_by_role("button", name="Play").first.click()
    page.get_by_role("button", name="Leave the projector").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("projector"))
