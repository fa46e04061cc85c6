"""A batch of generated long rows: rows a second with 1 and 2 processes, growth, peak memory.

`python -m tests.benchmarks.batch 10000 1000000` takes other numbers of rows for the growth; by
default it is 2,000 to 20,000, as 1,000,000 rows take half an hour. `--rows` is how many the
processes are compared by. The heuristic judges; a row holds some 2,000 characters.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.common import timed

ROWS = 10_000
GROWTH = (2_000, 20_000)
TOGETHER = 5_000
FILES = 4
WORDS = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("an", "el", "ir", "om", "us")]

# In a process of its own, whose peak memory is that of the batch alone.
BATCH = """
import json, sys, time
from evaluators import evaluate_batch_files
from tests.benchmarks.common import peak_megabytes
started = time.perf_counter()
found = evaluate_batch_files(sys.argv[1], sys.argv[2], "trace", workers=int(sys.argv[3]), progress=False)
assert found.is_complete and found.summary()["adherence"].failed == 0, found.failures
print(json.dumps([found.rows, time.perf_counter() - started, peak_megabytes()]))
"""


def rows(count: int) -> Iterator[dict[str, object]]:
    """Rows as long as those of RAGBench: four documents of eight sentences, an answer of three."""
    words = random.Random(0)

    def sentence() -> str:
        return " ".join(words.choices(WORDS, k=10)).capitalize() + "."

    for number in range(count):
        documents = [" ".join(sentence() for _ in range(8)) for _ in range(4)]
        quoted = documents[0].split(". ")[0] + "."
        yield {
            "id": str(number),
            "question": sentence().rstrip(".") + "?",
            "response": f"{quoted} {sentence()} {sentence()}",
            "retrieved_documents": documents,
        }


def generated(folder: Path, count: int) -> Path:
    """Parquet files of so many rows; never all of them are in memory."""
    folder.mkdir(parents=True)
    every = rows(count)
    for number in range(FILES):
        left = count // FILES
        writer = None
        while left:
            part = [next(every) for _ in range(min(left, TOGETHER))]
            table = pa.Table.from_pylist(part)
            writer = writer or pq.ParquetWriter(folder / f"{number}.parquet", table.schema)
            writer.write_table(table)
            left -= len(part)
        if writer:
            writer.close()
    return folder


def batch(data: Path, output: Path, workers: int) -> dict[str, float]:
    command = [sys.executable, "-c", BATCH, str(data), str(output), str(workers)]
    with timed() as clock:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, seconds, megabytes = json.loads(done.stdout)
    return {
        "rows": count,
        "rows_a_second": round(count / seconds, 1),
        "seconds_with_start": round(clock.seconds, 1),
        "peak_mb_of_the_driver": megabytes,
    }


def measured(compared: int, growth: tuple[int, ...]) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = generated(folder / "compared", compared)
        one = batch(data, folder / "one", 1)
        two = batch(data, folder / "two", 2)
        grown = []
        for count in growth:
            own = generated(folder / str(count), count)
            grown.append(batch(own, folder / f"out{count}", os.cpu_count() or 1))
    return {
        "load": os.getloadavg()[0],
        "one_process": one,
        "two_processes": two,
        "times_as_fast": round(two["rows_a_second"] / one["rows_a_second"], 2),
        "growth": grown,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("growth", type=int, nargs="*", default=GROWTH)
    parser.add_argument("--rows", type=int, default=ROWS)
    chosen = parser.parse_args()
    print(json.dumps(measured(chosen.rows, tuple(chosen.growth))))
