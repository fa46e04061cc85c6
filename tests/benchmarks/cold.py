"""A first run, in a process that has asked nobody yet, beside the bare SDK in another such process.

200 prompts of 6 KB to a model that takes 200 ms, 32 at a time: of OpenAI, which tells its limits,
and of an endpoint of one's own, which tells none. Then 1,000 prompts to one that takes no time.
Both import the SDK meanwhile. They take turns; each figure is a median, `times` that of the ratios
of the rounds.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from evaluators.runs.store import Store
from tests.benchmarks import llm

ROUNDS = 5
CASES = {
    "openai": ("openai", 200, 0.2, ["--limits"]),
    "custom": ("custom", 200, 0.2, []),
    "no_latency": ("openai", 1000, 0.0, ["--limits"]),
}
"""Provider, prompts, seconds of an answer, and what the server is told."""


def once(who: str, provider: str, count: int, address: str) -> llm.Figures:
    """What a fresh process takes; `who` is `engine` or `sdk`."""
    command = [sys.executable, "-m", __spec__.name, who, provider, str(count), address]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: llm.Figures = json.loads(done.stdout)
    return figures


def measured_here(who: str, provider: str, count: int, address: str) -> llm.Figures:
    access = llm.access_to(address, provider)
    dataset = llm.questions(count, "cold")
    if who == "sdk":
        return llm.with_the_sdk_alone(dataset, access)
    model = llm.MODEL.model_copy(update={"provider": provider})
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "bench.sqlite3")
        return llm.through_the_engine(store, dataset, {provider: access}, model)


def beside(provider: str, count: int, latency: float, options: list[str]) -> dict[str, object]:
    ours, bare = [], []
    with llm.provider(*options, latency=latency) as address:
        for _ in range(ROUNDS):
            bare.append(once("sdk", provider, count, address))
            ours.append(once("engine", provider, count, address))
    pairs = zip(ours, bare, strict=True)
    times = [one["seconds"] / other["seconds"] for one, other in pairs]
    return {
        "engine": llm.medians(ours),
        "sdk_alone": llm.medians(bare),
        "times": round(statistics.median(times), 2),
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        own, provider, count, address = sys.argv[1:]
        print(json.dumps(measured_here(own, provider, int(count), address)))
    else:
        figures = {name: beside(*case) for name, case in CASES.items()}
        print(json.dumps({"load": os.getloadavg()[0], **figures}))
