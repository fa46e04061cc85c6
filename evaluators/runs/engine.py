"""The engine: creates runs, starts and stops them, and lets any page find the ones at work."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from evaluators.base import JURIES, Evaluator, from_spec, most_judges
from evaluators.config import config
from evaluators.errors import HostLimitError, ParameterError
from evaluators.llm import Keys, catalogue
from evaluators.llm.estimate import unpriced
from evaluators.prompts import check
from evaluators.runs.given import check_judged, check_samples
from evaluators.runs.job import Job, Progress
from evaluators.runs.lock import RunLock
from evaluators.runs.store import Store
from evaluators.types import Cap, Dataset, EvaluatorSpec, ModelSpec, Run

WITH_A_PAGE = ("rgb", "trace", *JURIES)
"""Evaluators with a page of their own, which shows the run: at most one of them is in it, and it is the first."""


def create_run(
    store: Store,
    dataset: Dataset,
    evaluators: EvaluatorSpec | Sequence[EvaluatorSpec],
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
    """Stores a new run of one or several evaluators over the samples, the one with a page of its own first.

    Raises `PlumblineError` before anything is stored where it could not be run.
    """
    usable = _usable([evaluators] if isinstance(evaluators, EvaluatorSpec) else evaluators)
    _check_judges(usable, judges)
    check_samples(dataset, usable, models, ("response",))
    if models:
        check(prompt)
    run = Run(
        id=secrets.token_hex(16),
        workspace=workspace,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        title=title,
        dataset_name=dataset.name,
        fingerprint=dataset.fingerprint,
        evaluators=tuple(evaluator.spec() for evaluator in usable),
        origin=dataset.origin,
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
            raise ParameterError(unpriced([catalogue.title(spec)]))


class RunRegistry:
    """The jobs of this process by run id; any page that knows the id can attach."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, run: Run, store: Store, keys: Keys | None = None) -> Job:
        """Starts or resumes a run; a run that is live already goes on as it is.

        Raises `AccessError` where a model has no key, `HostLimitError` where a public host is full,
        `RunElsewhereError` where another process works on the run.
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

    def is_at_work(self, run_id: str, store: Store) -> bool:
        """Whether this process or another one (a terminal, a notebook) works on the run."""
        return self.is_live(run_id) or RunLock(store.locks, run_id).is_held

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


def _usable(specs: Sequence[EvaluatorSpec]) -> list[Evaluator]:
    """The evaluators in the order of the run; raises `ParameterError` where they cannot be in one run."""
    if not specs:
        raise ParameterError("No metric is chosen. Choose one.")
    found = sorted(map(from_spec, specs), key=lambda evaluator: evaluator.name not in WITH_A_PAGE)
    leading = [evaluator.title for evaluator in found if evaluator.name in WITH_A_PAGE]
    if len(leading) > 1:
        raise ParameterError(f"{' and '.join(leading)} cannot be in one run. Start a run for each.")
    for number, evaluator in enumerate(found):
        if evaluator in found[:number]:
            raise ParameterError(f"{evaluator.title} is chosen twice with the same parameters. Remove one.")
        evaluator.check_ready()
    return found


def _check_judges(evaluators: Sequence[Evaluator], judges: Sequence[ModelSpec]) -> None:
    """Raises `ParameterError` where the evaluators take no judge, not so many, or cannot do without one."""
    check_judged(evaluators, judges)
    most = max(most_judges(type(evaluator)) for evaluator in evaluators)
    if len(judges) > most:
        titles = " with ".join(evaluator.title for evaluator in evaluators)
        raise ParameterError(f"{len(judges)} judges are chosen; {titles} takes {most} at most. Remove some.")
    if len(set(judges)) < len(judges):
        raise ParameterError("The same judge is chosen twice; its second vote would be a copy. Remove one.")
    first = evaluators[0]
    never_doubts = getattr(first, "doubt_from", 0) > 1
    if first.name in JURIES and not judges and not never_doubts:
        raise ParameterError(f"{first.title} labels with an LLM, and no judge is chosen. Choose one.")


def _check_host(run: Run, dataset: Dataset, store: Store) -> None:
    """Raises `HostLimitError` where a public host takes no run of this size, or no more runs of this visitor."""
    settings = config()
    if not settings.public:
        return
    cells = len(dataset.samples) * max(1, len(run.models)) * len(run.evaluators)
    if cells > settings.cells_per_run:
        raise HostLimitError(
            f"This run has {cells:,} samples to score; this host allows {settings.cells_per_run:,}. "
            "Choose fewer samples, noise levels, models or metrics, or run Plumbline on your own machine."
        )
    if len(store.runs(run.workspace, settings.runs_kept_per_visitor)) == settings.runs_kept_per_visitor:
        raise HostLimitError(
            f"This host keeps {settings.runs_kept_per_visitor} runs for each visitor. Delete one on the Runs page."
        )
