"""Metrics of one's own in the browser: both examples run beside each other, a broken file shows its
line.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evaluators.config import Config
from tests.e2e.conftest import LONG, STARTS, Server, mean, running, settled
from tests.loopback import Loopback

EXAMPLES = ("hedging.py", "names_its_source.py")
JUDGE = "GPT-6 Luna"


@pytest.fixture(scope="module")
def provider() -> Iterator[Loopback]:
    """A judge that says yes to everything."""

    def answer(prompt: str) -> str:
        return json.dumps({"reason": "So it is.", "verdict": "yes"})

    with Loopback(answer=answer, models=("gpt-6-luna",)) as served:
        yield served


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two examples, and a file that is broken on its third line."""
    own = tmp_path_factory.mktemp("custom")
    for name in EXAMPLES:
        shutil.copy(Config().custom_dir / name, own)
    (own / "broken.py").write_text('"""Broken."""\n\nimport no_such_package\n', encoding="utf-8")
    return own


@pytest.fixture(scope="module")
def app(
    provider: Loopback, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    variables = {
        "OPENAI_API_KEY": "sk-in-the-browser",
        "OPENAI_BASE_URL": provider.base_url,
        "PLUMBLINE_CUSTOM_DIR": str(folder),
    }
    with running(tmp_path_factory.mktemp("own"), **variables) as served:
        yield served


def test_both_examples_run_and_a_broken_file_shows_its_line(page, app, folder, provider):
    page.goto(f"{app.address}/metrics")
    expect(
        page.get_by_text("broken.py, line 3: ModuleNotFoundError: No module named")
    ).to_be_visible()

    choose(page, "Metrics", "Hedging", "Names its source")
    pick(page, "Judge", JUDGE)
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text("24 answers checked").first).to_be_visible(
        timeout=LONG
    )
    card = mean(page, "Names its source")
    expect(card).to_have_text("1.00")
    expect(mean(page, "Hedging")).to_be_visible()
    assert len(provider.asked) == 24

    (folder / "broken.py").unlink()
    page.reload()
    expect(card).to_be_visible()
    expect(page.get_by_text("broken.py")).to_have_count(0)


def test_a_metric_is_written_without_programming(page, app, provider):
    page.goto(f"{app.address}/metrics")
    settled(page)
    page.get_by_text("Metrics of your own").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Polite")
    page.get_by_role("textbox", name="Question to the judge").fill("Is the response polite?")
    page.get_by_role("textbox", name="Question to the judge").press("Control+Enter")
    page.get_by_text("Preview of the prompt").click()
    expect(
        page.get_by_text(re.compile("Once more, the question to decide is: Is the response polite"))
    ).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as a Python file").click()
    assert download.value.suggested_filename == "polite.py"

    expect(page.get_by_text("Saved. It is chosen above, under Metrics.")).to_be_visible()
    settled(page)
    pick(page, "Judge", JUDGE)
    page.get_by_role("button", name=STARTS).click()
    expect(page.get_by_test_id("stMain").get_by_text("24 answers checked").first).to_be_visible(
        timeout=LONG
    )
    expect(mean(page, "Polite")).to_have_text("1.00")


def choose(page: Page, label: str, *options: str) -> None:
    """Chooses these of several, whatever else is chosen."""
    for option in options:
        settled(page)
        pick(page, label, option)
    page.keyboard.press("Escape")
    settled(page)


def pick(page: Page, label: str, option: str) -> None:
    """Chooses one; what is typed keeps the list open."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.keyboard.type(option)
    page.get_by_role("option", name=re.compile(f"^{option}")).click()
