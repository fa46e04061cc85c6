"""The models that can be chosen: what they cost, what their free plan allows, when they retire."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from datetime import date
from functools import cache
from typing import Any, Literal

from pydantic import Field

from evaluators.config import ROOT
from evaluators.llm import Keys
from evaluators.llm.keys import allowed_providers
from evaluators.llm.providers import PROVIDERS
from evaluators.messages import Text
from evaluators.records import SYSTEM, ModelSpec, Record, Usage
from evaluators.text.language import mark

NEEDS_KEY = mark("needs a key")
OFFLINE = ModelSpec(provider="offline", model="offline-reader")

_FILE = ROOT / "data" / "models.toml"
_NOT_FOR_CHAT = re.compile(
    r"whisper|transcri|\btts\b|orpheus|audio|realtime|speech|embed|\bbge\b|rerank|guard|moderation"
    r"|image|dall-e|\bsora\b|\bveo\b|\bflux\b|\bocr\b|davinci|babbage"
    r"|^gpt-3\.5-turbo-instruct|^(gpt-[\d.]+|o\d)-(pro|codex)|deep-research|computer-use",
    re.IGNORECASE,
)
"""Names of models for sound, pictures, vectors and filters.

Also of those that OpenAI lists but serves at other addresses only.
"""


class PlanLimits(Record):
    """What a plan allows: requests (r) and tokens (t) a minute (m) and a day (d).

    `None` stands for no limit.
    """

    rpm: int | None = Field(None, gt=0)
    rpd: int | None = Field(None, gt=0)
    tpm: int | None = Field(None, gt=0)
    tpd: int | None = Field(None, gt=0)


class Model(Record):
    """One model, as `data/models.toml` explains it.

    `None` and "unknown" stand for what nobody has found out.
    """

    provider: str
    model: str
    title: str
    status: Literal["production", "preview", "deprecated", "retired"] = "production"
    status_date: str = ""
    replacement: str = ""
    default: bool = False
    context: int | None = Field(None, gt=0)
    most_answer_tokens: int | None = Field(None, gt=0)
    price_in: float | None = Field(None, ge=0)
    price_out: float | None = Field(None, ge=0)
    batch_in: float | None = Field(None, ge=0)
    batch_out: float | None = Field(None, ge=0)
    batch_source: str = ""
    batch_source_date: str = ""
    free: PlanLimits | None = None
    json_mode: Literal["strict", "schema", "object", "none"] = "none"
    temperature: Literal["yes", "no", "without reasoning", "unknown"] = "unknown"
    efforts: tuple[str, ...] = ()
    effort: str = ""
    decides: bool = False
    """Whether it answers typed questions with probabilities, see `llm.decisions`."""
    source: str = ""
    source_date: str = ""

    @property
    def id(self) -> str:
        return f"{self.provider}/{self.model}"

    def is_retired(self, today: date) -> bool:
        """A deprecated model retires by itself when its day comes."""
        gone = self.status == "deprecated" and self.status_date <= today.isoformat()
        return gone or self.status == "retired"

    def spec(self, **options: Any) -> ModelSpec:
        """The model with these options (see `ModelSpec`).

        Without a temperature where it is not known to take one: a refusal would cost a request.
        """
        options = {"effort": self.effort, **options}
        spec = ModelSpec(provider=self.provider, model=self.model, **options)
        if self.temperature == "yes":
            return spec
        if self.temperature == "without reasoning" and spec.effort == "none":
            return spec
        return spec.model_copy(update={"temperature": None})

    @property
    def is_system(self) -> bool:
        """Whether it is a RAG system of a person's own."""
        return self.provider == SYSTEM

    @property
    def takes_batches(self) -> bool:
        """Whether it is known to be asked in batches, for another price."""
        return self.batch_in is not None and self.batch_out is not None

    def cost(self, usage: Usage, *, in_batch: bool = False) -> float | None:
        """US dollars for these tokens; `None` where a price is unknown."""
        price_in, price_out = self.price_in, self.price_out
        if in_batch:
            price_in, price_out = self.batch_in, self.batch_out
        if price_in is None or price_out is None:
            return None
        # Prices are those of a million tokens.
        price = usage.prompt_tokens * price_in + usage.answer_tokens * price_out
        return price / 1_000_000


class Choice(Record):
    """A model in a list to choose from; `problem` says why it cannot be chosen."""

    model: Model
    problem: Text = ""


