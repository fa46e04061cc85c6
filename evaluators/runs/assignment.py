"""An assignment: data, method, parameters and seed of a run in a link, for a form to begin with.

It holds neither a key nor a workspace nor anybody's address of a model.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.errors import ParameterError
from evaluators.params import parameters
from evaluators.records import Ability, Cap, EvaluatorSpec, ModelSpec, Record, Run
from evaluators.runs.examples import ILLUSTRATION
from evaluators.runs.run_options import MOST_REPEATS
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
# The steps that a form offers: 0 to 90 %.
NoiseLevel = Annotated[float, Field(ge=0, le=0.9, multiple_of=0.1)]


class HubPart(Record):
    """Which rows of which data set of the Hugging Face hub, for whoever does not have them."""

    id: str = Field(max_length=200, pattern=r"^[\w.-]+(/[\w.-]+)?$")
    config: Name
    split: Name
    rows: int = Field(ge=1, le=1_000_000)


class Assignment(Record):
    """What a link fixes: `data` by its name, LLMs by their ids, the rest as a run has it."""

    data: Name
    hub: HubPart | None = None
    evaluators: tuple[EvaluatorSpec, ...] = Field(min_length=1, max_length=20)
    models: tuple[ModelId, ...] = Field((), max_length=10)
    judges: tuple[ModelId, ...] = Field((), max_length=10)
    answer_tokens: int = Field(1024, ge=16, le=32_768)
    temperature: float = Field(0, ge=0, le=2)
    repeats: int = Field(1, ge=1, le=MOST_REPEATS)
    calls: int | None = Field(None, ge=1, le=1_000_000_000)
    cost: float | None = Field(None, gt=0, le=1_000_000)
    seed: int = Field(0, ge=0, le=2**31)
    sample: int | None = Field(None, ge=1, le=1_000_000)
    abilities: tuple[Ability, ...] = ()
    noise_levels: tuple[NoiseLevel, ...] = Field((), max_length=10)
    passages: int | None = Field(None, ge=1, le=50)
    fill_up: bool = False
    prompt: str = Field("", max_length=8_000)


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
        link = Assignment.model_validate_json(text)
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
    if len(link.judges) > most:
        raise _refused(say("it names more judges than its method takes"))
    return link


def as_run(link: Assignment) -> Run:
    """The link as a run that nobody ran: a form begins with it as with any other."""
    how = {"answer_tokens": link.answer_tokens, "temperature": link.temperature}
    origin: dict[str, Any] = {"sample": link.sample, "passages": link.passages}
    origin["fill_up"] = link.fill_up
    # Only the very numbers that a form offers: 0.3 and not 0.30000000000000004.
    origin["noise_levels"] = [round(level, 1) for level in dict.fromkeys(link.noise_levels)]
    origin["abilities"] = list(dict.fromkeys(link.abilities))
    return Run(
        id="",
        workspace="",
        created=timestamp(),
        title=TITLE,
        dataset_name=link.data,
        fingerprint="",
        # With all parameters in their own types, as a form's fields want them.
        evaluators=tuple(from_spec(spec).spec() for spec in link.evaluators),
        origin={name: value for name, value in origin.items() if value},
        models=tuple(_spec(name, how) for name in link.models),
        judges=tuple(_spec(name, how) for name in link.judges),
        prompt=link.prompt,
        seed=link.seed,
        cap=Cap(calls=link.calls, cost=link.cost),
        repeats=link.repeats,
    )


def _assignment_of(run: Run) -> Assignment:
    origin = run.origin
    hub = origin.get("hub")
    models, judges = _of_providers(run.models), _of_providers(run.judges)
    llms = [*judges, *models]
    asked: dict[str, Any] = {}
    if llms:
        asked["answer_tokens"] = max(spec.answer_tokens for spec in llms)
        asked["temperature"] = max(spec.temperature or 0.0 for spec in llms)
    part = {name: hub[name] for name in HubPart.model_fields} if hub else {}
    try:
        return Assignment(
            data=run.dataset_name,
            hub=HubPart(**part) if part else None,
            evaluators=run.evaluators,
            models=tuple(spec.id for spec in models),
            judges=tuple(spec.id for spec in judges),
            repeats=run.repeats,
            calls=run.cap.calls,
            cost=run.cap.cost,
            seed=run.seed or 0,
            sample=origin.get("sample"),
            abilities=origin.get("abilities", ()),
            noise_levels=origin.get("noise_levels", ()),
            passages=origin.get("passages"),
            fill_up=origin.get("fill_up", False),
            prompt=run.prompt,
            **asked,
        )
    except ValidationError as error:
        # A run from Python may have values that no form has.
        mistake = _first_mistake(error)
        raise ParameterError(say("There is no link for this run: {why}.", why=mistake)) from None


def _of_providers(specs: Sequence[ModelSpec]) -> list[ModelSpec]:
    """Those that somebody can ask: the models of an example are made up, and no key opens them."""
    return [spec for spec in specs if spec.provider != ILLUSTRATION]


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


def _spec(model_id: str, how: dict[str, Any]) -> ModelSpec:
    provider, _, model = model_id.partition("/")
    return ModelSpec(provider=provider, model=model, **how)


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
