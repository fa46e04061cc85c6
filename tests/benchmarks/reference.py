"""Reference metrics without an LLM: answer pairs a second by rule, and rows of retriever recall a second.

Long pairs are two responses of RAGBench validation rows (of the bundled samples without that data), short ones a
sentence and an answer; gold contexts are the sentences that the published labels call relevant. Median of the rounds.
"""

import json
import statistics
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import get_args

from evaluators.answer_match import AnswerMatchAcc, Match
from evaluators.datasets import ragbench
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.retriever_recall import RetrieverRecall
from evaluators.text.sentences import cut
from evaluators.types import Dataset, Sample
from tests.benchmarks.common import check_data, timed

ROUNDS = 7
ROWS = 1_000
SHORT = [("The answer is Paris.", "Paris"), ("Barack Obama", "barack obama"), ("in 1912, the year", "1912")] * 2_000


def samples() -> Iterator[Sample]:
    folder = check_data()
    if folder is None:
        dataset = bundled()[TRACE_SAMPLES]
        assert isinstance(dataset, Dataset)
        yield from dataset.samples * 50
        return
    import pyarrow.parquet as pq

    for path in sorted((folder / "ragbench").rglob("validation*.parquet")):
        batch = next(pq.ParquetFile(path).iter_batches(batch_size=100))
        yield from map(ragbench.sample, batch.to_pylist())


def gold(sample: Sample) -> list[str]:
    """The relevant sentences of the sample, or its question, which is in no document, where there is none."""
    sentences = sample.sentences or cut(sample.response or "", sample.retrieved_documents)
    relevant = set(sample.labels.relevant_keys if sample.labels else ())
    return [s.text for document in sentences.documents for s in document if s.key in relevant] or [sample.question]


def per_second(compute: Callable[[], object], count: int) -> int:
    rounds = []
    for _ in range(ROUNDS):
        with timed() as clock:
            compute()
        rounds.append(clock.seconds)
    return round(count / statistics.median(rounds))


def pairs_per_second(match: Match, pairs: list[tuple[str, str]]) -> int:
    evaluator, predicted, true = AnswerMatchAcc(type=match), [said for said, _ in pairs], [true for _, true in pairs]
    return per_second(lambda: evaluator.compute(predicted, true), len(pairs))


def rows_per_second(rows: list[Sample]) -> dict[str, int]:
    """By the documented door, and all four values by the engine's."""
    evaluator = RetrieverRecall()
    retrieved, golds = [row.retrieved_documents for row in rows], [gold(row) for row in rows]
    given = [row.model_copy(update={"gold_documents": tuple(texts)}) for row, texts in zip(rows, golds, strict=True)]
    return {
        "compute": per_second(lambda: evaluator.compute(retrieved, golds), len(rows)),
        "score": per_second(lambda: [evaluator.score(row) for row in given], len(rows)),
    }


if __name__ == "__main__":
    rows = list(islice(samples(), ROWS))
    responses = [row.response or "" for row in rows]
    long = list(pairwise(responses))
    print(
        json.dumps(
            {
                "data": "RAGBench validation" if check_data() else TRACE_SAMPLES,
                "pairs_per_second": {
                    match: {"long": pairs_per_second(match, long), "short": pairs_per_second(match, SHORT)}
                    for match in get_args(Match)
                },
                "long_characters": round(statistics.mean(map(len, responses))),
                "recall_rows_per_second": rows_per_second(rows),
            }
        )
    )
