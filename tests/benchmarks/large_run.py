"""A TRACE run of 10,000 samples in a real browser: open it, order it, open a sample, go back.

The first opening is of a server that has just started and a run that nobody has looked at since it
ended: its figures were worked out then. Opening is told twice: until the first numbers stand there,
and until the page is drawn to its end, as all other steps are. `earlier` is the first opening of a
run of an earlier version, which kept no figures; `home` is the app's first page, for how long a
browser takes to start the app at all. Seconds of the processor are the server's.
"""

import json
import os
import re
import shutil
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset, Run, SampleResult
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.trace_evaluator import TRACEEvaluator
from tests.benchmarks.app import server
from tests.benchmarks.common import timed
from tests.e2e.conftest import QUIET, browser_path

SAMPLES = 10_000
ROUNDS = 5
COLUMNS = ("Adherence", "Context relevance", "Supported share")


def labelled_run(folder: Path) -> Run:
    """The bundled samples over and over, with the heuristic's labels."""
    dataset = bundled()[TRACE_SAMPLES]
    assert isinstance(dataset, Dataset)
    samples = tuple(
        sample.model_copy(
            update={"id": f"{sample.id}-{number}", "question": f"{sample.question} ({number})"}
        )
        for number, sample in enumerate(islice(cycle(dataset.samples), SAMPLES))
    )
    evaluator = TRACEEvaluator()
    scores = [evaluator.score(sample) for sample in dataset.samples]
    store = Store(folder / "plumbline.sqlite3")
    plan = RunPlan(Dataset(name="10,000 samples", samples=samples), [evaluator])
    run = create_run(store, plan, workspace="local")
    for position in range(SAMPLES):
        score = scores[position % len(scores)]
        result = SampleResult(position=position, status="scored", score=score)
        store.results.save(run.id, result)
    store.close()
    return run


def ended(folder: Path, run: Run) -> None:
    """Works out the figures as the engine does when a run ends."""
    store = Store(folder / "plumbline.sqlite3")
    RunView.read(store, run).prepare(lambda: True)
    store.close()


def drawn(page: Page) -> None:
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def listed(page: Page) -> None:
    page.locator(".samples tbody tr").first.wait_for()
    drawn(page)


def order(page: Page, column: str) -> None:
    """Orders the whole run by a column, the other way round where it is ordered by it already."""
    head = page.locator(".samples th", has_text=column)
    before = head.get_attribute("aria-sort") or ""
    head.get_by_role("button").click()
    page.locator(f".samples th[aria-sort]:not([aria-sort='{before}'])").wait_for()
    drawn(page)


def open_sample(page: Page) -> None:
    page.locator(".samples tbody tr").first.click()
    page.get_by_text(re.compile(rf"Sample [\d,]+ of {SAMPLES:,}")).wait_for()
    drawn(page)


def back(page: Page) -> None:
    page.get_by_role("button", name="Back to the run").click()
    listed(page)


def numbers(page: Page) -> None:
    page.locator(".pl-dots").wait_for()


class Stopwatch:
    """How long steps of a person take, and what they cost the server."""

    def __init__(self, pid: int) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.processor: dict[str, list[float]] = defaultdict(list)
        self._pid = pid

    def measure(self, name: str, *steps: Callable[[], None]) -> None:
        """Takes the time until the last step is done; of the first of several its own as well."""
        before = self._processor_seconds()
        with timed() as clock:
            with timed() as first:
                steps[0]()
            for step in steps[1:]:
                step()
        if len(steps) > 1:
            self.seconds[f"{name}_numbers"].append(first.seconds)
        self.seconds[name].append(clock.seconds)
        self.processor[name].append(self._processor_seconds() - before)

    def _processor_seconds(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        user, system = fields[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def opened_first(folder: Path, run: Run, name: str, rounds: int = 0) -> Stopwatch:
    """Opens the run in an app that has just started, and then so many rounds of all steps."""
    with server(str(folder)) as (address, _, pid), sync_playwright() as playwright:
        watch = Stopwatch(pid)
        browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
        page = browser.new_page()

        def go() -> None:
            page.goto(f"{address}/trace?run={run.id}", wait_until="commit")
            numbers(page)

        # The browser has the app's own scripts, as that of somebody who was here before.
        page.goto(address)
        drawn(page)
        watch.measure(name, go, lambda: listed(page))
        for number in range(rounds):
            column = COLUMNS[number % len(COLUMNS)]
            watch.measure("reorder", lambda column=column: order(page, column))
            watch.measure("sample", lambda: open_sample(page))
            watch.measure("back", lambda: back(page))
            watch.measure("home", lambda: (page.goto(address), drawn(page)))
            watch.measure("open", go, lambda: listed(page))
        browser.close()
    return watch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run = labelled_run(Path(folder))
        earlier = Path(folder) / "earlier"
        earlier.mkdir()
        shutil.copy(Path(folder) / "plumbline.sqlite3", earlier)
        ended(Path(folder), run)
        of_earlier = opened_first(earlier, run, "earlier")
        watch = opened_first(Path(folder), run, "first", ROUNDS)
    figures = {}
    for kind in (of_earlier, watch):
        for name, values in kind.seconds.items():
            figures[f"{name}_seconds"] = round(statistics.median(values), 2)
        for name, values in kind.processor.items():
            figures[f"{name}_processor_seconds"] = round(statistics.median(values), 2)
    figures["worst_seconds"] = {
        name: round(max(values), 2) for name, values in watch.seconds.items()
    }
    print(json.dumps(figures))
