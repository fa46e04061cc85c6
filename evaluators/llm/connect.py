"""From a model id, or an object of an SDK, to a client through all layers that counts its cost."""

from __future__ import annotations

import os
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from threading import Lock
from typing import Any

from evaluators.errors import ParameterError
from evaluators.llm import Access, Keys, LLMClient, ModelRequest
from evaluators.llm.answer_file import AnswerFile
from evaluators.llm.budget import Meter
from evaluators.llm.call_log import CallLog
from evaluators.llm.catalogue import OFFLINE, Model, find, known_models, successor, unlisted
from evaluators.llm.clients import (
    ModelSession,
    RunContext,
    access_for,
    missing_access,
    spec_for,
)
from evaluators.llm.keys import address_of, bind, clean_address, keys_from_environment, provider_at
from evaluators.llm.layers import ResponseCache
from evaluators.llm.loop import Scope
from evaluators.llm.own import OwnAccess, judge_access
from evaluators.llm.plain_llm import PlainLLM
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt
from evaluators.records import Cap, Completion, ModelSpec
from evaluators.text.printable import printable

ANSWER_TOKENS = 1024
"""Tokens that an answer may take, hidden reasoning included, where nobody says otherwise."""

JUDGE_TOKENS = 2048
"""Tokens that a judgement may take, hidden reasoning included, where nobody says otherwise."""

WHAT_WORKS = (
    "Give a model id such as groq/openai/gpt-oss-20b, what connect(...) of evaluators gives, "
    "or an object whose complete(prompt) returns text"
)

_PLAIN_SDKS = ("groq.Groq", "groq.AsyncGroq", "openai.OpenAI", "openai.AsyncOpenAI")
"""The SDKs' clients of which key and address are all that a call needs."""


class ConnectedLLM(LLMClient):
    """A model that answers through all layers; see `connect`. May be asked from several threads.

    `calls` counts what was paid for, `cost` is that in US dollars, `None` where a price is unknown.
    """

    def __init__(
        self,
        spec: ModelSpec,
        keys: Keys,
        cache: str | Path | None = None,
    ) -> None:
        self.model = spec.id
        self.spec = spec
        self.access = None if spec == OFFLINE else access_for(spec, keys)
        self.calls = 0
        self.cost: float | None = 0.0
        self._file = AnswerFile(Path(cache)) if cache else None
        self._cache = ResponseCache(self._file.find) if self._file else None
        context = RunContext(Scope(), Meter(Cap()), self._cache)
        self._session = ModelSession(spec, keys, context)
        self._lock = Lock()

    @property
    def prompt_budget(self) -> int | None:
        return self._session.client(CallLog()).prompt_budget

    def complete(self, prompt: Prompt | str) -> Completion:
        """The answer to a prompt or to plain text; raises `LLMError` where none can be used."""
        log = CallLog(self._cache)
        if isinstance(prompt, str):
            prompt = Prompt(text=prompt)
        try:
            return self._session.client(log).complete(prompt)
        finally:
            # A call that gave no usable answer is paid for all the same.
            self._count(log)

    def _count(self, log: CallLog) -> None:
        totals = log.totals()
        with self._lock:
            self.calls += totals["calls"]
            if self.cost is not None:
                cost = totals["cost"]
                self.cost = None if cost is None else self.cost + cost
        if self._file:
            self._file.add([call for call in log.calls if call.reusable])
            log.mark_stored()


def connect(
    llm: object,
    *,
    model: str = "",
    api_key: str = "",
    cache: str | Path | None = None,
) -> ConnectedLLM:
    """A client for a model: it keeps to limits, tries again what failed, and counts its cost.

        connect("groq/openai/gpt-oss-20b")                            # key from the environment
        connect("openai/gpt-5.6-luna", api_key="sk-...", cache="answers.jsonl")
        connect(groq.Groq(), model="openai/gpt-oss-20b")              # its key and address
        connect(groq.Groq())                                          # and the usual model there
        connect(MyLLM(), model="claude")                              # its complete(prompt)

    `llm` is a model id, a `ModelSpec`, an object whose `complete(prompt)` returns text, or one of
    the SDK of Groq or OpenAI, of which key and address are used and nothing else. With
    `cache`, whole answers are kept in that file, and the same question is not paid for twice.

    Raises `ParameterError` for what cannot be connected, `AccessError` where a key is missing or
    cannot be one.
    """
    if isinstance(llm, str | ModelSpec):
        if model:
            raise ParameterError(
                'model is only for an object of an SDK. Write connect("provider/model").'
            )
        requested: str | ModelSpec = llm
        # The provider is what stands before the first slash: names of models may hold more.
        provider = llm.provider if isinstance(llm, ModelSpec) else llm.partition("/")[0]
        keys = _keys_to_connect(provider, api_key)
    elif not sdk_name(llm) and callable(getattr(llm, "complete", None)):
        own = _own_judge(llm, model)
        requested, keys = own.spec, {own.provider: own}
    else:
        if api_key:
            raise ParameterError("The object has a key already. Leave api_key out.")
        access = _sdk_access(llm)
        usual = usual_model(access.provider)
        model = model or (usual.id if usual else "")
        if not model:
            raise ParameterError(which_model(llm))
        # Either an id of ours or a name of the provider's, which may hold a slash as well.
        listed = find(model)
        is_id = listed is not None and listed.provider == access.provider
        requested = model if is_id else f"{access.provider}/{model}"
        keys = {access.provider: access}
    if isinstance(requested, str):
        requested = spec_of(requested, keys, answer_tokens=JUDGE_TOKENS)
    return ConnectedLLM(requested, keys, cache)


