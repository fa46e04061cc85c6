"""An assignment: data, method, parameters and seed of a run in a link, for a form to begin with.

It holds neither a key nor a workspace nor anybody's address of a model.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, create_model

from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import OFFLINE, find
from evaluators.llm.connect import ANSWER_TOKENS, JUDGE_TOKENS
from evaluators.params import parameters
from evaluators.records import Ability, Cap, EvaluatorSpec, ModelSpec, Record, Run
from evaluators.runs.examples import ILLUSTRATION
from evaluators.runs.run_options import SETTINGS, Setting, placed
from evaluators.runs.store.bodies import timestamp
from evaluators.text.language import mark, say

MOST_LETTERS = 12_000
"""Of a link: browsers and mail cut longer ones, and prompts of one's own are the only long part."""
OWN_METRIC = "prompt"
"""The metric that a person writes in a workspace: nobody else has it by its title."""
TITLE = mark("the assignment")
"""What the settings of the link are called where others are compared with them."""

# Names of models and data are as long as a line; what is longer was not made here.
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
ModelId = Annotated[str, StringConstraints(max_length=200, pattern=r"^\w+/\S.*$")]
LLMs = Annotated[tuple[ModelId, ...], Field(max_length=10)]
# The steps that a form offers: 0 to 90 %.
NoiseLevel = Annotated[float, Field(ge=0, le=0.9, multiple_of=0.1)]

TYPES: Mapping[str, Any] = {
    "model": LLMs,
    "judge": LLMs,
    "prompt": Annotated[str, Field(max_length=8_000)],
    "cap": Cap,
    "ability": tuple[Ability, ...],
    "noise": Annotated[tuple[NoiseLevel, ...], Field(max_length=10)],
}
"""Settings of which a link takes less than other doors do."""


class HubPart(Record):
    """Which rows of which data set of the Hugging Face hub, for whoever does not have them."""

    id: str = Field(max_length=200, pattern=r"^[\w.-]+(/[\w.-]+)?$")
    config: Name
    split: Name
    rows: int = Field(ge=1, le=1_000_000)


class Assignment(Record):
    """What a link fixes: `data` by its name, the metrics, and every setting that others can have.

    `link_type` adds the settings.
    """

    data: Name
    hub: HubPart | None = None
    evaluators: tuple[EvaluatorSpec, ...] = Field(min_length=1, max_length=20)


def linked() -> dict[str, Setting]:
    """The settings that a link carries."""
    return {name: setting for name, setting in SETTINGS.items() if setting.in_links}


def link_type() -> type[Assignment]:
    """The form of a link, with a field for each setting."""
    return _link_type(tuple(linked()))


@cache
def _link_type(names: tuple[str, ...]) -> type[Assignment]:
    fields: dict[str, Any] = {}
    for name in names:
        setting = SETTINGS[name]
        if name in TYPES:
            fields[name] = (TYPES[name] | None, None)
            continue
        kind: Any = Literal[tuple(setting.choices)] if setting.choices else setting.kind
        is_text = setting.kind is str and not setting.choices
        # More than any of them needs.
        bounds = {"max_length": 200} if is_text else {"ge": setting.least, "le": setting.most}
        bounded: Any = Annotated[kind, Field(**bounds)]
        if setting.is_several:
            bounded = Annotated[tuple[bounded, ...], Field(max_length=10)]
        fields[name] = (bounded | None, None)
    return create_model("Assignment", __base__=Assignment, **fields)


def token_of(run: Run) -> str:
    """What stands in the link for the settings of this run.

    Raises `ParameterError` where others cannot have what it measures by.
    """
    if any(spec.name == OWN_METRIC for spec in run.evaluators):
        raise ParameterError(say("A metric of your own is not in a link. Give away the run file."))
    text = _assignment_of(run).model_dump_json(exclude_defaults=True)
    encoded = base64.urlsafe_b64encode(text.encode())
    # In an address "=" would be written as three letters; `read` puts them back.
    token = encoded.decode().rstrip("=")
    if len(token) > MOST_LETTERS:
        raise ParameterError(say("The prompt is too long for a link. Give away the run file."))
    return token


