"""The engine: creates runs, starts and stops them, and lets any page find the ones at work."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from evaluators.base import Evaluator, from_spec
from evaluators.config import config
from evaluators.errors import HostLimitError, ParameterError
from evaluators.llm import Keys, catalogue
from evaluators.prompts import check
from evaluators.runs.job import Job, Progress
from evaluators.runs.store import Store
from evaluators.types import Cap, Dataset, EvaluatorSpec, ModelSpec, Run

MOST_JUDGES = 5
JURIES = ("gpt_labeling", "hybrid")
"""Evaluators of which several judges are a jury; another that asks an LLM has one judge."""


def create_run(
    store: Store,
    dataset: Dataset,
    evaluator: EvaluatorSpec,
    *,
    workspace: str,
    title: str,
    models: Sequence[ModelSpec] = (),
    prompt: str = "",
    judges: Sequence[ModelSpec] = (),
    seed: int | None = None,
    cap: Cap | None = None,
    use_cache: bool = True,
) -> Run:
    """Stores a new run and its samples; raises before anything is stored where it could not be run."""
    usable = from_spec(evaluator)
    usable.check_ready()
    _check_judges(usable, judges)
    if models:
        check(prompt)
    run = Run(
        id=secrets.token_urlsafe(16),
        workspace=workspace,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        title=title,
        dataset_name=dataset.name,
        fingerprint=dataset.fingerprint,
        evaluator=usable.spec(),
        models=tuple(models),
        prompt=prompt,
        judges=tuple(judges),
        seed=seed,
        cap=cap or Cap(),
        use_cache=use_cache,
    )
    _check_host(run, dataset, store)
    check_cap(run, run.cap)
    store.save_run(run, dataset)
    return run


def check_cap(run: Run, cap: Cap) -> None:
    """Raises `ParameterError` where a cap in dollars could not hold because a price is unknown."""
    for spec in (*run.models, *run.judges):
        model = catalogue.find(spec.id)
        if cap.cost is not None and (model is None or model.price_in is None):
            name = catalogue.title(spec)
            raise ParameterError(f"The price of {name} is unknown, so a cap in dollars cannot hold. Cap the calls.")


class RunRegistry:
    """The jobs of this process by run id; any page that knows the id can attach."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, run: Run, store: Store, keys: Keys | None = None) -> Job:
        """Starts or resumes a run; a run that is live already goes on as it is.

        Raises `AccessError` where a model has no key, `HostLimitError` where a public host is full.
        """
        with self._lock:
            job = self._jobs.get(run.id)
            if job is None or not job.is_live:
                self._jobs = {key: each for key, each in self._jobs.items() if each.is_live}
                self._check_room(run)
                job = self._jobs[run.id] = Job(run, store, keys)
                job.start()
            return job

    def is_live(self, run_id: str) -> bool:
        job = self._jobs.get(run_id)
        return job is not None and job.is_live

    def watch(self, run_id: str) -> None:
        """Somebody looks at the run; on a public host one that nobody looks at is paused."""
        job = self._jobs.get(run_id)
        if job:
            job.last_seen = time.monotonic()

    def progress(self, run_id: str) -> Progress | None:
        """How fast the run is, while it is live."""
        job = self._jobs.get(run_id)
        return job.progress() if job and job.is_live else None

    def live(self, workspace: str) -> list[Run]:
        """The workspace's runs that are at work."""
        jobs = list(self._jobs.values())
        return [job.run for job in jobs if job.run.workspace == workspace and job.is_live]

    def cancel(self, run_id: str) -> None:
        """Stops the run and waits for its threads, so that nothing is written afterwards."""
        job = self._jobs.get(run_id)
        if job:
            job.cancel()
            job.wait()

    def _check_room(self, run: Run) -> None:
        settings = config()
        if not settings.public:
            return
        live = [job for job in self._jobs.values() if job.is_live]
        if sum(job.run.workspace == run.workspace for job in live) >= settings.runs_per_visitor:
            raise HostLimitError(
                "Another run of yours is at work, and this host allows a visitor "
                f"{settings.runs_per_visitor} at a time. This one is kept: resume it when the other is done."
            )
        if len(live) >= settings.runs_in_all:
            raise HostLimitError(
                f"This host is busy: {len(live)} at work is its most. This run is kept: resume it in a few minutes."
            )


registry = RunRegistry()


def _check_judges(evaluator: Evaluator, judges: Sequence[ModelSpec]) -> None:
    """Raises `ParameterError` where the evaluator takes no judge, not so many, or cannot do without one."""
    asks_nobody = evaluator.name == "trace" or "llm_client" not in type(evaluator).model_fields
    most = 0 if asks_nobody else MOST_JUDGES if evaluator.name in JURIES else 1
    if len(judges) > most:
        allowed = f"takes {most} at most" if most else "asks none"
        raise ParameterError(f"{len(judges)} judges are chosen; {evaluator.title} {allowed}. Remove some.")
    if len(set(judges)) < len(judges):
        raise ParameterError("The same judge is chosen twice; its second vote would be a copy. Remove one.")
    never_doubts = getattr(evaluator, "doubt_from", 0) > 1
    if evaluator.name in JURIES and not judges and not never_doubts:
        raise ParameterError(f"{evaluator.title} labels with an LLM, and no judge is chosen. Choose one.")


def _check_host(run: Run, dataset: Dataset, store: Store) -> None:
    """Raises `HostLimitError` where a public host takes no run of this size, or no more runs of this visitor."""
    settings = config()
    if not settings.public:
        return
    cells = len(dataset.samples) * max(1, len(run.models))
    if cells > settings.cells_per_run:
        raise HostLimitError(
            f"This run has {cells:,} samples to score; this host allows {settings.cells_per_run:,}. "
            "Choose fewer samples, noise levels or models, or run Plumbline on your own machine."
        )
    if len(store.runs(run.workspace, settings.runs_kept_per_visitor)) == settings.runs_kept_per_visitor:
        raise HostLimitError(
            f"This host keeps {settings.runs_kept_per_visitor} runs for each visitor. Delete one on the Runs page."
        )
