"""Clients: from a model and a key to something that answers; one connection for all that use the
same key.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Any, NamedTuple

from evaluators.errors import AccessError, LLMError
from evaluators.llm import Access, Keys, LLMClient, Request
from evaluators.llm.catalogue import OFFLINE, Model, find, title
from evaluators.llm.connection import Connection
from evaluators.llm.layers import Cached, Limited, Meter, Metered, Retried, Shelf
from evaluators.llm.limits import Limiter, digest, limiter_for
from evaluators.llm.loop import Scope, loop
from evaluators.llm.masking import secrets_in
from evaluators.llm.offline_reader import OfflineReader
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt
from evaluators.records import Call, Completion, ModelSpec, Remedy, SampleResult, Usage

LIST_SECONDS = 3600
"""How long a provider's list of models is believed."""

RETRY_SECONDS = 60
"""How long after a list was asked for in vain it is asked for again."""

CLOSE_SECONDS = 2
"""How long the end of a process waits for a connection to close; it takes milliseconds."""

FOR_A_SCHEMA = 400
"""Tokens that the providers may count for the schema of an answer."""


class Ledger:
    """What one cell paid for, and how many of its answers were there already."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.calls: list[Call] = []
        self.cached = 0
        self._notes: dict[str, None] = {}
        self._shelf = shelf

    def add(self, completion: Completion) -> None:
        """An answer came, from the provider or from the store."""
        self.cached += completion.cached
        if completion.note:
            self._notes[completion.note] = None

    def bill(self, earlier: SampleResult | None = None) -> dict[str, Any]:
        """The fields of a `SampleResult` that tell what it cost, with what an earlier, failed try
        had cost.
        """
        costs = [call.cost for call in self.calls] + ([earlier.cost] if earlier else [])
        usages = [call.completion.usage for call in self.calls] + (
            [earlier.usage] if earlier else []
        )
        known = [cost for cost in costs if cost is not None]
        return {
            "calls": len(self.calls) + (earlier.calls if earlier else 0),
            "cached": self.cached + (earlier.cached if earlier else 0),
            "note": ", ".join(self._notes) or (earlier.note if earlier else ""),
            "cost": sum(known) if len(known) == len(costs) else None,
            "usage": {
                name: sum(getattr(usage, name) for usage in usages) for name in Usage.model_fields
            },
        }

    def spoil(self, texts: Collection[str]) -> None:
        """These answers were of no use: they are paid for, but must not serve again."""
        self.calls[:] = [
            call.model_copy(update={"reusable": False}) if call.completion.text in texts else call
            for call in self.calls
        ]

    def stored(self) -> None:
        """The calls are in the store now: who asks the same finds them there."""
        if self._shelf:
            for call in self.calls:
                self._shelf.stored(call.key)


class Account(NamedTuple):
    """What the models of one run share: what is in flight, the cap, and (unless bypassed) the
    stored answers.
    """

    scope: Scope
    meter: Meter
    shelf: Shelf | None


class Seat:
    """A model's place in one run; `client` gives what one cell talks to, `close` lets the
    connection go.
    """

    def __init__(self, spec: ModelSpec, keys: Keys, account: Account) -> None:
        self.name = title(spec)
        self._spec = spec
        self._account = account
        self._access = None if spec.provider == OFFLINE.provider else access_for(spec, keys)
        self._connection = _connections.take(self._access) if self._access else None
        self._limiter = limiter_for(self._access, spec) if self._access else None

    def client(self, ledger: Ledger) -> LLMClient:
        if self._spec.provider == OFFLINE.provider:
            return OfflineReader()
        if self._access is None or self._connection is None or self._limiter is None:
            raise RuntimeError("The seat is closed.")
        limited = Limited(self._connection, self._limiter)
        asked = Retried(Metered(limited, self._account.meter, ledger.calls))
        shelf = self._account.shelf
        layers = Cached(asked, shelf) if shelf else asked
        return _Client(
            self._spec, self._access.base_url, self._limiter, layers, self._account.scope, ledger
        )

    @property
    def is_remote(self) -> bool:
        return self._spec.provider != OFFLINE.provider

    @property
    def waiting(self) -> float:
        """Seconds until the plan lets the next request go."""
        return self._limiter.waiting if self._limiter else 0.0

    @property
    def is_refused(self) -> bool:
        """Whether the provider's last word was to wait."""
        return self._limiter is not None and self._limiter.is_refused

    @property
    def unanswered(self) -> float:
        """Seconds for which requests have been out and none was answered."""
        return self._limiter.unanswered if self._limiter else 0.0

    def close(self) -> None:
        """Lets the connection go, and forgets the key."""
        access, self._access, self._connection = self._access, None, None
        if access:
            _connections.give_back(access)


class _Client(LLMClient):
    """The synchronous face: evaluators call `complete` and wait."""

    def __init__(
        self,
        spec: ModelSpec,
        base_url: str,
        limiter: Limiter,
        layers: Cached | Retried,
        scope: Scope,
        ledger: Ledger,
    ) -> None:
        self.model = spec.id
        self._spec = spec
        self._base_url = base_url
        self._limiter = limiter
        self._layers = layers
        self._scope = scope
        self._ledger = ledger

    @property
    def prompt_budget(self) -> int | None:
        return _tokens_left_for_a_prompt(self._spec, self._limiter)

    def complete(self, prompt: Prompt) -> Completion:
        request = Request(
            spec=self._spec,
            text=prompt.text,
            base_url=self._base_url,
            schema_text=prompt.schema_text,
        )
        stored = self._layers.stored(request) if isinstance(self._layers, Cached) else None
        reply = stored or self._scope.run(self._layers.complete(request))
        self._ledger.add(reply.completion)
        return reply.completion


