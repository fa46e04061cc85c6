"""A lesson by the plan, in both languages: each step opens, a round is held, nobody is shut out."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from evaluators.text.language import CHINESE, ENGLISH, say, speaking
from evaluators.text.words import counted
from tests.e2e.conftest import Server, settled
from tests.e2e.test_access import shut_out
from tests.e2e.test_class_door import PHONE, WALL, NewContext

LOCALES = {ENGLISH: "en-GB", CHINESE: "zh-CN"}
SENTENCES, SUPPORTED, NOT = 8, 0, 2
"""Which each phone labels, and the places of two targets."""
OPENED = ("learn?lesson=1", "rgb?run=example-noise", "sample?run=example-invented", "round?run=")


@pytest.mark.parametrize("code", [ENGLISH, pytest.param(CHINESE, marks=pytest.mark.exhaustive)])
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
    # On a wall of 1280 by 720, and although phones cannot come, which a red line says above it.
    expect(wall.get_by_role("button", name=start)).to_be_in_viewport()
    wall.get_by_role("button", name=start).click()
    expect(wall.locator(".pl-code")).to_be_visible()

    code = wall.locator(".pl-code").inner_text()
    phones = [
        _joined(new_context(locale=locale, **PHONE).new_page(), server, code, nickname)
        for nickname in ("Ann", "Ben")
    ]
    phone, heard = phones[0], phones[0].get_by_role("status").first
    for place in range(SENTENCES):
        _label(phones[0], SUPPORTED)
        _label(phones[1], SUPPORTED if place % 2 else NOT)
    expect(wall.locator(".pl-facts")).to_contain_text(str(2 * SENTENCES))
    found = {"phone": shut_out(phone), "wall": shut_out(wall)}

    wall.get_by_role("button", name=say("Reveal")).click()
    expect(wall.locator(".pl-finding").first).to_be_visible()
    for each in phones:
        expect(each.locator(".pl-round-result")).to_be_visible()
    expect(heard).to_contain_text(say("The class"))
    found |= {"phone, revealed": shut_out(phone), "wall, revealed": shut_out(wall)}
    assert {place: faults for place, faults in found.items() if faults} == {}


def _joined(phone: Page, server: Server, code: str, nickname: str) -> Page:
    phone.goto(f"{server.address}/round")
    settled(phone)
    phone.get_by_label(say("Code")).fill(code)
    phone.get_by_role("button", name=say("Continue")).tap()
    phone.get_by_label(say("Nickname")).fill(nickname)
    phone.get_by_role("button", name=say("Join"), exact=True).tap()
    return phone


def _label(phone: Page, target: int) -> None:
    """By the keyboard: the next sentence is said, and the focus stays on the same target."""
    heard, asked = phone.get_by_role("status").first, say("Do the documents say this?")
    expect(heard).to_contain_text(asked)
    before = heard.inner_text()
    button = phone.locator(".st-key-round_buttons button").nth(target)
    button.focus()
    phone.keyboard.press("Enter")
    expect(heard).not_to_have_text(before)
    expect(heard).to_contain_text(asked)
    expect(button).to_be_focused()
