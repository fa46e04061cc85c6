"""One real server and a headless Chromium; after every test: no request left this machine, no
traceback, no dialog.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, FilePayload, Locator, Page, TimeoutError, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from evaluators.records import Dataset, EvaluatorSpec, Run, Sample
from evaluators.runs import inputs, samples
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from evaluators.terminal.network import network_address
from tests import machine

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Each page is looked at once: what is made fast, or drawn beside, takes longer than it saves.
    "--js-flags=--no-opt --max-lazy",
)
POLICY = "Content Security Policy"
"""Stands in all that Chromium's console says of something refused."""
HOME_HOSTS = {"127.0.0.1", "localhost", network_address()}
MANY = 400
"""Samples of a long run: a page that shows it at work redraws all the while, so not more."""

PATIENCE = 60_000

STARTS = re.compile("^(Evaluate|Label|Ask|Check|Measure) ")
"""How the buttons begin that start a run from a form: they say what they do."""

LONG = 240_000
"""Milliseconds for a run: its workers give way to whatever else the machine does, other tests for
example.
"""

STOPPED = re.compile(r"Stopped · ([\d,]+) of [\d,]+ checked")
"""What a page says of a run that was stopped, with how many answers are checked."""

SOON = 10_000
"""Milliseconds in which an upload that the app heard of has begun and ended."""

SETTLED = (
    "html[data-answered]:not(:has([data-testid=stSkeleton])) [data-test-script-state=notRunning]"
)
"""The app where it has answered (`answered.js`), and every part of it is loaded and drawn."""

expect.set_options(timeout=PATIENCE)


class Server(NamedTuple):
    """The running app: where it listens, its store, and its process."""

    address: str
    store: Store
    process: subprocess.Popen[bytes]


class Seen(NamedTuple):
    """What the browser did during a test."""

    hosts: set[str]
    dialogs: list[str]
    pages: list[Page]
    refused: list[str]
    """What the pages' own Content-Security-Policy did not let them load."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": browser_path(), "args": list(QUIET)}


@pytest.fixture(scope="session")
def server(
    browser_type_launch_args: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """The app on somebody's own machine; not without a browser to look at it."""
    with running(tmp_path_factory.mktemp("e2e")) as served:
        yield served


@contextmanager
def running(
    folder: Path, command: Sequence[str] = (), host: str = "localhost", **variables: str
) -> Iterator[Server]:
    """The app with a data directory of its own and these environment variables.

    `command` starts it in another way than `streamlit run app.py`; its last argument is the port.
    """
    port = free_port()
    own = {"PLUMBLINE_DATA_DIR": str(folder), "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none"}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, str(port)] if command else app_command(port),
            cwd=ROOT,
            env=machine.variables() | own | variables,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    address = f"http://{host}:{port}"
    try:
        _wait_until_healthy(address, process, folder / "server.log")
        yield Server(address, Store(folder / "plumbline.sqlite3"), process)
    finally:
        process.terminate()
        process.wait(10)


def app_command(port: int) -> list[str]:
    """Starts the app on this port, without a browser."""
    options = (f"--server.port={port}", "--server.headless=true")
    return [sys.executable, "-m", "streamlit", "run", "app.py", *options]


@pytest.fixture(scope="session")
def base_url(server: Server) -> str:
    return server.address


@pytest.fixture(scope="session")
def rgb_run(server: Server) -> Run:
    return _finished(server.store, samples.rgb(server.store, "local"))


@pytest.fixture(scope="session")
def trace_run(server: Server) -> Run:
    """A run that no test changes: which tests share it depends on who is free to run them."""
    return _finished(server.store, samples.trace(server.store, "local"))


@pytest.fixture
def own_run(server: Server) -> Iterator[Run]:
    """As `trace_run`, to be changed: one test's alone, and another one when it is tried again."""
    run = _finished(server.store, samples.trace(server.store, "local"))
    yield run
    server.store.runs.delete(run.id)


