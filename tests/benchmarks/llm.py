"""500 calls to a model that takes 200 ms, through engine, layers and SDK, every result stored on
disk.

Beside it, in turns, the SDK alone: the same prompts, nothing read, limited, judged or stored. It
tells how fast the machine is at the moment.
"""

import asyncio
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from evaluators.config import config
from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.llm import Access, Keys
from evaluators.prompts import fill, load
from evaluators.records import Dataset, ModelSpec, Run, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run, registry
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.benchmarks.common import peak_megabytes, timed

CALLS = 500
LATENCY = 0.2
PROMPT_BYTES = 6000
ROUNDS = 5
MODEL = ModelSpec(provider="openai", model="gpt-6-luna")
IDEAL = math.ceil(CALLS / config().workers) * LATENCY

Figures = dict[str, float]


@contextmanager
def provider(*options: str, latency: float = LATENCY) -> Iterator[str]:
    """The address of a provider in a process of its own, so that its work does not count as ours."""
    command = [sys.executable, "-m", "tests.loopback", "--latency", str(latency), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def access_to(address: str, provider: str = "openai") -> Access:
    return Access(provider=provider, base_url=address, key=SecretStr("sk-bench"))


def questions(count: int, name: str) -> Dataset:
    """So many RGB samples without an answer, no two alike, each with documents of about 6 KB."""
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    samples = islice(cycle(compose(bed, bed.abilities).samples), count)
    return Dataset(
        name=name, samples=tuple(_long(sample, f"{name} {n}") for n, sample in enumerate(samples))
    )


def _long(sample: Sample, name: str) -> Sample:
    size = sum(len(document.encode()) for document in sample.retrieved_documents)
    documents = sample.retrieved_documents * round(PROMPT_BYTES / size)
    return sample.model_copy(
        update={
            "id": name,
            "question": f"{sample.question} ({name})",
            "retrieved_documents": documents,
        }
    )


def new_run(store: Store, dataset: Dataset, model: ModelSpec = MODEL) -> Run:
    metrics = inputs.evaluators("rgb")
    plan = RunPlan(dataset, metrics, title="bench", models=[model], prompt=load("rgb_en"))
    return create_run(store, plan, workspace="bench")


def through_the_engine(
    store: Store,
    dataset: Dataset,
    keys: Keys,
    model: ModelSpec = MODEL,
) -> Figures:
    run = new_run(store, dataset, model)
    with measured(len(dataset.samples)) as figures:
        registry.start(run, store, keys).wait()
    assert store.results.counts(run).scored == len(dataset.samples)
    return figures


def with_the_sdk_alone(dataset: Dataset, access: Access) -> Figures:
    prompts = [
        fill(load("rgb_en"), sample.question, sample.retrieved_documents).text
        for sample in dataset.samples
    ]

    async def ask(client: Any, open_prompts: Iterator[str]) -> None:
        for text in open_prompts:
            message = {"role": "user", "content": text}
            await client.chat.completions.create(
                model=MODEL.model, messages=[message], temperature=0
            )

    async def ask_all() -> None:
        # Here: its memory counts as added by the first run, its time as that of who needs it first.
        from openai import AsyncOpenAI

        key = access.key.get_secret_value()
        async with AsyncOpenAI(api_key=key, base_url=access.base_url, max_retries=0) as client:
            left = iter(prompts)
            await asyncio.gather(*(ask(client, left) for _ in range(config().workers)))

    with measured(len(prompts)) as figures:
        asyncio.run(ask_all())
    return figures


def medians(figures: Sequence[Figures]) -> Figures:
    return {
        name: round(statistics.median(each[name] for each in figures), 2) for name in figures[0]
    }


@contextmanager
def measured(calls: int) -> Iterator[Figures]:
    """Fills in seconds, and milliseconds of processor time a call."""
    figures: Figures = {}
    processor = time.process_time()
    with timed() as clock:
        yield figures
    figures["seconds"] = round(clock.seconds, 2)
    figures["cpu_ms_per_call"] = round((time.process_time() - processor) / calls * 1000, 2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, provider("--limits") as address:
        access = access_to(address)
        keys = {"openai": access}
        store = Store(Path(folder) / "bench.sqlite3")
        datasets, memory = [questions(CALLS, f"call {n}") for n in range(ROUNDS)], peak_megabytes()
        with timed() as starting:
            registry.start(
                new_run(store, questions(1, "first")), store, keys
            ).wait()  # imports the SDK
        ours = [through_the_engine(store, datasets[0], keys)]
        added = peak_megabytes() - memory
        bare = [with_the_sdk_alone(datasets[0], access)]
        for dataset in datasets[1:]:
            ours.append(through_the_engine(store, dataset, keys))
            bare.append(with_the_sdk_alone(dataset, access))
        print(
            json.dumps(
                {
                    "first_call_seconds": round(starting.seconds, 2),
                    "added_mb": round(added, 1),
                    "ideal_seconds": IDEAL,
                    "rounds": [each["cpu_ms_per_call"] for each in ours],
                    **medians(ours),
                    "sdk_alone": medians(bare),
                }
            )
        )
