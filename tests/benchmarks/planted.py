"""How many planted errors the heuristic finds, by its labels alone and with what is suspicious.

Of each of so many RAGBench rows one sentence that is supported by the published labels, alone as
the answer; where the heuristic calls it fully supported, one error of each kind is planted. False
alarms are of the untouched ones.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from pyarrow import parquet

from evaluators.datasets import ragbench
from evaluators.flaws.mismatches import mismatches
from evaluators.flaws.planting import PLANTED, Source, planted
from evaluators.records import Sample, Sentence, Sentences, Support
from evaluators.text.claimed import claimed
from evaluators.trace.labelling import sentences_of
from evaluators.trace_evaluator import TRACEEvaluator
from tests.benchmarks.common import check_data

MOST_OF_A_SUBSET = 150


class Found(NamedTuple):
    """What is said of a sentence: by the labels, and beside them."""

    is_supported: bool
    is_suspicious: bool
    carriers: tuple[str, ...]


def samples(folder: Path) -> Iterator[Sample]:
    for path in sorted((folder / "ragbench").rglob("validation*.parquet")):
        rows = parquet.read_table(path).to_pylist()
        yield from map(ragbench.sample, rows[:MOST_OF_A_SUBSET])


def supported(sample: Sample) -> list[str]:
    """The sentences of the answer that the published labels call supported by some sentence."""
    if sample.labels is None:
        return []
    supports = {item.key: item for item in sample.labels.sentence_support}
    sentences = sentences_of(sample).response
    claims = claimed([sentence.text for sentence in sentences])
    return [
        sentence.text
        for sentence, claim in zip(sentences, claims, strict=True)
        if not claim.why_nothing
        and (item := supports.get(sentence.key))
        and item.support is Support.FULL
        and item.supporting_keys
    ]


def read(sample: Sample, answer: str) -> Found:
    documents = sentences_of(sample).documents
    sentences = Sentences(documents=documents, response=(Sentence(key="a", text=answer),))
    labels = TRACEEvaluator().label(sentences, sample.question)
    (support,) = labels.sentence_support
    texts = {item.key: item.text for own in documents for item in own}
    return Found(
        support.support is Support.FULL,
        bool(mismatches(sentences, labels, sample.question)),
        tuple(texts[key] for key in support.supporting_keys),
    )


def main(folder: Path) -> dict[str, object]:
    rng, counts = Random(0), Counter[str]()
    others: list[str] = []
    for sample in samples(folder):
        if not (sentences := supported(sample)):
            continue
        text = rng.choice(sentences)
        found = read(sample, text)
        counts["rows"] += 1
        counts["alarms"] += not found.is_supported
        counts["alarms_with_suspicions"] += not found.is_supported or found.is_suspicious
        if found.is_supported and found.carriers:
            documents = "\n".join(sample.retrieved_documents)
            source = Source(text, " ".join(found.carriers), documents, others)
            for kind, changed in planted(source, rng):
                after = read(sample, changed)
                counts[kind.name] += 1
                counts[f"{kind.name} found"] += not after.is_supported
                counts[f"{kind.name} suspected"] += not after.is_supported or after.is_suspicious
        others.append(text)
    rows = counts["rows"]
    figures: dict[str, object] = {
        "rows": rows,
        "false_alarms": round(100 * counts["alarms"] / rows, 1),
        "with_suspicions": round(100 * counts["alarms_with_suspicions"] / rows, 1),
    }
    for name in PLANTED:
        figures[name] = {
            "planted": counts[name],
            "found": round(100 * counts[f"{name} found"] / counts[name], 1),
            "with_suspicions": round(100 * counts[f"{name} suspected"] / counts[name], 1),
        }
    return figures


if __name__ == "__main__":
    folder = check_data()
    print(json.dumps(main(folder) if folder else {"data": "not there"}))
