"""What the benchmarks share: the clock, the memory, the data they run on."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.llm.offline_reader import OfflineReader
from evaluators.prompts import fill, load
from evaluators.records import Dataset, Sample


class Clock:
    seconds = 0.0


@contextmanager
def timed() -> Iterator[Clock]:
    clock, started = Clock(), time.perf_counter()
    yield clock
    clock.seconds = time.perf_counter() - started


def peak_megabytes() -> float:
    """The most memory this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)


def answered(count: int) -> Dataset:
    """So many RGB samples, answered by the offline reader (the bundled bed's, over and over)."""
    bed, reader, prompt = bundled()[ENGLISH_BED], OfflineReader(), load("rgb_en")
    assert isinstance(bed, TestBed)
    samples = [
        sample.model_copy(
            update={
                "response": reader.complete(
                    fill(prompt, sample.question, sample.retrieved_documents)
                ).text
            }
        )
        for sample in compose(bed, bed.abilities).samples
    ]
    return Dataset(name=f"{count:,} answers", samples=tuple(_numbered(samples, count)))


def _numbered(samples: list[Sample], count: int) -> Iterator[Sample]:
    for number, sample in enumerate(islice(cycle(samples), count)):
        yield sample.model_copy(update={"id": f"{sample.id}-{number}"})


def check_data() -> Path | None:
    folder = os.environ.get("PLUMBLINE_CHECK_DATA")
    return Path(folder) if folder else None
