"""The providers that can be asked, each as one record with all that must be known of it.

A new one that speaks the chat API of OpenAI is a record here, and its models in `data/models.toml`.
Settings, limits, messages, commands and the masking of keys are read from it.
"""

from __future__ import annotations

import re
from collections import UserDict
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
    shape: Literal["openai", "google"] = "openai"
    """How files go up and down, and batches are listed and cancelled (see `google_batches`)."""


class DecisionTerms(Record):
    """Where a provider's decision models are asked, and in which shape (see `llm.decisions`)."""

    shape: Literal["openai", "system one"]
    path: str


_DECISIONS = DecisionTerms(shape="openai", path="/decisions")
_SYSTEM_ONE = DecisionTerms(shape="system one", path="/systemone")


class AddressForm(Record):
    """An address of which its user gives one part: a region, a resource."""

    template: str
    """With `{}` in the place of the part."""

    part: str
    """What the part is called; marked for translation."""

    pattern: str
    """What the part looks like. Whether there is one shows when it is asked."""

    hosts: str
    """The hosts that an address of its own may have; another one is a proxy's."""

    example: str


class Provider(Record):
    """One provider, or the endpoint whose address its user gives (then `address` is empty)."""

    name: str
    """As in the model id `groq/openai/gpt-oss-20b`; it is stored with runs and never changes."""

    title: str
    address: str = ""
    """The base URL as its SDK wants it; keys go nowhere else unless a variable names another."""

    address_form: AddressForm | None = None
    """How its address is made of what its user gives."""

    usual_address: str = ""
    """Where an endpoint of a person's own usually is."""

    path: str = ""
    """What the SDK puts between the base URL and `/chat/completions`."""

    models_path: str = "/models"
    """Lists the models for a key. Settings tests keys with it: it must refuse a wrong one."""

    models_headers: Mapping[str, str] = {}
    """Sent for that list in the place of a bearer key, `{}` standing for the key."""

    models_prefix: str = ""
    """What stands before each name in that list."""

    has_open_list: bool = False
    """Whether that list comes with a wrong key as well: then only a first call tests the key."""

    models_variable: str = ""
    """The environment variable that names what may be asked where the list does not: deployments.

    Names are separated by commas.
    """

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

    unlisted_json: Literal["schema", "none"] = "schema"
    """How such models are asked for JSON at first; "none" where a form is ignored in silence."""

    batches: BatchTerms | None = None
    """Its terms where it answers batches of requests within a day, for less money."""

    decisions: tuple[DecisionTerms, ...] = ()
    """How its decision models are asked; where nothing is at the first path, the next is tried."""

    public: bool = False
    """Whether visitors of a public host may use it."""

    tried: str = ""
    """The day on which it was last tried with a real key, as 2026-11-28; Settings tells if not."""

    remark: str = ""
    """What its user should know beforehand; marked for translation."""

    @property
    def is_custom(self) -> bool:
        """Whether it is a person's own, at any address, which may want no key."""
        return not self.address and self.address_form is None


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
    # read, refusals slow the requests down.
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
    # no header is read.
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
    # of max_tokens from litellm issue 9583.
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
    # From ai.google.dev/gemini-api/docs/openai: beta, with the keys of AI Studio. What it refuses
    # comes as a list of one error (see provider_errors), a wrong key with HTTP 400 (continuedev
    # issue 10748). Limits are told in AI Studio only: no header is read.
    Provider(
        name="gemini",
        title="Google Gemini",
        address="https://generativelanguage.googleapis.com/v1beta/openai",
        models_prefix="models/",
        key_variable="GEMINI_API_KEY",
        address_variable="GEMINI_BASE_URL",
        key_beginnings=("AIza",),
        key_page="https://aistudio.google.com/apikey",
        answer_budget="max_tokens",
        unlisted_temperature="unknown",
        # It tells neither limit but that of a file, 2 GB: these are OpenAI's.
        batches=BatchTerms(most_requests=50_000, most_bytes=200_000_000, shape="google"),
    ),
    # From platform.claude.com/docs/en/api/openai-sdk. The list of models is that of its own API
    # (docs/en/api/models-list), which knows no bearer keys.
    Provider(
        name="anthropic",
        title="Anthropic",
        address="https://api.anthropic.com/v1",
        models_headers={"x-api-key": "{}", "anthropic-version": "2023-06-01"},
        key_variable="ANTHROPIC_API_KEY",
        address_variable="ANTHROPIC_BASE_URL",
        key_beginnings=("sk-ant-",),
        key_page="https://platform.claude.com/settings/keys",
        answer_budget="max_tokens",
        unlisted_temperature="unknown",
        unlisted_json="none",
        remark=mark(
            "Its door for OpenAI's API ignores the form of answers: only the prompt asks for JSON, "
            "and what comes is read with care. Anthropic calls this door one for trying out."
        ),
    ),
    # From learn.microsoft.com/azure/foundry/openai/api-version-lifecycle and openai-node's
    # docs/azure.md: the v1 API, where key and Entra token are both a bearer, and the model is the
    # name of a deployment. Its list of models is one of what could be deployed.
    Provider(
        name="azure",
        title="Azure OpenAI",
        address_form=AddressForm(
            template="https://{}.openai.azure.com/openai/v1",
            part=mark("resource"),
            pattern="[a-z0-9][a-z0-9-]{1,63}",
            hosts=r"[a-z0-9-]+\.(openai|services\.ai|cognitiveservices)\.azure\.com",
            example="my-resource",
        ),
        models_variable="AZURE_OPENAI_DEPLOYMENT",
        key_variable="AZURE_OPENAI_API_KEY",
        address_variable="AZURE_OPENAI_ENDPOINT",
        key_page="https://ai.azure.com",
        unlisted_temperature="unknown",
    ),
    # From docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions-mantle.html: of
    # the two endpoints the one that lists its models. A key is of Bedrock itself, not one of IAM.
    # Claude is asked there at another path, which is not spoken here.
    Provider(
        name="bedrock",
        title="AWS Bedrock",
        address_form=AddressForm(
            template="https://bedrock-mantle.{}.api.aws/v1",
            part=mark("region"),
            pattern="[a-z]{2}(-[a-z]{2,10}){1,2}-[0-9]{1,2}",
            hosts=r"bedrock-mantle\.[a-z0-9-]+\.api\.aws",
            example="us-east-1",
        ),
        key_variable="AWS_BEARER_TOKEN_BEDROCK",
        address_variable="AWS_REGION",
        key_beginnings=("ABSK", "bedrock-api-key-"),
        key_page="https://console.aws.amazon.com/bedrock/home#/api-keys",
        unlisted_temperature="unknown",
        remark=mark("Claude is not served at this door of Bedrock: ask Anthropic for it."),
    ),
    # From huggingface.co/docs/inference-providers. Its list is open to everybody; what a model
    # costs depends on who serves it.
    Provider(
        name="huggingface",
        title="Hugging Face",
        address="https://router.huggingface.co/v1",
        has_open_list=True,
        key_variable="HF_TOKEN",
        address_variable="HF_ROUTER_BASE_URL",
        key_beginnings=("hf_",),
        key_page="https://huggingface.co/settings/tokens",
        answer_budget="max_tokens",
        unlisted_temperature="unknown",
        public=True,
        remark=mark("The token needs the permission to make calls to Inference Providers."),
    ),
    # Servers of one's own. Ollama and LM Studio bound an answer by this name only (docs.ollama.com,
    # lmstudio.ai/docs/developer/openai-compat); vLLM's and LiteLLM's addresses from docs.vllm.ai
    # and docs.litellm.ai.
    Provider(
        name="ollama",
        title="Ollama",
        usual_address="http://localhost:11434/v1",
        key_variable="OLLAMA_API_KEY",
        address_variable="OLLAMA_BASE_URL",
        answer_budget="max_tokens",
    ),
    Provider(
        name="lmstudio",
        title="LM Studio",
        usual_address="http://localhost:1234/v1",
        key_variable="LMSTUDIO_API_KEY",
        address_variable="LMSTUDIO_BASE_URL",
        answer_budget="max_tokens",
    ),
    Provider(
        name="vllm",
        title="vLLM",
        usual_address="http://localhost:8000/v1",
        key_variable="VLLM_API_KEY",
        address_variable="VLLM_BASE_URL",
    ),
    Provider(
        name="litellm",
        title="LiteLLM",
        usual_address="http://localhost:4000/v1",
        key_variable="LITELLM_PROXY_API_KEY",
        address_variable="LITELLM_PROXY_API_BASE",
        unlisted_temperature="unknown",
    ),
    Provider(
        name="custom",
        title=mark("Custom endpoint"),
        key_variable="PLUMBLINE_CUSTOM_API_KEY",
        address_variable="PLUMBLINE_CUSTOM_BASE_URL",
        usual_address="http://localhost:11434/v1",
        limit_headers=_OPENAI_HEADERS,
        # SGLang and LiteLLM serve the first, LiteLLM, Laya, Jev and llama.cpp the second
        # (docs.litellm.ai/docs/decisions). Nothing was tried with a real server.
        decisions=(_DECISIONS, _SYSTEM_ONE),
    ),
)

