"""Evaluators that wait or fail, and a run in a process of its own that can be killed.

`python slow.py <folder> <metrics> <gate>` prints each cell (position and metric) once it is stored.
"""

import sys
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from pydantic import Field

from evaluators.base import Evaluator, evaluator
from evaluators.errors import MissingInputError
from evaluators.records import Dataset, EvaluatorSpec, Run, Sample, SampleResult, Score
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from evaluators.runs.store.writer import Writer

SAMPLES = 60
FREE = 5
"""So many samples of a run pass its gate before that is open."""


@evaluator("test_slow", title="Slow")
class Slow(Evaluator):
    """Writes the sample's id to a file, waits, and scores 1.0."""

    log: str
    seconds: float = Field(0.01, ge=0)
    gate: str = ""
    """A file that all samples but the first `FREE` wait for, where one is named."""

    def score(self, sample: Sample) -> Score:
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.write(f"{sample.id}\n")
        time.sleep(self.seconds)
        while self.gate and int(sample.id[1:]) >= FREE and not Path(self.gate).exists():
            time.sleep(0.01)
        return Score(values={"done": 1.0})


@evaluator("test_fragile", title="Fragile")
class Fragile(Evaluator):
    """Does what the question says, as long as the file is there."""

    trouble: str

    def score(self, sample: Sample) -> Score:
        if Path(self.trouble).exists():
            if sample.question == "our error":
                raise MissingInputError("The answer is missing. Add it.")
            if sample.question == "foreign error":
                raise ValueError("sk-secret-key in the text")
            if sample.question == "unstorable score":
                return Score(values={"done": 1.0}, details={"what": object()})
            if sample.question == "half a character":
                raise MissingInputError("The \ud800 is missing.")
            if sample.question == "large score":
                return Score(values={"done": 1.0}, details={"what": "x" * 200_000})
            if sample.question == "another record":
                return sample
            if sample.question == "way out":
                sys.exit("sk-secret-key in the text")
        return Score(values={"done": 1.0})


class AcknowledgingWriter(Writer):
    """Prints the cell of each result once it is stored."""

    def put_result(self, run_id: str, result: SampleResult, *more: Any) -> Future[None]:
        stored = super().put_result(run_id, result, *more)
        line = f"{result.position} {result.metric}\n"
        # One write: threads must not mix their lines.
        stored.add_done_callback(lambda _: sys.stdout.write(line))
        stored.add_done_callback(lambda _: sys.stdout.flush())
        return stored


def dataset(*questions: str, name: str = "questions") -> Dataset:
    return Dataset(
        name=name,
        samples=tuple(
            Sample(id=f"s{number}", question=text) for number, text in enumerate(questions)
        ),
    )


def slow_run(store: Store, folder: Path, metrics: int = 1, gate: Path | None = None) -> Run:
    """A run of so many slow metrics, whose logs are called log.txt, log1.txt and so on.

    With a gate it is not over before that file is there, however slow the machine is.
    """
    logs = [str(folder / f"log{number or ''}.txt") for number in range(metrics)]
    opens = str(gate or "")
    specs = [EvaluatorSpec(name="test_slow", params={"log": log, "gate": opens}) for log in logs]
    return create_run(
        store,
        RunPlan(dataset(*["wait"] * SAMPLES), inputs.evaluators(specs), title="slow"),
        workspace="w",
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    store = Store(folder / "runs.sqlite3")
    store.writer = AcknowledgingWriter(store.database)
    job = Job(slow_run(store, folder, int(sys.argv[2]), Path(sys.argv[3])), store)
    job.start()
    job.wait()
