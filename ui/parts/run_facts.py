"""The models and metrics of a run on the screen: their names, and how they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from evaluators.catalogue import from_spec
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import OFFLINE, title
from evaluators.records import Cap, EvaluatorSpec, ModelSpec, Run
from evaluators.runs import aggregate
from evaluators.runs.store import Outline
from ui.parts import origin
from ui.parts.spending import money
from ui.parts.words import counted


def titles(run: Run) -> list[str]:
    """A name for each model of the run, no two alike."""
    return _apart([title(spec) for spec in run.models])


def rows(run: Run, outlines: Sequence[Outline]) -> dict[str, Sequence[Outline]]:
    """The rows of each model under its name;
    all rows under an empty one where answers were given.
    """
    return {
        name: aggregate.of_model(outlines, number) for number, name in enumerate(titles(run))
    } or {"": outlines}


def judge_titles(run: Run) -> list[str]:
    """A name for each judge of the run, no two alike."""
    return _apart([title(spec) for spec in run.judges])


def metric_titles(run: Run) -> list[str]:
    """A name for each metric of the run, no two alike."""
    return _apart([metric_title(spec) for spec in run.evaluators])


def metric_title(spec: EvaluatorSpec) -> str:
    """The metric's title; of one that is gone, what it was called."""
    with suppress(ParameterError):
        return from_spec(spec).title
    return spec.name


def facts(run: Run) -> list[str]:
    """Where the data are from, who was asked and how, what it might cost: a part of what it takes
    to run it again.
    """
    asked = [_asked(name, spec) for name, spec in zip(titles(run), run.models, strict=True)]
    models = [f"Model{'s' if len(asked) > 1 else ''}: {', '.join(asked)}"] if asked else []
    judges = [_asked(name, spec) for name, spec in zip(judge_titles(run), run.judges, strict=True)]
    jury = [f"{'Jury' if len(judges) > 1 else 'Judge'}: {', '.join(judges)}"] if judges else []
    return [*filter(None, [origin.words(run.origin)]), *models, *jury, *_cap(run.cap), *_cache(run)]


def _cache(run: Run) -> list[str]:
    return [] if run.use_cache else ["Stored answers not used"]


def _apart(names: list[str]) -> list[str]:
    return [
        f"{name} ({number})" if names.count(name) > 1 else name
        for number, name in enumerate(names, start=1)
    ]


def _asked(name: str, spec: ModelSpec) -> str:
    if spec.provider == OFFLINE.provider:
        return name
    options = [
        "temperature left to the model"
        if spec.temperature is None
        else f"temperature {spec.temperature:g}",
        *([f"effort {spec.effort}"] if spec.effort else []),
        f"up to {spec.answer_tokens:,} answer tokens",
    ]
    return f"{name} ({', '.join(options)})"


def _cap(cap: Cap) -> list[str]:
    limits = [counted(cap.calls, "call")] if cap.calls else []
    limits += [money(cap.cost)] if cap.cost else []
    return [f"Cap: {', '.join(limits)}"] if limits else []
