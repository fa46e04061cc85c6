"""From whatever a person has of an LLM to a client: a model id, an SDK's object, an object of their own, a jury."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from threading import Lock
from typing import Any

from evaluators.errors import AccessError, ParameterError
from evaluators.llm import Access, Keys, LLMClient
from evaluators.llm.catalogue import OFFLINE, PROVIDERS, Model, find, models, successor, unlisted
from evaluators.llm.clients import Account, Ledger, Seat, access_for, spec_for
from evaluators.llm.keys import ADDRESSES, VARIABLES, bind, clean_address, from_environment
from evaluators.llm.layers import Meter, Shelf
from evaluators.llm.loop import Scope
from evaluators.llm.offline_reader import OfflineReader
from evaluators.prompts import Prompt
from evaluators.records import Call, Cap, Completion, ModelSpec, Record
from evaluators.text.printable import printable

JUDGE_TOKENS = 2048
"""Tokens that a judgement may take, hidden reasoning included, where nobody says otherwise."""

WHAT_WORKS = (
    "Give a model id such as groq/openai/gpt-oss-20b, what connect(...) of evaluators gives, "
    "or an object whose complete(prompt) returns text"
)

_SDKS = {"Groq": "groq", "AsyncGroq": "groq", "OpenAI": "openai", "AsyncOpenAI": "openai"}
"""The clients of the SDKs whose key and address are all that a call needs, with their providers."""


class ConnectedLLM(LLMClient):
    """A model that answers through all layers; see `connect`. May be asked from several threads."""

    def __init__(self, spec: ModelSpec, keys: Keys, cache: str | Path | None = None) -> None:
        self.model = spec.id
        self.spec = spec
        self.access = access_for(spec, keys)
        self.calls = 0
        """Calls that were paid for."""
        self.cost: float | None = 0.0
        """What they cost in US dollars; `None` where a price is not known."""
        self._stored = _AnswerFile(Path(cache)) if cache else None
        self._shelf = Shelf(self._stored.find) if self._stored else None
        self._seat = Seat(spec, keys, Account(Scope(), Meter(Cap(), 0, 0.0), self._shelf))
        self._lock = Lock()

    @property
    def room(self) -> int | None:
        return self._seat.client(Ledger()).room

    def complete(self, prompt: Prompt | str) -> Completion:
        """The answer to a prompt, or to plain text; raises `LLMError` where no usable answer came."""
        ledger = Ledger(self._shelf)
        try:
            return self._seat.client(ledger).complete(Prompt(text=prompt) if isinstance(prompt, str) else prompt)
        finally:
            self._book(ledger)

    def _book(self, ledger: Ledger) -> None:
        bill = ledger.bill()
        with self._lock:
            self.calls += bill["calls"]
            self.cost = None if self.cost is None or bill["cost"] is None else self.cost + bill["cost"]
        if self._stored:
            self._stored.add([call for call in ledger.calls if call.reusable])
            ledger.stored()


def connect(
    llm: str | ModelSpec | object, *, model: str = "", api_key: str = "", cache: str | Path | None = None
) -> LLMClient:
    """A client for a model, through all layers: it keeps within the plan's limits, tries again, counts calls and cost.

        connect("groq/openai/gpt-oss-20b")                                # key from the environment
        connect("openai/gpt-5.6-luna", api_key="sk-...", cache="answers.jsonl")
        connect(groq.Groq(), model="openai/gpt-oss-20b")                  # its key and address

    `llm` is a model id, a `ModelSpec`, or an object of the SDK of Groq or OpenAI, of which only key and address are
    used. With `cache`, whole answers are kept in that file, and the same question is not paid for twice.

    Raises `ParameterError` for what cannot be connected, `AccessError` where a key is missing or cannot be one.
    """
    if isinstance(llm, str | ModelSpec):
        if model:
            raise ParameterError('model goes with an object of an SDK. Write connect("provider/model").')
        named: str | ModelSpec = llm
        keys = _keys(llm.provider if isinstance(llm, ModelSpec) else llm.partition("/")[0], api_key)
    else:
        if api_key:
            raise ParameterError("The object brings a key of its own. Leave api_key out.")
        access = _sdk_access(llm)
        if not model:
            raise ParameterError(_which_model(llm))
        known = find(model)
        is_id = known is not None and known.provider == access.provider
        named = model if is_id else f"{access.provider}/{model}"
        keys = {access.provider: access}
    spec = named if isinstance(named, ModelSpec) else spec_of(named, keys, answer_tokens=JUDGE_TOKENS)
    return OfflineReader() if spec == OFFLINE else ConnectedLLM(spec, keys, cache)


def as_client(llm: object) -> LLMClient:
    """The client that is meant; raises `ParameterError` with the remedy for what cannot be asked."""
    if isinstance(llm, type):
        raise ParameterError(f"{llm.__name__} is a class. Give an object of it: {llm.__name__}(...).")
    if isinstance(llm, str | ModelSpec):
        llm = connect(llm)
    if isinstance(llm, OfflineReader):
        raise ParameterError("The offline reader only quotes documents and cannot judge. Name an LLM as the judge.")
    if LLMClient in type(llm).__mro__:
        return llm  # type: ignore[return-value]
    if _sdk_name(llm):
        raise ParameterError(_which_model(llm))
    if callable(getattr(llm, "complete", None)):
        return _PlainLLM(llm)
    raise ParameterError(f"An object of type {type(llm).__name__} cannot be asked. {WHAT_WORKS}.")


def as_judges(given: object, most: int, who: str) -> LLMClient | tuple[LLMClient, ...] | None:
    """The judge or, where `most` is more than one, the jury that is meant; `None` where there is none."""
    if not isinstance(given, list | tuple):
        return None if given is None else as_client(given)
    judges = tuple(as_client(judge) for judge in given if judge is not None)
    if len(judges) > most:
        number = "one judge" if most == 1 else f"at most {most} judges"
        raise ParameterError(f"{who} asks {number}, and {len(judges)} are given. Leave out the others.")
    if most > 1:
        return judges
    return judges[0] if judges else None


def accesses(*given: object) -> dict[str, Access]:
    """The keys that connected models among these bring along, by provider, for a run that asks them."""
    found: dict[str, Access] = {}
    for each in given:
        for llm in each if isinstance(each, list | tuple) else [each]:
            if isinstance(llm, ConnectedLLM) and found.setdefault(llm.access.provider, llm.access) != llm.access:
                raise ParameterError(
                    f"A run has one key and address for {PROVIDERS[llm.access.provider]}, and two are given. "
                    "Connect its models with the same ones."
                )
    return found


def spec_of(name: str, keys: Keys, *, temperature: float = 0.0, answer_tokens: int) -> ModelSpec:
    """The model of this id, such as `groq/openai/gpt-oss-20b`, as it is asked.

    Raises `ParameterError` for one that is unknown or retired, `AccessError` where its key is missing.
    """
    model = find(name) or _unlisted(name)
    if model.is_retired(date.today()):
        raise ParameterError(f"{model.title} retired on {model.status_date}. Use {successor(model).id}.")
    check_key(model.provider, keys)
    return spec_for(model, keys, temperature=temperature, answer_tokens=answer_tokens)


def check_key(provider: str, keys: Keys) -> None:
    """Raises `AccessError` with the variable to set where the provider's key is not in the environment."""
    if provider in keys or provider not in VARIABLES:
        return
    key, base = VARIABLES[provider]
    if provider == "custom":
        raise AccessError(f"No address of a custom endpoint. Set {base}.")
    raise AccessError(f"No key for {PROVIDERS[provider]}. Set {key}.")


