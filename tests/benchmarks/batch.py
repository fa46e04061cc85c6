"""A batch of generated long rows: rows a second of processes and of Ray, growth, peak memory, limits.

`--part local`, `ray`, `growth` or `limit` measures that alone (repeatable). `--rows` is how many
rows the engines are compared by. `python -m tests.benchmarks.batch --part growth 2000 20000` takes
other numbers of rows for the growth; 1,000,000 of them take some 20 minutes. It is told with and
without the processes' start, which few rows share. The heuristic judges; a row holds some 1,500
characters. `limit` asks a provider on this computer that grants 600 requests a minute, through two
workers of Ray, in a bit over two minutes.
"""

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evaluators import evaluate_batch_files
from tests import judge
from tests.attack.memory import Memory
from tests.benchmarks.common import timed
from tests.loopback import Loopback, ServerLimits

PARTS = ("local", "ray", "growth", "limit")
ROWS = 100_000
GROWTH = (10_000, 1_000_000)
TOGETHER = 5_000
FILES = 4
WORDS = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("an", "el", "ir", "om", "us")]

# In a process of its own, so that its memory is that of the batch alone.
BATCH = """
import json, sys, time
from evaluators import evaluate_batch_files
started = time.perf_counter()
found = evaluate_batch_files(
    sys.argv[1], sys.argv[2], "trace", workers=int(sys.argv[3]), engine=sys.argv[4], progress=False
)
assert found.is_complete and found.summary()["adherence"].failed == 0, found.failures
print(json.dumps([found.rows, time.perf_counter() - started]))
"""


def rows(count: int) -> Iterator[dict[str, object]]:
    """Rows as long as those of RAGBench: four documents of eight sentences, an answer of three."""
    words = random.Random(0)

    for number in range(count):
        # All words of a row at once, as a million rows are to be made in minutes.
        drawn = words.choices(WORDS, k=10 * 35)
        tens = [" ".join(drawn[at : at + 10]) for at in range(0, len(drawn), 10)]
        asked, *said = (ten.capitalize() for ten in tens)
        sentences = [f"{ten}." for ten in said]
        documents = [" ".join(sentences[at : at + 8]) for at in range(0, 32, 8)]
        yield {
            "id": str(number),
            "question": f"{asked}?",
            # The first is quoted, and two are made up.
            "response": " ".join([sentences[0], *sentences[32:]]),
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


def batch(data: Path, output: Path, workers: int, engine: str = "local") -> dict[str, float]:
    command = [sys.executable, "-c", BATCH, str(data), str(output), str(workers), engine]
    worked = processor_seconds()
    with timed() as clock:
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        memory = Memory(process)
        told, _ = process.communicate()
    assert process.returncode == 0
    count, seconds = json.loads(told)
    return {
        "rows": count,
        "rows_a_second": round(count / seconds, 1),
        "processor_ms_a_row": round((processor_seconds() - worked) / count * 1000, 3),
        "seconds_with_start": round(clock.seconds, 1),
        "peak_mb_of_all_processes": memory.stop(),
    }


def processor_seconds() -> float:
    """What the processes took that this one started, and theirs; not those of Ray, which are nobody's."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def limited(folder: Path) -> dict[str, float]:
    """What two workers of Ray make of 600 requests a minute: a full bucket, and two minutes more."""
    granted = ServerLimits(600, 10**8, tells_requests=True)
    count = 3 * granted.requests
    lines = []
    for number in range(count):
        answer = {"answer": f"It is {number} m tall.", "documents": ["The tower is 330 m tall."]}
        lines.append(json.dumps({"question": "How tall is the tower?", **answer}))
    (folder / "limited.jsonl").write_text("\n".join(lines))
    with Loopback(answer=judge.labels_for, limits=granted, latency=0.2) as server:
        os.environ |= {
            "OPENAI_API_KEY": "sk-loopback-of-a-benchmark",
            "OPENAI_BASE_URL": server.base_url,
        }
        found = evaluate_batch_files(
            folder / "limited.jsonl",
            folder / "limited",
            "gpt_labeling",
            judge="openai/gpt-6-luna",
            columns={"response": "answer", "retrieved_documents": "documents"},
            engine="ray",
            workers=2,
            progress=False,
        )
    assert found.is_complete, found.stopped
    seconds = server.asked[-1].at - server.asked[0].at
    permitted = (count - granted.requests) / granted.requests * granted.minute
    return {
        "rows": found.rows,
        "refused": server.refused,
        "seconds": round(seconds, 1),
        "of_permitted": round(permitted / seconds, 3),
    }


def compared(folder: Path, count: int, parts: Collection[str]) -> dict[str, object]:
    """The same rows by one process, by two, and by two workers of Ray."""
    data = generated(folder / "compared", count)
    figures: dict[str, object] = {}
    if "local" in parts:
        one = batch(data, folder / "one", 1)
        two = batch(data, folder / "two", 2)
        times = round(two["rows_a_second"] / one["rows_a_second"], 2)
        figures |= {"one_process": one, "two_processes": two, "times_as_fast": times}
    if "ray" in parts:
        figures["two_workers_of_ray"] = batch(data, folder / "ray", 2, "ray")
    return figures


def grown(folder: Path, counts: Iterable[int]) -> Iterator[dict[str, float]]:
    """What more and more rows take, with and without what a batch of one row a file takes."""
    start = 0.0
    for count in (FILES, *counts):
        data = generated(folder / str(count), count)
        figures = batch(data, folder / f"out{count}", os.cpu_count() or 1)
        seconds = figures["processor_ms_a_row"] * count / 1000
        if count == FILES:
            start = seconds
            yield {"rows": count, "processor_seconds_of_the_start": round(start, 2)}
        else:
            past = round((seconds - start) / count * 1000, 3)
            yield {**figures, "processor_ms_a_row_past_the_start": past}
        # A million rows are 2 GB.
        shutil.rmtree(data)


def measured(
    parts: Collection[str], count: int, growth: Iterable[int]
) -> Iterator[tuple[str, object]]:
    yield "load", os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PLUMBLINE_DATA_DIR"] = name
        if {"local", "ray"} & set(parts):
            yield from compared(folder, count, parts).items()
        if "growth" in parts:
            yield "growth", list(grown(folder, growth))
        if "limit" in parts:
            yield "limit_of_600_a_minute", limited(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("growth", type=int, nargs="*", default=GROWTH)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--part", choices=PARTS, action="append")
    chosen = parser.parse_args()
    print(json.dumps(dict(measured(chosen.part or PARTS, chosen.rows, chosen.growth))))
