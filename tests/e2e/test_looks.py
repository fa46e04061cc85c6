"""Small screens and dark themes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from evaluators.records import Run

PAGES = (
    "/",
    "/rgb?run={rgb}",
    "/trace?run={trace}",
    "/sample?run={trace}&sample=1",
    "/sample?run={rgb}&sample=1",
)
FILLED = {
    "/": "Recent runs",
    "/rgb": "216 samples.",
    "/trace": "24 samples. ",
    "/sample": "Documents",
}


@pytest.mark.parametrize("address", PAGES)
def test_a_phone_never_scrolls_sideways(
    rgb_run: Run, trace_run: Run, new_context: Callable[..., BrowserContext], address: str
) -> None:
    phone = new_context(viewport={"width": 390, "height": 844}).new_page()
    visit(phone, address, rgb_run, trace_run)
    for selector in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert phone.evaluate(f"{selector}.scrollWidth - {selector}.clientWidth") == 0


def test_the_text_of_cards_can_be_read_in_the_dark(
    trace_run: Run, rgb_run: Run, new_context: Callable[..., BrowserContext]
) -> None:
    dark = new_context(color_scheme="dark").new_page()
    visit(dark, "/trace?run={trace}", rgb_run, trace_run)
    assert brightness(dark, "backgroundColor", "[data-testid=stApp]") < 60
    assert brightness(dark, "color", "[data-testid=stMetricValue]") > 180
    visit(dark, "/sample?run={trace}&sample=1", rgb_run, trace_run)
    assert brightness(dark, "color", ".pl-s") > 180


@pytest.mark.parametrize("width", [1200, 400])
def test_the_bars_of_rates_have_the_width_of_their_chart(
    rgb_run: Run, trace_run: Run, new_context: Callable[..., BrowserContext], width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 900}).new_page()
    visit(page, "/rgb?run={rgb}", rgb_run, trace_run)
    expect(page.locator(".js-plotly-plot .barlayer")).to_be_attached()
    chart, axis = page.locator(".js-plotly-plot:has(.barlayer .point)").evaluate(
        "chart => [chart._fullLayout.width, chart._fullLayout.xaxis._length]"
    )
    assert axis > 0.85 * chart


def visit(page: Page, address: str, rgb_run: Run, trace_run: Run) -> None:
    page.goto(address.format(rgb=rgb_run.id, trace=trace_run.id))
    expect(
        page.get_by_test_id("stMain").get_by_text(FILLED[address.split("?")[0]]).first
    ).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()


def brightness(page: Page, colour: str, selector: str) -> float:
    """The mean of red, green and blue, 0 to 255."""
    element = page.locator(selector).first
    parts = (
        element.evaluate("(element, colour) => getComputedStyle(element)[colour]", colour)
        .strip("rgba()")
        .split(",")
    )
    return sum(map(float, parts[:3])) / 3
