"""A round on a public host in five browsers: the wall, and four phones and laptops that label.

Who says what stands in `tests.lesson`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, WebSocket, expect

from evaluators.records import Run, Support
from evaluators.rounds.codes import spoken
from evaluators.rounds.records import AskedPlace, Round
from tests import lesson
from tests.e2e.conftest import Server, running

NewContext = Callable[..., BrowserContext]
PHONE = {"viewport": {"width": 400, "height": 800}, "has_touch": True}
KEYS = {Support.FULL: "1", Support.PARTIAL: "2", Support.NONE: "3"}
TEACHER = "teacher-4fT9qLx2Vb7Rz1_K"


@pytest.fixture(scope="module")
def host(
    browser_type_launch_args: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("class"), PLUMBLINE_PUBLIC="1") as served:
        yield served


@pytest.fixture
def run(host: Server) -> Run:
    return lesson.run(host.store, TEACHER, secrets.token_hex(8))


@pytest.fixture
def made(host: Server, run: Run) -> Round:
    return lesson.started(host.store, run)


def joined(page: Page, host: Server, made: Round, nickname: str) -> Page:
    """The page of somebody who scanned the code."""
    page.goto(f"{host.address}/round?join={made.join}")
    page.get_by_label("Nickname").fill(nickname)
    page.get_by_role("button", name="Join").click()
    expect(here(page)).to_have_text("1a")
    return page


def here(page: Page) -> Locator:
    """The number of the sentence that is labelled."""
    return page.locator(".st-key-round_targets .pl-key")


def target(page: Page, place: AskedPlace, support: Support) -> Locator:
    """The button that labels this sentence so."""
    return page.locator(f".st-key-{support.value}_{place.answer}_{place.key} button")


def test_a_class_labels_and_sees_the_reveal(
    host: Server, made: Round, run: Run, new_context: NewContext
) -> None:
    wall = new_context(viewport={"width": 1280, "height": 720}).new_page()
    wall.goto(f"{host.address}/round?lead={made.id}")
    expect(wall.get_by_text("Waiting for the first label.")).to_be_visible()
    expect(wall.get_by_text(spoken(made.code))).to_be_visible()
    expect(wall.get_by_role("img", name=re.compile("QR code"))).to_be_visible()

    # By the code and by thumb, with a reload in the middle.
    ann = new_context(**PHONE).new_page()
    ann.goto(f"{host.address}/round")
    ann.get_by_label("Code").fill(made.code.lower())
    ann.get_by_role("button", name="Next").tap()
    ann.get_by_label("Nickname").fill("Ann")
    ann.get_by_role("button", name="Join").tap()
    for place, support in zip(lesson.PLACES, lesson.SAID["Ann"], strict=True):
        target(ann, place, support).tap()
        if place == lesson.PLACES[1]:
            expect(here(ann)).to_have_text("2a")
            ann.reload()
    expect(ann.get_by_text("That was the last one.")).to_be_visible()
    main = "document.querySelector('[data-testid=stMain]')"
    assert ann.evaluate(f"{main}.scrollWidth - {main}.clientWidth") == 0
    # By keys; Cid leaves out a sentence.
    for nickname in ("Ben", "Cid"):
        page = joined(new_context().new_page(), host, made, nickname)
        for place, support in zip(lesson.PLACES, lesson.SAID[nickname], strict=True):
            expect(target(page, place, Support.NONE)).to_be_visible()
            page.keyboard.press(KEYS[support] if support else "ArrowRight")
        expect(here(page)).to_have_count(0)
    joined(new_context(**PHONE).new_page(), host, made, "<b>Late</b>")

    facts = wall.get_by_role("status")
    expect(facts).to_contain_text("4 participants · 11 of 16 labels · agreement α 0.47")
    expect(wall.get_by_text("<b>Late</b>")).to_be_visible()
    small = wall.evaluate(
        """() => [...document.querySelectorAll('.pl-facts, .pl-bar span, .pl-names, .pl-code, '
            + '.pl-place, .pl-sentence, .st-key-round_head button p')]
            .map(each => parseFloat(getComputedStyle(each).fontSize)).filter(size => size < 24)"""
    )
    assert small == []
    wall.get_by_role("button", name="Reveal").click()
    expect(wall.locator(".pl-finding")).to_have_text(
        "The class 75 %, judge-by-hand (OpenAI) 50 %, the free estimate 50 % right against gold"
    )
    expect(wall.locator(".pl-round-list .pl-key").first).to_have_text("2a")
    expect(ann.get_by_text("You: 100 % like gold (4 of 4)")).to_be_visible()
    expect(ann.get_by_text("The class: 75 % like gold (3 of 4)")).to_be_visible()


def test_nothing_but_the_round_is_sent_to_a_participant(
    host: Server, made: Round, run: Run, new_context: NewContext
) -> None:
    page = new_context(**PHONE).new_page()
    sent: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on(
            "framereceived",
            lambda data: sent.append(data if isinstance(data, bytes) else data.encode()),
        )

    page.on("websocket", listen)
    joined(page, host, made, "Ann")
    target(page, AskedPlace(0, "a"), Support.FULL).click()
    expect(here(page)).to_have_text("1b")
    page.goto(f"{host.address}/trace?run={run.id}")
    expect(page.get_by_text("There is no such run here")).to_be_visible()

    everything = b"".join(sent)
    assert b"grinds rye" in everything
    for secret in (TEACHER, made.id, made.code, lesson.JUDGE.id, run.title, "sentence_support"):
        assert secret.encode() not in everything
