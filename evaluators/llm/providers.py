"""The providers that can be asked, each as one record with all that must be known of it.

A new one that speaks the chat API of OpenAI is a record here, and its models in `data/models.toml`.
Settings, limits, messages, commands and the masking of keys are read from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from evaluators.records import Record
from evaluators.text.language import mark

Unit = Literal["requests", "tokens"]
Span = Literal["minute", "day"]
LimitKind = tuple[Unit, Span]
"""What a limit counts, and over how long."""


class BatchTerms(Record):
    """How many requests, and bytes of them, a provider takes as one batch."""

    most_requests: int
    most_bytes: int


class DecisionTerms(Record):
    """Where a provider's decision models are asked, and in which shape (see `llm.decisions`)."""

    shape: Literal["openai", "system one"]
    path: str


_DECISIONS = DecisionTerms(shape="openai", path="/decisions")
_SYSTEM_ONE = DecisionTerms(shape="system one", path="/systemone")


class Provider(Record):
    """One provider, or the endpoint whose address its user gives (then `address` is empty)."""

    name: str
    """As in the model id `groq/openai/gpt-oss-20b`; it is stored with runs and never changes."""

    title: str
    address: str = ""
    """The base URL as its SDK wants it; keys go nowhere else unless a variable names another."""

    path: str = ""
    """What the SDK puts between the base URL and `/chat/completions`."""

    models_path: str = "/models"
    """Lists the models for a key. Settings tests keys with it: it must refuse a wrong one."""

    key_variable: str
    address_variable: str
    """Environment variables, read on one's own machine only."""

    key_beginnings: tuple[str, ...] = ()
    """Tell whose key was entered: one that begins like another provider's only is not sent here.

    What begins so is masked; a key in use is masked in any case, by its value.
    """

    key_page: str = ""
    """Where its keys are made."""

    sdk: Literal["openai", "groq"] = "openai"
    limit_headers: Mapping[LimitKind, str] = {}
    """The headers that tell of each limit, `{}` standing for `limit`, `remaining` and `reset`."""

    answer_budget: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """The parameter that bounds an answer, reasoning included."""

    unlisted_temperature: Literal["yes", "unknown"] = "yes"
    """Whether its models that the catalogue lacks take a temperature."""

    batches: BatchTerms | None = None
    """Its terms where it answers batches of requests within a day, for less money."""

    decisions: tuple[DecisionTerms, ...] = ()
    """How its decision models are asked; where nothing is at the first path, the next is tried."""

    public: bool = False
    """Whether visitors of a public host may use it."""

    @property
    def is_custom(self) -> bool:
        """Whether its user gives the address, maybe of this computer, which may want no key."""
        return not self.address


_OPENAI_HEADERS: Mapping[LimitKind, str] = {
    ("requests", "minute"): "x-ratelimit-{}-requests",
    ("tokens", "minute"): "x-ratelimit-{}-tokens",
}

_RECORDS = (
    Provider(
        name="groq",
        title="Groq",
        address="https://api.groq.com",
        path="/openai/v1",
        key_variable="GROQ_API_KEY",
        address_variable="GROQ_BASE_URL",
        key_beginnings=("gsk_",),
        key_page="https://console.groq.com/keys",
        sdk="groq",
        # Of the same names as OpenAI's, but its requests are always those of a day.
        limit_headers={
            ("requests", "day"): "x-ratelimit-{}-requests",
            ("tokens", "minute"): "x-ratelimit-{}-tokens",
        },
        # The size from groq 1.7.0 (resources/files.py); the number is taken to be that of OpenAI.
        batches=BatchTerms(most_requests=50_000, most_bytes=100_000_000),
        public=True,
    ),
    Provider(
        name="openai",
        title="OpenAI",
        address="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        address_variable="OPENAI_BASE_URL",
        key_beginnings=("sk-",),
        key_page="https://platform.openai.com/api-keys",
        limit_headers=_OPENAI_HEADERS,
        # Its reasoning models refuse one.
        unlisted_temperature="unknown",
        # From openai 3.54.0 (types/batch_create_params.py).
        batches=BatchTerms(most_requests=50_000, most_bytes=200_000_000),
        # From openai 3.54.0 (resources/decisions.py). Nothing was tried with a key.
        decisions=(_DECISIONS,),
        public=True,
    ),
    # From docs.together.ai (openai-compatibility, api-keys-authentication, rate-limits,
    # inference/chat/parameters); the beginning of its keys from trufflehog issue 4704, older keys
    # have none. Its headers count by the second, and a limit that moves with the traffic: none is
    # read, refusals slow the requests down. Nothing was tried with a key: not offered in public.
    Provider(
        name="together",
        title="Together",
        address="https://api.together.ai/v1",
        key_variable="TOGETHER_API_KEY",
        address_variable="TOGETHER_BASE_URL",
        key_beginnings=("tgp_v1_",),
        key_page="https://api.together.ai/settings/projects/~current/api-keys",
        answer_budget="max_tokens",
    ),
    # From openrouter.ai/docs (api-reference/overview, api-keys, limits, models/user). Its /models
    # answers anybody, with a wrong key too. Limits are told in refusals only, without their span:
    # no header is read. Nothing was tried with a key.
    Provider(
        name="openrouter",
        title="OpenRouter",
        address="https://openrouter.ai/api/v1",
        models_path="/models/user",
        key_variable="OPENROUTER_API_KEY",
        address_variable="OPENROUTER_BASE_URL",
        key_beginnings=("sk-or-",),
        key_page="https://openrouter.ai/settings/keys",
        answer_budget="max_tokens",
        unlisted_temperature="unknown",
    ),
    # From docs.mistral.ai/admin/security-access/api-keys; its keys have no beginning of their own.
    # The headers from a response in mistralai/client-ts issue 169; that it refuses the other name
    # of max_tokens from litellm issue 9583. Nothing was tried with a key.
    Provider(
        name="mistral",
        title="Mistral",
        address="https://api.mistral.ai/v1",
        key_variable="MISTRAL_API_KEY",
        address_variable="MISTRAL_BASE_URL",
        key_page="https://console.mistral.ai/api-keys",
        limit_headers={
            ("requests", "minute"): "x-ratelimit-{}-req-minute",
            ("tokens", "minute"): "x-ratelimit-{}-tokens-minute",
        },
        answer_budget="max_tokens",
    ),
    Provider(
        name="custom",
        title=mark("Custom endpoint"),
        key_variable="PLUMBLINE_CUSTOM_API_KEY",
        address_variable="PLUMBLINE_CUSTOM_BASE_URL",
        limit_headers=_OPENAI_HEADERS,
        # SGLang and LiteLLM serve the first, LiteLLM, Laya, Jev and llama.cpp the second
        # (docs.litellm.ai/docs/decisions). Nothing was tried with a real server.
        decisions=(_DECISIONS, _SYSTEM_ONE),
    ),
)

PROVIDERS: dict[str, Provider] = {record.name: record for record in _RECORDS}
"""By name, in the order in which they are offered."""
