"""The run that somebody asks for in Python or in a terminal: data, metrics and settings by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluators.datasets.rgb import BY_ROW, TestBed, all_with_ability, compose
from evaluators.datasets.sampling import sampled
from evaluators.errors import DatasetError, ParameterError, PromptError
from evaluators.llm import Keys
from evaluators.llm.connect import ANSWER_TOKENS, JUDGE_TOKENS
from evaluators.llm.own import systems
from evaluators.named_files import named_file
from evaluators.records import Ability, Cap, Dataset
from evaluators.runs import inputs
from evaluators.runs.plan import RunPlan, check_asked
from evaluators.runs.run_options import SETTINGS, RunOptions
from evaluators.runs.store import Store
from evaluators.text.printable import printable

OF_A_BED = ("noise", "passages", "fill_up")
"""Settings that say how prompts are composed from a test bed."""


def planned(
    data: inputs.Data,
    metrics: inputs.Metric | Sequence[inputs.Metric],
    options: RunOptions | Mapping[str, Any],
    *,
    keys: Keys,
    store: Store,
    workspace: str = inputs.WORKSPACE,
    on_remark: inputs.OnRemark = inputs.print_remark,
    title: str = "",
) -> RunPlan:
    """The run that is meant; raises a `PlumblineError` with what to give instead.

    A test bed is composed into samples. `on_remark` gets what was made of the data, in sentences.
    """
    chosen = _chosen(options)
    loaded = inputs.load_data(
        data,
        store=store,
        workspace=workspace,
        columns=chosen["columns"],
        table=chosen["table"],
        encoding=chosen["encoding"],
        skip_broken=chosen["skip_broken"],
        on_remark=on_remark,
    )
    dataset = _samples(loaded, chosen)
    evaluators = inputs.evaluators(metrics, store.metrics.by_key(workspace))
    evaluators = inputs.counted_by(evaluators, chosen["definition"])
    # Before the models: who names a judge in vain need not look for its key first.
    check_asked(evaluators, inputs.several(chosen["judge"]))
    temperature, tokens = chosen["temperature"], chosen["answer_tokens"]
    models = inputs.models(
        chosen["model"],
        keys,
        temperature=temperature,
        answer_tokens=tokens or ANSWER_TOKENS,
    )
    judges = inputs.models(
        chosen["judge"],
        keys,
        temperature=temperature,
        answer_tokens=tokens or JUDGE_TOKENS,
    )
    own = tuple(access.spec for access in systems(chosen["system"]))
    plan = RunPlan(
        dataset,
        evaluators,
        models=(*models, *own),
        judges=judges,
        seed=dataset.origin.get("seed"),
        cap=chosen["cap"] or Cap(),
        use_cache=chosen["use_cache"],
        repeats=chosen["repeats"],
        overnight=chosen["overnight"],
        title=title,
        options=_without_field(chosen),
    )
    # Which prompt fits is seen in the data: broken ones are refused first, in their own words.
    plan.check_data()
    plan = replace(plan, prompt=_template(chosen["prompt"], dataset, has_model=bool(models)))
    plan.check()
    return plan


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting by its name, as it was given or as it is by itself."""
    if unknown := options.keys() - SETTINGS.keys():
        raise TypeError(f"{min(unknown)} is not a setting. Known: {', '.join(SETTINGS)}.")
    values = {}
    for name, setting in SETTINGS.items():
        value = options.get(name)
        values[name] = setting.usual if value is None else setting.checked(name, value)
    return values


def _without_field(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a run keeps in its `options`, where they are not as usual."""
    values = {}
    for name, setting in SETTINGS.items():
        if setting.has_no_field and not setting.is_usual(chosen[name]):
            values[name] = chosen[name]
    return values


# Data


def _samples(data: Dataset | TestBed, chosen: Mapping[str, Any]) -> Dataset:
    """The samples to judge, composed where they are a test bed.

    Of a file they are a random part where one is wanted, for another ability if one is given.
    """
    if isinstance(data, TestBed):
        return _composed_from(data, chosen)
    # Refused, not passed over: whoever gives a noise level believes that it was reached.
    for name in OF_A_BED:
        if not SETTINGS[name].is_usual(chosen[name]):
            raise ParameterError(
                f"{name} is for RGB questions, from which prompts are composed. "
                f"{printable(data.name)} holds samples. Leave it out."
            )
    abilities = chosen["ability"] or ()
    if len(abilities) > 1:
        raise ParameterError(
            f"{printable(data.name)} holds samples; they are judged for one ability. Give one."
        )
    if abilities:
        data = all_with_ability(data, abilities[0])
    return sampled(data, chosen["sample"], chosen["seed"])


def _composed_from(bed: TestBed, chosen: Mapping[str, Any]) -> Dataset:
    wanted: Iterable[str] = chosen["ability"] or bed.abilities
    for ability in wanted:
        known = ", ".join(bed.abilities)
        if ability == BY_ROW:
            raise ParameterError(
                f"The ability {BY_ROW} is for recorded answers, which a row says what they test. "
                f"{printable(bed.name)} holds RGB questions. It tests: {known}."
            )
        if ability not in bed.abilities:
            raise ParameterError(
                f"{printable(bed.name)} does not test {ability}. It tests: {known}."
            )
    dataset = compose(
        bed,
        # In one order, however they were given, so that equal runs have equal samples.
        tuple(ability for ability in Ability if ability in wanted),
        tuple(sorted(chosen["noise"])),
        chosen["passages"],
        chosen["seed"],
        chosen["sample"],
        chosen["fill_up"],
    )
    if not dataset.samples:
        raise DatasetError(f"{printable(bed.name)} gives no sample. Ask for another ability.")
    return dataset


def _template(prompt: str | Path | None, dataset: Dataset, *, has_model: bool) -> str:
    """The template for a model that answers: a text, or that of a file."""
    if prompt is None:
        # Without models nobody is asked, and the run has no prompt.
        return inputs.prompt_for(dataset) if has_model else ""
    if not has_model:
        raise ParameterError(
            "A prompt is for a model that answers, and none is named. Name a model, or leave the "
            "prompt out."
        )
    if isinstance(prompt, str):
        return prompt
    with named_file(prompt, "read", PromptError):
        return Path(prompt).read_text(encoding="utf-8")