@cache
def known_models() -> dict[str, Model]:
    """All known models by id: the offline reader, then the others in the file's order."""
    entries = tomllib.loads(_FILE.read_text(encoding="utf-8"))["model"]
    models = [_OFFLINE_MODEL, *map(Model.model_validate, entries)]
    return {model.id: model for model in models}


def find(model_id: str) -> Model | None:
    provider, _, name = model_id.partition("/")
    if provider == SYSTEM:
        # What it spends itself nobody tells us.
        return Model(provider=SYSTEM, model=name, title=name, price_in=0, price_out=0)
    return known_models().get(model_id)


def unlisted(provider: str, name: str) -> Model:
    """A model that the catalogue lacks, under the name that its provider has for it."""
    record = PROVIDERS[provider]
    return Model(
        provider=provider,
        model=name,
        title=name,
        temperature=record.unlisted_temperature,
        # What a person's own server has, nobody else knows.
        decides=record.is_custom and bool(record.decisions),
    )


def model_title(spec: ModelSpec) -> str:
    """The model's name at every door; see `title_of_id`."""
    return title_of_id(spec.id)


def title_of_id(model_id: str) -> str:
    """The title of the catalogue; of an unknown model, what its provider calls it."""
    listed = find(model_id)
    return listed.title if listed else model_id.partition("/")[2] or model_id


def successor(model: Model, today: date | None = None) -> Model:
    """What to use in its place; where a replacement is gone as well, the replacement's own."""
    while model.is_retired(today or date.today()) and model.replacement:
        model = known_models()[model.replacement]
    return model


def model_choices(
    keys: Keys,
    offered: Mapping[str, Collection[str]],
    today: date | None = None,
) -> dict[str, Choice]:
    """Every model that this host allows by id, retired ones last, each with what speaks against it.

    `offered` holds the ids that a provider lists for this key, and maybe the last day of each; a
    provider that was not asked yet is absent.
    """
    day = today or date.today()
    providers = {OFFLINE.provider, *allowed_providers()}
    candidates = [model for model in known_models().values() if model.provider in providers]
    systems = [find(name) for name in keys if name.startswith(f"{SYSTEM}/")]
    candidates[1:1] = filter(None, systems)
    # Offered before the catalogue knew of them: a new model can be used on its first day.
    candidates += _unlisted_models(offered)
    candidates = [_with_last_day(model, offered) for model in candidates]
    # The sort keeps the order of the file, and of the provider's list, otherwise.
    candidates.sort(key=lambda model: model.is_retired(day))
    choices = {}
    for model in candidates:
        problem = _why_not_chosen(model, keys, offered, day)
        choices[model.id] = Choice(model=model, problem=problem)
    return choices


def _why_not_chosen(
    model: Model,
    keys: Keys,
    offered: Mapping[str, Collection[str]],
    today: date,
) -> str:
    if model.is_retired(today):
        if not model.replacement:
            return mark("retired {date}").format(date=model.status_date)
        words = mark("retired {date}; use {model}")
        return words.format(date=model.status_date, model=successor(model, today).title)
    if model.provider in (OFFLINE.provider, SYSTEM):
        return ""
    if model.provider not in keys:
        return NEEDS_KEY
    # A provider that was not asked yet, or did not answer, hides no model.
    if model.provider in offered and model.model not in offered[model.provider]:
        return mark("not offered to this key")
    return ""


def _with_last_day(model: Model, offered: Mapping[str, Collection[str]]) -> Model:
    """The model with the day on which its provider says that it shuts it down."""
    listed = offered.get(model.provider)
    day = listed.get(model.model) if isinstance(listed, Mapping) else None
    if not day or model.status == "retired":
        return model
    return model.model_copy(update={"status": "deprecated", "status_date": day})


def _unlisted_models(offered: Mapping[str, Collection[str]]) -> list[Model]:
    """The offered models that the catalogue lacks, as far as their names do not rule out chat."""
    models = []
    for provider, names in offered.items():
        for name in names:
            is_listed = f"{provider}/{name}" in known_models()
            if not is_listed and not _NOT_FOR_CHAT.search(name):
                models.append(unlisted(provider, name))
    return models


_OFFLINE_MODEL = Model(
    provider=OFFLINE.provider,
    model=OFFLINE.model,
    title=mark("Offline reader (baseline, no key)"),
    price_in=0,
    price_out=0,
    free=PlanLimits(),
    temperature="yes",
)
