"""Two servers of the app on one store, a file or a PostgreSQL database: each works on a run, both
show both, and one goes on with what the other was killed at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evaluators.records import Dataset, Run
from evaluators.runs.store import Store
from tests import judge
from tests.e2e.conftest import Server, running, settled
from tests.loopback import Loopback
from tests.postgres import wait_until
from tests.runs import paid

QUESTIONS = 6
WORKERS = 2
ANSWERED = 2
"""So many answers come before the provider holds the others back."""
FINISHED = f"{QUESTIONS} answers checked"


@pytest.fixture
def provider() -> Iterator[Loopback]:
    """No run ends before `release`."""
    with Loopback(answer=judge.labels_for, holds_after=ANSWERED, models=("gpt-6-luna",)) as served:
        yield served


@pytest.fixture(params=["file", pytest.param("database", marks=pytest.mark.exhaustive)])
def servers(
    request: pytest.FixtureRequest, provider: Loopback, tmp_path: Path
) -> Iterator[list[Server]]:
    where = {"PLUMBLINE_DATA_DIR": str(tmp_path)}
    with ExitStack() as open_things:
        if request.param == "database":
            database = request.getfixturevalue("postgres_server").database()
            where = {"PLUMBLINE_DATABASE": open_things.enter_context(database)}
        variables = where | {
            "OPENAI_API_KEY": "sk-in-the-browser",
            "OPENAI_BASE_URL": provider.base_url,
            "PLUMBLINE_WORKERS": str(WORKERS),
        }
        started = []
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
            started.append(open_things.enter_context(running(tmp_path / name, **variables)))
        store = Store(where.get("PLUMBLINE_DATABASE") or tmp_path / "plumbline.sqlite3")
        open_things.callback(store.close)
        yield [server._replace(store=store) for server in started]


def test_two_servers_work_on_a_run_each_and_one_goes_on_with_what_the_other_was_killed_at(
    servers, provider, new_context
):
    one, other = servers
    answers = paid.answered(2 * QUESTIONS).samples
    page = new_context().new_page()
    cut_off = labelled_run(one, answers[:QUESTIONS])
    resume(page, one, cut_off)
    wait_until(lambda: one.store.results.counts(cut_off).scored == ANSWERED)
    resume(page, other, labelled_run(other, answers[QUESTIONS:]))

    for server in servers:
        page.goto(f"{server.address}/runs")
        expect(page.locator(".runs tbody tr")).to_have_count(2)
        expect(page.locator(".runs").get_by_text("Running")).to_have_count(2)
    page.goto(f"{other.address}/trace?run={cut_off.id}")
    expect(page.get_by_text("At work in another process")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)

    wait_until(lambda: len(provider.asked) == ANSWERED + 2 * WORKERS)
    one.process.kill()
    one.process.wait()
    assert other.store.results.counts(cut_off).scored == ANSWERED
    resume(page, other, cut_off)
    provider.release()
    page.goto(f"{other.address}/runs")
    expect(page.locator(".runs").get_by_text(FINISHED)).to_have_count(2)
    # Only what was under way when its server was killed is asked again.
    times = Counter(asked.text for asked in provider.asked)
    assert sorted(times.values()) == [1] * (2 * QUESTIONS - WORKERS) + [2] * WORKERS


def labelled_run(server: Server, samples: tuple) -> Run:
    data = Dataset(name="bridges", samples=samples)
    return paid.labelled_run(server.store, data, (paid.LUNA,), workspace="local")


def resume(page: Page, server: Server, run: Run) -> None:
    """Resumes the run on its page, which then shows it at work there."""
    page.goto(f"{server.address}/trace?run={run.id}")
    settled(page)
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
