"""Visitors of a public host who click while six runs of 2,000 heuristic rows are at work: how long
a page takes.

A browser starts the runs and goes; then each is watched through a WebSocket that asks for new
drawings as a browser does, so that no browser takes processor time from the server. `python -m
tests.benchmarks.beside_runs 30` lets as many visitors click.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import time
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets
from playwright.sync_api import Page
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset
from tests.attack.memory import Memory
from tests.attack.watchdog import browser, go, send_table, visitor
from tests.benchmarks.visitors import connected, figures, visited
from tests.e2e.conftest import Server, running

RUNS = 6
ROWS = 2000
VISITORS = 3
HASTE = 4
"""The runs end in half a minute."""
SETTLES = 3.0
"""Seconds for the runs' pages to be drawn."""
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


def begun(served: Server) -> list[str]:
    """Starts the runs in a browser, which is closed then;
    returns the query of each run's address.
    """
    with browser() as opened:
        pages = [visitor(opened.new_context(), served.address) for _ in range(RUNS)]
        for number, page in enumerate(pages):
            prepared(page, number)
        for page in pages:
            page.get_by_role("button", name=re.compile("^Evaluate ")).click()
        for page in pages:
            page.get_by_role("button", name="Cancel").wait_for()
        return [urlsplit(page.url).query for page in pages]


async def watch(address: str, query: str) -> None:
    """Keeps the run's page open and asks for every part of it again as often as the page wishes."""
    every: dict[str, float] = {}
    due: dict[str, float] = {}
    async with connected(address) as connection:
        await ask(connection, query_string=query, page_name="trace")
        while True:
            soon = min(due.values(), default=time.monotonic() + 60)
            with suppress(TimeoutError):
                data = await asyncio.wait_for(
                    connection.recv(), max(soon - time.monotonic(), 0.001)
                )
                message = ForwardMsg.FromString(data)
                if message.HasField("navigation"):  # the whole page, not a part of it
                    every, due = {}, {}
                if message.HasField("auto_rerun"):
                    every[message.auto_rerun.fragment_id] = message.auto_rerun.interval
                    due[message.auto_rerun.fragment_id] = (
                        time.monotonic() + message.auto_rerun.interval
                    )
            for fragment in [each for each, when in due.items() if when <= time.monotonic()]:
                due[fragment] = time.monotonic() + every[fragment]
                await ask(
                    connection,
                    query_string=query,
                    page_name="trace",
                    fragment_id=fragment,
                    is_auto_rerun=True,
                )


async def ask(connection: websockets.ClientConnection, **wish: Any) -> None:
    await connection.send(BackMsg(rerun_script=wish).SerializeToString())


async def beside(served: Server, queries: list[str], count: int) -> dict[str, float]:
    """What visitors waited who clicked beside runs that are watched, and how much of the runs was
    left.
    """
    watching = [asyncio.create_task(watch(served.address, query)) for query in queries]
    await asyncio.sleep(SETTLES)
    before = open_rows(served, queries)
    try:
        clicked = await visited(served.address, count, HASTE)
        return {
            **figures(clicked),
            "open_rows_before": before,
            "open_rows_after": open_rows(served, queries),
        }
    finally:
        assert not any(each.done() for each in watching), "Somebody stopped watching."
        for each in watching:
            each.cancel()


def open_rows(served: Server, queries: list[str]) -> int:
    """How many rows of all runs are not judged yet."""
    runs = [served.store.runs.get(parse_qs(query)["run"][0]) for query in queries]
    return sum(served.store.results.counts(run).open for run in runs if run)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else VISITORS
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), **HOST) as served:
        memory = Memory(served.process)
        found = asyncio.run(beside(served, begun(served), count))
        print(json.dumps({**found, "peak_megabytes": memory.stop()}))
