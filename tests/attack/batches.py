"""Batches of which a process is killed at random moments: nothing is lost, and nothing twice.

It is the driver or a worker.

`python -m tests.attack.batches [--engine local|ray] [--moments 20] [--seed 0]` ends with 1 where the
results are not whole after going on, or more was paid twice than what was in flight.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from tests import judge
from tests.batch.files import json_lines, results, row
from tests.batch.test_killed import command, workers_of
from tests.loopback import Loopback

MOMENTS = 20
FILES = 8
ROWS = 40
IN_FLIGHT = 4
"""Rows that are asked about at a time."""
LONGEST = {"local": 10.0, "ray": 20.0}
"""Seconds from the start of a driver to the last moment at which something is killed."""


def logs(folder: Path) -> list[str]:
    names = []
    for number in range(FILES):
        rows = []
        for at in range(ROWS):
            # Each is asked for itself: the same prompt would be asked once.
            rows.append(
                row(
                    f"{number}-{at}",
                    answer_text=f"It is {number}{at:02} m tall.",
                    ground_truth="330 m",
                )
            )
        json_lines(folder / "in" / f"{number}.jsonl", rows)
        names += [str(each["id"]) for each in rows]
    return names


def started(folder: Path, engine: str) -> subprocess.Popen:
    # One asks a judge; the other, by which there are workers on this machine as well, nobody.
    metrics = ["--metric", "gpt_labeling", "--metric", "answer_match"]
    return command(folder, *metrics, "--judge", "openai/gpt-6-luna", "--engine", engine)


def attacked(folder: Path, engine: str, moment: random.Random) -> str:
    """Kills one of its processes at a random moment and says which; none if it was done before."""
    process = started(folder, engine)
    try:
        process.communicate(timeout=moment.uniform(0, LONGEST[engine]))
        return ""
    except subprocess.TimeoutExpired:
        victims = {
            "the driver": [psutil.Process(process.pid)],
            "a worker": workers_of(process),
        }
    victim = moment.choice([name for name, found in victims.items() if found])
    moment.choice(victims[victim]).kill()
    told, _ = process.communicate()
    # A driver that lost a worker goes on by itself.
    if victim != "the driver" and process.returncode:
        return f"{victim}, and then: {told.strip()}"
    return victim


def faults(folder: Path, engine: str, names: list[str], provider: Loopback) -> list[str]:
    """What is wrong after one more attempt that nobody disturbs."""
    process = started(folder, engine)
    told, _ = process.communicate()
    if process.returncode:
        return [told]
    every = results(folder / "out")
    counts = Counter(each["id"] for each in every)
    wrong = [f"{name} is there {counts[name]} times" for name in names if counts[name] != 1]
    wrong += [
        f"{each['id']}: {each['gpt_labeling_error']}"
        for each in every
        if each["gpt_labeling_error"]
    ]
    again = len(provider.asked) - len(names)
    if not 0 <= again <= IN_FLIGHT:
        wrong.append(f"{again} calls were paid twice, and {IN_FLIGHT} were in flight")
    return wrong


def one(engine: str, moment: random.Random) -> tuple[str, list[str]]:
    with (
        tempfile.TemporaryDirectory() as name,
        Loopback(answer=judge.labels_for, latency=0.02) as provider,
    ):
        folder = Path(name)
        os.environ |= {
            "PLUMBLINE_DATA_DIR": name,
            "PLUMBLINE_WORKERS": str(IN_FLIGHT),
            "OPENAI_API_KEY": "sk-loopback-of-an-attack",
            "OPENAI_BASE_URL": provider.base_url,
        }
        names = logs(folder)
        killed = attacked(folder, engine, moment)
        return killed, faults(folder, engine, names, provider)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=list(LONGEST), action="append")
    parser.add_argument("--moments", type=int, default=MOMENTS)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    has_fault = False
    for engine in chosen.engine or LONGEST:
        moment = random.Random(chosen.seed)
        kills = 0
        while kills < chosen.moments:
            began = time.monotonic()
            killed, wrong = one(engine, moment)
            seconds = time.monotonic() - began
            kills += bool(killed)
            victim = killed or "nobody, as it was done before"
            line = f"{engine} {kills}: {victim}, {len(wrong)} faults, {seconds:.0f} s"
            print(line, *wrong[:3], flush=True)
            has_fault = has_fault or bool(wrong)
    sys.exit(has_fault)


if __name__ == "__main__":
    main()
