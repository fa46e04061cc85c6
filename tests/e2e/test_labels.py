"""Judges in the browser: GPT labelling, a hybrid within a budget, a jury of two, and a label set
right by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import judge
from tests.e2e.conftest import LONG, STARTS, Server, open_sample, running, settled
from tests.loopback import Loopback

FINISHED = "24 answers checked"
LUNA, SOL = "GPT-6 Luna", "GPT-6 Sol"


@pytest.fixture(scope="module")
def provider() -> Iterator[Loopback]:
    with Loopback(
        answer=judge.labels_for, latency=0.1, models=("gpt-6-luna", "gpt-6-sol")
    ) as served:
        yield served


@pytest.fixture(scope="module")
def app(provider: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    variables = {"OPENAI_API_KEY": "sk-in-the-browser", "OPENAI_BASE_URL": provider.base_url}
    with running(tmp_path_factory.mktemp("labels"), **variables) as served:
        yield served


def test_gpt_labelling_from_the_form_to_a_flipped_label_and_back(page, app, provider):
    before = len(provider.asked)
    start(page, app, "One judge", LUNA)
    expect(page.get_by_text(re.compile(f"Labeller: {LUNA}"))).to_be_visible()
    assert len(provider.asked) - before == 24  # one call labels everything

    open_sample(page)
    expect(page.get_by_text("Sample 1 of 24")).to_be_visible()
    supported = number(page, "Adherence").locator("b")
    expect(supported).to_have_text(re.compile(r"\d/\d"))
    value = supported.inner_text()
    page.locator("[data-key=a]").click()
    expect(page.locator(".bubble")).to_be_visible()
    page.get_by_role("button", name="not supported", exact=True).click()
    expect(number(page, "Adherence")).to_contain_text("people say ")
    expect(supported).to_have_text(value)
    expect(page.get_by_text(re.compile(f"{LUNA} said: "))).to_be_visible()
    expect(page.get_by_text(re.compile("1 correction · newest: a not supported"))).to_be_visible()

    page.get_by_role("button", name="Undo", exact=True).click()
    expect(number(page, "Adherence")).not_to_contain_text("people say")
    expect(page.get_by_text(re.compile("1 correction"))).to_have_count(0)
    assert len(provider.asked) - before == 24  # a correction needs no call


def test_a_hybrid_asks_its_judge_only_about_the_doubtful(page, app, provider):
    before = len(provider.asked)
    start(page, app, "Hybrid", SOL)
    expect(
        page.get_by_text(
            re.compile(r"\d+ of 24 samples, those that the heuristic was least sure of")
        )
    ).to_be_visible()
    assert 1 <= len(provider.asked) - before <= 5


def test_a_jury_of_two_is_shown_beside_its_judges(page, app):
    start(page, app, "Jury", LUNA, SOL)
    expect(page.get_by_text(re.compile("a jury of GPT-6 Luna, GPT-6 Sol"))).to_be_visible()
    open_sample(page)
    expect(page.get_by_role("radio", name="Jury")).to_be_visible()
    page.get_by_role("radio", name=SOL).click()
    expect(page.get_by_text("in the run's scores Jury counts")).to_be_visible()


def start(page: Page, app: Server, method: str, *judges: str) -> None:
    """Fills in the form and waits for the end of the run."""
    page.goto(f"{app.address}/trace")
    settled(page)
    page.get_by_text(method, exact=True).click()
    settled(page)
    if method == "One judge":
        choose(page, "Judge", *judges)
    else:
        _choose_judges(page, judges)
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text(FINISHED)).to_be_visible(timeout=LONG)
    settled(page)


def _choose_judges(page: Page, names: tuple[str, ...]) -> None:
    """These in place of those that the form begins with."""
    page.get_by_role("button", name="Clear all").click()
    settled(page)
    for name in names:
        choose(page, "Judges", name)
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=re.compile(f"Remove {name}"))).to_be_visible()
        settled(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=re.compile(f"^{option}")).click()
    settled(page)


def number(page: Page, label: str) -> Locator:
    return page.locator(".number", has_text=label)
