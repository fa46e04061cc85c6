"""The app in a real browser: start, page switch, and what the page of a 10,000-row run sends."""

import json
import os
import statistics
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from evaluators.records import Run
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.benchmarks.common import answered, timed
from tests.e2e.conftest import QUIET, app_command, browser_path, free_port

SAMPLES = 10_000
SWITCHES = 7


def finished_run(folder: str) -> Run:
    store = Store(Path(folder) / "plumbline.sqlite3")
    run = create_run(
        store,
        RunPlan(answered(SAMPLES), inputs.evaluators("rgb"), title="10,000 answers"),
        workspace="local",
    )
    job = Job(run, store)
    job.start()
    job.wait()
    store.close()
    return run


@contextmanager
def server(folder: str):
    """The address of a running app, the seconds until it was healthy, its process."""
    port = free_port()
    address = f"http://localhost:{port}"
    environment = {**os.environ, "PLUMBLINE_DATA_DIR": folder}
    with timed() as clock:
        process = subprocess.Popen(app_command(port), env=environment, stdout=subprocess.DEVNULL)
        while not healthy(address):
            time.sleep(0.05)
    try:
        yield address, clock.seconds, process.pid
    finally:
        process.terminate()
        process.wait()


def healthy(address: str) -> bool:
    try:
        return urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).status == 200
    except OSError:
        return False


def switch_seconds(page: Page, title: str) -> float:
    """From the click in the menu to the last element of the page."""
    with timed() as clock:
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True).click()
        page.get_by_role("heading", name=title, exact=True).wait_for()
        page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    return clock.seconds


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run = finished_run(folder)
        with server(folder) as (address, start_seconds, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
            page, received = browser.new_page(), []
            page.on(
                "websocket",
                lambda ws: ws.on("framereceived", lambda data: received.append(len(data))),
            )
            with timed() as first:
                page.goto(f"{address}/rgb?run={run.id}")
                page.locator(".samples tbody tr").first.wait_for()
                page.locator(
                    '[data-testid="stApp"][data-test-script-state="notRunning"]'
                ).wait_for()
            sent = sum(received)
            switches = [
                switch_seconds(page, title) for _ in range(SWITCHES) for title in ("Runs", "RGB")
            ]
            browser.close()
    print(
        json.dumps(
            {
                "server_start_seconds": round(start_seconds, 2),
                "first_results_page_seconds": round(first.seconds, 2),
                "results_page_kilobytes": round(sent / 1000, 1),
                "page_switch_median_seconds": round(statistics.median(switches), 2),
                "page_switch_worst_seconds": round(max(switches), 2),
            }
        )
    )