@pytest.fixture
def seen() -> Seen:
    return Seen(set(), [], [], [])


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext], seen: Seen
) -> Callable[..., BrowserContext]:
    """As pytest-playwright's, with every request, dialog and page written down."""

    def create(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(watch_answers())
        context.on("request", lambda request: seen.hosts.add(urlsplit(request.url).hostname or ""))
        context.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
        context.on("page", lambda page: seen.pages.append(page))
        context.on(
            "console", lambda entry: POLICY in entry.text and seen.refused.append(entry.text)
        )
        return context

    return create


@pytest.fixture(autouse=True)
def nothing_leaks(new_context: Callable[..., BrowserContext], seen: Seen) -> Iterator[None]:
    """Every test: only this machine was asked, nothing had to be refused, no dialog, exception or
    traceback.
    """
    yield
    assert seen.refused == []
    assert seen.hosts - {""} <= HOME_HOSTS
    assert seen.dialogs == []
    for each in seen.pages:
        if not each.is_closed():
            assert each.get_by_test_id("stException").count() == 0
            assert each.get_by_text("Traceback").count() == 0


def watch_answers() -> str:
    """The script for a page that says there whether the app has answered."""
    numbers = {
        "rerunScript": BackMsg.RERUN_SCRIPT_FIELD_NUMBER,
        "isAutoRerun": ClientState.IS_AUTO_RERUN_FIELD_NUMBER,
        "newSession": ForwardMsg.NEW_SESSION_FIELD_NUMBER,
        "scriptFinished": ForwardMsg.SCRIPT_FINISHED_FIELD_NUMBER,
        "finishedForRerun": ForwardMsg.FINISHED_EARLY_FOR_RERUN,
    }
    script = (ROOT / "tests" / "e2e" / "answered.js").read_text(encoding="utf-8")
    return f"{script}({json.dumps(numbers)})"


def settled(page: Page) -> None:
    """Waits until all that was asked of the app is answered and drawn: a click while the page is
    drawn anew would get lost, and open lists close.
    """
    expect(page.locator(SETTLED)).to_be_visible()


def file_to_download(page: Page, title: str) -> None:
    """Chooses among the files of the opened *Share*."""
    page.get_by_role("combobox", name="File").click()
    page.get_by_role("option", name=title, exact=True).click()
    settled(page)


def press(page: Page, *names: str) -> None:
    """Presses these buttons one after the other, each once the app has answered what came before."""
    for name in names:
        settled(page)
        page.get_by_role("button", name=name).click()
    settled(page)


def upload(field: Locator, files: Path | FilePayload | Sequence[FilePayload]) -> None:
    """Gives the files to an upload field, again when nothing was sent.

    Streamlit drops its word where to send them when a run of the script begins at that moment.
    """
    page = field.page
    for _ in range(3):
        try:
            with page.expect_response(lambda answer: answer.request.method == "PUT", timeout=SOON):
                field.set_input_files(files)
        except TimeoutError:
            continue
        return settled(page)
    raise AssertionError(f"{files} was not uploaded in three tries")


def open_sample(page: Page) -> None:
    """Opens sample 1 of the run on the page, wherever its row stands."""
    settled(page)
    page.locator(".samples button.open").get_by_text("1", exact=True).click()


def mean(page: Page, title: str) -> Locator:
    """The mean of a value on a run's page."""
    line = page.locator(".pl-value", has=page.get_by_text(title, exact=True))
    return line.locator(".pl-mean").first


def count_checked(place: Locator, pattern: re.Pattern[str]) -> int:
    """How many answers are checked, by what is said there in words of this pattern."""
    line = place.get_by_text(pattern)
    expect(line).to_be_visible()
    found = pattern.search(line.inner_text())
    assert found
    return int(found[1].replace(",", ""))


def cancel(page: Page) -> None:
    """Cancels the run on the page."""
    settled(page)
    page.get_by_role("button", name="Cancel").click()


def create_long_run(store: Store, name: str, workspace: str = "local") -> Run:
    spec = EvaluatorSpec(name="trace")
    return create_run(
        store,
        RunPlan(_many_samples(name), inputs.evaluators(spec), title="A long run"),
        workspace=workspace,
    )


def browser_path() -> str:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path:
        return path
    reason = "no Chromium found; install it or set CHROMIUM"
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        assert process.poll() is None, f"The server ended:\n{log.read_text()}"
        try:
            with urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError(f"The server did not come up within a minute:\n{log.read_text()}")


def _finished(store: Store, run: Run) -> Run:
    job = Job(run, store)
    job.start()
    job.wait(LONG / 1000)
    return run


def _many_samples(name: str) -> Dataset:
    documents = tuple(
        f"Mill {n} was built in 18{n:02}. It grinds rye. Its wheel is made of oak."
        for n in range(10, 15)
    )
    return Dataset(
        name=name,
        samples=tuple(
            Sample(
                id=f"{name}-{n}",
                question=f"When was mill {n % 5 + 10} built, and what does it grind?",
                response=(
                    f"Mill {n % 5 + 10} was built in 18{n % 5 + 10}. It grinds rye. It is "
                    "painted blue."
                ),
                retrieved_documents=documents,
            )
            for n in range(MANY)
        ),
    )
