"""The heaviest that one visitor of a public host may send: memory of the server and all its
children, and seconds.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from tests.attack.memory import Memory
from tests.attack.watchdog import Bystander, browser, send_row, send_table, visitor
from tests.e2e.conftest import running

MB = 2**20
ROWS = 20_000


def largest_upload() -> bytes:
    """As many rows and bytes as an upload may have."""
    passage = "The mill was built in 1812 and grinds rye. Its wheel is made of oak. " * 33
    lines = (
        json.dumps(
            {
                "question": f"When was mill {number} built?",
                "response": "It was built in 1812.",
                "retrieved_documents": [passage],
            }
        )
        for number in range(ROWS)
    )
    return "\n".join(lines).encode()[: 50 * MB]


def row_of(sentences: int) -> bytes:
    """One row whose response and document have so many sentences of three words, none of them in
    both.
    """
    texts = (
        " ".join(f"{side}{n}a {side}{n}b {side}{n}c." for n in range(sentences)) for side in "rd"
    )
    response, document = texts
    row = {"question": "How tall?", "response": response, "retrieved_documents": [document]}
    return json.dumps(row).encode()


SENT = {
    "largest_upload": (send_table, largest_upload),
    "row_of_100_and_100_kb": (send_row, lambda: row_of(4_500)),
    "row_of_1_and_1_mb": (send_row, lambda: row_of(40_000)),
}

if __name__ == "__main__":
    figures = {}
    for name, (send, make) in SENT.items():
        host = {"PLUMBLINE_PUBLIC": "1"}
        with tempfile.TemporaryDirectory() as folder, running(Path(folder), **host) as served:
            memory, bystander = Memory(served.process), Bystander(served.address)
            with browser() as opened:
                page, data = visitor(opened, served.address), make()
                bystander.clicks.taken(), bystander.health.taken()
                started = time.monotonic()
                said = send(page, f"{name}.jsonl", data)
                figures[name] = {
                    "megabytes_sent": round(len(data) / MB, 1),
                    "seconds": round(time.monotonic() - started, 1),
                    "said": said,
                    "slowest_click": round(bystander.clicks.taken(), 2),
                    "slowest_health": round(bystander.health.taken(), 2),
                }
            bystander.stop()
            figures[name]["peak_megabytes"] = memory.stop()
    print(json.dumps(figures))
