"""A public host, two visitors in two browsers: each sees only what is theirs, and comes back to it
by their link.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, FilePayload, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from evaluators.records import Run
from evaluators.runs.job import Job
from evaluators.runs.store import Store
from tests.e2e.conftest import (
    LONG,
    MANY,
    PATIENCE,
    STOPPED,
    Server,
    count_checked,
    create_long_run,
    running,
    settled,
    upload,
)

NOT_HERE = "There is no such run here"

NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def host(
    browser_type_launch_args: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("public"), PLUMBLINE_PUBLIC="1") as served:
        yield served


def test_neither_of_two_visitors_sees_anything_of_the_other(host, new_context):
    ann, ben = (visitor(new_context, host) for _ in range(2))
    upload_row(ann, "anns_secret.jsonl")
    run = start_sample(ann)

    assert workspace(ann) != workspace(ben)
    go(ben, "Runs")
    expect(ben.get_by_text("No run yet.")).to_be_visible()
    go(ben, "Datasets")
    ben.get_by_role("combobox", name="Data set").click()
    expect(ben.get_by_role("option", name=re.compile("RGB sample")).first).to_be_visible()
    expect(ben.get_by_text("anns_secret")).to_have_count(0)
    ben.keyboard.press("Escape")
    for guess in (
        f"/rgb?run={run}",
        f"/sample?run={run}&sample=1",
        f"/rgb?run={run}&w={workspace(ben)}",
    ):
        ben.goto(f"{host.address}{guess}")
        expect(ben.get_by_text(NOT_HERE)).to_be_visible()


def test_both_come_back_by_their_own_links_and_resume(host, new_context):
    visitors = [visitor(new_context, host) for _ in range(2)]
    links = []
    for number, page in enumerate(visitors):
        run = create_long_run(host.store, f"visitor {number}", workspace(page))
        stop_on_its_way(host.store, run)
        links.append(f"{host.address}/trace?run={run.id}&w={workspace(page)}")
        page.context.close()

    for link in links:
        again = new_context().new_page()
        again.goto(link)
        main = again.get_by_test_id("stMain")
        assert 0 < count_checked(main, STOPPED) < MANY
        settled(again)
        again.get_by_role("button", name="Resume").click()
        expect(main.get_by_text(f"{MANY:,} answers checked")).to_be_visible(timeout=LONG)
        go(again, "Runs")
        expect(again.locator(".runs tbody tr")).to_have_count(1)


def test_a_stranger_who_clears_the_caches_disturbs_no_run(host, new_context):
    page = visitor(new_context, host)
    run = create_long_run(host.store, "cleared", workspace(page))
    page.goto(f"{host.address}/trace?run={run.id}&w={workspace(page)}")
    settled(page)
    # What any visitor can send to a Streamlit server.
    address = f"ws://{urlsplit(host.address).netloc}/_stcore/stream"
    with connect(address, origin=host.address) as stranger:
        page.get_by_role("button", name="Resume").click()
        wait_for_results(host.store, run)
        stranger.send(BackMsg(clear_cache=True).SerializeToString())
        assert host.store.results.counts(run).scored < MANY
        stranger.send(BackMsg(rerun_script={"query_string": ""}).SerializeToString())
        stranger.recv(30)  # an answer to the second: the first was taken

    finished = page.get_by_test_id("stMain").get_by_text(f"{MANY:,} answers checked")
    expect(finished).to_be_visible(timeout=LONG)


def stop_on_its_way(store: Store, run: Run) -> None:
    """Leaves the run with some of its answers checked, however fast this machine is."""
    job = Job(run, store)
    job.start()
    wait_for_results(store, run)
    job.cancel()
    job.wait()


def wait_for_results(store: Store, run: Run) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while not store.results.counts(run).scored:
        assert time.monotonic() < end, "nothing was checked within a minute"
        time.sleep(0.01)


def visitor(new_context: NewContext, host: Server) -> Page:
    page = new_context().new_page()
    page.goto(host.address)
    expect(page.get_by_role("heading", name="Plumbline")).to_be_visible()
    page.wait_for_url(re.compile(r"[?&]w="))
    return page


def workspace(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query)["w"][0]


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def upload_row(page: Page, name: str) -> None:
    go(page, "Datasets")
    row = b'{"question": "Who?", "response": "Mina.", "retrieved_documents": ["Mina."]}'
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": row}
    upload(page.locator("input[type=file]").first, file)
    expect(page.get_by_text("1 row in the file, 1 usable")).to_be_visible()


def start_sample(page: Page) -> str:
    """Starts the RGB sample and returns the run's id."""
    page.get_by_role("link", name="Home").click()
    page.get_by_role("button", name="Run the RGB sample").click()
    expect(page.get_by_test_id("stMain").get_by_text("216 answers checked")).to_be_visible(
        timeout=LONG
    )
    return parse_qs(urlsplit(page.url).query)["run"][0]
