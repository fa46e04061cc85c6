"""Thirty visitors of a public host who click through its pages: how long a page takes, from the
click to its end.

A visitor is a WebSocket that asks for pages as a browser does, so that only the server is measured.
The first visit is a visitor's first page, a switch is every one after it.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.attack.memory import Memory
from tests.e2e.conftest import running

VISITORS = 30
CLICKS = 8
THINKS = (2.0, 8.0)
"""Seconds between two clicks of a visitor."""
PATIENCE = 60
ENTERS = 10.0
"""Seconds within which all have come."""


class Visitor:
    """One session: opens the app, then goes from page to page; each takes so many seconds."""

    def __init__(self, address: str, number: int, haste: float) -> None:
        self._address = address
        self._haste = haste
        self._chance = random.Random(number)
        self._workspace = ""
        self._pages: list[str] = []
        self.first = 0.0
        self.switches: list[float] = []

    async def visit(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, ENTERS) / self._haste)
        async with connected(self._address) as connection:
            self.first = await self._open(connection, "")
            for _ in range(CLICKS):
                await asyncio.sleep(self._chance.uniform(*THINKS) / self._haste)
                page = self._chance.choice(self._pages)
                self.switches.append(await self._open(connection, page))

    async def _open(self, connection: websockets.ClientConnection, page: str) -> float:
        """Asks for a page and waits until its script has ended; returns how long that took."""
        started = time.monotonic()
        wish = {"query_string": self._workspace, "page_script_hash": page}
        await connection.send(BackMsg(rerun_script=wish).SerializeToString())
        async with asyncio.timeout(PATIENCE):
            async for data in connection:
                message = ForwardMsg.FromString(data)
                kind = message.WhichOneof("type")
                if kind == "navigation":
                    self._pages = [each.page_script_hash for each in message.navigation.app_pages]
                if kind == "page_info_changed":
                    self._workspace = message.page_info_changed.query_string
                if kind == "script_finished":
                    return time.monotonic() - started
        raise ConnectionError("The server closed the connection.")


def connected(address: str) -> websockets.connect:
    """The WebSocket of a new session."""
    socket = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    return websockets.connect(socket, origin=websockets.Origin(address), max_size=None)


async def visited(address: str, count: int = VISITORS, haste: float = 1) -> list[Visitor]:
    """So many visitors, once they have clicked, all at once; with a haste of 4 in a quarter of the
    time.
    """
    visitors = [Visitor(address, number, haste) for number in range(count)]
    await asyncio.gather(*(visitor.visit() for visitor in visitors))
    return visitors


def figures(visitors: Sequence[Visitor]) -> dict[str, float]:
    """What the visitors waited, in seconds."""
    switches = [seconds for visitor in visitors for seconds in visitor.switches]
    return {
        "visitors": len(visitors),
        "clicks": len(switches),
        "first_page_median_seconds": round(statistics.median(each.first for each in visitors), 2),
        "first_page_worst_seconds": round(max(each.first for each in visitors), 2),
        "page_switch_median_seconds": round(statistics.median(switches), 2),
        "page_switch_p95_seconds": round(statistics.quantiles(switches, n=20)[-1], 2),
        "page_switch_worst_seconds": round(max(switches), 2),
    }


if __name__ == "__main__":
    host = {"PLUMBLINE_PUBLIC": "1"}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), **host) as served:
        memory = Memory(served.process)
        clicked = asyncio.run(visited(served.address))
        print(json.dumps({**figures(clicked), "peak_megabytes": memory.stop()}))
