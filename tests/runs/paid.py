"""Runs that pay for calls: a data set, keys for the loopback provider, and a run in a process that
can be killed.

`python paid.py <folder> <base url> <provider>` works on the run in the folder's store and prints each cell
once it is stored.
"""

import os
import subprocess
import sys
from pathlib import Path

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
)
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.runs import slow

ROOT = Path(__file__).parents[2]
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


def keys(base_url: str, key: str = "sk-loopback", to: str = "openai") -> dict[str, Access]:
    return {to: Access(provider=to, base_url=base_url, key=SecretStr(key))}


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
    labeller: str = "gpt_labeling",
    **options: object,
) -> Run:
    spec = EvaluatorSpec(name=labeller)
    return create_run(
        store,
        RunPlan(data, inputs.evaluators(spec), title="labelled", judges=judges, **options),
        workspace=workspace,
    )


def killed(
    store: Store, run: Run, base_url: str, workers: int, after: int, to: str = "openai"
) -> None:
    """Another process works on the run, and is killed once so many of its results are stored; what
    it acknowledged has survived.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLUMBLINE_WORKERS": str(workers)}
    command = [sys.executable, __file__, store.path.parent, base_url, to]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout
        lines = [child.stdout.readline() for _ in range(after)]
        child.kill()
        lines += child.communicate()[0].splitlines()
    scored = {row.position for row in store.results.outlines(run) if row.status == "scored"}
    assert {int(line.split()[0]) for line in lines} <= scored


if __name__ == "__main__":
    store = Store(Path(sys.argv[1]) / "runs.sqlite3")
    store.writer = slow.AcknowledgingWriter(store.database)
    (run,) = store.runs.newest("w")
    job = Job(run, store, keys(sys.argv[2], to=sys.argv[3]))
    job.start()
    job.wait()
