"""Clients: from a model and a key to something that answers.

All that use the same key share one connection.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from evaluators.errors import AccessError, LLMError
from evaluators.llm import Access, Keys, LLMClient, ModelRequest, request_for
from evaluators.llm.batches import Batches
from evaluators.llm.budget import Meter
from evaluators.llm.call_log import CallLog
from evaluators.llm.catalogue import OFFLINE, Model, find, model_title
from evaluators.llm.connection import Connection
from evaluators.llm.google_batches import GoogleBatches
from evaluators.llm.layers import Cached, Limited, Metered, ResponseCache, Retried
from evaluators.llm.limits import Limiter, digest, limiter_for
from evaluators.llm.loop import Scope, loop
from evaluators.llm.masking import secrets_in
from evaluators.llm.offline_reader import OfflineReader
from evaluators.llm.own import OwnAccess, OwnConnection, missing_own, own_connection
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt
from evaluators.records import Completion, ModelSpec, Remedy
from evaluators.text.language import say

LIST_SECONDS = 3600
"""How long a provider's list of models is believed; new models do not come by the minute."""

RETRY_SECONDS = 60
"""How long after a list was asked for in vain it is asked for again.

Every drawing of a page looks for the lists: without a pause each would send a request.
"""

CLOSE_SECONDS = 2
"""How long the end of a process waits for a connection to close; it takes milliseconds."""

SCHEMA_TOKENS = 400
"""Tokens that the providers may count for the schema of an answer, kept free in a prompt budget."""


class RunContext(NamedTuple):
    """What the models of one run share: what is in flight, the cap, and the stored answers.

    Without a `cache` every request is paid for.
    """

    scope: Scope
    meter: Meter
    cache: ResponseCache | None
    run_id: str = ""
    has_batches: bool = False
    """Then prompts are cut for the model alone.

    A batch knows no tokens per minute, and prompts that were cut anew would be paid for again.
    """


class ModelSession:
    """A model as one run uses it, with its connection; `client` gives what one cell talks to."""

    def __init__(self, spec: ModelSpec, keys: Keys, context: RunContext) -> None:
        self.name = model_title(spec)
        self.spec = spec
        self._context = context
        self._access: Access | None = None
        self._connection: Connection | OwnConnection | None = None
        self._limiter: Limiter | None = None
        self._cache_address = ""
        """The address that tells its stored answers from others."""
        if self.is_remote:
            self._access = access_for(spec, keys)
            self._cache_address = self._access.base_url
            if spec.is_own and not (spec.system and spec.system.cache):
                # What is a person's own changes behind its name: its answers serve this run alone.
                self._cache_address += f" {context.run_id}"
            self._connection = _connections.take(self._access)
            self._limiter = limiter_for(self._access, spec)

    def client(self, log: CallLog, repeat: int = 1) -> LLMClient:
        """What answers one cell's prompts, and notes in its log what they cost.

        Of each `repeat`, counted from 1, the answers are its own.
        """
        if not self.is_remote:
            return OfflineReader()
        if self._access is None or self._connection is None or self._limiter is None:
            raise RuntimeError("The model session is closed.")
        scope, meter, cache, *_ = self._context
        limited = Limited(self._connection, self._limiter)
        retried = Retried(Metered(limited, meter, log.note, log.share))
        return _RemoteClient(self, Cached(retried, cache, scope), log, repeat)

    def batches(self) -> Batches:
        """Its provider's batches."""
        if self._access is None or not isinstance(self._connection, Connection):
            raise RuntimeError("The model session is closed, or takes no batches.")
        terms = PROVIDERS[self._access.provider].batches
        is_google = terms is not None and terms.shape == "google"
        return (GoogleBatches if is_google else Batches)(self._connection, self._access)

    def request(self, prompt: Prompt, repeat: int = 1) -> ModelRequest:
        """What is sent for the prompt."""
        return request_for(self.spec, prompt, self._cache_address, repeat)

    @property
    def prompt_budget(self) -> int | None:
        """How many tokens a prompt may have."""
        limiter = None if self._context.has_batches else self._limiter
        return _tokens_left_for_a_prompt(self.spec, limiter)

    @property
    def is_remote(self) -> bool:
        return self.spec.provider != OFFLINE.provider

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
        # Cleared first: a second call must not give back a place that others still use.
        access, self._access, self._connection = self._access, None, None
        if access:
            _connections.give_back(access)