CUSTOM = "custom"
_NAMED = re.compile(f"{CUSTOM}-[a-z0-9]{{1,30}}")


class _Records(UserDict[str, Provider]):
    """The records by name. There is one for every name that an endpoint of one's own may have.

    `custom-lab` is the custom endpoint with variables of its own, `PLUMBLINE_CUSTOM_LAB_API_KEY`
    and so on; it is not listed.
    """

    def __contains__(self, name: object) -> bool:
        return name in self.data or bool(isinstance(name, str) and _NAMED.fullmatch(name))

    def __missing__(self, name: str) -> Provider:
        if name not in self:
            raise KeyError(name)
        own = name.removeprefix(f"{CUSTOM}-")
        variable = f"PLUMBLINE_CUSTOM_{own.upper()}"
        variables = {
            "key_variable": f"{variable}_API_KEY",
            "address_variable": f"{variable}_BASE_URL",
        }
        return self.data[CUSTOM].model_copy(update={"name": name, "title": own} | variables)


PROVIDERS = _Records({record.name: record for record in _RECORDS})
"""By name, in the order in which they are offered."""


def named_endpoint(name: str) -> str:
    """The provider's name of a custom endpoint that its user calls so; "" where that is no name."""
    provider = f"{CUSTOM}-{name.strip().lower()}" if name.strip() else CUSTOM
    return provider if provider in PROVIDERS else ""
