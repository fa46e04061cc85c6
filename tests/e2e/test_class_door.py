"""A laptop and two phones in the network of a room, as README and docs/class.md tell it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from evaluators.rounds.codes import spoken
from evaluators.terminal.network import network_address
from tests.e2e.conftest import PATIENCE, Server, running, settled

NewContext = Callable[..., BrowserContext]
WALL = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 400, "height": 800}, "has_touch": True}
PLUMBLINE = [sys.executable, "-m", "plumbline"]
OWN_CODE = re.compile(r"Your own code, to come back: (\w{4} \w{4})")


@pytest.fixture(scope="module")
def room(
    browser_type_launch_args: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """The app under this machine's address in its network, as `plumbline app --class` starts it."""
    own = network_address()
    if not own:
        pytest.skip("this machine has no address in a local network")
    command = [*PLUMBLINE, "app", "--class", "--server.headless", "true", "--port"]
    with running(tmp_path_factory.mktemp("room"), command, own) as served:
        yield served


def typed_code(page: Page, room: Server, code: str) -> Page:
    page.goto(f"{room.address}/round")
    settled(page)
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Continue").click()
    return page


def joined(page: Page, room: Server, code: str, nickname: str) -> Page:
    typed_code(page, room, code).get_by_label("Nickname").fill(nickname)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text(OWN_CODE)).to_be_visible()
    return page


def steps(page: Page) -> Locator:
    return page.locator(".st-key-round_steps")


def label(page: Page, number: int) -> None:
    """Labels the sentence that is on the screen, so that `number` have a label."""
    page.locator(".st-key-round_buttons").get_by_role("button", name="Supported").tap()
    expect(steps(page)).to_contain_text(f"{number} of ")
    settled(page)


def test_two_phones_and_a_laptop(room, new_context):
    wall = new_context(**WALL).new_page()
    wall.goto(f"{room.address}/round?run=example-invented")
    settled(wall)
    start = wall.get_by_role("button", name="Start with 8 answers")
    expect(start).to_be_visible(timeout=PATIENCE)
    expect(wall.get_by_text("Phones cannot open this")).to_have_count(0)
    start.click()
    expect(wall.get_by_role("img", name=re.compile("QR code"))).to_be_visible()
    # What the picture leads to stands below it.
    expect(wall.locator(".pl-place")).to_have_text(f"{room.address.partition('://')[2]}/round")
    code = wall.locator(".pl-code").inner_text()

    lost = new_context(**PHONE)
    ann = joined(lost.new_page(), room, code, "Ann")
    ben = joined(new_context(**PHONE).new_page(), room, code, "Ben")
    for number in (1, 2):
        label(ann, number)
    label(ben, 1)
    expect(wall.locator(".pl-facts")).to_contain_text("2 participants · 3 of ")

    # Ann's private window is closed: another browser knows nothing of her, and she types her code.
    own_code = ann.get_by_text(OWN_CODE).inner_text().rpartition(": ")[2]
    lost.close()
    ann = typed_code(new_context(**PHONE).new_page(), room, own_code)
    expect(steps(ann)).to_contain_text("2 of ")

    # Ben knows no code: the teacher lets him in again, and his lost tab opens nothing.
    again = typed_code(new_context(**PHONE).new_page(), room, code)
    again.get_by_label("Nickname").fill("Ben")
    again.get_by_role("button", name="Join").click()
    expect(again.get_by_text("This nickname is taken.")).to_be_visible()
    wall.get_by_role("button", name="More").click()
    wall.get_by_role("combobox", name="Participant").click()
    wall.get_by_role("option", name="Ben").click()
    wall.get_by_role("button", name="Let in again").click()
    expect(wall.get_by_text("Ben joins again under the same nickname now.")).to_be_visible()
    again.get_by_role("button", name="Join").click()
    expect(steps(again)).to_contain_text("1 of ")
    expect(ben.get_by_text("You are not in a round here")).to_be_visible()
    wall.keyboard.press("Escape")

    wall.get_by_role("button", name="Reveal").click()
    expect(wall.locator(".pl-finding").first).to_contain_text("right against gold")
    for page in (ann, again):
        expect(page.locator(".pl-round-note")).to_contain_text(
            re.compile("You: [0-9]+ % like gold")
        )
    (made,) = [
        made for run_id in room.store.runs.ids("local") for made in room.store.rounds.of_run(run_id)
    ]
    assert spoken(made.code) == code
    nicknames = [each.nickname for each in room.store.rounds.participants(made.id)]
    assert nicknames == ["Ann", "Ben"]


def test_where_phones_cannot_come_a_red_line_stands_above_start_and_no_picture_on_the_wall(
    server, own_run, new_context
):
    page = new_context(**WALL).new_page()
    page.goto(f"{server.address}/round?run={own_run.id}")
    warning = page.get_by_role("alert").filter(has_text="Phones cannot open this")
    start = page.get_by_role("button", name=re.compile("^Start with"))
    expect(start).to_be_visible()
    above, below = warning.bounding_box(), start.bounding_box()
    assert above
    assert below
    assert above["y"] + above["height"] <= below["y"]
    page.get_by_role("button", name="Let phones in").click()
    expect(page.get_by_text("app --class --port")).to_be_visible()
    page.keyboard.press("Escape")

    start.click()

    expect(page.locator(".pl-code")).to_be_visible()
    expect(warning).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("QR code"))).to_have_count(0)
