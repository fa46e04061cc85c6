"""Twenty answers of a judge's run labelled blind: the same figures by the same names at every door,
and nothing of it in a comparison with a run that nobody labelled.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.llm import Keys
from evaluators.terminal.exit_codes import FINE, WRONG
from tests import judge, machine
from tests.e2e.conftest import ROOT, Server, running, settled
from tests.loopback import Loopback
from tests.runs import paid

QUESTIONS, LABELS = 40, 20
PEOPLE, OWN = "people 65 % (46 to 82)", "GPT-6 Luna alone 75 %"
HEADLINE = f"Adherence: {PEOPLE}, {OWN}. From 20 labels of answers drawn at random."
"""Of the 30 answers that the judge finds supported 15 are drawn, and 12 of these are so for people;
of the other 10 there are 5, and 1: 30 * 12 / 15 + 10 * 1 / 5 = 26 of 40.
"""
OWN_FINDING = "According to GPT-6 Luna, 10 of 40 answers contain something"
KAPPA = "0.53"
"""16 of 20 are alike, .575 by chance: (.8 - .575) / .425."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("whose_labels")) as served:
        yield served


@pytest.fixture(scope="module")
def runs(app: Server) -> tuple[Results, Results]:
    """The same questions twice: the judge finds 10 answers with a painted mill, then 5."""
    with Loopback(answer=judge.labels_for) as provider:
        keys = paid.keys(provider.base_url)
        return judged(app, "Before", 4, keys), judged(app, "After", 8, keys)


def judged(app: Server, title: str, painted: int, keys: Keys) -> Results:
    return evaluate(
        answers(painted),
        "gpt_labeling",
        judge="openai/gpt-6-luna",
        keys=keys,
        run=title,
        store=app.store,
        progress=False,
    )


def answers(painted: int) -> list[dict[str, Any]]:
    """Of so many mills one is said to be blue, as no document says."""
    return [
        {
            "question": f"What is mill {number} made of, and what does it grind?",
            "response": f"Mill {number} grinds rye. "
            + ("It has been painted blue." if number % painted == 0 else "Its wheel is oak."),
            "retrieved_documents": [f"Mill {number} grinds rye.", "Its wheel is oak."],
        }
        for number in range(QUESTIONS)
    ]


def test_labels_of_one_run_say_the_same_everywhere_and_leave_comparisons_alone(
    page, app, runs, tmp_path
):
    before, after = (results.run.id for results in runs)
    gate = ("compare", before, after, "--fail-if-worse", "adherence=0.02")
    gate_before_labels = terminal(app, *gate)
    assert (gate_before_labels.returncode, gate_before_labels.stderr) == (FINE, "")
    comparison = f"{app.address}/compare?first={before}.1&second={after}.1"
    compared_before_labels = compared(page, comparison)

    page.goto(f"{app.address}/trace?run={before}")
    label_at_random(page)
    expect(
        page.get_by_text(f"Adherence: you and the run agree on 16 of 20, kappa {KAPPA} (")
    ).to_be_visible()

    page.get_by_role("button", name="Check", exact=True).click()
    sentence = "Adherence: GPT-6 Luna says 75 %, people say 65 % (46 to 82)."
    expect(page.get_by_role("heading", name=sentence)).to_be_visible()
    settled(page)
    assert [values_of(page, title) for title in ("GPT-6 Luna says", "People say")] == [
        "0.75 40 of 40",
        "0.65 0.46 to 0.82 20 of 40",
    ]
    for words in ("both yes · 12", "people: no · 3", "people: yes · 1", "both no · 4"):
        expect(page.get_by_role("button", name=words)).to_be_visible()
    expect(page.get_by_text(f"Agreement beyond chance (kappa): {KAPPA} (")).to_be_visible()

    page.goto(f"{app.address}/trace?run={before}")
    expect(page.get_by_role("heading", name=HEADLINE)).to_be_visible()
    expect(page.get_by_text(OWN_FINDING)).to_be_visible()
    settled(page)
    assert values_of(page, "Adherence") == "0.75 0.60 to 0.86 40 of 40"
    expect(page.get_by_text("Corrected by")).to_have_count(0)
    page.get_by_role("button", name="Share", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    page.goto(file.as_uri())
    report = " ".join(page.locator("body").inner_text().split())
    assert HEADLINE in report
    assert OWN_FINDING in report
    assert "Adherence 0.75 (0.60 to 0.86) 40 of 40" in report
    assert "The labeller says People say 95 % interval" in report
    assert "Adherence 0.75 0.65 0.46 to 0.82 20 of 40" in report

    shown = terminal(app, "show", before).stdout
    assert HEADLINE in shown
    assert OWN_FINDING in shown
    assert "TRACE (GPT labelling) by GPT-6 Luna" in shown
    assert re.search(r"adherence +0\.75 +0\.60 to 0\.86 +40 of 40", shown)
    checked = terminal(app, "check", before).stdout
    assert sentence in checked
    assert re.search(
        rf"adherence +0\.75 +0\.65 +0\.46 to 0\.82 +20 of 40 +\d+ +{KAPPA} \(", checked
    )

    gate_after_labels = terminal(app, *gate)
    assert gate_after_labels.returncode == FINE
    assert gate_after_labels.stdout == gate_before_labels.stdout
    assert compared(page, comparison) == compared_before_labels
    one_sided = terminal(app, *gate, "--labels", "corrected")
    assert one_sided.returncode == WRONG
    assert "'corrected' did not label 'After'. There are: openai/gpt-6-luna." in one_sided.stderr


def label_at_random(page: Page) -> None:
    """Labels 20 answers blind by keys: three that the judge supports are not, one more is."""
    page.get_by_role("button", name="Label some …").click()
    page.get_by_role("spinbutton", name="How many").fill(f"{LABELS}")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=f"Label {LABELS} answers").click()
    seen = {True: 0, False: 0}
    for place in range(LABELS):
        expect(page.locator(".st-key-label_bar .head b")).to_have_text(f"{place + 1} of {LABELS}")
        expect(page.locator(".sentence.selected")).to_have_attribute("data-key", "a")
        is_painted = "blue" in page.locator(".sentence[data-key=b]").inner_text()
        seen[is_painted] += 1
        is_supported = seen[True] == 1 if is_painted else seen[False] > 3
        if not is_supported:
            page.keyboard.press("3")
        page.keyboard.press("a")
        page.keyboard.press("Enter")
    expect(page.get_by_text(f"That was the last one: {LABELS} labelled.")).to_be_visible()
    assert seen == {False: 15, True: 5}


def compared(page: Page, address: str) -> tuple[str, str]:
    """What the Compare page says, and every number of it."""
    page.goto(address)
    expect(page.locator(".pl-forest")).to_be_visible()
    settled(page)
    headline = page.get_by_test_id("stMain").get_by_role("heading", level=2).first
    return headline.inner_text(), page.locator(".pl-forest").inner_text()


def values_of(page: Page, title: str) -> str:
    """The mean of a line under its title, the interval and how many answers."""
    line = page.locator(".pl-value", has=page.get_by_text(title, exact=True)).first
    return " ".join(
        " ".join(line.locator(part).first.inner_text().split())
        for part in (".pl-mean", ".pl-about")
    )


def terminal(app: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`plumbline` with these arguments, in a process of its own."""
    assert app.store.path
    folder = app.store.path.parent
    return subprocess.run(
        [sys.executable, "-m", "evaluators", *arguments],
        cwd=ROOT,
        check=False,
        env=machine.variables() | {"PLUMBLINE_DATA_DIR": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )
