"""All benchmarks or those named, each in a process of its own; prints JSON, a line or more each."""

import json
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryFile

PARTS = (
    "rgb",
    "trace",
    "reference",
    "retrieval",
    "engine",
    "llm",
    "cold",
    "faults",
    "killed",
    "limits",
    "app",
    "large_run",
    "large_store",
    "evidence",
    "visitors",
    "beside_runs",
    "heaviest",
    "corrected_rates",
    "corrected_ragbench",
    "planted",
    "comparing",
    "intervals",
    "gates",
    "class_round",
    "batch",
)


def measured(part: str) -> Iterator[object]:
    """What the part prints, line by line as it does, and at last why it could not be measured."""
    with (
        TemporaryFile("w+") as errors,
        subprocess.Popen(
            [sys.executable, "-m", f"tests.benchmarks.{part}"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
        if process.wait():
            errors.seek(0)
            yield {"failed": errors.read().strip().splitlines()[-1]}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        for line in measured(part):
            print(json.dumps({part: line}), flush=True)
