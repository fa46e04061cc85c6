"""Thirty phones in one round: how long a tap takes, how far the wall is behind.

Each labels every sentence of eight answers, as fast as people read them: four to twelve seconds
each. Phones have processors of their own; here all browsers share those of the server. So it is
told how busy the server itself is, and `--sockets` puts WebSockets in the place of the browsers,
which ask for the same as those: then the wall alone is a browser.
A tap ends when the next sentence is on the screen, with its label stored. The wall is behind by the
time from a label in the store to its number on the wall.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import websockets
from playwright.async_api import Browser, Page, async_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from evaluators.rounds.records import Round
from evaluators.runs import examples, round_content, rounds
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from tests.attack.memory import Memory
from tests.benchmarks.visitors import ENTERS, connected
from tests.e2e.conftest import QUIET, Server, browser_path, running
from ui.round import door, participant

PHONES = 30
JOINING_AT_ONCE = 4
"""A browser that loads the app takes a processor for a second; phones have their own."""
THINKS = (4000, 12000)
"""Milliseconds between a sentence and the tap."""
PATIENCE = 600_000
LOOK = 0.1
"""Seconds between two looks at the number of labels in the store."""

TARGET = re.compile("(full|partial|none)_[0-9]+_[a-z]+$")
"""How the id of a target ends."""

LABEL_ALL = """async ([least, most]) => {
  const took = [];
  const key = () => document.querySelector('.st-key-round_targets .pl-key')?.textContent ?? '';
  const wait = (milliseconds) => new Promise(done => setTimeout(done, milliseconds));
  while (key()) {
    await wait(least + (most - least) * Math.random());
    const before = key();
    const buttons = document.querySelectorAll('.st-key-round_buttons button');
    const started = performance.now();
    buttons[Math.floor(3 * Math.random())].click();
    while (key() === before && performance.now() - started < 30000) await wait(5);
    took.push(performance.now() - started);
  }
  return took;
}"""

WATCH_WALL = """() => {
  window.seen = [];
  const look = () => {
    const words = document.querySelector('.pl-facts')?.textContent ?? '';
    const labels = Number(/([\\d,]+) of [\\d,]+ labels/.exec(words)?.[1].replace(',', '') ?? 0);
    const last = window.seen.at(-1)?.[1] ?? 0;
    if (labels > last) window.seen.push([Date.now() / 1000, labels]);
  };
  new MutationObserver(look).observe(
    document.body, {subtree: true, childList: true, characterData: true});
}"""


def started(store: Store) -> Round:
    """A round over eight answers of the bundled example."""
    example = examples.find(store, examples.INVENTED)
    assert example is not None
    run = examples.copy(store, example, "teacher")
    view = RunView.read(store, run)
    return rounds.start(view, rounds.instructive(view), f"Class {run.id[:6]}")


class Socket:
    """A participant without a browser: asks for what a phone asks for, at the same times."""

    def __init__(self, token: str, connection: websockets.ClientConnection) -> None:
        self._query = f"{door.ME}={token}"
        self._connection = connection
        self._buttons: list[str] = []
        self._fragment = ""

    async def label_all(self) -> list[float]:
        """Milliseconds of each tap."""
        await self._ask()
        took = []
        while self._buttons:
            await self._think()
            button, started = random.choice(self._buttons), time.perf_counter()
            self._buttons = []
            state = {"id": button, "trigger_value": True}
            await self._ask(fragment_id=self._fragment, widget_states={"widgets": [state]})
            took.append(1000 * (time.perf_counter() - started))
        return took

    async def _think(self) -> None:
        left = random.uniform(*THINKS) / 1000
        while left > 0:
            await asyncio.sleep(min(left, participant.WATCH))
            left -= participant.WATCH
            await self._ask(fragment_id=self._fragment, is_auto_rerun=True)

    async def _ask(self, **wish: Any) -> None:
        """Sends what a browser sends, and reads until the script has ended."""
        wish |= {"query_string": self._query, "page_name": "round"}
        await self._connection.send(BackMsg(rerun_script=wish).SerializeToString())
        async for data in self._connection:
            message = ForwardMsg.FromString(data)
            if message.WhichOneof("type") == "auto_rerun":
                self._fragment = message.auto_rerun.fragment_id
            element = message.delta.new_element
            if element.WhichOneof("type") == "button" and TARGET.search(element.button.id):
                self._buttons.append(element.button.id)
            if message.WhichOneof("type") == "script_finished":
                return


async def label_by_sockets(served: Server, made: Round, phones: int) -> list[list[float]]:
    tokens = [served.store.rounds.join(made.id, f"Pupil {n + 1}").token for n in range(phones)]

    async def label(token: str) -> list[float]:
        await asyncio.sleep(random.uniform(0, ENTERS))
        async with connected(served.address) as connection:
            return await Socket(token, connection).label_all()

    return list(await asyncio.gather(*map(label, tokens)))


async def join(
    browser: Browser,
    address: str,
    number: int,
    turn: asyncio.Semaphore,
) -> Page:
    context = await browser.new_context(viewport={"width": 400, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    async with turn:
        await page.goto(address)
        await page.get_by_label("Nickname").fill(f"Pupil {number + 1}")
        await page.get_by_role("button", name="Join").click()
        await page.locator(".st-key-round_buttons button").first.wait_for()
    return page


async def stored_counts(
    store: Store,
    made: Round,
    total: int,
) -> list[tuple[float, int]]:
    """When the store first had each number of labels."""
    counts: list[tuple[float, int]] = []
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        # The moment first: what the wall is behind is then too much rather than too little.
        moment, count = time.time(), len(store.rounds.labels(made.id))
        if not counts or count > counts[-1][1]:
            counts.append((moment, count))
        if count == total:
            break
        await asyncio.sleep(LOOK)
    return counts


def behind(
    stored: list[tuple[float, int]],
    seen: list[tuple[float, int]],
) -> list[float]:
    """For each number of labels the seconds from the store to the wall."""
    waits = []
    for moment, count in stored:
        shown = next((at for at, labels in seen if labels >= count), None)
        if shown is not None and count:
            waits.append(max(0.0, shown - moment))
    return waits


async def measure(
    served: Server,
    phones: int = PHONES,
    *,
    has_browsers: bool = True,
) -> dict[str, object]:
    made = started(served.store)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
        wall = await browser.new_page(viewport={"width": 1280, "height": 720})
        await wall.goto(f"{served.address}/round?lead={made.id}")
        await wall.locator(".pl-code").wait_for(timeout=PATIENCE)
        await wall.evaluate(WATCH_WALL)
        joining, pages = time.monotonic(), []
        if has_browsers:
            address, turn = (
                f"{served.address}/round?join={made.join}",
                asyncio.Semaphore(JOINING_AT_ONCE),
            )
            entering = (join(browser, address, number, turn) for number in range(phones))
            pages = await asyncio.gather(*entering)
        joined = time.monotonic() - joining
        run = served.store.runs.get(made.run_id)
        assert run is not None
        sentences = len(round_content.content(served.store, run, made).places)
        counting = asyncio.create_task(stored_counts(served.store, made, phones * sentences))
        processor, labelling = psutil.Process(served.process.pid), time.monotonic()
        before = sum(processor.cpu_times()[:2])
        if has_browsers:
            own = (page.evaluate(LABEL_ALL, list(THINKS)) for page in pages)
            took = await asyncio.gather(*own)
        else:
            took = await label_by_sockets(served, made, phones)
        labelled = time.monotonic() - labelling
        busy = sum(processor.cpu_times()[:2]) - before
        stored = await counting
        # The wall looks once a second.
        await asyncio.sleep(5)
        seen = await wall.evaluate("window.seen")
        await browser.close()
    taps = [milliseconds / 1000 for own in took for milliseconds in own]
    waits = behind(stored, seen)
    return {
        "phones": phones,
        "joined_seconds": round(joined, 1),
        "labels": stored[-1][1],
        "labelled_seconds": round(labelled, 1),
        "server_busy_share_of_one_processor": round(busy / labelled, 2),
        "tap_median_seconds": round(statistics.median(taps), 3),
        "tap_p95_seconds": round(statistics.quantiles(taps, n=20)[-1], 3),
        "tap_worst_seconds": round(max(taps), 3),
        "wall_behind_median_seconds": round(statistics.median(waits), 2),
        "wall_behind_worst_seconds": round(max(waits), 2),
    }


if __name__ == "__main__":
    host = {"PLUMBLINE_PUBLIC": "1"}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), **host) as served:
        memory = Memory(served.process)
        figures = asyncio.run(measure(served, has_browsers="--sockets" not in sys.argv))
        print(json.dumps({**figures, "peak_megabytes": memory.stop()}))
