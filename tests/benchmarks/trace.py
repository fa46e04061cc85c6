"""Heuristic TRACE: milliseconds per RAGBench validation row (bundled samples without that data), peak memory."""

import json
import statistics

from evaluators.datasets import ragbench
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.trace_evaluator import TRACEEvaluator
from evaluators.types import Dataset, Sample
from tests.benchmarks.common import check_data, peak_megabytes, timed


def samples() -> tuple[str, list[Sample]]:
    folder = check_data()
    if folder is None:
        dataset = bundled()[TRACE_SAMPLES]
        assert isinstance(dataset, Dataset)
        return dataset.name, list(dataset.samples) * 20
    import pyarrow.parquet as pq

    files = sorted((folder / "ragbench").rglob("validation*.parquet"))
    return "RAGBench validation", [ragbench.sample(row) for path in files for row in pq.read_table(path).to_pylist()]


def milliseconds(evaluator: TRACEEvaluator, sample: Sample) -> float:
    with timed() as clock:
        evaluator.score(sample)
    return 1000 * clock.seconds


if __name__ == "__main__":
    source, rows = samples()
    evaluator = TRACEEvaluator()
    evaluator.score(rows[0])
    times = [milliseconds(evaluator, row) for row in rows]
    print(
        json.dumps(
            {
                "data": source,
                "rows": len(rows),
                "median_ms": round(statistics.median(times), 2),
                "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
                "peak_mb": peak_megabytes(),
            }
        )
    )
