"""RAGBench's published adherence, and what the heuristic and published judges say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evaluators.datasets import ragbench
from evaluators.trace.metrics import trace_scores
from evaluators.trace_evaluator import TRACEEvaluator
from tests.people.simulation import Held, held_by_both, repetition

PUBLISHED = {
    "GPT-3.5": "gpt3_adherence",
    "RAGAS": "ragas_faithfulness",
    "TruLens": "trulens_groundedness",
}
"""Judges whose values stand in the data, by their columns; part of the rows have none."""
YES_FROM = 0.5
"""Where a judge gives a share, from here on it is taken as a yes."""


def rows(folder: Path) -> Iterator[Mapping[str, Any]]:
    import pyarrow.parquet as pq

    for path in sorted(folder.rglob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=50):
            yield from batch.to_pylist()


def verdicts(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[tuple[bool, bool]]]:
    """By judge, for each row that it judged: the published adherence, and the judge's."""
    heuristic = TRACEEvaluator()
    pairs: dict[str, list[tuple[bool, bool]]] = {"heuristic": []}
    for row in rows:
        sample = ragbench.sample(row)
        assert sample.sentences
        labels = heuristic.label(sample.sentences, sample.question)
        estimated = trace_scores(sample.sentences, labels, "ragbench").adherence
        pairs["heuristic"].append((row["adherence_score"], estimated == 1))
        for judge, column in PUBLISHED.items():
            if row.get(column) is not None:
                said_yes = row[column] >= YES_FROM
                pairs.setdefault(judge, []).append((row["adherence_score"], said_yes))
    return pairs


def held(pairs: list[tuple[bool, bool]], seeds: int) -> tuple[Held, Held]:
    """How often 50 labels, with the judge and alone, hold the published mean, over so many draws."""
    truths, said_yes = np.array(pairs, dtype=bool).T
    estimates = [repetition(truths, said_yes, np.random.default_rng(seed)) for seed in range(seeds)]
    return held_by_both(estimates, float(truths.mean()))
