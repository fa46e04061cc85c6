"""The evidence view in a real browser: a click on a sentence until it is painted, and a label."""

import json
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from evaluators.records import Dataset, EvaluatorSpec, Run, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.benchmarks.app import server
from tests.benchmarks.common import timed
from tests.e2e.conftest import QUIET, browser_path

SIZES = (300, 5_000)
DOCUMENTS = 20
CLICKS = 30
LABELS = 7
CLICK = """
key => new Promise(done => {
  const root = [...document.querySelectorAll("*")].find(each => each.shadowRoot?.querySelector(".evidence")).shadowRoot;
  const started = performance.now();
  root.querySelector(`[data-key="${key}"]`).click();
  const painted = new MessageChannel();
  painted.port1.onmessage = () => done(performance.now() - started);
  requestAnimationFrame(() => painted.port2.postMessage(null));
})
"""
"""Milliseconds from the click to the message after the next frame, which comes once it is painted."""


def finished_run(store: Store, size: int) -> Run:
    """One answer of ten sentences over so many document sentences."""
    documents = tuple(
        " ".join(
            f"Mill {number} of valley {document} was built in {1500 + number} and grinds rye."
            for number in range(size // DOCUMENTS)
        )
        for document in range(DOCUMENTS)
    )
    answer = " ".join(f"Mill {n} of valley {n} was built in {1500 + n}." for n in range(10))
    sample = Sample(id="1", question="When was it?", response=answer, retrieved_documents=documents)
    data = Dataset(name=f"{size:,} sentences", samples=(sample,))
    trace = inputs.evaluators(EvaluatorSpec(name="trace"))
    run = create_run(store, RunPlan(data, trace, title=data.name), workspace="local")
    job = Job(run, store)
    job.start()
    job.wait()
    return run


def figures(page: Page, address: str) -> dict[str, float]:
    with timed() as opening:
        page.goto(address)
        page.locator(".sentence").first.wait_for()
    clicks = [page.evaluate(CLICK, "abcdefghij"[n % 10]) for n in range(CLICKS)]
    return {
        "open_seconds": round(opening.seconds, 2),
        "click_median_ms": round(statistics.median(clicks), 1),
        "click_worst_ms": round(max(clicks), 1),
        "label_to_numbers_median_seconds": round(statistics.median(label_seconds(page)), 2),
    }


def label_seconds(page: Page) -> list[float]:
    """From the key that sets a label until the numbers that Python counted stand there."""
    history, seconds = page.locator(".history"), []
    for _ in range(LABELS):
        with timed() as labelling:
            page.keyboard.press("3")
            history.get_by_text("1 correction").wait_for()
        seconds.append(labelling.seconds)
        page.keyboard.press("u")
        history.get_by_text("1 correction").wait_for(state="detached")
    return seconds


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "plumbline.sqlite3")
        runs = {size: finished_run(store, size) for size in SIZES}
        store.close()
        with server(folder) as (address, _, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
            page = browser.new_page()
            print(
                json.dumps(
                    {
                        f"{size}_sentences": figures(
                            page, f"{address}/sample?run={run.id}&sample=1"
                        )
                        for size, run in runs.items()
                    }
                )
            )
            browser.close()
