"""From options to the plan of a run: data, metrics with parameters, models, what they spend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from evaluators.base import Evaluator
from evaluators.catalogue import catalogue
from evaluators.datasets.rgb import (
    BY_ROW,
    NOISE_LEVELS,
    PASSAGES,
    TestBed,
    all_with_ability,
    compose,
)
from evaluators.datasets.sampling import sampled
from evaluators.errors import DatasetError, ParameterError, PromptError
from evaluators.llm import Keys
from evaluators.llm.connect import JUDGE_TOKENS
from evaluators.params import parameters
from evaluators.prompts import check
from evaluators.records import Ability, Cap, Dataset, EvaluatorSpec, Record
from evaluators.runs import inputs
from evaluators.runs.plan import MOST_REPEATS, RunPlan, check_asked
from evaluators.runs.store import Store
from evaluators.text.printable import printable

OF_A_BED = ("noise", "passages", "fill_up")
"""Options that say how prompts are composed from a test bed."""


class Options(Record):
    """The options of `run` and `estimate`; `None` and () leave a thing to its default."""

    data: str
    column: tuple[str, ...] = ()
    group: str = ""
    table: str = ""
    encoding: str = ""
    skip_broken: bool = False
    metric: tuple[str, ...]
    param: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    prompt: Path | None = None
    temperature: float = Field(0.0, ge=0, le=2)
    answer_tokens: int | None = Field(None, ge=16)
    ability: tuple[Ability | Literal["by_row"], ...] = ()
    noise: tuple[float, ...] = ()
    passages: int | None = None
    fill_up: bool = False
    seed: int | None = None
    sample: int | None = None
    max_calls: int | None = Field(None, ge=1)
    max_cost: float | None = Field(None, gt=0)
    no_cache: bool = False
    overnight: bool = False
    definition: str | None = None
    repeats: int = Field(1, ge=1, le=MOST_REPEATS)
    title: str = ""


def planned(options: Options, store: Store, keys: Keys) -> RunPlan:
    """The run that these options mean; raises a `PlumblineError` with what to write instead."""
    dataset = samples(_data_of_options(options, store), options)
    saved = store.metrics.by_title(inputs.WORKSPACE)
    evaluators = inputs.counted_by(
        chosen_metrics(options.metric, options.param, saved), options.definition
    )
    # Before the models: who names a judge in vain need not look for its key first.
    check_asked(evaluators, options.judge)
    models = inputs.models(
        options.model,
        keys,
        temperature=options.temperature,
        answer_tokens=options.answer_tokens or inputs.ANSWER_TOKENS,
    )
    judges = inputs.models(
        options.judge,
        keys,
        temperature=options.temperature,
        answer_tokens=options.answer_tokens or JUDGE_TOKENS,
    )
    plan = RunPlan(
        dataset,
        evaluators,
        models=models,
        judges=judges,
        seed=dataset.origin.get("seed"),
        cap=Cap(calls=options.max_calls, cost=options.max_cost),
        use_cache=not options.no_cache,
        title=options.title,
        repeats=options.repeats,
        overnight=options.overnight,
    )
    # Which prompt fits is seen in the data: broken ones are refused first, in their own words.
    plan.check_data()
    plan = replace(plan, prompt=_prompt_for_models(options, dataset))
    plan.check()
    return plan


# Data


def _data_of_options(options: Options, store: Store) -> Dataset | TestBed:
    columns = columns_of_fields(options.column)
    if options.group:
        columns["group"] = options.group
    return inputs.load_data(
        options.data,
        store=store,
        columns=columns,
        table=options.table,
        encoding=options.encoding,
        skip_broken=options.skip_broken,
    )


def samples(data: Dataset | TestBed, options: Options) -> Dataset:
    """The samples to judge, composed where they are a test bed.

    Of a file they are a random part where one is wanted, for another ability if one is given.
    """
    if isinstance(data, TestBed):
        return _composed_from(data, options)
    # Refused, not passed over: whoever types a noise level believes that it was reached.
    for name in OF_A_BED:
        if getattr(options, name) not in (None, (), False):
            raise ParameterError(
                f"--{name.replace('_', '-')} is for RGB questions, from which prompts are "
                f"composed. {printable(data.name)} holds samples. Leave it out."
            )
    if len(options.ability) > 1:
        raise ParameterError(
            f"{printable(data.name)} holds samples; they are judged for one --ability. Give one."
        )
    if options.ability:
        data = all_with_ability(data, options.ability[0])
    return sampled(data, options.sample, options.seed or 0)


def _composed_from(bed: TestBed, options: Options) -> Dataset:
    if BY_ROW in options.ability:
        raise ParameterError(
            f"--ability {BY_ROW} is for recorded answers, which a row says what they test. "
            f"{printable(bed.name)} holds RGB questions. It tests: {', '.join(bed.abilities)}."
        )
    wanted = options.ability or bed.abilities
    for ability in wanted:
        if ability not in bed.abilities:
            known = ", ".join(bed.abilities)
            raise ParameterError(
                f"{printable(bed.name)} does not test {ability}. It tests: {known}."
            )
    dataset = compose(
        bed,
        # In one order, however they were typed, so that equal runs have equal samples.
        tuple(ability for ability in Ability if ability in wanted),
        tuple(sorted(options.noise)) or NOISE_LEVELS,
        options.passages or PASSAGES,
        options.seed or 0,
        options.sample,
        options.fill_up,
    )
    if not dataset.samples:
        raise DatasetError(f"{printable(bed.name)} gives no sample. Ask for another ability.")
    return dataset


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


def _prompt_for_models(options: Options, dataset: Dataset) -> str:
    if options.prompt is None:
        return inputs.prompt_for(dataset) if options.model else ""
    if not options.model:
        raise ParameterError(
            "--prompt is for a model that answers, and none is named. Name one with --model."
        )
    try:
        text = options.prompt.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise PromptError(
            f"{printable(str(options.prompt))} cannot be read ({kind}). Give a text file."
        ) from error
    check(text)
    return text


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
