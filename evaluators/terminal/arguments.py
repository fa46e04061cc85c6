"""From options to the plan of a run: data, metrics with parameters, models, what they spend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluators.base import Evaluator
from evaluators.catalogue import catalogue
from evaluators.errors import ParameterError
from evaluators.llm import Keys
from evaluators.params import parameters
from evaluators.records import Cap, EvaluatorSpec
from evaluators.runs import inputs
from evaluators.runs.plan import RunPlan
from evaluators.runs.planning import planned
from evaluators.runs.run_options import SETTINGS
from evaluators.runs.store import Store
from evaluators.terminal.options import name_of_option
from evaluators.text.printable import printable


def plan_of_options(options: Mapping[str, Any], store: Store, keys: Keys) -> RunPlan:
    """The run that these options of `run` mean, by their names; those that are not given lack.

    Raises a `PlumblineError` with what to write instead.
    """
    columns = columns_of_fields(options.get("column", ()))
    if options.get("group"):
        columns["group"] = options["group"]
    settings: dict[str, Any] = {"columns": columns}
    settings["cap"] = Cap(calls=options.get("max_calls"), cost=options.get("max_cost"))
    for name, setting in SETTINGS.items():
        value = options.get(name_of_option(name, setting))
        if value not in (None, (), False):
            # A flag says the contrary of what is usual.
            settings[name] = not setting.usual if setting.kind is bool else value
    saved = store.metrics.by_key(inputs.WORKSPACE)
    return planned(
        options["data"],
        chosen_metrics(options["metric"], options.get("param", ()), saved),
        settings,
        keys=keys,
        store=store,
        title=options.get("title", ""),
    )


def columns_of_fields(texts: Iterable[str]) -> dict[str, str]:
    """The column of each field; an empty one says that the file has none."""
    columns: dict[str, str] = {}
    for text in texts:
        field, equals, column = text.partition("=")
        if not equals:
            raise ParameterError(
                f"--column {printable(text)[:60]} is not understood. Write FIELD=COLUMN, such as "
                "response=answer."
            )
        columns[field.strip()] = column.strip()
    return columns


# Metrics


def chosen_metrics(
    names: Sequence[str],
    params: Iterable[str] = (),
    saved: Mapping[str, EvaluatorSpec] | None = None,
) -> tuple[Evaluator, ...]:
    """The metrics of these names, with parameters such as `trace.chunk_size=300`.

    `saved` are metrics of the workspace by title. What stands before a parameter's name is the
    metric's name, or its number from 1.
    """
    specs = [inputs.spec_by_name(name, saved or {}) for name in names]
    changed: list[dict[str, Any]] = [{} for _ in names]
    for param in params:
        path, equals, value = param.partition("=")
        # From the right: a field has no dot, the name of a metric may.
        metric, _, field = path.strip().rpartition(".")
        if not equals or not field:
            raise ParameterError(
                f"--param {printable(param)[:60]} is not understood. Write FIELD=VALUE or "
                "NAME.FIELD=VALUE."
            )
        for number in _numbers_meant(metric, field, names):
            changed[number][field] = _parameter_value(names[number], field, value)
    meant = []
    for spec, own in zip(specs, changed, strict=True):
        meant.append(EvaluatorSpec(name=spec.name, params=spec.params | own))
    return inputs.evaluators(meant)


def _numbers_meant(metric: str, field: str, names: Sequence[str]) -> list[int]:
    """The numbers from 0 of the metrics that a parameter is for: the named one, or all with it."""
    if metric:
        numbers = []
        for number, name in enumerate(names):
            if metric in (name, str(number + 1)):
                numbers.append(number)
        if not numbers:
            raise ParameterError(
                f"--param names {printable(metric)[:60]}, which is not a metric here. "
                f"Chosen: {', '.join(names)}."
            )
        return numbers
    # Where none has it, the first metric refuses it and says what it knows.
    numbers = [n for n, name in enumerate(names) if field in _parameter_kinds(name)]
    numbers = numbers or [0]
    if len({names[number] for number in numbers}) > 1:
        raise ParameterError(
            f"Several metrics have a {field}. Write {names[numbers[0]]}.{field}=VALUE."
        )
    return numbers


def _parameter_value(metric: str, field: str, text: str) -> object:
    """The value as the metric wants it; text that should be a number the metric itself refuses."""
    if _parameter_kinds(metric).get(field) == "choices":
        return [part.strip() for part in text.split(",")]
    return text


def _parameter_kinds(metric: str) -> dict[str, str]:
    cls = catalogue().get(metric)
    if cls is None:
        return {}
    return {parameter.name: parameter.kind for parameter in parameters(cls)}
