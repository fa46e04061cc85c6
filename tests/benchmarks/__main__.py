"""All benchmarks or those named, each in a process of its own; prints a line of JSON for each."""

import json
import subprocess
import sys

PARTS = (
    "rgb",
    "trace",
    "reference",
    "retrieval",
    "engine",
    "llm",
    "cold",
    "labels",
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
    "comparing",
    "intervals",
    "class_round",
    "batch",
)


def measured(part: str) -> dict[str, object]:
    """What the part prints, or why it could not be measured."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{part}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout)


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        print(json.dumps({part: measured(part)}), flush=True)
