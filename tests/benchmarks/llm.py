"""500 calls to a model that takes 200 ms, through engine, layers and SDK, every result stored on disk."""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from pydantic import SecretStr

from evaluators.config import config
from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.llm import Access, Keys
from evaluators.prompts import load
from evaluators.runs.engine import create_run, registry
from evaluators.runs.store import Store
from evaluators.types import Dataset, EvaluatorSpec, ModelSpec, Run, Sample
from tests.benchmarks.common import peak_megabytes, timed

CALLS = 500
LATENCY = 0.2
PROMPT_BYTES = 6000


@contextmanager
def provider(*options: str) -> Iterator[Keys]:
    """A provider in a process of its own, so that its work does not count as ours."""
    command = [sys.executable, "-m", "tests.loopback", "--latency", str(LATENCY), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        try:
            yield {"openai": Access(provider="openai", base_url=address, key=SecretStr("sk-bench"))}
        finally:
            process.terminate()


def questions(count: int, name: str) -> Dataset:
    """So many RGB samples without an answer, no two alike, each with documents of about 6 KB."""
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    samples = islice(cycle(compose(bed, bed.abilities).samples), count)
    return Dataset(name=name, samples=tuple(_long(sample, f"{name} {n}") for n, sample in enumerate(samples)))


def _long(sample: Sample, name: str) -> Sample:
    size = sum(len(document.encode()) for document in sample.retrieved_documents)
    documents = sample.retrieved_documents * round(PROMPT_BYTES / size)
    return sample.model_copy(
        update={"id": name, "question": f"{sample.question} ({name})", "retrieved_documents": documents}
    )


def new_run(store: Store, dataset: Dataset) -> Run:
    return create_run(
        store,
        dataset,
        EvaluatorSpec(name="rgb"),
        workspace="bench",
        title="bench",
        models=[ModelSpec(provider="openai", model="gpt-6-luna")],
        prompt=load("rgb_en"),
    )


if __name__ == "__main__":
    ideal = math.ceil(CALLS / config().workers) * LATENCY
    with tempfile.TemporaryDirectory() as folder, provider() as keys:
        store = Store(Path(folder) / "bench.sqlite3")
        dataset, memory = questions(CALLS, "call"), peak_megabytes()
        with timed() as starting:
            registry.start(new_run(store, questions(1, "first")), store, keys).wait()  # imports the SDK
        with timed() as creating:
            run = new_run(store, dataset)
        processor = time.process_time()
        with timed() as calling:
            registry.start(run, store, keys).wait()
        figures = {
            "scored": store.counts(run).scored,
            "first_call_seconds": round(starting.seconds, 2),
            "create_seconds": round(creating.seconds, 2),
            "seconds": round(calling.seconds, 2),
            "ideal_seconds": ideal,
            "efficiency": round(ideal / calling.seconds, 2),
            "cpu_ms_per_call": round((time.process_time() - processor) / CALLS * 1000, 2),
            "added_mb": round(peak_megabytes() - memory, 1),
        }
    print(json.dumps(figures))
