"""100 samples labelled by a judge that takes 200 ms, 32 workers, every result stored on disk."""

import json
import math
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from evaluators.config import config
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset, EvaluatorSpec, ModelSpec, Run
from evaluators.runs import inputs
from evaluators.runs.engine import create_run, registry
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.benchmarks.common import peak_megabytes, timed
from tests.benchmarks.llm import access_to, provider

SAMPLES = 100
LATENCY = 0.2
JUDGE = ModelSpec(provider="openai", model="gpt-6-luna", answer_tokens=2048)


def answers(count: int, name: str) -> Dataset:
    """So many of the bundled TRACE samples, no two alike."""
    samples = bundled()[TRACE_SAMPLES]
    assert isinstance(samples, Dataset)
    return Dataset(
        name=name,
        samples=tuple(
            sample.model_copy(
                update={"id": f"{name} {n}", "question": f"{sample.question} ({name} {n})"}
            )
            for n, sample in enumerate(islice(cycle(samples.samples), count))
        ),
    )


def new_run(store: Store, dataset: Dataset) -> Run:
    evaluator = EvaluatorSpec(name="gpt_labeling")
    return create_run(
        store,
        RunPlan(dataset, inputs.evaluators(evaluator), title="bench", judges=[JUDGE]),
        workspace="bench",
    )


if __name__ == "__main__":
    ideal = math.ceil(SAMPLES / config().workers) * LATENCY
    with tempfile.TemporaryDirectory() as folder, provider("--judge") as address:
        keys = {"openai": access_to(address)}
        store = Store(Path(folder) / "bench.sqlite3")
        dataset, memory = answers(SAMPLES, "labels"), peak_megabytes()
        registry.start(new_run(store, answers(1, "first")), store, keys).wait()  # imports the SDK
        run = new_run(store, dataset)
        processor = time.process_time()
        with timed() as labelling:
            registry.start(run, store, keys).wait()
        figures = {
            "scored": store.results.counts(run).scored,
            "calls": sum(bill.calls for bill in store.calls.spent(run.id).values()),
            "seconds": round(labelling.seconds, 2),
            "ideal_seconds": round(ideal, 2),
            "ratio": round(labelling.seconds / ideal, 2),
            "cpu_ms_per_sample": round((time.process_time() - processor) / SAMPLES * 1000, 2),
            "added_mb": round(peak_megabytes() - memory, 1),
        }
    print(json.dumps(figures))
