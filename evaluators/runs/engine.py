"""The engine: worker threads score what a run still lacks; every result is stored the moment it exists."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from evaluators.base import Evaluator, from_spec
from evaluators.errors import PlumblineError
from evaluators.llm import LLMClient
from evaluators.llm.catalogue import client
from evaluators.prompts import check, fill
from evaluators.runs.store import Store
from evaluators.text.normalise import without_surrogates
from evaluators.types import Completion, Dataset, EvaluatorSpec, GeneratorSpec, Run, Sample, SampleResult

WORKERS = 2
log = logging.getLogger(__name__)


def create_run(
    store: Store,
    dataset: Dataset,
    evaluator: EvaluatorSpec,
    *,
    workspace: str,
    title: str,
    generator: GeneratorSpec | None = None,
    seed: int | None = None,
) -> Run:
    """Stores a new run and its samples; raises before anything is stored where evaluator or prompt is unusable."""
    usable = from_spec(evaluator)
    usable.check_ready()
    if generator:
        check(generator.prompt)
    run = Run(
        id=secrets.token_urlsafe(16),
        workspace=workspace,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        title=title,
        dataset_name=dataset.name,
        fingerprint=dataset.fingerprint,
        evaluator=usable.spec(),
        generator=generator,
        seed=seed,
    )
    store.save_run(run, dataset)
    return run


def evaluate(sample: Sample, position: int, evaluator: Evaluator, generator: GeneratorSpec | None) -> SampleResult:
    """The result for one sample; the one place where an exception becomes a failed result."""
    started = time.perf_counter()
    completion: Completion | None = None
    try:
        if sample.response is None and generator:
            completion = _answer(sample, generator, client(generator.model))
            sample = sample.model_copy(update={"response": completion.text})
        score = evaluator.score(sample)
        score.model_dump_json()  # what cannot be stored fails this sample, not the run
        outcome = {"status": "scored", "score": score}
    except Exception as error:
        outcome = {"status": "failed", "error": _message(error)}
    if completion:
        outcome |= {"response": completion.text, "usage": completion.usage}
    return SampleResult(position=position, seconds=time.perf_counter() - started, **outcome)


class Job:
    """One run at work: threads take the open samples in turn until none is left or somebody cancels."""

    def __init__(self, run: Run, store: Store, workers: int = WORKERS) -> None:
        self.run = run
        self.error = ""
        self._store = store
        self._evaluator = from_spec(run.evaluator)
        self._positions = iter(store.open_positions(run))
        self._turn = threading.Lock()
        self._cancelled = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True, name="plumbline") for _ in range(workers)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def cancel(self) -> None:
        """Stops after the samples at hand; what is done stays."""
        self._cancelled.set()

    @property
    def is_live(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float | None = None) -> None:
        for thread in self._threads:
            thread.join(seconds)

    def _work(self) -> None:
        try:
            for position in self._taken():
                sample = self._store.sample(self.run.fingerprint, position)
                result = evaluate(sample, position, self._evaluator, self.run.generator)
                self._store.save_result(self.run.id, result)
        except PlumblineError as error:
            self.error = str(error)
            self.cancel()

    def _taken(self) -> Iterator[int]:
        while not self._cancelled.is_set():
            with self._turn:
                position = next(self._positions, None)
            if position is None:
                return
            yield position


class RunRegistry:
    """The jobs of this process by run id; any page or visitor who knows the id can attach."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, run: Run, store: Store) -> Job:
        """Starts or resumes a run; a run that is live already goes on as it is."""
        with self._lock:
            job = self._jobs.get(run.id)
            if job is None or not job.is_live:
                job = self._jobs[run.id] = Job(run, store)
                job.start()
            return job

    def is_live(self, run_id: str) -> bool:
        job = self._jobs.get(run_id)
        return job is not None and job.is_live

    def error(self, run_id: str) -> str:
        """Why the run stopped by itself, or an empty text."""
        job = self._jobs.get(run_id)
        return job.error if job else ""

    def cancel(self, run_id: str) -> None:
        """Stops the run and waits for the samples at hand, so that nothing is written afterwards."""
        job = self._jobs.get(run_id)
        if job:
            job.cancel()
            job.wait()


registry = RunRegistry()


def _answer(sample: Sample, generator: GeneratorSpec, llm: LLMClient) -> Completion:
    completion = llm.complete(fill(generator.prompt, sample.question, sample.retrieved_documents))
    return completion.model_copy(update={"text": without_surrogates(completion.text)})


def _message(error: Exception) -> str:
    """Our own errors speak for themselves; of any other only the kind is told, its text may hold anything."""
    if isinstance(error, PlumblineError):
        return str(error)
    log.error("A sample failed with %s", type(error).__name__)
    return f"Unexpected {type(error).__name__}. Try again with “Retry failed”; if it stays, report it."
