"""Thirty phones in one round, in real browsers: how long a tap takes, how far the wall is behind.

Each labels every sentence of eight answers, as fast as people read them: four to twelve seconds
each. Phones have processors of their own; here all browsers share those of the server, so it is
told as well how busy the server itself is.
A tap ends when the next sentence is on the screen, with its label stored. The wall is behind by the
time from a label in the store to its number on the wall.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from playwright.async_api import Browser, Page, async_playwright

from evaluators.rounds.records import Round
from evaluators.runs import examples, rounds
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from tests.attack.memory import Memory
from tests.e2e.conftest import QUIET, Server, browser_path, running

PHONES = 30
JOINING_AT_ONCE = 4
"""A browser that loads the app takes a processor for a second; phones have their own."""
THINKS = (4000, 12000)
"""Milliseconds between a sentence and the tap."""
PATIENCE = 600_000
LOOK = 0.1
"""Seconds between two looks at the number of labels in the store."""

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


async def join(
    browser: Browser,
    address: str,
    number: int,
    door: asyncio.Semaphore,
) -> Page:
    context = await browser.new_context(viewport={"width": 400, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    async with door:
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


async def measure(served: Server, phones: int = PHONES) -> dict[str, object]:
    made = started(served.store)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
        wall = await browser.new_page(viewport={"width": 1280, "height": 720})
        await wall.goto(f"{served.address}/round?lead={made.id}")
        await wall.locator(".pl-code").wait_for(timeout=PATIENCE)
        await wall.evaluate(WATCH_WALL)
        address, door = (
            f"{served.address}/round?join={made.join}",
            asyncio.Semaphore(JOINING_AT_ONCE),
        )
        joining = time.monotonic()
        pages = await asyncio.gather(
            *(join(browser, address, number, door) for number in range(phones))
        )
        joined = time.monotonic() - joining
        run = served.store.runs.get(made.run_id)
        assert run is not None
        sentences = len(rounds.content(served.store, run, made).places)
        counting = asyncio.create_task(stored_counts(served.store, made, phones * sentences))
        processor, labelling = psutil.Process(served.process.pid), time.monotonic()
        before = sum(processor.cpu_times()[:2])
        took = await asyncio.gather(*(page.evaluate(LABEL_ALL, list(THINKS)) for page in pages))
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
        figures = asyncio.run(measure(served))
        print(json.dumps({**figures, "peak_megabytes": memory.stop()}))
