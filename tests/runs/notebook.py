"""A notebook's cell in a process of its own that can be stopped: `python notebook.py <folder>`."""

import sys
from pathlib import Path

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.runs.store import Store
from tests.runs import slow


def cell(folder: Path) -> Results:
    metric = slow.Slow(log=str(folder / "log.txt"), seconds=0.05)
    store = Store(folder / "runs.sqlite3")
    return evaluate(
        slow.dataset(*["wait"] * slow.SAMPLES), metric, run="slow", store=store, progress=False
    )


if __name__ == "__main__":
    cell(Path(sys.argv[1]))
