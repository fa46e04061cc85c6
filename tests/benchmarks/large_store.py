"""What screens and files of a run of 100,000 rows take: seconds of the processor, at the server.

`runs` is the list of runs, `page` what a page of results reads, `order` the same by another column,
`first_switch` and `switch` to another definition of TRACE (the first time, and again), `export` the
table of all values. Each is done by a new view of the run, as for a visitor who has just come.
`python -m tests.benchmarks.large_store 20000` takes another number of rows.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from evaluators.answer_match import AnswerMatchAcc
from evaluators.base import Evaluator
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.exports import formats
from evaluators.records import Dataset, Run, Sample, SampleResult
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs import overview
from evaluators.runs.aggregate import View
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Selection, Store, ValueName
from evaluators.runs.store.results import insert_results, result_row
from evaluators.trace_evaluator import TRACEEvaluator
from tests.benchmarks.common import answered, peak_megabytes

ROWS = 100_000
SHOWN = 20
TOGETHER = 1_000


def trace_samples(count: int) -> Dataset:
    dataset = bundled()[TRACE_SAMPLES]
    assert isinstance(dataset, Dataset)
    samples = []
    for number in range(count):
        sample = dataset.samples[number % len(dataset.samples)]
        samples.append(sample.model_copy(update={"id": f"{sample.id}-{number}"}))
    return Dataset(name=f"{count:,} samples", samples=tuple(samples))


def finished_run(store: Store, evaluator: Evaluator, dataset: Dataset) -> Run:
    """A run that holds what the metric says of the first samples, over and over."""
    run = create_run(store, RunPlan(dataset, [evaluator]), workspace="local")
    scores = [evaluator.score(sample) for sample in islice(dataset.samples, 200)]
    results = (
        SampleResult(position=position, status="scored", score=scores[position % len(scores)])
        for position in range(len(dataset.samples))
    )
    while some := list(islice(results, TOGETHER)):
        with store.results._database.transaction() as db:
            insert_results(db, [result_row(run.id, result) for result in some])
    RunView.read(store, run).prepare(lambda: True)
    overview.summary(RunView.read(store, run))
    return run


def page(store: Store, run: Run, view: View = WHAT_COUNTS, order: str = "") -> None:
    """What a page of results asks for."""
    shown = RunView.read(store, run)
    shown.columns(), shown.remarks(), shown.by_group(0, view)
    shown.figures(view=view)
    selection = Selection(order=ValueName(0, order) if order else None)
    answers = shown.answers(selection, view)[:SHOWN]
    assert len(shown.page(answers, view)) == SHOWN


def export(store: Store, run: Run) -> None:
    assert formats()["csv"].whole(RunView.read(store, run))


def seconds(step: Callable[[], object]) -> float:
    started = time.process_time()
    step()
    return round(time.process_time() - started, 2)


def measured(evaluator: Evaluator, dataset: Dataset) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "plumbline.sqlite3")
        run = finished_run(store, evaluator, dataset)
        name = next(iter(RunView.read(store, run).figures().means))
        steps: dict[str, Callable[[], object]] = {
            "runs": lambda: overview.kept_summaries(store, "local"),
            "page": lambda: page(store, run),
            "order": lambda: page(store, run, order=name),
            "export": lambda: export(store, run),
        }
        if isinstance(evaluator, TRACEEvaluator):
            steps["first_switch"] = lambda: page(store, run, View("ragbench"))
            steps["switch"] = lambda: page(store, run, View("ragbench"))
        figures = {step: seconds(work) for step, work in steps.items()}
        store.close()
    return figures


def answers(count: int) -> Dataset:
    sample = Sample(id="", question="When was the mill built?", response="It was built in 1812.")
    samples = [
        sample.model_copy(update={"id": str(number), "ground_truth": "1812"})
        for number in range(count)
    ]
    return Dataset(name=f"{count:,} answers", samples=tuple(samples))


if __name__ == "__main__":
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    figures = {
        "rows": rows,
        "answer_match": measured(AnswerMatchAcc(), answers(rows)),
        "rgb": measured(RGBEvaluator(), answered(rows)),
        "trace": measured(TRACEEvaluator(), trace_samples(rows)),
        "peak_mb": peak_megabytes(),
    }
    print(json.dumps(figures))
