"""Runs with values that tests write down."""

from __future__ import annotations

from evaluators.api.evaluation import Results
from evaluators.records import (
    Dataset,
    EvaluatorSpec,
    ModelSpec,
    Run,
    Sample,
    SampleResult,
    Score,
)
from evaluators.runs.store import Store

CREATED = "2026-11-22T09:00:00+00:00"
MODELS = tuple(ModelSpec(provider="groq", model=name) for name in ("small", "large"))


def dataset(questions, name="made"):
    samples = (
        Sample(id=f"s{number}", question=question, response="Yes.")
        for number, question in enumerate(questions)
    )
    return Dataset(name=name, samples=tuple(samples))


def run_over(data, *metrics, **facts):
    """A run of these metrics over the data that is not stored yet."""
    usual = {"id": "r", "workspace": "local", "created": CREATED, "title": "By hand"}
    return Run(
        dataset_name=data.name,
        fingerprint=data.fingerprint,
        evaluators=tuple(EvaluatorSpec(name=name) for name in metrics),
        **usual | facts,
    )


def results(
    store: Store,
    title,
    questions,
    *values,
    metric="answer_match",
    models=(),
    repeats=1,
    data_name="made",
    **facts,
):
    """A run over these questions, with a list of values for each model; "failed" is a failure.

    Of a question the values of all repeats stand one after the other. A data set may stand for the
    questions, and a mapping of several values by name for one.
    """
    is_made = not isinstance(questions, Dataset)
    data = dataset(questions, data_name).repeated(repeats) if is_made else questions
    facts |= {"id": title.replace(" ", "-"), "title": title, "models": models, "repeats": repeats}
    run = run_over(data, metric, **facts)
    rows = [
        _result(position, model, metric, value)
        for model, own in enumerate(values)
        for position, value in enumerate(own)
    ]
    store.runs.put(run, data.samples, rows)
    return Results(run, store)


def _result(position, model, metric, value):
    if value == "failed":
        return SampleResult(position=position, model=model, status="failed", error="-")
    values = value if isinstance(value, dict) else {metric: value}
    score = Score(values=values, reason="" if value is not None else "No true answer.")
    return SampleResult(position=position, model=model, status="scored", score=score)
