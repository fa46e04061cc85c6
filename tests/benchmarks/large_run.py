"""A TRACE run of 10,000 samples in a real browser: open it, order it, open a sample, go back.

The first opening is of a server that has just started and a run that nobody has looked at; later
ones find its figures in the store. Each is until the page is drawn to its end.
"""

import json
import re
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
from evaluators.runs.store import Store
from evaluators.trace_evaluator import TRACEEvaluator
from tests.benchmarks.app import server
from tests.benchmarks.common import timed
from tests.e2e.conftest import QUIET, browser_path

SAMPLES = 10_000
ROUNDS = 5
COLUMNS = ("Adherence", "Relevance", "Supported")


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


def measured(page: Page, address: str, run: Run) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = defaultdict(list)

    def measure(name: str, step: Callable[[], None]) -> None:
        with timed() as clock:
            step()
        seconds[name].append(clock.seconds)

    # The browser has the app's own scripts, as that of somebody who was here before.
    page.goto(address)
    drawn(page)
    for number in range(ROUNDS):
        measure("open", lambda: (page.goto(f"{address}/trace?run={run.id}"), listed(page)))
        column = COLUMNS[number % len(COLUMNS)]
        measure("reorder", lambda column=column: order(page, column))
        measure("sample", lambda: open_sample(page))
        measure("back", lambda: back(page))
    return seconds


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run = labelled_run(Path(folder))
        with server(folder) as (address, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
            seconds = measured(browser.new_page(), address, run)
            browser.close()
    figures = {"first_open_seconds": round(seconds["open"].pop(0), 2)}
    for name, values in seconds.items():
        figures[f"{name}_median_seconds"] = round(statistics.median(values), 2)
        figures[f"{name}_worst_seconds"] = round(max(values), 2)
    print(json.dumps(figures))