def _unlisted(name: str) -> Model:
    """A model that the catalogue lacks; whether the provider has it shows when it is asked."""
    provider, _, model = name.partition("/")
    if provider not in PROVIDERS or not model:
        near = get_close_matches(name, models(), n=3, cutoff=0.4) or list(models())[:3]
        raise ParameterError(
            f"No model is called “{printable(name)}”. Write provider/model, with the provider "
            f"{', '.join(PROVIDERS)}; for example {', '.join(near)}."
        )
    return unlisted(provider, model)


def _keys(provider: str, api_key: str) -> Keys:
    """The environment's keys, or this key at the address that the environment names for the provider, if any."""
    if not api_key or provider not in VARIABLES:
        return from_environment(os.environ)
    address = os.environ.get(VARIABLES[provider][1], "").strip()
    if not address and provider not in ADDRESSES:
        check_key(provider, {})
    return {provider: bind(provider, clean_address(address) if address else ADDRESSES[provider], api_key)}


# Objects of the SDKs


def _sdk_name(llm: object) -> str:
    """What the SDK calls the class of the object, e.g. "openai.AzureOpenAI"; empty where it is not of an SDK."""
    for cls in type(llm).__mro__:
        package = cls.__module__.partition(".")[0]
        if package in ("groq", "openai"):
            return f"{package}.{cls.__name__}"
    return ""


