"""Every hostile file read in a process of its own: how long, how much processor, how much memory,
what was said.

`python -m tests.attack.files` prints a line for each, and at the end which went beyond the bounds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from tests.attack.documents import documents
from tests.attack.rows import rows
from tests.attack.tables import tables

MAKERS = {
    "table": lambda: {**tables(), **rows()},
    "document": documents,
}
MOST_SECONDS = 5.0
"""Of a processor in the process that reads; its child has limits of its own."""
MOST_MEGABYTES = 500.0
PATIENCE = 150


def read_all(kinds: list[str]) -> int:
    """Reads the files of these kinds one after the other;
    returns how many went beyond the bounds.
    """
    beyond = 0
    for kind in kinds:
        for name in MAKERS[kind]():
            outcome = _in_a_process(kind, name)
            is_within = (
                outcome.get("cpu", PATIENCE) <= MOST_SECONDS
                and outcome.get("megabytes", 0) <= MOST_MEGABYTES
                and not outcome.get("crash")
            )
            beyond += not is_within
            print(json.dumps({"ok": is_within, "kind": kind, "name": name, **outcome}), flush=True)
    return beyond


def _in_a_process(kind: str, name: str) -> dict:
    command = [sys.executable, "-m", "tests.attack.files", "one", kind, name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {"crash": f"no end within {PATIENCE} s"}
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"crash": f"exit {done.returncode}: {done.stderr[-200:]}"}


def read_one(kind: str, name: str) -> dict:
    """Reads one file as a page does, and what that took."""
    from evaluators.errors import PlumblineError
    from tests.benchmarks.common import peak_megabytes

    data = MAKERS[kind]()[name]()
    before, began, worked = peak_megabytes(), time.monotonic(), time.process_time()
    try:
        words, crash = (_table if kind == "table" else _document)(name, data), ""
    except PlumblineError as error:
        words, crash = f"{type(error).__name__}: {error}", ""
    except BaseException as error:
        words, crash = "", f"{type(error).__name__}: {error}"[:300]
    return {
        "bytes": len(data),
        "seconds": round(time.monotonic() - began, 1),
        "cpu": round(time.process_time() - worked, 1),
        "megabytes": round(peak_megabytes() - before, 1),
        "crash": crash,
        "outcome": words[:200],
    }


def _table(name: str, data: bytes) -> str:
    from evaluators.datasets.checks import checks
    from evaluators.datasets.mapping import open_table
    from ui.datasets import reading

    begun, table = reading.begin(name, data, {})
    loaded = open_table(name, table, None)
    if loaded.data is not None:
        list(checks(loaded.data))
    return f"{loaded.usable} usable rows, {len(loaded.problems)} left out; sure: {begun.is_sure}"


def _document(name: str, data: bytes) -> str:
    from evaluators.records import Sample
    from evaluators.retrieval.dataset import retrieve
    from evaluators.retrieval.documents import document

    text = document(name, data)
    retrieve([text], [Sample(id="1", question="tower of Paris")])
    return f"{len(text.text):,} characters"


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(read_one(*sys.argv[2:4])))
    else:
        sys.exit(read_all(sys.argv[1:] or list(MAKERS)) > 0)
