"""Runs that pay for calls: a data set, keys for the loopback provider, and a run in a process that
can be killed.

`python paid.py <folder> <base url>` works on the run in the folder's store and prints each cell
once it is stored.
"""

import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from evaluators.llm import Access
from evaluators.records import (
    Ability,
    Dataset,
    EvaluatorSpec,
    ModelSpec,
    RGBTask,
    Run,
    Sample,
    SampleResult,
)
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from evaluators.runs.store.writer import Writer

PROMPT = "$documents\n$question"
LUNA = ModelSpec(provider="openai", model="gpt-6-luna", temperature=None, answer_tokens=200)
SOL = LUNA.model_copy(update={"model": "gpt-6-sol"})
TASK = RGBTask(ability=Ability.NOISE, noise=0.2, effective_noise=0.2)


def dataset(number: int, name: str = "people") -> Dataset:
    """Questions that the loopback provider answers rightly."""
    return Dataset(
        name=name,
        samples=tuple(
            Sample(
                id=f"p{n}",
                question=f"Who is number {n}?\nSay: Number {n} is Mina Osei.",
                retrieved_documents=(f"Number {n} is Mina Osei. " * 20,),
                ground_truth="Mina Osei",
                rgb=TASK,
            )
            for n in range(number)
        ),
    )


def answered(number: int, name: str = "bridges") -> Dataset:
    """Answers to be labelled: the first sentence stands in a document, the second in none."""
    return Dataset(
        name=name,
        samples=tuple(
            Sample(
                id=f"b{n}",
                question=f"Who designed bridge {n}?",
                response=f"Mina Osei designed bridge {n}. Every visitor admires the golden lamps.",
                retrieved_documents=(
                    f"Mina Osei designed bridge {n}. It opened in May.",
                    "Ferries left from the pier.",
                ),
            )
            for n in range(number)
        ),
    )


def keys(base_url: str, key: str = "sk-loopback") -> dict[str, Access]:
    return {"openai": Access(provider="openai", base_url=base_url, key=SecretStr(key))}


def paid_run(
    store: Store,
    data: Dataset,
    models: tuple[ModelSpec, ...] = (LUNA,),
    workspace: str = "w",
    **options: object,
) -> Run:
    spec = EvaluatorSpec(name="rgb")
    return create_run(
        store,
        RunPlan(
            data, inputs.evaluators(spec), title="paid", models=models, prompt=PROMPT, **options
        ),
        workspace=workspace,
    )


def labelled_run(
    store: Store,
    data: Dataset,
    judges: tuple[ModelSpec, ...],
    workspace: str = "w",
    **options: object,
) -> Run:
    spec = EvaluatorSpec(name="gpt_labeling")
    return create_run(
        store,
        RunPlan(data, inputs.evaluators(spec), title="labelled", judges=judges, **options),
        workspace=workspace,
    )


class AcknowledgingWriter(Writer):
    """Prints the position of each result once it is stored."""

    def put_result(self, run_id: str, result: SampleResult, *more: Any) -> Future[None]:
        stored = super().put_result(run_id, result, *more)
        line = f"{result.position}\n"
        # One write: threads must not mix their lines.
        stored.add_done_callback(lambda _: sys.stdout.write(line))
        stored.add_done_callback(lambda _: sys.stdout.flush())
        return stored


if __name__ == "__main__":
    store = Store(Path(sys.argv[1]) / "runs.sqlite3")
    store.writer = AcknowledgingWriter(store.database)
    (run,) = store.runs.newest("w")
    job = Job(run, store, keys(sys.argv[2]))
    job.start()
    job.wait()
