"""Runs that are stored by hand, so that a test knows every number in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluators.records import Dataset, EvaluatorSpec, Run, SampleResult, Score
from evaluators.runs.store import Store


def run_over(data: Dataset, *metrics: str | EvaluatorSpec, **facts: Any) -> Run:
    """A run over the data that is stored nowhere yet, called as they are."""
    specs = [EvaluatorSpec(name=each) if isinstance(each, str) else each for each in metrics]
    usual = {
        "id": "hand",
        "workspace": "local",
        "created": "2026-11-20T09:00:00+00:00",
        "title": data.name,
        "dataset_name": data.name,
        "fingerprint": data.fingerprint,
        "evaluators": tuple(specs),
    }
    return Run(**usual | facts)


def stored_run(
    store: Store,
    data: Dataset,
    *metrics: str | EvaluatorSpec,
    scores: Iterable[Score] = (),
    **facts: Any,
) -> Run:
    """A run over the data, with these scores of its first samples."""
    run = run_over(data, *metrics, **facts)
    store.runs.save(run, data)
    for position, score in enumerate(scores):
        save_score(store, run.id, score, position=position)
    return run


def save_score(store: Store, run_id: str, score: Score, **facts: Any) -> None:
    """The result of one cell: its position, and what else is to be known of it."""
    store.results.save(run_id, SampleResult(status="scored", score=score, **facts))
