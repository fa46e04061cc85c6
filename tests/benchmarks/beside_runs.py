"""Visitors of a public host who click while six runs of 2,000 heuristic rows are at work: how long a page takes.

`python -m tests.benchmarks.beside_runs 30` lets as many visitors click.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path

from playwright.sync_api import Page

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.types import Dataset
from tests.attack.memory import Memory
from tests.attack.watchdog import browser, go, send_table, visitor
from tests.benchmarks.visitors import measured
from tests.e2e.conftest import running

RUNS = 6
ROWS = 2000
VISITORS = 3
HOST = {"PLUMBLINE_PUBLIC": "1", "PLUMBLINE_RUNS_IN_ALL": str(RUNS)}


def rows(number: int) -> bytes:
    """Rows of a data set that no other run has."""
    samples = bundled()[TRACE_SAMPLES]
    assert isinstance(samples, Dataset)
    lines = (
        json.dumps(
            {
                "question": f"{sample.question} ({number}, {row})",
                "response": sample.response,
                "retrieved_documents": sample.retrieved_documents * 3,
            }
        )
        for row, sample in enumerate(islice(cycle(samples.samples), ROWS))
    )
    return "\n".join(lines).encode()


def prepared(page: Page, number: int) -> None:
    send_table(page, f"rows-{number}.jsonl", rows(number))
    go(page, "TRACE")


def at_work(pages: list[Page]) -> int:
    """How many runs are not at their end."""
    return sum(page.get_by_role("button", name="Cancel").count() for page in pages)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else VISITORS
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        served = stack.enter_context(running(folder, **HOST))
        opened = stack.enter_context(browser())
        memory = Memory(served.process)
        pages = [visitor(opened.new_context(), served.address) for _ in range(RUNS)]
        for number, page in enumerate(pages):
            prepared(page, number)
        started = time.monotonic()
        for page in pages:
            page.get_by_role("button", name="Start", exact=True).click()
        for page in pages:
            page.get_by_role("button", name="Cancel").wait_for()
        with ThreadPoolExecutor() as beside:  # the browser's own loop has this thread
            figures = beside.submit(measured, served.address, count).result()
        left, seconds = at_work(pages), round(time.monotonic() - started, 1)
        print(json.dumps({**figures, "seconds": seconds, "runs_left": left, "peak_megabytes": memory.stop()}))
