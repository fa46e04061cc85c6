"""The same run once more: its own samples, metrics, models, prompt and seed, asked anew."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from evaluators.catalogue import from_spec
from evaluators.errors import UnreadableRowError
from evaluators.records import Dataset, Run, Sample
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store

OWN = ("title", "use_cache", "again_of", "overnight")
"""What a run that is done again has for itself."""


def plan_again(store: Store, run: Run, *, use_cache: bool = False) -> RunPlan:
    """The plan of the same run, over the samples that are stored with it.

    Without `use_cache` every model is asked anew: from stored answers a run would be the same
    whatever its models say today. Raises a `PlumblineError` where a metric is gone, or a sample
    cannot be read.
    """
    shared = {field.name for field in fields(RunPlan)} & set(Run.model_fields)
    settings: dict[str, Any] = {}
    for name in shared.difference(OWN, ("evaluators",)):
        settings[name] = getattr(run, name)
    return RunPlan(
        _dataset_of_run(store, run),
        [from_spec(spec) for spec in run.evaluators],
        **settings,
        use_cache=use_cache,
        again_of=run.id,
    )


def _dataset_of_run(store: Store, run: Run) -> Dataset:
    count = store.samples.number_of(run.id)
    samples: list[Sample] = []
    for sample in store.samples.get_many(run.fingerprint, range(count)).values():
        # Without one of its samples it would be another run.
        if isinstance(sample, UnreadableRowError):
            raise sample
        samples.append(sample)
    return Dataset(name=run.dataset_name, samples=tuple(samples), origin=run.origin)
