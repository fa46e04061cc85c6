"""Retrieval: 1,000 pages of text (3 MB) cut, indexed and asked 100 questions, by strategy; a PDF's
pages a second.

The text is made of the passages of the bundled test bed, each time with words of its own.
"""

import json
import random
from itertools import count, islice

from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed
from evaluators.records import Sample
from evaluators.retrieval.dataset import Settings, chunks, retrieve
from evaluators.retrieval.documents import Document, document
from tests.benchmarks.common import peak_megabytes, timed
from tests.retrieval import files

PAGES = 1_000
PAGE = 3_000
QUESTIONS = 100


def passages(bed: TestBed) -> list[str]:
    return [
        text for row in bed.rows for text in (*row.positive, *row.negative) if isinstance(text, str)
    ]


def page(texts: list[str], number: int) -> str:
    """A page of passages in an order of its own, with names that no other page has."""
    rng = random.Random(number)
    words = " ".join(rng.sample(texts, len(texts))).split()
    return " ".join(f"{word}{number}" if rng.random() < 0.02 else word for word in words)[:PAGE]


def measure() -> dict[str, object]:
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    texts = passages(bed)
    pages = [page(texts, number) for number in range(PAGES)]
    book = [
        Document(f"part {number}.txt", "\n".join(pages[number : number + 100]))
        for number in range(0, PAGES, 100)
    ]
    asked = (
        Sample(id=str(number), question=row.query)
        for number, row in zip(count(), bed.rows * QUESTIONS)
    )
    questions = list(islice(asked, QUESTIONS))
    found: dict[str, object] = {"megabytes": round(sum(map(len, pages)) / 2**20, 2)}
    for strategy in ("dense", "sentence"):
        settings = Settings(chunking_strategy=strategy)
        with timed() as clock:
            retrieve(book, questions, settings)
        found[strategy] = {
            "chunks": len(chunks(book, settings)),
            "seconds": round(clock.seconds, 2),
        }
    data = files.pdf(
        *(
            [line[:90] for line in islice(iter(pages[number].split(". ")), 40)]
            for number in range(100)
        )
    )
    with timed() as clock:
        document("book.pdf", data)
    return {
        **found,
        "pdf_pages_a_second": round(100 / clock.seconds),
        "peak_megabytes": peak_megabytes(),
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
