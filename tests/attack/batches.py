"""Batches whose driver, or one of whose workers, is killed at 20 random moments: no row lost or twice.

`python -m tests.attack.batches [SEED]` ends with 1 where the results are not whole after going on.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.batch.files import json_lines, results, row
from tests.batch.test_killed import command, workers_of

MOMENTS = 20
FILES = 8
ROWS = 400
LONGEST = 6.0
"""Seconds from the start of a driver to the last moment at which something is killed."""


def logs(folder: Path) -> list[str]:
    names = []
    for number in range(FILES):
        rows = [row(f"{number}-{at}", answer_text=f"It is {at} m tall.") for at in range(ROWS)]
        json_lines(folder / "in" / f"{number}.jsonl", rows)
        names += [str(each["id"]) for each in rows]
    return names


def attacked(folder: Path, moment: random.Random) -> str:
    """Kills the driver or a worker at a random moment; says which, or that it was done before."""
    process = command(folder)
    try:
        process.communicate(timeout=moment.uniform(0, LONGEST))
        return "nobody: it was done before"
    except subprocess.TimeoutExpired:
        workers = workers_of(process)
    if workers and moment.random() < 0.5:
        moment.choice(workers).kill()
        told, _ = process.communicate()
        return "a worker" if process.returncode == 0 else f"a worker, and then: {told}"
    process.kill()
    process.communicate()
    return "the driver"


def faults(folder: Path, names: list[str]) -> list[str]:
    """What is wrong with the results after one more attempt that nobody disturbs."""
    process = command(folder)
    told, _ = process.communicate()
    if process.returncode:
        return [told]
    every = results(folder / "out")
    counts = Counter(each["id"] for each in every)
    wrong = [f"{name} is there {counts[name]} times" for name in names if counts[name] != 1]
    wrong += [f"{each['id']}: {each['trace_error']}" for each in every if each["trace_error"]]
    return wrong


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    moment = random.Random(seed)
    found = []
    for number in range(MOMENTS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            os.environ["PLUMBLINE_DATA_DIR"] = name
            names = logs(folder)
            started = time.monotonic()
            killed = attacked(folder, moment)
            wrong = faults(folder, names)
        seconds = time.monotonic() - started
        print(
            f"{number + 1}: {killed}, {len(wrong)} faults, {seconds:.0f} s", *wrong[:3], flush=True
        )
        found += wrong
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