def open_sessions(
    specs: Iterable[ModelSpec],
    keys: Keys,
    context: RunContext,
) -> list[ModelSession]:
    """A session for each model; where one lacks a key, raises `AccessError` and opens none."""
    sessions: list[ModelSession] = []
    try:
        for spec in specs:
            sessions.append(ModelSession(spec, keys, context))
    except BaseException:
        for session in sessions:
            session.close()
        raise
    return sessions


class _RemoteClient(LLMClient):
    """The synchronous face of the layers: evaluators call `complete` and wait."""

    def __init__(self, session: ModelSession, layers: Cached, log: CallLog, repeat: int) -> None:
        self.model = session.spec.id
        self._session = session
        self._layers = layers
        self._log = log
        self._repeat = repeat

    @property
    def prompt_budget(self) -> int | None:
        return self._session.prompt_budget

    def complete(self, prompt: Prompt) -> Completion:
        request = self._session.request(prompt, self._repeat)
        completion = self._layers.complete(request).completion
        self._log.add(request, completion)
        return completion


def spec_for(
    model: Model,
    keys: Keys,
    *,
    temperature: float,
    answer_tokens: int,
) -> ModelSpec:
    """The model as a run keeps it, with its address where that is not the provider's own.

    Raises `AccessError` where its key is missing.
    """
    if model.id == OFFLINE.id:
        return OFFLINE
    if isinstance(own := keys.get(model.id), OwnAccess):
        return own.spec
    if model.most_answer_tokens:
        answer_tokens = min(answer_tokens, model.most_answer_tokens)
    spec = model.spec(temperature=temperature, answer_tokens=answer_tokens)
    address = access_for(spec, keys).base_url
    if address == PROVIDERS[model.provider].address:
        return spec
    return spec.model_copy(update={"base_url": address})


def prompt_budget(spec: ModelSpec, keys: Keys) -> int | None:
    """How many tokens a prompt for the model may have, before a run has a client of it."""
    return _tokens_left_for_a_prompt(spec, limiter_for(access_for(spec, keys), spec))


def _tokens_left_for_a_prompt(spec: ModelSpec, limiter: Limiter | None) -> int | None:
    """What context and plan leave for a prompt beside the answer budget and a schema."""
    model = find(spec.id)
    context = model.context if model else None
    # A request that takes more than a minute's tokens could never be sent.
    a_minute = limiter.minute_tokens if limiter else None
    limits = [limit for limit in (context, a_minute) if limit is not None]
    if not limits:
        return None
    return max(0, min(limits) - spec.answer_tokens - SCHEMA_TOKENS)


