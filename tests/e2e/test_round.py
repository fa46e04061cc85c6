"""A round on a public host in five browsers: the wall, and four phones and laptops that label.

Who says what stands in `tests.lesson`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, WebSocket, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from evaluators.records import Run, Support
from evaluators.rounds.codes import spoken
from evaluators.rounds.records import AskedPlace, Asking, Round, RoundKind
from evaluators.runs import round_content, rounds
from evaluators.runs.store import Answer
from tests import lesson
from tests.e2e.conftest import Server, running, settled

NewContext = Callable[..., BrowserContext]
PHONE = {"viewport": {"width": 400, "height": 800}, "has_touch": True}
KEYS = {Support.FULL: "1", Support.PARTIAL: "2", Support.NONE: "3"}
TEACHER = "teacher-4fT9qLx2Vb7Rz1_K"


@pytest.fixture(scope="module")
def host(
    browser_type_launch_args: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("class")
    # Phones come under that name; the browsers of the test are on this machine.
    named = {"STREAMLIT_BROWSER_SERVER_ADDRESS": "class.example"}
    with running(folder, PLUMBLINE_PUBLIC="1", **named) as served:
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
    settled(page)
    page.get_by_label("Nickname").fill(nickname)
    page.get_by_role("button", name="Join").click()
    expect(here(page)).to_have_text("1 · a")
    return page


def here(page: Page) -> Locator:
    """The number of the sentence that is labelled."""
    return page.locator(".st-key-round_targets .pl-key")


def note(page: Page) -> Locator:
    """What stands there in place of a sentence; a screen reader is told the same elsewhere."""
    return page.locator(".pl-round-note")


def target(page: Page, place: AskedPlace, support: Support) -> Locator:
    """The button that labels this sentence so."""
    return page.locator(f".st-key-{support.value}_{place.answer}_{place.key} button")


def listening(page: Page) -> list[bytes]:
    """All that the server sends to the page from now on."""
    sent: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on(
            "framereceived",
            lambda data: sent.append(data if isinstance(data, bytes) else data.encode()),
        )

    page.on("websocket", listen)
    return sent


def test_a_class_labels_and_sees_the_reveal(host, made, run, new_context):
    wall = new_context(viewport={"width": 1280, "height": 720}).new_page()
    wall.goto(f"{host.address}/round?lead={made.id}")
    expect(wall.get_by_text("Waiting for the first label.")).to_be_visible()
    expect(wall.get_by_text(spoken(made.code))).to_be_visible()
    expect(wall.get_by_role("img", name=re.compile("QR code"))).to_be_visible()

    # By the code and by thumb, with a reload in the middle.
    ann = new_context(**PHONE).new_page()
    ann.goto(f"{host.address}/round")
    settled(ann)
    ann.get_by_label("Code").fill(made.code.lower())
    ann.get_by_role("button", name="Continue").tap()
    ann.get_by_label("Nickname").fill("Ann")
    ann.get_by_role("button", name="Join").tap()
    for place, support in zip(lesson.PLACES, lesson.SAID["Ann"], strict=True):
        target(ann, place, support).tap()
        if place == lesson.PLACES[1]:
            expect(here(ann)).to_have_text("2 · a")
            ann.reload()
    expect(note(ann)).to_contain_text("Done. Wait for the reveal")
    main = "document.querySelector('[data-testid=stMain]')"
    assert ann.evaluate(f"{main}.scrollWidth - {main}.clientWidth") == 0
    # By keys; Cid leaves out a sentence.
    for nickname in ("Ben", "Cid"):
        page = joined(new_context().new_page(), host, made, nickname)
        for place, support in zip(lesson.PLACES, lesson.SAID[nickname], strict=True):
            expect(target(page, place, Support.NONE)).to_be_visible()
            # Until the script has ended the keys may still mean the sentence before.
            settled(page)
            page.keyboard.press(KEYS[support] if support else "ArrowRight")
        expect(here(page)).to_have_count(0)
    wall.get_by_role("button", name="Documents").first.click()
    documents = wall.locator(".pl-folded:popover-open")
    expect(documents).to_contain_text("What does mill 2 grind?")
    joined(new_context(**PHONE).new_page(), host, made, "<b>Late</b>")

    facts = wall.get_by_role("status")
    expect(facts).to_contain_text(
        "4 participants · 11 of 16 labels · agreement beyond chance: moderate (α 0.47 (−0.99 to 1.00))"
    )
    expect(wall.get_by_text("<b>Late</b>")).to_be_visible()
    # The list was drawn anew below it.
    expect(documents).to_be_visible()
    documents.get_by_role("button", name="Back").click()
    expect(documents).to_have_count(0)
    small = wall.evaluate(
        """() => [...document.querySelectorAll('.pl-facts, .pl-bar span, .pl-names, .pl-code, '
            + '.pl-place, .pl-sentence, .st-key-round_head button p')]
            .map(each => parseFloat(getComputedStyle(each).fontSize)).filter(size => size < 24)"""
    )
    assert small == []
    wall.get_by_role("button", name="Reveal").click()
    expect(wall.locator(".pl-finding")).to_have_text(
        "The class 75 % (3 of 4), judge-by-hand 50 % (2 of 4), "
        "the heuristic 50 % (2 of 4) right against gold"
    )
    expect(wall.locator(".pl-round-list .pl-key").first).to_have_text("2 · a")
    expect(note(ann)).to_contain_text("You: 100 % like gold (4 of 4)")
    expect(note(ann)).to_contain_text("The class: 75 % like gold (3 of 4)")


def test_nothing_but_the_round_is_sent_to_a_participant(host, made, run, new_context):
    page = new_context(**PHONE).new_page()
    sent = listening(page)
    joined(page, host, made, "Ann")
    target(page, AskedPlace(0, "a"), Support.FULL).click()
    expect(here(page)).to_have_text("1 · b")
    page.goto(f"{host.address}/trace?run={run.id}")
    expect(page.get_by_text("There is no such run here")).to_be_visible()

    everything = b"".join(sent)
    assert b"grinds rye" in everything
    for secret in (TEACHER, made.id, made.code, lesson.JUDGE.id, run.title, "sentence_support"):
        assert secret.encode() not in everything


def test_a_class_finds_errors_and_prefers_answers_and_nothing_else_is_sent_to_it(host, new_context):
    run = lesson.run_with_errors(host.store, TEACHER, secrets.token_hex(8))
    wall = new_context(viewport={"width": 1280, "height": 720}).new_page()
    answers = [Answer(0, 0), Answer(1, 0)]
    cases: list[tuple[RoundKind, list[str], str]] = [
        # A and C of both prompts are forged.
        (
            "planted",
            ["none", "full", "none"] * 2,
            "The class 100 % (6 of 6) of the documents right",
        ),
        ("better", ["partial", "partial"], "The class 50 % (1 of 2) like the metric"),
    ]
    for kind, votes, finding in cases:
        # A phone of its own for each: what the reveal of the first one tells is no secret any more.
        page = new_context(**PHONE).new_page()
        sent = listening(page)
        made = rounds.start(lesson.view(host.store, run), answers, f"Class, {kind}", Asking(kind))
        page.goto(f"{host.address}/round?join={made.join}")
        settled(page)
        page.get_by_label("Nickname").fill("Ann")
        page.get_by_role("button", name="Join").tap()
        places = round_content.content(host.store, run, made).places
        for place, vote in zip(places, votes, strict=True):
            target(page, place, Support(vote)).tap()
        expect(note(page)).to_contain_text("Done. Wait for the reveal")
        wall.goto(f"{host.address}/round?lead={made.id}")
        expect(wall.get_by_text("1 of 1").first).to_be_visible()
        expect(wall.locator(".pl-bar .pl-full, .pl-bar .pl-none")).to_have_count(0)

        everything = b"".join(sent)
        assert b"All embassies are in Perth" in everything
        models = [model.model for model in lesson.MODELS]
        # Neither whose it is, nor what is right, nor the way to anything else.
        for secret in (
            *(TEACHER, made.id, made.code, run.id, run.title, "planted_error", "In truth"),
            *models,
            *(["Canberra"] if kind == "planted" else []),
        ):
            assert secret.encode() not in everything, secret
        wall.get_by_role("button", name="Reveal").click()
        expect(wall.locator(".pl-finding", has_text=finding)).to_be_visible()
        if kind == "better":
            expect(page.locator(".pl-round-result")).to_contain_text(models[0])


def test_the_wall_leads_its_own_tab_back_after_a_reload_and_nobody_else(host, run, new_context):
    wall = new_context(viewport={"width": 1280, "height": 720}).new_page()
    wall.goto(f"{host.address}/round?run={run.id}&w={TEACHER}")
    settled(wall)
    wall.get_by_role("button", name="Start with 2 answers").click()
    expect(wall.get_by_role("button", name="Reveal")).to_be_visible()
    (made,) = host.store.rounds.of_run(run.id)
    expect(wall).to_have_url(f"{host.address}/round?lead={made.id}")
    wall.reload()
    stranger = new_context().new_page()
    stranger.goto(wall.url)
    for page in (stranger, wall):
        page.get_by_role("button", name="More").click()
        expect(page.get_by_text("This tab alone knows the way back.")).to_be_visible()
    back = "Back to the run"
    expect(stranger.get_by_role("button", name=back)).to_have_count(0)

    wall.get_by_role("button", name=back).click()

    expect(wall).to_have_url(re.compile(f"w={TEACHER}"))
    expect(wall.get_by_role("button", name="Share")).to_be_visible()


def test_a_participant_reads_the_language_of_the_own_browser(host, made, new_context):
    page = new_context(locale="zh-CN", **PHONE).new_page()
    page.goto(f"{host.address}/round?join={made.join}")
    settled(page)
    page.get_by_label("昵称").fill("小安")
    page.get_by_role("button", name="加入").tap()

    expect(page.get_by_role("button", name="有依据", exact=True)).to_be_visible()
    expect(page.get_by_text("0 / 4 个句子")).to_be_visible()


def test_a_tap_whose_picture_was_lost_is_drawn_at_the_next_look(host, made, new_context):
    page = new_context(**PHONE).new_page()
    is_deaf = [False]

    def hear(route: WebSocketRoute, message: str | bytes) -> None:
        if not is_deaf[0]:
            route.send(message)
        elif ForwardMsg.FromString(message).WhichOneof("type") == "script_finished":
            is_deaf[0] = False

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(partial(hear, route))

    page.route_web_socket(re.compile("_stcore/stream"), between)
    joined(page, host, made, "Ann")
    is_deaf[0] = True
    target(page, AskedPlace(0, "a"), Support.FULL).tap()

    expect(here(page)).to_have_text("1 · b")
    (ann,) = host.store.rounds.participants(made.id)
    assert list(host.store.rounds.labels_of(ann)) == [AskedPlace(0, "a")]
