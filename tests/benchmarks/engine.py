"""10,000 answers scored through engine and store, and what a results page then reads.

Then 100,000 answers that take next to no time each: what engine and store themselves cost.
"""

import json
import tempfile
import time
from pathlib import Path

from evaluators.abilities import RGB_VALUES
from evaluators.records import Dataset, Sample
from evaluators.runs import aggregate, inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.benchmarks.common import answered, peak_megabytes, timed

SAMPLES = 10_000

TRIVIAL = 100_000


def trivial(count: int) -> Dataset:
    """Short answers, every other one right."""
    samples = []
    for n in range(count):
        truth = f"Number {n} is Mina Osei."
        response = truth if n % 2 else "Nobody."
        sample = Sample(id=f"t{n}", question="Who?", response=response, ground_truth=truth)
        samples.append(sample)
    return Dataset(name="trivial", samples=tuple(samples))


def written_bytes() -> int:
    """What this process has given to the disk; 0 where the system does not tell."""
    try:
        fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    except OSError:
        return 0
    return int(fields["write_bytes"])


def engine_alone(folder: str) -> dict[str, float]:
    """Answer match over trivial answers, until every result is stored and the run has ended."""
    store = Store(Path(folder) / "trivial.sqlite3")
    plan = RunPlan(trivial(TRIVIAL), inputs.evaluators("answer_match"), title="bench")
    job = Job(create_run(store, plan, workspace="bench"), store)
    written, processor, before = written_bytes(), time.process_time(), peak_megabytes()
    with timed() as scoring:
        job.start()
        job.wait()
    return {
        "trivial_scored": store.results.counts(job.run).scored,
        "trivial_seconds": round(scoring.seconds, 2),
        "trivial_processor_ms_per_row": round(
            1000 * (time.process_time() - processor) / TRIVIAL, 3
        ),
        "trivial_bytes_per_row": round((written_bytes() - written) / TRIVIAL),
        "trivial_added_mb": round(peak_megabytes() - before, 1),
    }


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
            aggregate.rates(store.results.outlines(run), RGB_VALUES)
        figures = {
            "scored": store.results.counts(run).scored,
            "create_seconds": round(creating.seconds, 2),
            "score_seconds": round(scoring.seconds, 2),
            "read_and_summarise_seconds": round(reading.seconds, 2),
            "peak_mb": peak_megabytes(),
        }
        figures |= engine_alone(folder)
    print(json.dumps(figures))