def _own_judge(llm: Any, name: str) -> OwnAccess:
    """An object of a person's own, by the name that it is given, else that of its `model`."""
    client = PlainLLM(llm)

    def complete(request: ModelRequest) -> Completion:
        return client.complete(
            Prompt(text=request.text, schema_text=request.schema_text, questions=request.questions)
        )

    return judge_access(complete, name or client.model)


def accesses(*arguments: object) -> dict[str, Access]:
    """The keys that connected models among these bring along, by provider, for a run with them.

    Each argument is a model or a list of models; raises `ParameterError` where two keys differ.
    """
    llms: list[object] = []
    for argument in arguments:
        if isinstance(argument, list | tuple):
            llms += argument
        else:
            llms.append(argument)
    by_provider: dict[str, Access] = {}
    for llm in llms:
        if not isinstance(llm, ConnectedLLM) or llm.access is None:
            continue
        access = llm.access
        if by_provider.setdefault(access.provider, access) != access:
            record = PROVIDERS.get(access.provider)
            raise ParameterError(
                f"A run has one key and address for {record.title if record else access.provider}, "
                "but the models were connected with different ones. Connect them with the same."
            )
    return by_provider


def spec_of(
    name: str,
    keys: Keys,
    *,
    temperature: float = 0.0,
    answer_tokens: int,
) -> ModelSpec:
    """The model of this id, such as `groq/openai/gpt-oss-20b`, as it is asked.

    Raises `ParameterError` for one that is unknown or retired, `AccessError` without its key.
    """
    model = find(name) or _unlisted_model(name)
    if model.is_retired(date.today()):
        replacement = successor(model).id
        raise ParameterError(f"{model.title} retired on {model.status_date}. Use {replacement}.")
    return spec_for(model, keys, temperature=temperature, answer_tokens=answer_tokens)


def usual_model(provider: str) -> Model | None:
    """The provider's model that is asked where nobody names one, if it has one."""
    for model in known_models().values():
        if model.provider == provider and model.default:
            return successor(model)
    return None


def _unlisted_model(name: str) -> Model:
    """A model that the catalogue lacks; whether the provider has it shows when it is asked."""
    provider, _, model = name.partition("/")
    if provider not in PROVIDERS or not model:
        # Lower than difflib's own 0.6, with which "gpt-oss" or "gpt4o" finds no id at all.
        near = get_close_matches(name, known_models(), n=3, cutoff=0.4)
        near = near or list(known_models())[:3]
        raise ParameterError(
            f"No model is called “{printable(name)}”. Write provider/model, with the provider "
            f"{', '.join(PROVIDERS)}; for example {', '.join(near)}."
        )
    return unlisted(provider, model)


def _keys_to_connect(provider: str, api_key: str) -> Keys:
    """The environment's keys, or this one at the address that the environment names, if any."""
    record = PROVIDERS.get(provider)
    if not api_key or record is None:
        return keys_from_environment(os.environ)
    address = os.environ.get(record.address_variable, "").strip()
    if not address and not record.address:
        raise missing_access(provider)
    base_url = address_of(record, address) if address else record.address
    return {provider: bind(provider, base_url, api_key)}


# The objects of the SDKs are known by the names of their classes: importing an SDK only to compare
# would take a second.


def sdk_name(llm: object) -> str:
    """What the SDK calls the class of the object, e.g. "openai.AzureOpenAI"; else empty."""
    for cls in type(llm).__mro__:
        package = cls.__module__.partition(".")[0]
        if package in ("groq", "openai"):
            return f"{package}.{cls.__name__}"
    return ""


def which_model(llm: object) -> str:
    """The message for an SDK's object that came without a model."""
    return (
        f"{sdk_name(llm)}: the object does not say which model to ask. "
        'Write connect(client, model="..."), with connect of evaluators.'
    )


def _sdk_access(llm: Any) -> Access:
    """The key and address of an SDK's object.

    One of OpenAI's at an address that no provider has is for a custom endpoint.
    """
    name = sdk_name(llm)
    if not name:
        kind = type(llm).__name__
        raise ParameterError(f"An object of type {kind} cannot be connected. {WHAT_WORKS}.")
    if name not in _PLAIN_SDKS:
        raise ParameterError(
            f"{name}: the object needs more than a key and an address. Connect an openai.OpenAI "
            "with the endpoint as base_url, or give an object whose complete(prompt) returns text."
        )
    # These would go with each request of the object, and ours would be sent without them.
    for setting in ("organization", "project", "_custom_headers", "_custom_query"):
        if getattr(llm, setting, None):
            raise ParameterError(
                f"{name}: a setting of the object would not be sent "
                f"({setting.removeprefix('_custom_')}). Connect one without it, "
                "or give an object whose complete(prompt) returns text."
            )
    address = clean_address(str(llm.base_url))
    return bind(provider_at(address, name.partition(".")[0]), address, llm.api_key)
