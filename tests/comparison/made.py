"""Runs with values that tests write down."""

from __future__ import annotations

from pathlib import Path

from evaluators.api.results import Results
from evaluators.records import (
    Dataset,
    ModelSpec,
    Sample,
    SampleResult,
    Score,
)
from evaluators.runs.store import Store
from tests.stored import run_over

MODELS = tuple(ModelSpec(provider="groq", model=name) for name in ("small", "large"))


def dataset(questions, name="made"):
    samples = (
        Sample(id=f"s{number}", question=question, response="Yes.")
        for number, question in enumerate(questions)
    )
    return Dataset(name=name, samples=tuple(samples))


def results(
    store: Store,
    title,
    questions,
    *values,
    metric="answer_match",
    models=(),
    repeats=1,
    data_name="made",
    created="2026-11-22T09:00:00+00:00",
    **facts,
):
    """A run over these questions, with a list of values for each model; "failed" is a failure.

    Of a question the values of all repeats stand one after the other. A data set may stand for the
    questions, and a mapping of several values by name for one.
    """
    is_made = not isinstance(questions, Dataset)
    data = dataset(questions, data_name).repeated(repeats) if is_made else questions
    facts |= {"id": title.replace(" ", "-"), "title": title, "created": created}
    run = run_over(data, metric, models=models, repeats=repeats, **facts)
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


def two_versions(folder: Path) -> Path:
    """A file with the answers of two prompt versions to eight questions: all of v2's are right."""
    rows = [
        f"What is {n} plus {n}?,{2 * n if version == 'v2' else 'No idea'},{2 * n},{version}"
        for version in ("v1", "v2")
        for n in range(8)
    ]
    file = folder / "two.csv"
    file.write_text("\n".join(["question,response,ground_truth,prompt_version", *rows]))
    return file