def spec_for(model: Model, keys: Keys, *, temperature: float, answer_tokens: int) -> ModelSpec:
    """The model as a run keeps it, with its address where that is not the provider's own.

    Raises `AccessError` where its key is missing.
    """
    if model.id == OFFLINE.id:
        return OFFLINE
    most = min(answer_tokens, model.most_answer_tokens or answer_tokens)
    spec = model.spec(temperature=temperature, answer_tokens=most)
    address = access_for(spec, keys).base_url
    is_own = address == PROVIDERS[model.provider].address
    return spec.model_copy(update={"base_url": "" if is_own else address})


def prompt_budget(spec: ModelSpec, keys: Keys) -> int | None:
    """How many tokens a prompt for the model may have, before a run has a client of it."""
    return _tokens_left_for_a_prompt(spec, limiter_for(access_for(spec, keys), spec))


def _tokens_left_for_a_prompt(spec: ModelSpec, limiter: Limiter) -> int | None:
    """What context and plan leave for a prompt beside the answer budget and a schema."""
    known = find(spec.id)
    limits = (known.context if known else None, limiter.minute_tokens)
    least = min((limit for limit in limits if limit is not None), default=None)
    return None if least is None else max(0, least - spec.answer_tokens - FOR_A_SCHEMA)


class _Connections:
    """One connection for each access, kept while it is used;
    with the last user it forgets the key.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Access, tuple[Connection, int]] = {}

    def take(self, access: Access) -> Connection:
        with self._lock:
            connection, users = self._open.get(access) or (Connection(access), 0)
            self._open[access] = connection, users + 1
            return connection

    def give_back(self, access: Access) -> None:
        with self._lock:
            connection, users = self._open.pop(access)
            if users > 1:
                self._open[access] = connection, users - 1
            else:
                asyncio.run_coroutine_threadsafe(connection.close(), loop())

    def close(self) -> None:
        """Closes what is open when the process ends: aiohttp would complain of it."""
        for connection, _ in self._open.values():
            with suppress(Exception):  # nobody is left to hear of it
                asyncio.run_coroutine_threadsafe(connection.close(), loop()).result(CLOSE_SECONDS)


_connections = _Connections()
atexit.register(_connections.close)


def access_for(spec: ModelSpec, keys: Keys) -> Access:
    """The key for this model; raises `AccessError` where there is none, or only one for another
    address.
    """
    access = keys.get(spec.provider)
    if access is None:
        raise missing_access(spec.provider)
    if secrets_in(access.base_url):  # it would stand in the run's card
        raise AccessError(
            "The base URL holds a user name, a password or a query. Give it without, and "
            "the key alone."
        )
    if spec.base_url and spec.base_url != access.base_url:
        message = f"This run asked {spec.base_url}; the address is now {access.base_url}."
        variable = PROVIDERS[access.provider].address_variable
        raise AccessError(message, remedy=Remedy("restore_address", variable))
    return access


def missing_access(provider: str) -> AccessError:
    """What to raise where there is no key for a provider, or no address of a custom endpoint."""
    record = PROVIDERS.get(provider)
    if record is None:
        unknown = f"{provider} is not a provider that Plumbline knows."
        return AccessError(f"{unknown} Choose another model.")
    if record.is_custom:
        remedy = Remedy("enter_address", record.address_variable)
        return AccessError("No address of a custom endpoint.", remedy=remedy)
    return AccessError(
        f"No key for {record.title}.", remedy=Remedy("enter_key", record.key_variable)
    )


def ask_models(access: Access) -> list[str]:
    """The ids of the models that the provider offers to this key; raises `LLMError` with what is
    wrong.
    """
    found = Scope().run(_listed(access))
    with _asking:
        _offered[digest(access)] = time.monotonic() + LIST_SECONDS, found
    return found


def offered(access: Access) -> list[str] | None:
    """The provider's list where it is known, else `None`; fetches it in the background when it is
    not, or is old.
    """
    with _asking:
        until, found = _offered.get(digest(access), (0.0, None))
        if time.monotonic() > until:
            for old in [
                key for key, (end, _) in _offered.items() if time.monotonic() - end > LIST_SECONDS
            ]:
                del _offered[old]
            _offered[digest(access)] = time.monotonic() + RETRY_SECONDS, found
            threading.Thread(
                target=_fetch, args=(access,), daemon=True, name="plumbline-models"
            ).start()
    return found


_offered: dict[str, tuple[float, list[str] | None]] = {}
_asking = threading.Lock()


def _fetch(access: Access) -> None:
    with suppress(LLMError):  # a test of the key shows it; a list that is missing hides no model
        ask_models(access)


async def _listed(access: Access) -> list[str]:
    connection = _connections.take(access)
    try:
        return await connection.models()
    finally:
        _connections.give_back(access)
