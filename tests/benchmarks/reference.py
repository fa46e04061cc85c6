"""Reference metrics without an LLM: items a second, side by side with AdalFlow where it can be had.

Long pairs are two responses of RAGBench validation rows (of the bundled samples without that data),
short ones a sentence and an answer; gold contexts are the sentences that the published labels call
relevant. Both sides take turns on the same items: rates are medians of the rounds, a ratio is the
median of the rounds' ratios. AdalFlow gets an environment of its own, made for the occasion where
pip reaches an index; ADALFLOW_PYTHON names one that is there.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, get_args

from evaluators.answer_match import AnswerMatchAcc, Match
from evaluators.context_recall import LexicalContextRecall
from evaluators.datasets import ragbench
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset, Sample
from evaluators.retriever_recall import RetrieverRecall
from evaluators.text.sentences import cut
from tests.benchmarks.common import check_data, timed

ADALFLOW = "adalflow[openai]==1.1.3"
CHILD = Path(__file__).with_name("adalflow_child.py")
ROUNDS = 7
ROWS = 1_000
SHORT = [
    ("The answer is Paris.", "Paris"),
    ("Barack Obama", "barack obama"),
    ("in 1912, the year", "1912"),
] * 2_000

Timed = tuple[float, Any]
Columns = list[list[Any]]


class Unavailable(Exception):  # noqa: N818 (no error: the comparison is left out)
    """AdalFlow cannot be had here."""


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
    """The relevant sentences of the sample, or its question, which is in no document, where there
    is none.
    """
    sentences = sample.sentences or cut(sample.response or "", sample.retrieved_documents)
    relevant = set(sample.labels.relevant_keys if sample.labels else ())
    return [s.text for document in sentences.documents for s in document if s.key in relevant] or [
        sample.question
    ]


@contextmanager
def adalflow() -> Iterator[Callable[[dict[str, Any]], Timed]]:
    """AdalFlow in a process of its own: a function that takes a task and gives its seconds and its
    items.

    Raises `Unavailable` where its package is not there and cannot be fetched.
    """
    with TemporaryDirectory() as folder, TemporaryFile("w+") as complaints:
        python = os.environ.get("ADALFLOW_PYTHON") or installed(Path(folder))
        with subprocess.Popen(
            [python, CHILD], stdin=PIPE, stdout=PIPE, stderr=complaints, text=True
        ) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            if not child.stdout.readline():
                complaints.seek(0)
                raise Unavailable(
                    f"{ADALFLOW} does not run: {complaints.read().strip().splitlines()[-1]}"
                )

            def run(task: dict[str, Any]) -> Timed:
                print(json.dumps(task), file=child.stdin, flush=True)
                answer = json.loads(child.stdout.readline())
                return answer["seconds"], answer["found"]

            yield run


def installed(folder: Path) -> str:
    """The Python of a new environment that holds AdalFlow."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    quiet = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"]
    done = subprocess.run(
        [python, "-m", "pip", "install", *quiet, ADALFLOW], capture_output=True, text=True
    )
    if done.returncode:
        raise Unavailable(
            f"pip could not install {ADALFLOW}: {done.stderr.strip().splitlines()[-1]}"
        )
    return str(python)


def ours(compute: Callable[..., Any], columns: Columns) -> Timed:
    with timed() as clock:
        found = compute(*columns)
    return clock.seconds, found.per_item_scores


def rounds(
    mine: Callable[[], Timed], theirs: Callable[[], Timed] | None, count: int
) -> dict[str, Any]:
    """Items a second on either side and how many times faster ours is, the two taking turns."""
    turns = [(mine(), theirs() if theirs else None) for _ in range(ROUNDS)]
    speeds = {"plumbline": round(count / statistics.median(my[0] for my, _ in turns))}
    known = [(my, their) for my, their in turns if their]
    if not known:
        return speeds
    return {
        **speeds,
        "adalflow": round(count / statistics.median(their[0] for _, their in known)),
        "times_as_fast": round(statistics.median(their[0] / my[0] for my, their in known), 2),
        "same_results": all(my[1] == their[1] for my, their in known),
    }


def side_by_side(
    opponent: Callable[[dict[str, Any]], Timed] | None, rows: list[Sample]
) -> dict[str, Any]:
    """Answer match by rule and length; retriever recall, which AdalFlow decides by equal texts, not
    by containment.
    """

    def turn(compute: Callable[..., Any], columns: Columns, **task: str) -> dict[str, Any]:
        theirs = (lambda: opponent({"columns": columns, **task})) if opponent else None
        return rounds(lambda: ours(compute, columns), theirs, len(columns[0]))

    pairs = {"long": list(pairwise(row.response or "" for row in rows)), "short": SHORT}
    columns = {
        length: [list(side) for side in zip(*found, strict=True)] for length, found in pairs.items()
    }
    contexts = [
        [list(row.retrieved_documents) or [""] for row in rows],
        [gold(row) for row in rows],
    ]
    match = {
        kind: {
            length: turn(AnswerMatchAcc(type=kind).compute, given, type=kind)
            for length, given in columns.items()
        }
        for kind in get_args(Match)
    }
    recall = turn(RetrieverRecall().compute, contexts)
    return {
        "answer_match": match,
        "retriever_recall": {**recall, "same_results": "not asked: another rule"},
    }


def compared(rows: list[Sample]) -> dict[str, Any]:
    try:
        with adalflow() as opponent:
            return {"compared_with": ADALFLOW, **side_by_side(opponent, rows)}
    except Unavailable as why:
        return {"compared_with": f"nothing. {why}", **side_by_side(None, rows)}


def lexical_milliseconds(rows: list[Sample]) -> dict[str, float]:
    """Context recall by shared words of rows never seen before; the response stands for the ground
    truth.
    """
    evaluator, times = LexicalContextRecall(), []
    evaluator.evaluate("", "Warm.", "Nltk is loaded now.")
    for row in rows:
        with timed() as clock:
            evaluator.evaluate(
                row.question, row.retrieved_documents, row.ground_truth or row.response or ""
            )
        times.append(1000 * clock.seconds)
    return {
        "median": round(statistics.median(times), 3),
        "p95": round(statistics.quantiles(times, n=20)[-1], 3),
    }


def scored_a_second(rows: list[Sample]) -> int:
    """All four values of retriever recall, as a run asks for them."""
    evaluator = RetrieverRecall()
    given = [row.model_copy(update={"gold_documents": tuple(gold(row))}) for row in rows]
    with timed() as clock:
        for row in given:
            evaluator.score(row)
    return round(len(given) / clock.seconds)


if __name__ == "__main__":
    rows = list(islice(samples(), ROWS))
    print(
        json.dumps(
            {
                "data": "RAGBench validation" if check_data() else TRACE_SAMPLES,
                "long_characters": round(statistics.mean(len(row.response or "") for row in rows)),
                "lexical_context_recall_ms": lexical_milliseconds(rows),
                "retriever_recall_scored_a_second": scored_a_second(rows),
                "items_per_second": compared(rows),
            }
        )
    )
