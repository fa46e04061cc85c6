"""The live app on a public host: one browser sends every hostile input, a second one clicks all the
time.

`python -m tests.attack.watchdog` starts the app, prints the slowest click and health answer beside
each input, and ends with 1 where one took longer than two seconds. Words on the command line choose
inputs by a part of their names.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.attack.documents import documents
from tests.attack.memory import Memory
from tests.attack.rows import rows
from tests.attack.tables import tables
from tests.e2e.conftest import QUIET, browser_path, running

BOUND = 2.0
"""Seconds within which a click and a health check are answered, whatever else is sent."""
PATIENCE = 150.0
"""Seconds to wait for what becomes of one input; a document may take longer in its child."""
# Not "Samples · 24 rows": that stands there of another data set until the file is read.
READ = re.compile(r"rows? in the file|Which column is what")
RETRIEVED = re.compile(r"Samples · ")
RUN = re.compile(r"\d answers? checked|Stopped · |\d failed: ")
ROOMY = {
    "PLUMBLINE_PUBLIC": "1",
    "PLUMBLINE_UPLOADS_PER_VISITOR": "1000",
    "PLUMBLINE_RUNS_KEPT_PER_VISITOR": "1000",
}
"""One visitor sends everything, so what a visitor may keep does not count."""


class Slowest:
    """The longest that something took since it was last asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began: float | None = None
        self._longest = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        self._began = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._longest = max(self._longest, time.monotonic() - self._began)
                self._began = None

    def taken(self) -> float:
        """The longest so far, what is under way included; begins anew."""
        with self._lock:
            running = time.monotonic() - self._began if self._began else 0.0
            longest, self._longest = max(self._longest, running), 0.0
            return longest


class Bystander:
    """A second visitor who switches pages, and a watcher of the health check, until they are
    stopped.
    """

    def __init__(self, address: str) -> None:
        self.clicks, self.health = Slowest(), Slowest()
        self._address = address
        self._ends = threading.Event()
        self._is_ready = threading.Event()
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._click, self._ask)
        ]
        for thread in self._threads:
            thread.start()
        self._is_ready.wait(PATIENCE)

    def stop(self) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join(PATIENCE)

    def _click(self) -> None:
        with browser() as opened:
            page = visitor(opened, self._address)
            for name in cycle(("Runs", "TRACE", "Datasets", "Metrics")):
                if self._ends.wait(0.3):
                    return
                with self.clicks.measured(), suppress(Error):
                    go(page, name)
                self._is_ready.set()

    def _ask(self) -> None:
        while not self._ends.wait(0.1):
            with self.health.measured(), suppress(OSError):
                urlopen(f"{self._address}/_stcore/health", timeout=PATIENCE).read()


@contextmanager
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
        yield opened
        opened.close()


def visitor(opened: Browser | BrowserContext, address: str) -> Page:
    page = opened.new_page()
    page.goto(address)
    page.get_by_role("heading", name="Plumbline").wait_for()
    return page


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    _settled(page)


def _settled(page: Page) -> None:
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def send_table(page: Page, name: str, data: bytes) -> str:
    """Uploads a file as a data set; returns what the page said."""
    go(page, "Datasets")
    field = page.get_by_test_id("stFileUploader").first.locator("input[type=file]")
    field.set_input_files(_payload(name, data))
    return _outcome(page, READ)


def send_row(page: Page, name: str, data: bytes) -> str:
    """Uploads a row and has TRACE judge it."""
    said = send_table(page, name, data)
    if not READ.search(said):
        return said
    go(page, "TRACE")
    page.get_by_role("button", name=re.compile("^Evaluate ")).click()
    said = _outcome(page, RUN)
    with suppress(Error):
        page.get_by_role("button", name="Cancel").click(timeout=500)
    return said


def send_document(page: Page, name: str, data: bytes) -> str:
    """Gives a file as a source and retrieves from it."""
    go(page, "Datasets")
    page.get_by_role("tab", name="From documents").click()
    tab = page.locator("[role=tabpanel]:visible")
    with page.expect_response(
        lambda response: response.request.method == "PUT"
    ):  # it is up, not only listed
        tab.locator("input[type=file]").first.set_input_files(_payload(name, data))
    _settled(page)
    questions = page.get_by_role("textbox", name="Questions")
    questions.fill("How tall is the tower of Paris?")
    questions.press("Tab")
    _settled(page)
    page.get_by_role("button", name="Retrieve", exact=True).click()
    return _outcome(page, RETRIEVED)


Send = Callable[[Page, str, bytes], str]


def inputs() -> list[tuple[Send, str, Callable[[], bytes]]]:
    """All that is sent: how, under what name, and what makes it."""
    kinds = ((send_table, tables()), (send_document, documents()), (send_row, rows()))
    return [(send, name, make) for send, makers in kinds for name, make in makers.items()]


def _payload(name: str, data: bytes) -> dict:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def _outcome(page: Page, words: re.Pattern[str]) -> str:
    """The line in which the page says what became of it; empty where it said nothing in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(Error):
            alerts = page.get_by_test_id("stAlert").all_inner_texts()
            errors = [text for text in alerts if text.startswith(("error", "edit_note"))]
            text = page.get_by_test_id("stMain").inner_text(timeout=2000)
            if line := next((line for line in text.split("\n") if words.search(line)), ""):
                return line[:100]
            if errors:
                return errors[0].replace("\n", " ")[:100]
        time.sleep(0.1)
    return ""


def main(chosen: list[str]) -> int:
    """Sends everything that is chosen; returns how many inputs kept others waiting beyond the
    bound.
    """
    wanted = [each for each in inputs() if not chosen or any(word in each[1] for word in chosen)]
    late = silent = 0
    slowest_click = slowest_health = 0.0
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), **ROOMY) as served:
        memory, bystander = Memory(served.process), Bystander(served.address)
        try:
            with browser() as opened:
                for send, name, make in wanted:
                    data, page = make(), visitor(opened, served.address)
                    bystander.clicks.taken(), bystander.health.taken()
                    began = time.monotonic()
                    try:
                        said = send(page, name, data)
                    except Error as error:
                        said = f"not sent: {error.message[:100]}"
                        silent += 1
                    seconds = time.monotonic() - began
                    click, health = bystander.clicks.taken(), bystander.health.taken()
                    late += max(click, health) > BOUND
                    silent += not said
                    slowest_click = max(slowest_click, click)
                    slowest_health = max(slowest_health, health)
                    line = {"name": name, "seconds": seconds, "click": click, "health": health}
                    line = {
                        key: round(value, 2) if key != "name" else value
                        for key, value in line.items()
                    }
                    print(
                        json.dumps({**line, "megabytes": memory.peak(), "said": said}), flush=True
                    )
                    page.close()
        finally:
            bystander.stop()
        summary = {
            "inputs": len(wanted),
            "late": late,
            "without_outcome": silent,
            "slowest_click": round(slowest_click, 2),
            "slowest_health": round(slowest_health, 2),
            "peak_megabytes": memory.stop(),
        }
        print(json.dumps(summary), flush=True)
    return late


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
