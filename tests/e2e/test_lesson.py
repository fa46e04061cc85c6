"""A lesson by the plan, in both languages: each step opens, a round is held, nobody is shut out."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from evaluators.text.language import CHINESE, ENGLISH, say, speaking
from evaluators.text.words import counted
from tests.e2e.conftest import Server, settled
from tests.e2e.test_access import AXE, DARK, serious
from tests.e2e.test_class_door import PHONE, WALL, NewContext

LOCALES = {ENGLISH: "en-GB", CHINESE: "zh-CN"}
STILL = """* { transition: none !important; animation: none !important }
[data-stale] { opacity: 1 !important }"""
"""The wall is drawn each second, and Streamlit fades what is being drawn anew."""
OPENED = ("learn?lesson=1", "rgb?run=example-noise", "sample?run=example-invented", "round?run=")


def shut_out(page: Page) -> list[str]:
    """What axe finds on the page as it stands, in the light and in the dark."""
    settled(page)
    page.add_style_tag(content=STILL)
    page.evaluate(AXE)
    found = serious(page.evaluate("axe.run({resultTypes: ['violations']})"))
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    found += serious(page.evaluate("axe.run({runOnly: ['color-contrast']})"))
    page.emulate_media(color_scheme="light")
    return found


@pytest.mark.parametrize("code", [ENGLISH, CHINESE])
def test_a_lesson_of_45_minutes(server: Server, new_context: NewContext, code: str):
    with speaking(code):
        _lesson(server, new_context, LOCALES[code])


def _lesson(server: Server, new_context: NewContext, locale: str) -> None:
    plan = new_context(locale=locale, **WALL).new_page()
    plan.goto(server.address)
    settled(plan)
    plan.get_by_role("link", name=say("Plan, and what to prepare")).click()
    expect(plan.get_by_role("heading", level=1)).to_have_text(say("45 minutes with a class"))
    steps = plan.get_by_test_id("stMain").get_by_test_id("stLinkButton").get_by_role("link")
    expect(steps).to_have_count(6)
    for number, address in enumerate(OPENED):
        with plan.expect_popup() as opening:
            steps.nth(number).click()
        step = opening.value
        expect(step).to_have_url(re.compile(re.escape(address)))
        settled(step)
        expect(step.get_by_text(re.compile(r"\w")).first).to_be_visible()
        if address != OPENED[-1]:
            step.close()
    wall = step
    start = say("Start with {answers}", answers=counted(8, "answer"))
    wall.get_by_role("button", name=start).click()
    expect(wall.locator(".pl-code")).to_be_visible()

    phone = new_context(locale=locale, **PHONE).new_page()
    phone.goto(f"{server.address}/round")
    settled(phone)
    phone.get_by_label(say("Code")).fill(wall.locator(".pl-code").inner_text())
    phone.get_by_role("button", name=say("Continue")).tap()
    phone.get_by_label(say("Nickname")).fill("Ann")
    phone.get_by_role("button", name=say("Join"), exact=True).tap()
    heard = phone.get_by_role("status").first
    asked = say("Do the documents say this?")
    expect(heard).to_contain_text(asked)
    first = heard.inner_text()
    # By the keyboard: the next sentence is said, and the focus stays on the same target.
    target = phone.locator(".st-key-round_buttons button").nth(1)
    target.focus()
    phone.keyboard.press("Enter")
    expect(heard).not_to_have_text(first)
    expect(heard).to_contain_text(asked)
    expect(target).to_be_focused()
    expect(wall.locator(".pl-facts")).to_contain_text("1")
    found = {"phone": shut_out(phone), "wall": shut_out(wall)}

    wall.get_by_role("button", name=say("Reveal")).click()
    expect(wall.locator(".pl-finding").first).to_be_visible()
    expect(phone.locator(".pl-round-result")).to_be_visible()
    expect(heard).to_contain_text(say("The class"))
    found |= {"phone, revealed": shut_out(phone), "wall, revealed": shut_out(wall)}
    assert {place: faults for place, faults in found.items() if faults} == {}
