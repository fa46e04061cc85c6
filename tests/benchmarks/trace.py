"""Heuristic TRACE: milliseconds per RAGBench validation row (bundled samples without that data),
peak memory.
"""

import json
import statistics
from collections.abc import Iterator

from evaluators.datasets import ragbench
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset, Sample
from evaluators.trace_evaluator import TRACEEvaluator
from tests.benchmarks.common import check_data, peak_megabytes, timed


def samples() -> Iterator[Sample]:
    """One sample at a time, so that the memory measured is the evaluator's."""
    folder = check_data()
    if folder is None:
        dataset = bundled()[TRACE_SAMPLES]
        assert isinstance(dataset, Dataset)
        yield from dataset.samples * 20
        return
    import pyarrow.parquet as pq

    for path in sorted((folder / "ragbench").rglob("validation*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=50):
            yield from map(ragbench.sample, batch.to_pylist())


def milliseconds(evaluator: TRACEEvaluator, sample: Sample) -> float:
    with timed() as clock:
        evaluator.score(sample)
    return 1000 * clock.seconds


if __name__ == "__main__":
    evaluator = TRACEEvaluator()
    evaluator.score(next(samples()))
    times = [milliseconds(evaluator, row) for row in samples()]
    print(
        json.dumps(
            {
                "data": "RAGBench validation" if check_data() else TRACE_SAMPLES,
                "rows": len(times),
                "median_ms": round(statistics.median(times), 2),
                "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
                "peak_mb": peak_megabytes(),
            }
        )
    )
