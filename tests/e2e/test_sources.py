"""Data from elsewhere in the browser: from the hub, and from documents and questions, to a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.e2e.conftest import LONG, STARTS, Server, running, settled, upload
from tests.hub import Hub
from tests.pages.test_sources import MILL, PAGES, PARK, REPOS


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub(REPOS, PAGES) as server:
        yield server


@pytest.fixture(scope="module")
def app(
    hub: Hub, browser_type_launch_args: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """The app whose hub is on this computer."""
    places = {"HF_ENDPOINT": hub.address, "PLUMBLINE_RGB_ADDRESS": hub.address}
    with running(tmp_path_factory.mktemp("sources"), **places) as served:
        yield served


def test_a_subset_of_ragbench_is_loaded_from_the_hub_and_evaluated(page, app):
    open_tab(page, app, "Hugging Face")
    page.get_by_role("button", name="Look it up").click()
    expect(page.get_by_text("rungalileo/ragbench · licence cc-by-4.0")).to_be_visible()
    shown(page).get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_text("Samples · 5 rows")).to_be_visible()
    expect(
        page.get_by_text("huggingface.co/datasets/rungalileo/ragbench · covidqa · test")
    ).to_be_visible()
    page.get_by_role("link", name="Evaluate on the TRACE page").click()
    finish(page, "5 answers checked")


def test_documents_and_questions_become_a_data_set_whose_answers_trace_judges(page, app):
    open_tab(page, app, "From documents")
    questions = (
        b"question,response\nWhen was the mill built?,It was built in 1812.\nWhen does the "
        b"park close?,At nine.\n"
    )
    documents = [text("mill.txt", MILL), text("park.md", PARK)]
    upload(shown(page).locator("input[type=file]"), documents)
    page.get_by_role("radio", name="From a file").click()
    expect(page.get_by_text("A table with a column question")).to_be_visible()
    settled(page)
    upload(shown(page).locator("input[type=file]").nth(1), text("asked.csv", questions))
    expect(page.get_by_text("asked.csv")).to_be_visible()
    page.get_by_role("button", name="Retrieve", exact=True).click()
    expect(page.get_by_text("Samples · 2 rows")).to_be_visible()
    expect(page.get_by_text("Retrieved by BM25: up to 5 of 2 chunks")).to_be_visible()
    page.get_by_role("link", name="Evaluate on the TRACE page").click()
    finish(page, "2 answers checked")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Details", exact=True).click()
    expect(page.get_by_text("Retrieved by BM25: up to 5 of 2 chunks")).to_be_visible()


def test_typed_questions_are_answered_by_a_generator_and_judged(page, app):
    open_tab(page, app, "From documents")
    upload(shown(page).locator("input[type=file]"), text("renn.txt", MILL))
    expect(page.get_by_text("renn.txt")).to_be_visible()
    page.get_by_role("textbox", name="Questions").fill(
        "When was the mill built?\nWhat does the mill grind?"
    )
    page.get_by_role(
        "button", name="Retrieve", exact=True
    ).click()  # at once, with the cursor still in the text
    expect(page.get_by_text("Samples · 2 rows")).to_be_visible()
    page.get_by_role("link", name="Evaluate on the TRACE page").click()
    expect(page.get_by_text("2 of 2 samples have no answer")).to_be_visible()
    finish(page, "2 answers checked")


def open_tab(page: Page, app: Server, name: str) -> None:
    page.goto(f"{app.address}/datasets")
    settled(page)
    page.get_by_role("tab", name=name).click()


def shown(page: Page) -> Locator:
    """The tab that is open."""
    return page.locator("[role=tabpanel]:visible")


def finish(page: Page, words: str) -> None:
    """Starts the run of the form and waits for its end."""
    page.get_by_role("button", name=STARTS).click()
    main = page.get_by_test_id("stMain")
    # While it is at work both its state and its head count the answers.
    in_its_head = main.get_by_text(words).filter(has_not_text="Running")
    expect(in_its_head).to_be_visible(timeout=LONG)
    expect(main.get_by_text("Running ·")).to_have_count(0)


def text(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": data}
