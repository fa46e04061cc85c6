"""From options to a run: the data, the metrics with their parameters, the models, and what all of
them may spend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from evaluators.catalogue import catalogue, from_spec
from evaluators.datasets.rgb import NOISE_LEVELS, PASSAGES, TestBed, all_with_ability, compose
from evaluators.errors import DatasetError, ParameterError, PromptError
from evaluators.llm import Keys
from evaluators.llm.connect import JUDGE_TOKENS
from evaluators.params import parameters
from evaluators.prompts import check
from evaluators.records import Ability, Cap, Dataset, EvaluatorSpec, ModelSpec, Record, Run
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.store import Store
from evaluators.text.printable import printable

OF_A_BED = ("noise", "passages", "seed")
"""Options that say how prompts are composed from a test bed."""


class Options(Record):
    """What `run` and `estimate` are told, by the names of their options; `None` and () leave it to
    the default.
    """

    data: str
    metric: tuple[str, ...]
    column: tuple[str, ...] = ()
    skip_broken: bool = False
    param: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    prompt: Path | None = None
    temperature: float = Field(0.0, ge=0, le=2)
    answer_tokens: int | None = Field(None, ge=16)
    ability: tuple[Ability, ...] = ()
    noise: tuple[float, ...] = ()
    passages: int | None = None
    seed: int | None = None
    limit: int | None = None
    max_calls: int | None = Field(None, ge=1)
    max_cost: float | None = Field(None, gt=0)
    no_cache: bool = False
    title: str = ""


class Asked(Record):
    """What is to be run, found and checked; nothing of it is stored yet."""

    dataset: Dataset
    evaluators: tuple[EvaluatorSpec, ...]
    models: tuple[ModelSpec, ...]
    judges: tuple[ModelSpec, ...]
    prompt: str
    title: str
    cap: Cap
    use_cache: bool

    def create(self, store: Store) -> Run:
        """Stores the run."""
        return create_run(
            store,
            self.dataset,
            self.evaluators,
            workspace=inputs.WORKSPACE,
            title=self.title,
            models=self.models,
            prompt=self.prompt,
            judges=self.judges,
            seed=self.dataset.origin.get("seed"),
            cap=self.cap,
            use_cache=self.use_cache,
        )


def asked(options: Options, store: Store, keys: Keys) -> Asked:
    """What these options mean; raises a `PlumblineError` that says what to write instead."""
    data = inputs.load_data(
        options.data,
        store=store,
        columns=_columns(options.column),
        skip_broken=options.skip_broken,
    )
    dataset = samples(data, options)
    evaluators = specs(options.metric, options.param, store.metrics.by_title(inputs.WORKSPACE))
    inputs.check_judged(map(from_spec, evaluators), options.judge)
    heat, most = options.temperature, options.answer_tokens
    models = inputs.models(
        options.model, keys, temperature=heat, answer_tokens=most or inputs.ANSWER_TOKENS
    )
    judges = inputs.models(
        options.judge, keys, temperature=heat, answer_tokens=most or JUDGE_TOKENS
    )
    inputs.check_usable(dataset, evaluators, models, judges)
    return Asked(
        dataset=dataset,
        evaluators=evaluators,
        models=models,
        judges=judges,
        prompt=_prompt(options, dataset),
        title=options.title or dataset.name,
        cap=Cap(calls=options.max_calls, cost=options.max_cost),
        use_cache=not options.no_cache,
    )


# Data


def _columns(texts: Iterable[str]) -> dict[str, str]:
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


def samples(found: Dataset | TestBed, options: Options) -> Dataset:
    """The samples to judge: composed from a test bed, or the first of the file, for another ability
    if one is given.
    """
    if isinstance(found, TestBed):
        return _composed(found, options)
    if wrong := [name for name in OF_A_BED if getattr(options, name) not in (None, ())]:
        raise ParameterError(
            f"--{wrong[0]} composes prompts from a test bed. {printable(found.name)} "
            "holds samples. Leave it out."
        )
    if len(options.ability) > 1:
        raise ParameterError(
            f"{printable(found.name)} holds samples; they are judged for one --ability. Give one."
        )
    for ability in options.ability:
        found = all_with_ability(found, ability)
    return _first(found, options.limit) if options.limit else found


def _first(data: Dataset, limit: int) -> Dataset:
    return data.model_copy(
        update={"samples": data.samples[:limit], "origin": {**data.origin, "limit": limit}}
    )


def _composed(bed: TestBed, options: Options) -> Dataset:
    abilities = tuple(
        ability for ability in Ability if ability in (options.ability or bed.abilities)
    )
    if unknown := [ability for ability in abilities if ability not in bed.abilities]:
        known = ", ".join(bed.abilities)
        raise ParameterError(
            f"{printable(bed.name)} does not test {unknown[0]}. It tests: {known}."
        )
    dataset = compose(
        bed,
        abilities,
        tuple(sorted(options.noise)) or NOISE_LEVELS,
        options.passages or PASSAGES,
        options.seed or 0,
        options.limit,
    )
    if not dataset.samples:
        raise DatasetError(f"{printable(bed.name)} gives no sample. Ask for another ability.")
    return dataset


def _prompt(options: Options, dataset: Dataset) -> str:
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


def specs(
    metrics: Sequence[str],
    params: Iterable[str] = (),
    saved: Mapping[str, EvaluatorSpec] | None = None,
) -> tuple[EvaluatorSpec, ...]:
    """The metrics by name, with parameters such as `trace.chunk_size=300`; see `_meant` for what
    stands before it.

    `saved` are metrics of the workspace by title.
    """
    chosen = [inputs.named(name, saved or {}) for name in metrics]
    found: list[dict[str, Any]] = [{} for _ in metrics]
    for param in params:
        name, equals, value = param.partition("=")
        address, _, field = name.strip().rpartition(".")
        if not equals or not field:
            raise ParameterError(
                f"--param {printable(param)[:60]} is not understood. Write FIELD=VALUE or "
                "NAME.FIELD=VALUE."
            )
        for number in _meant(address, field, metrics):
            found[number][field] = _value(metrics[number], field, value)
    return inputs.specs(
        [
            EvaluatorSpec(name=spec.name, params=spec.params | own)
            for spec, own in zip(chosen, found, strict=True)
        ]
    )


def _meant(address: str, field: str, metrics: Sequence[str]) -> list[int]:
    """The numbers from 0 of the metrics that are meant: by name, by number from 1, or all that have
    the field.
    """
    if not address:
        numbers = [number for number, name in enumerate(metrics) if field in _kinds(name)] or [0]
        if len({metrics[number] for number in numbers}) > 1:
            raise ParameterError(
                f"Several metrics have a {field}. Write {metrics[numbers[0]]}.{field}=VALUE."
            )
        return numbers
    numbers = [number for number, name in enumerate(metrics) if address in (name, str(number + 1))]
    if not numbers:
        known = ", ".join(metrics)
        raise ParameterError(
            f"--param names {printable(address)[:60]}, which is not a metric here. Chosen: {known}."
        )
    return numbers


def _value(metric: str, field: str, text: str) -> object:
    """The value as the metric wants it; text that should be a number is told so by the metric
    itself.
    """
    if _kinds(metric).get(field) == "choices":
        return [part.strip() for part in text.split(",")]
    return text


def _kinds(metric: str) -> dict[str, str]:
    cls = catalogue().get(metric)
    return {parameter.name: parameter.kind for parameter in parameters(cls)} if cls else {}
