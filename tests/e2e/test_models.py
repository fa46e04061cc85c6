"""Two models in one run, in the browser: what it will cost, at work on every page, stopped,
resumed, two lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import LONG, Server, cancel, press, running, settled
from tests.loopback import Loopback

FINISHED = re.compile(r"48 answers checked")
ANSWERED = 20
"""Calls that are answered before the run is stopped."""


@pytest.fixture(scope="module")
def provider() -> Iterator[Loopback]:
    with Loopback(holds_after=ANSWERED, models=("gpt-6-luna", "gpt-6-sol")) as served:
        yield served


@pytest.fixture(scope="module")
def app(provider: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    variables = {
        "OPENAI_API_KEY": "sk-in-the-browser",
        "OPENAI_BASE_URL": provider.base_url,
        "PLUMBLINE_WORKERS": "2",
    }
    with running(tmp_path_factory.mktemp("models"), **variables) as served:
        yield served


def test_two_models_from_the_drop_down_to_two_lines(page, app, provider):
    main = page.get_by_test_id("stMain")
    page.goto(f"{app.address}/rgb")
    settled(page)
    page.get_by_role("button", name=re.compile("Remove Offline reader")).click()
    for name in ("GPT-6 Luna", "GPT-6 Sol"):
        page.get_by_role("combobox", name="Models").click()
        page.get_by_role("option", name=re.compile(name)).click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=re.compile(f"Remove {name}"))).to_be_visible()
        settled(page)
    press(page, "Negative rejection", "Information integration", "Counterfactual robustness")
    page.get_by_text("Advanced", exact=True).click()
    press(page, *(f"Remove {level} %" for level in (20, 40, 60, 80)))
    expect(main.get_by_role("button", name="Ask 24 questions of each of 2 models")).to_be_visible()
    expect(main.get_by_text(re.compile("4 bytes to a token")).first).to_be_visible()
    start, dollars = (
        page.get_by_role("button", name=re.compile("^Ask 24 questions of each of 2 models")),
        page.get_by_role("spinbutton", name="Budget", exact=True),
    )
    for typed, refused in (("0", True), ("0.50", False), ("-5", True), ("", False)):
        dollars.fill(typed)
        dollars.press("Enter")
        expect(main.get_by_text("is too low. Enter at least $0.01")).to_have_count(int(refused))
        expect(start).to_be_disabled() if refused else expect(start).to_be_enabled()
    start.click()

    expect(main.get_by_text(re.compile(r"Running · \d+ of 48 checked"))).to_be_visible()
    page.get_by_role("link", name="Datasets").click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text(re.compile(r"Running · \d+ of 48 checked.*\$"))).to_be_visible()
    page.get_by_role("link", name="RGB", exact=True).click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.reload()
    expect(main.get_by_text(re.compile(r"Running · \d+ of 48 checked"))).to_be_visible()
    cancel(page)
    expect(main.get_by_text(re.compile(r"Stopped · \d+ of 48 checked"))).to_be_visible()
    settled(page)
    provider.release()
    page.get_by_role("button", name="Resume").click()
    expect(main.get_by_text(FINISHED)).to_be_visible(timeout=LONG)

    # A curve and a rate for each model
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(2)
    expect(page.locator(".js-plotly-plot .annotation-text").first).to_contain_text("GPT-6")
    expect(page.locator(".pl-value")).to_have_count(2)
    # What was answered is not asked again; what Cancel cut off is, and what waited too long.
    prompts = [(asked.model, asked.text) for asked in provider.asked]
    answered, later = prompts[:ANSWERED], prompts[ANSWERED:]
    assert not set(answered) & set(later)
    assert len(set(prompts)) == 48
