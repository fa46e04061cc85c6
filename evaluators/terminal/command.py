"""A run as the command that would begin it again, quoted for a shell, without keys."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from evaluators.catalogue import declared_values, metric_named
from evaluators.llm.providers import PROVIDERS
from evaluators.own_command import own_command
from evaluators.prompts import shipped
from evaluators.records import Cap, EvaluatorSpec, ModelSpec, Run
from evaluators.runs.run_options import SETTINGS, llms_of
from evaluators.terminal.options import option_of
from evaluators.text.normalise import slug

OWN_PROMPT = "prompt.md"
LINE = 100
"""Characters from which a command is broken into lines."""


def command(run: Run, plumbline: str = "") -> str:
    """The command for a shell such as bash; lines with # say what has to be there first.

    `plumbline` begins it where it is not for this machine.
    """
    parts = [f"{plumbline or own_command()} {'batch' if run.origin.get('batch') else 'run'}"]
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
    if folder := run.origin.get("batch"):
        yield quoted(run.origin["file"]), folder
    else:
        # Data that came by the app have no file: their name is found among the uploads.
        yield "--data", run.origin.get("file", run.dataset_name)
    for spec in run.evaluators:
        yield "--metric", spec.name
    for number, spec in enumerate(run.evaluators, start=1):
        alike = [other for other in run.evaluators if other.name == spec.name]
        # `--param` names a metric by its number where two have the same name.
        path = spec.name if len(alike) == 1 else str(number)
        yield from _changed_params(path, spec)
    for field, column in run.origin.get("columns", {}).items():
        if field == "group" and column:
            yield "--group", column
        else:
            yield "--column", f"{field}={column}"
    yield from _settings(run)
    if run.origin.get("batch"):
        if by := run.origin.get("group"):
            yield "--by", by
    # A title that was suggested is of that run only, as an earlier one was that of its data.
    elif not run.is_title_suggested and run.title != run.dataset_name:
        yield "--title", run.title


def _changed_params(path: str, spec: EvaluatorSpec) -> Iterator[tuple[str, str]]:
    """The parameters that are not as the metric has them by itself."""
    cls = metric_named(spec.name)
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


def _settings(run: Run) -> Iterator[tuple[str, str]]:
    """Each setting that is not as usual."""
    for name, setting in SETTINGS.items():
        value, option = setting.value(run), option_of(name, setting)
        if name == "cap":
            yield from _cap(run.cap)
        elif name == "prompt":
            if _has_own_prompt(run):
                yield option, OWN_PROMPT
        elif not setting.meaning or setting.is_usual(value):
            continue
        elif setting.kind is bool:
            yield option, ""
        else:
            for each in value if setting.is_several else (value,):
                yield option, str(each).removesuffix(".0")


def _cap(cap: Cap) -> Iterator[tuple[str, str]]:
    if cap.calls:
        yield "--max-calls", str(cap.calls)
    if cap.cost:
        yield "--max-cost", str(cap.cost)


def _notes_before(run: Run) -> Iterator[str]:
    if _has_own_prompt(run):
        yield f"The prompt of this run is not one that ships: save it as {OWN_PROMPT} first."
    counts_abilities = any(
        value.of for spec in run.evaluators for value in declared_values(spec.name)
    )
    if run.models and counts_abilities and not run.origin.get("abilities"):
        yield (
            "This run does not say how its prompts were composed: add --ability, --noise, "
            "--passages and --sample."
        )
    llms = llms_of(run)
    temperatures = {spec.temperature for spec in llms} - {None}
    # Answers and judgements have budgets of their own where none is given: that is one way.
    is_usual = SETTINGS["answer_tokens"].value(run) is None
    budgets = set() if is_usual else {spec.answer_tokens for spec in llms}
    if len(temperatures) > 1 or len(budgets) > 1:
        yield (
            "The models were asked in different ways; here all have the highest temperature "
            "and answer budget."
        )
    yield from _systems(llms)
    endpoints = {(spec.provider, spec.base_url) for spec in llms if spec.system is None}
    for name, address in sorted(endpoints):
        provider = PROVIDERS.get(name)
        if provider is None:
            yield f"{name} is not a provider that Plumbline knows: name another model."
            continue
        condition = ", if there is one" if provider.is_custom else ""
        yield f"{provider.key_variable} holds the key{condition}."
        if address:
            yield f"{provider.address_variable} holds the address: {quoted(address)}"


def _systems(llms: Iterable[ModelSpec]) -> Iterator[str]:
    """The file of each system over HTTP, line by line; of its headers the names."""
    for spec in llms:
        if spec.system is None or spec.system.function:
            continue
        fields = spec.system.model_dump(exclude_defaults=True, exclude={"takes_documents"})
        names = fields.pop("headers", ())
        yield f"{slug(spec.model)}.toml says where {quoted(spec.model)} is asked:"
        for name, value in {"name": spec.model, "address": spec.base_url, **fields}.items():
            # What JSON writes of texts and numbers TOML reads.
            yield f"  {name} = {json.dumps(value)}"
        for name in names:
            yield f"  headers.{json.dumps(name)} = ..."


def _has_own_prompt(run: Run) -> bool:
    return bool(run.prompt) and run.prompt not in shipped()
