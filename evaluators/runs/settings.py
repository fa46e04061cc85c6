"""The settings of a run in words, so that two runs can be laid side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluators.catalogue import catalogue
from evaluators.llm.catalogue import model_title
from evaluators.llm.money import dollars
from evaluators.params import parameters
from evaluators.records import Cap, EvaluatorSpec, ModelSpec, Record, Run, prompt_hash
from evaluators.runs.plan import RunPlan
from evaluators.text.language import mark

OF_TEST_BEDS = {
    "abilities": mark("abilities"),
    "noise_levels": mark("noise levels"),
    "passages": mark("passages"),
    "fill_up": mark("filled up"),
    "group": mark("group"),
}
"""How samples were made from a test bed, by the names of the run's origin."""


class Change(Record):
    """A setting that differs; "none" where one of the two has none."""

    setting: str
    first: str
    second: str


def settings(
    of: Run | RunPlan,
    data: str,
    count: int | None,
    specs: Sequence[EvaluatorSpec],
) -> dict[str, str]:
    """What a run, or one that is planned, is set to, by the name of the setting.

    `data` names the data set, `count` is how many samples were drawn from it, `None` for all.
    """
    words = {
        mark("data set"): data,
        mark("samples"): str(count or mark("all")),
        mark("seed"): str(of.seed or 0),
        mark("repeats"): str(of.repeats),
    }
    for kind, llms in ((mark("models"), of.models), (mark("judges"), of.judges)):
        if llms:
            words[kind] = ", ".join(map(model_title, llms))
    words[mark("metrics")] = ", ".join(spec.name for spec in specs)
    for spec in specs:
        for parameter, value in spec.params.items():
            words[f"{_parameter_title(spec, parameter)} ({spec.name})"] = _setting_in_words(value)
    if of.prompt:
        words[mark("prompt")] = prompt_hash(of.prompt)
    if of.cap != Cap():
        words[mark("budget")] = (
            f"{of.cap.calls} calls" if of.cap.calls else dollars(of.cap.cost or 0)
        )
    return words


def settings_of(run: Run) -> dict[str, str]:
    """What a run was set to, with how models were asked and samples made from a test bed."""
    words = settings(run, run.dataset_name, run.origin.get("sample"), run.evaluators)
    options = map(_options, (*run.models, *run.judges))
    asked_with = ", ".join(dict.fromkeys(filter(None, options)))
    words[mark("asked with")] = asked_with or mark("the usual options")
    for name, title in OF_TEST_BEDS.items():
        if value := run.origin.get(name):
            words[title] = _setting_in_words(value)
    return words


def differing(first: dict[str, str], second: dict[str, str]) -> list[Change]:
    """What differs between two runs' settings, in their order."""
    return [
        Change(
            setting=name,
            first=first.get(name, "none"),
            second=second.get(name, "none"),
        )
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name)
    ]


def _options(spec: ModelSpec) -> str:
    """What differs from how models are usually asked; empty where nothing does."""
    options = []
    if spec.temperature:
        options.append(f"temperature {spec.temperature:g}")
    if spec.effort:
        options.append(f"effort {spec.effort}")
    return " and ".join(options)


def _parameter_title(spec: EvaluatorSpec, name: str) -> str:
    """What forms call the parameter; its name where the metric or the parameter is gone."""
    cls = catalogue().get(spec.name)
    titles = {parameter.name: parameter.title for parameter in (parameters(cls) if cls else ())}
    return titles.get(name, name.replace("_", " ")).lower()


def _setting_in_words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
