"""Two servers of the app on one PostgreSQL database: each works on a run, and both show both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from evaluators.records import Dataset
from evaluators.runs.store import Store
from tests import judge, postgres
from tests.e2e.conftest import Server, running, settled
from tests.loopback import Loopback
from tests.runs import paid

QUESTIONS = 6
AT_WORK = f"Running · 0 of {QUESTIONS} checked"
FINISHED = f"{QUESTIONS} answers checked"


@pytest.fixture
def provider() -> Iterator[Loopback]:
    """No run ends before `release`."""
    with Loopback(answer=judge.labels_for, holds_after=0, models=("gpt-6-luna",)) as served:
        yield served


@pytest.fixture
def servers(
    postgres_server: postgres.Server, provider: Loopback, tmp_path: Path
) -> Iterator[list[Server]]:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    with postgres_server.database() as address:
        variables = {
            "PLUMBLINE_DATABASE": address,
            "OPENAI_API_KEY": "sk-in-the-browser",
            "OPENAI_BASE_URL": provider.base_url,
            "PLUMBLINE_WORKERS": "2",
        }
        with running(folders[0], **variables) as one, running(folders[1], **variables) as other:
            store = Store(address)
            yield [one._replace(store=store), other._replace(store=store)]
            store.close()


def test_two_servers_work_on_a_run_each_and_show_both(
    servers: list[Server], provider: Loopback, new_context: Callable[..., BrowserContext]
) -> None:
    answers = paid.answered(2 * QUESTIONS).samples
    pages = []
    for server, samples in zip(servers, (answers[:QUESTIONS], answers[QUESTIONS:]), strict=True):
        data = Dataset(name="bridges", samples=samples)
        run = paid.labelled_run(server.store, data, (paid.LUNA,), workspace="local")
        page = new_context().new_page()
        page.goto(f"{server.address}/trace?run={run.id}")
        settled(page)
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_test_id("stMain").get_by_text(AT_WORK)).to_be_visible()
        pages.append(page)

    for page, server in zip(pages, servers, strict=True):
        page.goto(f"{server.address}/runs")
        expect(page.locator(".runs tbody tr")).to_have_count(2)
        expect(page.locator(".runs").get_by_text("Running")).to_have_count(2)
    provider.release()
    for page in pages:
        expect(page.locator(".runs").get_by_text(FINISHED)).to_have_count(2)
    assert len(provider.asked) == 2 * QUESTIONS
