"""A first run as a user starts it, each in a process of its own, beside the bare SDK in another.

200 prompts of 6 KB to a model that takes 200 ms, 32 at a time: of OpenAI, which tells its limits,
and of an endpoint of one's own, which tells none. Then 1,000 prompts to one that takes no time.
They take turns; each figure is a median, `times` that of the ratios of the rounds. `seconds` are
those of a door with its own `imports` and without those of the SDK, `processor` those of the
processor, `process` of the whole process; `loaded` are libraries of tables, which no door needs.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from evaluators.llm.providers import PROVIDERS
from tests.benchmarks import llm
from tests.benchmarks.common import timed

ROUNDS = 5
CASES = {
    "openai": ("openai", 200, 0.2, ["--limits"]),
    "custom": ("custom", 200, 0.2, []),
    "no_latency": ("openai", 1000, 0.0, ["--limits"]),
}
"""Provider, prompts, seconds of an answer, and what the server is told."""

DOORS = ("evaluate", "run")
Figures = dict[str, Any]


def once(way: str, data: Path, provider: str, count: int, address: str) -> Figures:
    """What a fresh process takes that has no store yet."""
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-m", "tests.benchmarks.cold_child"]
        command += [way, str(data), f"{provider}/gpt-6-luna", str(count)]
        environment = os.environ | {"PLUMBLINE_DATA_DIR": store}
        for named in (PROVIDERS["openai"], PROVIDERS["custom"]):
            environment |= {named.key_variable: "sk-bench", named.address_variable: address}
        with timed() as clock:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, check=True, env=environment
            )
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures | {"process": round(clock.seconds, 2)}


def beside(data: Path, provider: str, count: int, latency: float, options: list[str]) -> Figures:
    rounds: dict[str, list[Figures]] = {way: [] for way in ("sdk", *DOORS)}
    with llm.provider(*options, latency=latency) as address:
        for _ in range(ROUNDS):
            for way, own in rounds.items():
                own.append(once(way, data, provider, count, address))
    return {way: summary(own, rounds["sdk"]) for way, own in rounds.items()}


def summary(rounds: list[Figures], bare: list[Figures]) -> Figures:
    names = ("seconds", "imports", "processor", "process", "peak_mb")
    figures: Figures = llm.medians([{name: own[name] for name in names} for own in rounds])
    ratios = [own["seconds"] / sdk["seconds"] for own, sdk in zip(rounds, bare, strict=True)]
    return figures | {"times": round(statistics.median(ratios), 2), "loaded": rounds[0]["loaded"]}


def data_file(folder: Path, count: int) -> Path:
    """Rows as somebody has them: a question, its documents, and the true answer."""
    path = folder / f"{count}.jsonl"
    names = ("question", "retrieved_documents", "ground_truth")
    with path.open("w", encoding="utf-8") as file:
        for sample in llm.questions(count, "cold").samples:
            row = sample.model_dump(mode="json")
            file.write(json.dumps({name: row[name] for name in names}) + "\n")
    return path


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        figures = {}
        for name, (provider, count, *case) in CASES.items():
            figures[name] = beside(data_file(Path(folder), count), provider, count, *case)
        print(json.dumps({"load": os.getloadavg()[0], **figures}))
