"""Heuristic TRACE: milliseconds of the processor per RAGBench validation row, and peak memory.

`published` are rows with their published sentences, `cut` the same rows as a file has them, whose
texts are cut first. Without that data it is the bundled samples. Each row counts with the quickest
of several rounds, as a machine that does other things as well tells little otherwise.
"""

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator

from evaluators.datasets import ragbench
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset, Sample
from evaluators.trace_evaluator import TRACEEvaluator
from tests.benchmarks.common import check_data, peak_megabytes

ROUNDS = 3


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


def milliseconds(evaluator: TRACEEvaluator, rows: Iterator[Sample]) -> list[float]:
    times = []
    for row in rows:
        started = time.thread_time()
        evaluator.score(row)
        times.append(1000 * (time.thread_time() - started))
    return times


def cut_samples() -> Iterator[Sample]:
    for row in samples():
        yield row.model_copy(update={"sentences": None, "labels": None})


def quickest(evaluator: TRACEEvaluator, rows: Callable[[], Iterator[Sample]]) -> list[float]:
    rounds = [milliseconds(evaluator, rows()) for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def summary(times: list[float]) -> dict[str, float]:
    return {
        "rows": len(times),
        "median_ms": round(statistics.median(times), 2),
        "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
    }


if __name__ == "__main__":
    evaluator = TRACEEvaluator()
    figures = {
        "data": "RAGBench validation" if check_data() else TRACE_SAMPLES,
        "published": summary(quickest(evaluator, samples)),
        "cut": summary(quickest(evaluator, cut_samples)),
        "peak_mb": peak_megabytes(),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(figures))