def _which_model(llm: object) -> str:
    return (
        f"A {_sdk_name(llm)} object does not say which model to ask. "
        'Write connect(client, model="..."), with connect of evaluators.'
    )


def _sdk_access(llm: Any) -> Access:
    """The key and the address of an SDK's object; at another address than OpenAI's it is an endpoint of its own."""
    name = _sdk_name(llm)
    if not name:
        raise ParameterError(f"An object of type {type(llm).__name__} cannot be connected. {WHAT_WORKS}.")
    provider = _SDKS.get(name.partition(".")[2])
    if provider is None:
        raise ParameterError(
            f"A {name} object needs more than a key and an address. Connect an openai.OpenAI object whose base_url "
            "names the endpoint, or give an object whose complete(prompt) returns text."
        )
    for setting in ("organization", "project", "_custom_headers", "_custom_query"):
        if getattr(llm, setting, None):
            raise ParameterError(
                f"The {name} object has a setting that would not be sent ({setting.removeprefix('_custom_')}). "
                "Connect one without it, or give an object whose complete(prompt) returns text."
            )
    address = clean_address(str(llm.base_url))
    if provider == "openai" and address != ADDRESSES["openai"]:
        provider = "custom"
    return bind(provider, address, llm.api_key)


# Objects of one's own


class _PromptText(str):
    """A prompt as the plain text that a stranger's object expects; it has the fields of a `Prompt` as well."""

    @classmethod
    def of(cls, prompt: Prompt) -> _PromptText:
        text = cls(prompt.text)
        vars(text).update(prompt)
        return text


class _PlainLLM(LLMClient):
    """An object of one's own whose `complete(prompt)` returns text or a `Completion`."""

    def __init__(self, llm: Any) -> None:
        name = getattr(llm, "model", None)
        self.model = name if isinstance(name, str) else type(llm).__name__
        self._llm = llm
        if inspect.iscoroutinefunction(llm.complete):
            raise ParameterError(f"{self.model}: complete is an async function. Give one that returns text.")

    @property
    def room(self) -> int | None:
        room = getattr(self._llm, "room", None)
        return room if isinstance(room, int) else None

    def complete(self, prompt: Prompt) -> Completion:
        answer = self._llm.complete(_PromptText.of(prompt))
        if isinstance(answer, Completion):
            return answer
        if not isinstance(answer, str):
            raise ParameterError(f"{self.model}: complete(prompt) returned a {type(answer).__name__} instead of text.")
        return Completion(text=answer)


# Kept answers


class _Kept(Record):
    """An answer as it stands in a line of the file."""

    key: str
    completion: Completion


class _AnswerFile:
    """Whole answers in a file, a line of JSON each, by the keys of their requests; several may append to it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: dict[str, Completion] = {}
        self._write(b"")
        lines = path.read_bytes().splitlines(keepends=True)
        for line in lines:
            with suppress(ValueError):  # whoever wrote the last one may have been killed
                kept = _Kept.model_validate_json(line)
                self._answers[kept.key] = kept.completion
        if lines and not self._answers:
            raise ParameterError(f"cache: {path} holds something else. Name another file.")
        if lines and not lines[-1].endswith(b"\n"):
            self._write(b"\n")

    def find(self, key: str) -> Completion | None:
        return self._answers.get(key)

    def add(self, calls: Sequence[Call]) -> None:
        self._answers.update({call.key: call.completion for call in calls})
        kept = [_Kept(key=call.key, completion=call.completion) for call in calls]
        self._write(b"".join(each.model_dump_json().encode() + b"\n" for each in kept))

    def _write(self, lines: bytes) -> None:
        """Appends at once, so that lines of several processes do not mix; answers are for their owner alone."""
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(file, "ab", buffering=0) as appended:
                appended.write(lines)
        except OSError as error:
            raise ParameterError(
                f"cache: {self._path} cannot be written ({error.strerror}). Name a file in a folder of yours."
            ) from error