class _Connections:
    """One connection for each access; with its last user it is closed, and the key forgotten.

    Shared, as a client of its own for each call takes over ten times the processor time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Access, tuple[Connection | OwnConnection, int]] = {}

    def take(self, access: Access) -> Connection | OwnConnection:
        with self._lock:
            connection, users = self._open.get(access) or (_connection(access), 0)
            # By the access, which holds key and address: no visitor is sent over another's.
            self._open[access] = connection, users + 1
            return connection

    def give_back(self, access: Access) -> None:
        with self._lock:
            connection, users = self._open.pop(access)
            if users > 1:
                self._open[access] = connection, users - 1
            else:
                # On the loop that it belongs to; nobody waits for it.
                asyncio.run_coroutine_threadsafe(connection.close(), loop())

    def close_all(self) -> None:
        """Closes what is open when the process ends: aiohttp would complain of it."""
        for connection, _ in self._open.values():
            # Whatever goes wrong now, nobody is left who could be told.
            with suppress(Exception):
                asyncio.run_coroutine_threadsafe(connection.close(), loop()).result(CLOSE_SECONDS)


def _connection(access: Access) -> Connection | OwnConnection:
    return own_connection(access) if isinstance(access, OwnAccess) else Connection(access)


_connections = _Connections()
atexit.register(_connections.close_all)


def access_for(spec: ModelSpec, keys: Keys) -> Access:
    """The key for this model.

    Raises `AccessError` where there is none, or only one for another address.
    """
    access = keys.get(spec.id) or keys.get(spec.provider)
    if access is None:
        raise missing_own(spec) if spec.is_own else missing_access(spec.provider)
    # The address is kept with the run and shown on its card.
    if secrets_in(access.base_url):
        raise AccessError(
            say(
                "The base URL contains a user name, a password or a query. Enter it "
                "without them, and the key in its own field."
            )
        )
    if spec.base_url and spec.base_url != access.base_url:
        message = say(
            "This run asked {before}; the address is now {now}.",
            before=spec.base_url,
            now=access.base_url,
        )
        if spec.is_own:
            raise AccessError(message)
        variable = PROVIDERS[access.provider].address_variable
        raise AccessError(message, remedy=Remedy("restore_address", variable))
    return access


def missing_access(provider: str) -> AccessError:
    """What to raise where there is no key for a provider, or no address of a custom endpoint."""
    record = PROVIDERS.get(provider)
    if record is None:
        return AccessError(
            say(
                "{provider} is not a provider that Plumbline knows. Choose another model.",
                provider=provider,
            )
        )
    if record.is_custom:
        remedy = Remedy("enter_address", record.address_variable)
        message = say("{provider} has no address.", provider=say(record.title))
        return AccessError(message, remedy=remedy)
    # One whose address its user gives a part of wants that as well.
    variables = [record.key_variable, "" if record.address else record.address_variable]
    return AccessError(
        say("No key for {provider}.", provider=record.title),
        remedy=Remedy("enter_key", " and ".join(filter(None, variables))),
    )


def ask_models(access: Access) -> dict[str, str]:
    """The ids of the models that the provider offers to this key, each with its last day, if any.

    Raises `LLMError` with what is wrong.
    """
    ids = Scope().run(_model_ids(access))
    if access.models:
        # Its list, which tells a wrong key, is one of what could be there.
        ids = {name: ids.get(name, "") for name in access.models}
    # Locked only now: others would else wait for the provider's answer as well.
    with _lists_lock:
        _model_lists[digest(access)] = time.monotonic() + LIST_SECONDS, ids
    return ids


def offered_models(access: Access) -> dict[str, str] | None:
    """The provider's list of models where it is known, else `None`; a system has none.

    It is fetched in the background when it is not known, or old: a page does not wait for it.
    """
    if isinstance(access, OwnAccess):
        return None
    now = time.monotonic()
    with _lists_lock:
        until, ids = _model_lists.get(digest(access), (0.0, None))
        if now > until:
            _forget_old_lists(now)
            # Noted before the answer comes, so that only one thread asks.
            _model_lists[digest(access)] = now + RETRY_SECONDS, ids
            threading.Thread(
                target=_fetch_models,
                args=(access,),
                daemon=True,
                name="plumbline-models",
            ).start()
    if ids is None and access.models:
        return dict.fromkeys(access.models, "")
    return ids


_model_lists: dict[str, tuple[float, dict[str, str] | None]] = {}
"""By the digest of the access: until when the list is believed, and the list."""

_lists_lock = threading.Lock()


def _forget_old_lists(now: float) -> None:
    """Drops the lists that nobody has asked for in an hour: visitors bring ever new keys."""
    for key, (until, _) in list(_model_lists.items()):
        if now - until > LIST_SECONDS:
            del _model_lists[key]


def _fetch_models(access: Access) -> None:
    # A missing list hides no model, and what is wrong with a key is shown by its test on Settings.
    with suppress(LLMError):
        ask_models(access)


async def _model_ids(access: Access) -> dict[str, str]:
    connection = _connections.take(access)
    try:
        assert isinstance(connection, Connection)
        return await connection.models()
    finally:
        _connections.give_back(access)
