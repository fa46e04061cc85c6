"""10,000 answers scored through engine and store, and what a results page then reads."""

import json
import tempfile
from pathlib import Path

from evaluators.runs import aggregate, inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.benchmarks.common import answered, peak_megabytes, timed

SAMPLES = 10_000

if __name__ == "__main__":
    dataset = answered(SAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "bench.sqlite3")
        with timed() as creating:
            run = create_run(
                store, RunPlan(dataset, inputs.evaluators("rgb"), title="bench"), workspace="bench"
            )
        job = Job(run, store)
        with timed() as scoring:
            job.start()
            job.wait()
        with timed() as reading:
            aggregate.rgb_rates(store.results.outlines(run))
        figures = {
            "scored": store.results.counts(run).scored,
            "create_seconds": round(creating.seconds, 2),
            "score_seconds": round(scoring.seconds, 2),
            "read_and_summarise_seconds": round(reading.seconds, 2),
            "peak_mb": peak_megabytes(),
        }
    print(json.dumps(figures))