def read(token: str) -> Assignment:
    """The assignment of a link; raises `ParameterError` for one that was not made by `token_of`."""
    if len(token) > MOST_LETTERS:
        raise ParameterError(say("This assignment link is too long. Ask for it again."))
    try:
        padded = token + "=" * (-len(token) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True)
        link = link_type().model_validate_json(text)
    except binascii.Error:
        raise _refused(say("it is not whole")) from None
    except ValidationError as error:
        raise _refused(_first_mistake(error)) from None
    leading, *further = map(_built, link.evaluators)
    names = {spec.name for spec in link.evaluators}
    is_twice = len(names) < len(link.evaluators)
    if is_twice or any(metric.leads for metric in further):
        raise _refused(say("its metrics do not go together"))
    most = max(metric.most_judges() for metric in (leading, *further))
    if len(_values(link).get("judge", ())) > most:
        raise _refused(say("it names more judges than its method takes"))
    return link


def as_run(link: Assignment) -> Run:
    """The link as a run that nobody ran: a form begins with it as with any other."""
    values = _values(link)
    # Only the very numbers that a form offers: 0.3 and not 0.30000000000000004.
    for name in ("noise", "ability"):
        once = dict.fromkeys(values.get(name, ()))
        values[name] = [round(each, 1) if name == "noise" else each for each in once]
    temperature, tokens = values.get("temperature", 0.0), values.get("answer_tokens")
    models = [_spec(id, temperature, tokens or ANSWER_TOKENS) for id in values.get("model", ())]
    judges = [_spec(id, temperature, tokens or JUDGE_TOKENS) for id in values.get("judge", ())]
    facts = {
        "id": "",
        "workspace": "",
        "created": timestamp(),
        "title": TITLE,
        "dataset_name": link.data,
        "fingerprint": "",
        # With all parameters in their own types, as a form's fields want them.
        "evaluators": [from_spec(spec).spec() for spec in link.evaluators],
        "models": models,
        "judges": judges,
    }
    return Run.model_validate(facts | placed(values))


def _values(link: Assignment) -> dict[str, Any]:
    """The settings that the link has."""
    values = {name: getattr(link, name) for name in linked()}
    return {name: value for name, value in values.items() if value is not None}


def _assignment_of(run: Run) -> Assignment:
    hub = run.origin.get("hub")
    # Others can ask them: the models of an example are made up, and no key opens them.
    llms = {"models": _of_providers(run.models), "judges": _of_providers(run.judges)}
    askable = run.model_copy(update=llms)
    stored = {name: setting.stored(askable) for name, setting in linked().items()}
    # Zero, and what is not there, is what a link without it says.
    values = {name: value for name, value in stored.items() if value}
    part = {name: hub[name] for name in HubPart.model_fields} if hub else {}
    try:
        return link_type()(
            data=run.dataset_name,
            hub=HubPart(**part) if part else None,
            evaluators=run.evaluators,
            **values,
        )
    except ValidationError as error:
        # A run from Python may have values that no form has.
        mistake = _first_mistake(error)
        raise ParameterError(say("There is no link for this run: {why}.", why=mistake)) from None


def _of_providers(specs: Sequence[ModelSpec]) -> tuple[ModelSpec, ...]:
    return tuple(spec for spec in specs if spec.provider != ILLUSTRATION)


def _built(spec: EvaluatorSpec) -> Evaluator:
    """The evaluator; raises `ParameterError` unless a form has a field for all its parameters."""
    if spec.name == OWN_METRIC:
        raise _refused(say("it names a metric that somebody wrote"))
    try:
        evaluator = from_spec(spec)
    except ParameterError as error:
        # A value may be of any length.
        raise _refused(str(error)[:200].rstrip(".")) from None
    # A client of an LLM is a field as well, and nobody's to hand over in a link.
    fields = {parameter.name for parameter in parameters(type(evaluator))}
    if unknown := set(spec.params) - fields:
        name = min(unknown)
        raise _refused(say("{title}: {name} is not a parameter", title=evaluator.title, name=name))
    return evaluator


def _spec(model_id: str, temperature: float, answer_tokens: int) -> ModelSpec:
    if model_id == OFFLINE.id:
        return OFFLINE
    if model := find(model_id):
        return model.spec(temperature=temperature, answer_tokens=answer_tokens)
    provider, _, name = model_id.partition("/")
    return ModelSpec(
        provider=provider, model=name, temperature=temperature, answer_tokens=answer_tokens
    )


def _first_mistake(error: ValidationError) -> str:
    first, *_ = error.errors(
        include_url=False,
        include_context=False,
        include_input=False,
    )
    if first["type"] == "json_invalid":
        return say("it is not whole")
    field = ".".join(map(str, first["loc"]))[:60]
    return f"{field}: {first['msg'][:140]}" if field else first["msg"][:140]


def _refused(why: str) -> ParameterError:
    return ParameterError(
        say("This assignment link cannot be used: {why}. Ask for it again.", why=why)
    )
