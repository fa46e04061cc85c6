"""Small screens and dark themes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from evaluators.records import Run
from tests.e2e.conftest import settled

PAGES = (
    "/",
    "/rgb?run={rgb}",
    "/trace?run={trace}",
    # Six labellers side by side.
    "/trace?run=example-invented",
    "/sample?run={trace}&sample=1",
    "/sample?run={rgb}&sample=1",
)
BEYOND = """
() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
  .map((each) => each.scrollWidth - each.clientWidth)
"""
LINES_OF_WORDS = """
box => Object.fromEntries([...box.querySelectorAll("thead bdi")].map((title) => {
  const range = document.createRange();
  range.setStart(title.firstChild, 0);
  range.setEnd(title.firstChild, title.textContent.split(" ")[0].length);
  return [range.toString(), range.getClientRects().length];
}))
"""
"""On how many lines the first word of each head stands."""
FILLED = {
    "/": "Recent runs",
    "/rgb": "216 samples.",
    "/trace": "24 samples. ",
    "/sample": "Documents",
}


def test_a_phone_never_scrolls_sideways(rgb_run, trace_run, new_context):
    phone = new_context(viewport={"width": 390, "height": 844}).new_page()
    beyond = {}
    for address in PAGES:
        visit(phone, address, rgb_run, trace_run)
        beyond[address] = phone.evaluate(BEYOND)
    assert beyond == {address: [0, 0] for address in PAGES}


def test_the_text_of_cards_can_be_read_in_the_dark(trace_run, rgb_run, new_context):
    dark = new_context(color_scheme="dark").new_page()
    visit(dark, "/trace?run={trace}", rgb_run, trace_run)
    assert brightness(dark, "backgroundColor", "[data-testid=stApp]") < 60
    assert brightness(dark, "color", ".pl-mean") > 180
    visit(dark, "/sample?run={trace}&sample=1", rgb_run, trace_run)
    assert brightness(dark, "color", ".sentence") > 180


@pytest.mark.parametrize(("width", "part"), [(1200, 0.25), (400, 0.95)])
def test_the_lines_of_rates_have_the_width_that_there_is(
    rgb_run, trace_run, new_context, width, part
):
    page = new_context(viewport={"width": width, "height": 900}).new_page()
    visit(page, "/rgb?run={rgb}", rgb_run, trace_run)
    rate = page.locator(".pl-value").first
    assert (
        rate.evaluate("rate => rate.querySelector('.pl-track').offsetWidth / rate.offsetWidth")
        > part
    )


def test_no_head_of_the_labellers_breaks_inside_a_word_and_no_dot_stands_out(new_context):
    page = new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto("/trace?run=example-invented")
    table = page.locator(".pl-values-box").filter(has_text="Heuristic").first
    expect(table).to_be_visible()
    assert table.evaluate(LINES_OF_WORDS) == dict.fromkeys(
        ["Jury", "Judge", "Heuristic", "Gold"], 1
    )
    page.set_viewport_size({"width": 400, "height": 900})
    expect(table.locator("thead")).to_be_hidden()
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") == 0


def visit(page: Page, address: str, rgb_run: Run, trace_run: Run) -> None:
    page.goto(address.format(rgb=rgb_run.id, trace=trace_run.id))
    expect(
        page.get_by_test_id("stMain").get_by_text(FILLED[address.split("?")[0]]).first
    ).to_be_visible()
    settled(page)


TRIES = 30


def brightness(page: Page, colour: str, selector: str) -> float:
    """The mean of red, green and blue, 0 to 255."""
    element = page.locator(selector).first
    parts = (
        element.evaluate("(element, colour) => getComputedStyle(element)[colour]", colour)
        .strip("rgba()")
        .split(",")
    )
    return sum(map(float, parts[:3])) / 3


def test_a_tab_is_called_after_what_it_shows_and_the_menu_leads_to_samples_that_were_opened(
    trace_run, page
):
    menu = page.get_by_test_id("stSidebarNav").get_by_role("link")
    page.goto(f"/trace?run={trace_run.id}")
    expect(page).to_have_title(f"TRACE · {trace_run.title} · Plumbline")
    expect(menu.filter(has_text="TRACE")).to_be_visible()
    expect(menu.filter(has_text="Sample")).to_have_count(0)
    page.goto(f"/sample?run={trace_run.id}&sample=1")
    expect(page).to_have_title(f"Sample · {trace_run.title} · Plumbline")
    menu.filter(has_text="Settings").click()
    expect(page).to_have_title("Settings · Plumbline")
    expect(menu.filter(has_text="Sample")).to_be_visible()


def test_what_the_keyboard_is_on_has_a_ring_and_paper_no_menu(page):
    page.goto("/")
    for element in (
        page.get_by_test_id("stSidebarNav").get_by_role("link").first,
        page.get_by_test_id("stMain").get_by_role("button").first,
    ):
        # A page that is drawn meanwhile takes the focus with it.
        for _ in range(TRIES):
            element.focus()
            page.keyboard.press("Shift+Tab")
            page.keyboard.press("Tab")
            if element.evaluate("element => element === document.activeElement"):
                break
            page.wait_for_timeout(1000)
        expect(element).to_be_focused()
        expect(element).to_have_css("outline", re.compile("solid 2px"))
    page.emulate_media(media="print")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_test_id("stMain").get_by_role("button")).to_have_count(0)
