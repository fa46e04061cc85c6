"""A run as the command that would begin it again, quoted for a shell, without keys."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from evaluators.catalogue import catalogue
from evaluators.datasets.rgb import NOISE_LEVELS, PASSAGES
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.connect import JUDGE_TOKENS
from evaluators.llm.providers import PROVIDERS
from evaluators.own_command import own_command
from evaluators.prompts import shipped
from evaluators.records import EvaluatorSpec, ModelSpec, Run
from evaluators.runs.inputs import ANSWER_TOKENS

OWN_PROMPT = "prompt.md"
LINE = 100
"""Characters from which a command is broken into lines."""


def command(run: Run, plumbline: str = "") -> str:
    """The command for a shell such as bash; lines with # say what has to be there first.

    `plumbline` begins it where it is not for this machine.
    """
    parts = [f"{plumbline or own_command()} run"]
    for name, value in _options_of_run(run):
        parts.append(f"{name} {quoted(value)}" if value else name)
    whole = " ".join(parts)
    if len(whole) > LINE:
        whole = " \\\n    ".join(parts)
    # As comments, so that the whole text can be pasted into a shell.
    notes = [f"# {note}" for note in _notes_before(run)]
    return "\n".join([*notes, whole])


def quoted(text: str) -> str:
    """The text as one word of a shell; signs that could steer a terminal are spelled out."""
    if text.isprintable():
        return shlex.quote(text)
    # Quoted for bash, the only quotes in which a control character can be written as a code.
    return "$'" + "".join(map(_spelled_for_bash, text)) + "'"


def _spelled_for_bash(sign: str) -> str:
    if sign in "\\'":
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    return "".join(f"\\x{byte:02x}" for byte in sign.encode(errors="replace"))


def _options_of_run(run: Run) -> Iterator[tuple[str, str]]:
    # Data that came by the app have no file: their name is found among the uploads.
    yield "--data", run.origin.get("file", run.dataset_name)
    for field, column in run.origin.get("columns", {}).items():
        if field == "group" and column:
            yield "--group", column
        else:
            yield "--column", f"{field}={column}"
    if run.origin.get("table"):
        yield "--table", run.origin["table"]
    if run.origin.get("encoding"):
        yield "--encoding", run.origin["encoding"]
    if run.origin.get("skip_broken"):
        yield "--skip-broken", ""
    for spec in run.evaluators:
        yield "--metric", spec.name
    for number, spec in enumerate(run.evaluators, start=1):
        alike = [other for other in run.evaluators if other.name == spec.name]
        # `--param` names a metric by its number where two have the same name.
        path = spec.name if len(alike) == 1 else str(number)
        yield from _changed_params(path, spec)
    yield from _composition(run.origin)
    yield from _models_and_prompt(run)
    yield from _caps(run)
    # A title that was suggested is of that run only, as an earlier one was that of its data.
    if not run.is_title_suggested and run.title != run.dataset_name:
        yield "--title", run.title


def _changed_params(path: str, spec: EvaluatorSpec) -> Iterator[tuple[str, str]]:
    """The parameters that are not as the metric has them by itself."""
    cls = catalogue().get(spec.name)
    usual = {}
    if cls:
        fields = cls.model_fields.items()
        usual = {name: field.get_default() for name, field in fields}
    for name, value in spec.params.items():
        usual_value = usual.get(name)
        # JSON, in which a run is stored, has lists only.
        if isinstance(usual_value, tuple | frozenset):
            usual_value = list(usual_value)
        if usual_value == value and name in usual:
            continue
        if name == "definition":
            yield "--definition", str(value)
        else:
            yield "--param", f"{path}.{name}={_param_text(value)}"


def _param_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _composition(origin: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for ability in origin.get("abilities", ()):
        yield "--ability", str(ability)
    noise_levels = origin.get("noise_levels", NOISE_LEVELS)
    if tuple(noise_levels) != NOISE_LEVELS:
        for noise in noise_levels:
            yield "--noise", f"{noise:g}"
    if origin.get("fill_up"):
        yield "--fill-up", ""
    for name, usual in (("passages", PASSAGES), ("seed", 0), ("sample", None)):
        value = origin.get(name, usual)
        if value != usual:
            yield f"--{name}", str(value)


def _models_and_prompt(run: Run) -> Iterator[tuple[str, str]]:
    for spec in run.models:
        yield "--model", spec.id
    for spec in run.judges:
        yield "--judge", spec.id
    llms = _llms_of_run(run)
    temperatures = [spec.temperature for spec in llms if spec.temperature]
    # One option stands for all: `_notes_before` says where they had different values.
    if temperatures:
        yield "--temperature", str(max(temperatures))
    if llms and not _has_usual_budgets(run):
        budgets = [spec.answer_tokens for spec in llms]
        yield "--answer-tokens", str(max(budgets))
    if _has_own_prompt(run):
        yield "--prompt", OWN_PROMPT


def _caps(run: Run) -> Iterator[tuple[str, str]]:
    if run.cap.calls:
        yield "--max-calls", str(run.cap.calls)
    if run.cap.cost:
        yield "--max-cost", str(run.cap.cost)
    if not run.use_cache:
        yield "--no-cache", ""
    if run.repeats > 1:
        yield "--repeats", str(run.repeats)
    if run.overnight:
        yield "--overnight", ""


def _notes_before(run: Run) -> Iterator[str]:
    if _has_own_prompt(run):
        yield f"The prompt of this run is not one that ships: save it as {OWN_PROMPT} first."
    is_rgb = any(spec.name == "rgb" for spec in run.evaluators)
    if run.models and is_rgb and not run.origin.get("abilities"):
        yield (
            "This run does not say how its prompts were composed: add --ability, --noise, "
            "--passages and --sample."
        )
    llms = _llms_of_run(run)
    temperatures = {spec.temperature for spec in llms} - {None}
    budgets = {spec.answer_tokens for spec in llms}
    # Answers and judgements have budgets of their own where none is given: that is one way.
    if _has_usual_budgets(run):
        budgets = set()
    if len(temperatures) > 1 or len(budgets) > 1:
        yield (
            "The models were asked in different ways; here all have the highest temperature "
            "and answer budget."
        )
    endpoints = {(spec.provider, spec.base_url) for spec in llms}
    for name, address in sorted(endpoints):
        provider = PROVIDERS.get(name)
        if provider is None:
            yield f"{name} is not a provider that Plumbline knows: name another model."
            continue
        condition = ", if there is one" if provider.is_custom else ""
        yield f"{provider.key_variable} holds the key{condition}."
        if address:
            yield f"{provider.address_variable} holds the address: {quoted(address)}"


def _has_usual_budgets(run: Run) -> bool:
    """Whether every LLM may write as much as it may where no budget is given."""
    models = [spec for spec in run.models if spec != OFFLINE]
    if any(spec.answer_tokens != ANSWER_TOKENS for spec in models):
        return False
    return all(spec.answer_tokens == JUDGE_TOKENS for spec in run.judges)


def _has_own_prompt(run: Run) -> bool:
    return bool(run.models) and run.prompt not in shipped()


def _llms_of_run(run: Run) -> Sequence[ModelSpec]:
    every = [*run.models, *run.judges]
    return [spec for spec in every if spec.provider != OFFLINE.provider]
