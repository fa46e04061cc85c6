"""What a person brings along: a RAG system, as a function or over HTTP, or a judge of one's own.

Each stands among the keys of a run under its id, and is asked through the same layers as a model.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import ssl
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urljoin, urlsplit

from pydantic import Field, SecretStr, ValidationError

from evaluators import arguments
from evaluators.config import config
from evaluators.errors import (
    AccessError,
    LateError,
    LLMError,
    MissingInputError,
    ParameterError,
    PlumblineError,
    RateLimitedError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import Access, ModelReply, ModelRequest, replies
from evaluators.llm.asking import in_words
from evaluators.llm.keys import clean_address, mask
from evaluators.llm.loop import Scope, loop
from evaluators.llm.masking import Masker
from evaluators.llm.provider_errors import LONGEST_PAUSE, seconds_to_wait
from evaluators.llm.transport import MOST_BYTES, PackedError, TooBigError, body_of, new_session
from evaluators.named_files import read_toml
from evaluators.records import (
    OWN_JUDGE,
    SYSTEM,
    Completion,
    ModelSpec,
    Record,
    Remedy,
    SystemSpec,
    Usage,
)
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.printable import printable, shown
from evaluators.text.size import tokens
from evaluators.text.strangers_json import strangers_json

T = TypeVar("T")

QUESTION, DOCUMENTS = "{{question}}", "{{documents}}"
BODY = '{"question": "{{question}}"}'
USUAL_NAME = "my-rag"
MOST_REDIRECTS = 3

MOST_DOCUMENTS = 1000
"""Of one reply."""

_RETURN = 'Return a text, or {"response": ..., "retrieved_documents": [...]}.'
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_OF_THE_REQUEST = {"host", "content-length", "transfer-encoding", "connection", "content-type"}


class OwnAccess(Access):
    """A system or a judge of a person's own; `provider` is its id, under which keys hold it.

    `ask` is the code of one in Python; one over HTTP gets the `headers`, which are secrets.
    """

    spec: ModelSpec
    headers: tuple[tuple[str, SecretStr], ...] = ()
    ask: Callable[[ModelRequest], Any] | None = None

    @cached_property
    def mask(self) -> Masker:
        """Masks every word of a header's value: of "Bearer abc" both the whole and the key."""
        values = [value.get_secret_value() for _, value in self.headers]
        return Masker(*values, *(word for value in values for word in value.split()))

    def reading(self, answer: str, documents: str) -> OwnAccess:
        """The same system with these places in its reply."""
        places = {"answer": answer, "documents": documents}
        system = (self.spec.system or SystemSpec()).model_copy(update=places)
        spec = self.spec.model_copy(update={"system": system})
        # Made anew, not copied: only what is made is known to what masks logs.
        kept = {name: getattr(self, name) for name in OwnAccess.model_fields if name != "spec"}
        return OwnAccess(spec=spec, **kept)


# From what a person names


class HTTPSystem(Record):
    """How a RAG system over HTTP is asked, as a form or a TOML file says it; see `SystemSpec`."""

    name: str = Field(USUAL_NAME, min_length=1, max_length=60)
    address: str
    method: Literal["POST", "PUT", "GET"] = "POST"
    headers: dict[str, str] = {}
    body: str = BODY
    answer: str = ""
    documents: str = ""
    cache: bool = False
    at_once: int = Field(4, ge=1, le=64)

    def access(self) -> OwnAccess:
        """Its access; raises a `PlumblineError` where something in it cannot be used."""
        address = clean_address(self.address)
        for place in (self.answer, self.documents):
            replies.steps_of(place)
        body_for(self.body, "", ())
        same = self.model_dump(exclude={"name", "address", "headers"})
        names = tuple(self.headers)
        spec = SystemSpec(headers=names, takes_documents=DOCUMENTS in self.body, **same)
        headers = tuple(_header(name, value) for name, value in self.headers.items())
        return _access(printable(self.name), spec, base_url=address, headers=headers)


def system(named: object) -> OwnAccess:
    """The system that is meant: a function, `module:function`, a TOML file, or its settings.

    Raises a `PlumblineError` that says what to give instead.
    """
    if isinstance(named, OwnAccess):
        return named
    if isinstance(named, Mapping):
        return _over_http(named, "system")
    if isinstance(named, str | Path):
        text = str(named)
        if text.lstrip().startswith("{"):
            try:
                return _over_http(strangers_json(text), "system")
            except ValueError as error:
                raise ParameterError(f"system is {shown(text)}, which is no JSON.") from error
        if text.endswith(".toml"):
            return _of_file(Path(text))
        return system_of(_imported(text))
    if callable(named):
        return system_of(named)
    raise ParameterError(
        f"system is {shown(named)}. Give a function that takes a question, or module:function, or "
        "a TOML file."
    )


def systems(named: object) -> list[OwnAccess]:
    """Those that are named: none, one or several."""
    several = named if isinstance(named, list | tuple) else [named]
    return [system(each) for each in several if each is not None]


def system_of(ask: Callable[..., Any], name: str = "") -> OwnAccess:
    """A function of a question, sync or async, as a system; one with `documents` gets them, too."""
    given = getattr(ask, "__name__", "") or type(ask).__name__
    if not name:
        name = USUAL_NAME if given == "<lambda>" else given
    try:
        takes = DOCUMENTS.strip("{}") in inspect.signature(ask).parameters
    except (TypeError, ValueError):  # of some callables written in C nobody knows
        takes = False
    qualified = f"{getattr(ask, '__module__', '')}:{getattr(ask, '__qualname__', '')}"
    function = qualified if re.fullmatch(r"[\w.]+:[\w.]+", qualified) else ""

    def answer(request: ModelRequest) -> Any:
        question, *documents = json.loads(request.text)
        return ask(question, documents=documents) if takes else ask(question)

    spec = SystemSpec(function=function, takes_documents=takes)
    return _access(printable(name)[:60], spec, ask=answer)


def judge_access(ask: Callable[[ModelRequest], Any], name: str) -> OwnAccess:
    """A judge of a person's own, by what answers a request, and the name that it is given."""
    spec = ModelSpec(provider=OWN_JUDGE, model=printable(name)[:100], temperature=None)
    return OwnAccess(provider=spec.id, base_url="", key=SecretStr(""), spec=spec, ask=ask)


def missing_own(spec: ModelSpec) -> AccessError:
    """What to raise where a run asks what is a person's own, and it is not here."""
    if spec.system:
        words = say("{model} is a RAG system that is not at hand.", model=spec.model)
        return AccessError(words, remedy=Remedy("name_system"))
    words = mark("{model} is a judge from Python. Go on there, by the same call of evaluate.")
    return AccessError(say(words, model=spec.model))


def _access(name: str, spec: SystemSpec, *, base_url: str = "", **more: Any) -> OwnAccess:
    model = ModelSpec(provider=SYSTEM, model=name, base_url=base_url, temperature=None, system=spec)
    return OwnAccess(provider=model.id, base_url=base_url, key=SecretStr(""), spec=model, **more)


def _over_http(settings: Mapping[str, Any], where: str) -> OwnAccess:
    try:
        return HTTPSystem.model_validate(settings).access()
    except ValidationError as error:
        # Without the values: one may be a key.
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ParameterError(f"{where}: {printable(place)}: {first['msg']}. Correct it.") from None


def _of_file(path: Path) -> OwnAccess:
    settings = read_toml(path)
    # A file of a run has it as a table.
    return _over_http(with_variables(settings.get("system", settings)), printable(path.name))


def with_variables(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the environment's values for `$NAME` in headers: keys stay out of files."""

    def value_of(name: re.Match[str]) -> str:
        if name[1] not in os.environ:
            raise AccessError(f"The header wants {name[0]}. Set {name[1]}.")
        return os.environ[name[1]]

    headers = settings.get("headers", {})
    if isinstance(headers, Mapping):
        headers = {key: re.sub(r"\$(\w+)", value_of, str(text)) for key, text in headers.items()}
    return {**settings, "headers": headers}


def _imported(name: str) -> Callable[..., Any]:
    module, colon, path = name.partition(":")
    if not colon or not module or not path:
        raise ParameterError(
            f"system is {shown(name)}. Write module:function, or the name of a TOML file."
        )
    # As where a script of that folder is started.
    sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as error:  # a module of one's own may raise anything
        raise ParameterError(f"{printable(name)} cannot be loaded: {in_words(error)}.") from error
    finally:
        sys.path.remove(os.getcwd())
    if not callable(found):
        raise ParameterError(f"{printable(name)} is {shown(found)}, not a function.")
    return found  # type: ignore[no-any-return]


def _header(name: str, value: str) -> tuple[str, SecretStr]:
    """A header; raises `AccessError` without its value, which may be a key."""
    value = value.strip()
    is_whole = _HEADER.fullmatch(name) and re.fullmatch(r"[\x20-\x7e]{1,4000}", value)
    if not is_whole or name.lower() in _OF_THE_REQUEST:
        raise AccessError(
            say("The header {name} cannot be sent. Correct it.", name=printable(name)[:60])
        )
    return name, SecretStr(value)


def body_for(template: str, question: str, documents: Sequence[str]) -> Any:
    """The JSON of a template with the question and documents where they are wanted.

    They are put into the texts of the JSON, so that no question can end one.
    """

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        if value == DOCUMENTS:
            return list(documents)
        return value.replace(QUESTION, question) if isinstance(value, str) else value

    try:
        body = filled(json.loads(template))
    except (ValueError, RecursionError):
        raise ParameterError(
            say("The body is not JSON. Write it as {example}.", example=BODY)
        ) from None
    if QUESTION not in template:
        raise ParameterError(
            say("The body has no {blank}. Put it where the question stands.", blank=QUESTION)
        )
    return body


# Asking


class OwnConnection:
    """One attempt at what is a person's own: as of `Connection`, only our own errors come out."""

    def __init__(self, access: OwnAccess) -> None:
        self._access = access
        self.seconds = config().call_seconds

    async def open(self) -> None:
        """Makes ready to ask."""

    async def close(self) -> None:
        """Lets connections go."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        if config().public:
            raise missing_own(request.spec)
        try:
            completion = await self.in_time(self._answer(request))
        except MissingInputError as problem:
            raise LLMError(f"{request.spec.model}: {problem.message}") from None
        text, documents = self._readable(completion.text), completion.documents
        if documents is not None:
            if len(documents) > MOST_DOCUMENTS:
                most = say(
                    "{model} gave more than {most:,} documents, the limit.",
                    model=request.spec.model,
                    most=MOST_DOCUMENTS,
                )
                raise LLMError(most)
            documents = tuple(map(self._readable, documents))
        usage = Usage(prompt_tokens=tokens(request.text), answer_tokens=tokens(text))
        update = {"text": text, "documents": documents, "usage": usage}
        return ModelReply(completion.model_copy(update=update), {})

    def _readable(self, text: str) -> str:
        return self._access.mask(without_surrogates(text))

    async def in_time(self, reply: Awaitable[T]) -> T:
        """The reply; raises `LateError` where it takes too long."""
        try:
            async with asyncio.timeout(self.seconds):
                return await reply
        except TimeoutError:
            message = say(
                "{model} did not answer within {seconds:g} s. Make it faster, or allow it more "
                "time by PLUMBLINE_CALL_SECONDS.",
                model=self._access.spec.model,
                seconds=self.seconds,
            )
            raise LateError(message, tries=2) from None

    async def _answer(self, request: ModelRequest) -> Completion:
        """Its answer; raises `MissingInputError` for what are no documents."""
        raise NotImplementedError


def own_connection(access: OwnAccess) -> OwnConnection:
    return _Function(access) if access.ask else _HTTP(access)


class _Function(OwnConnection):
    """A function of Python, each call in a thread of its own, which may block as it likes."""

    async def _answer(self, request: ModelRequest) -> Completion:
        model, ask = request.spec.model, self._access.ask
        assert ask
        result, error = await _outcome(ask, request)
        if isinstance(error, PlumblineError):
            raise error
        if error is not None:
            raise _raised(model, error)
        if isinstance(result, Completion):
            return result
        response, documents = result, None
        if isinstance(result, Mapping):
            response, documents = result.get("response"), result.get("retrieved_documents")
        if not isinstance(response, str):
            raise LLMError(f"{model} returned {shown(result)}. {_RETURN}")
        found = None if documents is None else arguments.retrieved(documents)
        return Completion(text=response, documents=found)


def _raised(model: str, error: BaseException) -> LLMError:
    message = say(
        "{model} raised {problem}. Correct it, then try again what failed.",
        model=model,
        problem=in_words(error),
    )
    status = getattr(error, "status_code", 0)
    # A lost connection, a busy server: what libraries raise then is one of these, or has a status.
    is_passing = isinstance(error, OSError | TimeoutError) or status == 429
    if is_passing or (isinstance(status, int) and status >= 500):
        return TransientError(message, tries=3)
    return LLMError(message)


Outcome = tuple[Any, BaseException | None]


async def _outcome(ask: Callable[[ModelRequest], Any], request: ModelRequest) -> Outcome:
    """What the function gives, awaited where it is async, or what it raised.

    Never on the loop that all requests share, which it could block or end.
    """
    done: Future[Outcome] = Future()

    def call() -> None:
        try:
            outcome: Outcome = (ask(request), None)
        except BaseException as error:
            outcome = (None, error)
        # One that was given up meanwhile takes no result.
        with suppress(InvalidStateError):
            done.set_result(outcome)

    # A daemon: one that hangs does not keep the process from ending.
    threading.Thread(target=call, daemon=True, name="plumbline-own").start()
    result, error = await asyncio.wrap_future(done)
    if error is None and inspect.isawaitable(result):
        awaited = asyncio.run_coroutine_threadsafe(_awaited(result), loop("plumbline-own"))
        return await asyncio.wrap_future(awaited)
    return result, error


async def _awaited(result: Awaitable[Any]) -> Outcome:
    try:
        return await result, None
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return None, error


class _HTTP(OwnConnection):
    """A system over HTTP; its headers go to its own address alone."""

    _session: Any = None

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def _answer(self, request: ModelRequest) -> Completion:
        system = request.spec.system
        assert system
        question, *documents = json.loads(request.text)
        events = await self.ask(system, question, documents)
        answer = replies.answer_at(events, system.answer)
        found = replies.values_at(events, system.documents) if system.documents else None
        if answer is None:
            raise self._changed(system.answer, events)
        if system.documents and found is None:
            raise self._changed(system.documents, events)
        # Too many are refused, and not all looked at for it.
        texts = None if found is None else self._texts(found[: MOST_DOCUMENTS + 1])
        return Completion(text=answer, documents=texts)

    async def ask(self, system: SystemSpec, question: str, documents: Sequence[str]) -> list[Any]:
        """The events of its reply; raises `LLMError` with the reason where there is none."""
        aiohttp = import_module("aiohttp")
        self._session = self._session or new_session(aiohttp, ssl.create_default_context())
        try:
            return await self._events(system, body_for(system.body, question, documents))
        except (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError) as error:
            message = say("Nothing answers at {host}. Start the system.", host=self._host)
            raise UnreachableError(message, self._clean(str(error))) from None
        except (aiohttp.ClientError, PackedError) as error:
            message = say("The reply of {host} broke off.", host=self._host)
            raise TransientError(message, self._clean(str(error)), tries=3) from None
        except TooBigError:
            most = MOST_BYTES["identity"] // 2**20
            message = say(
                "The reply of {host} has more than {most} MB.", host=self._host, most=most
            )
            raise LLMError(message) from None

    async def _events(self, system: SystemSpec, body: Any) -> list[Any]:
        headers = {"Accept": "application/json, text/event-stream", "Accept-Encoding": "identity"}
        headers |= {name: value.get_secret_value() for name, value in self._access.headers}
        sent = {"params": _query(body)} if system.method == "GET" else {"json": body}
        address = self._access.base_url
        for _ in range(MOST_REDIRECTS + 1):
            async with self._session.request(
                system.method, address, headers=headers, allow_redirects=False, **sent
            ) as response:
                if 300 <= response.status < 400:
                    address = self._sent_on(response, address)
                    continue
                kind = response.headers.get("content-type", "").lower()
                end = replies.END_OF_STREAM if "event-stream" in kind else b""
                content = await body_of(response, MOST_BYTES["identity"], end)
            words = self._clean(content[:2000].decode(errors="replace"))
            if response.status >= 400:
                raise self._refused(response, f"HTTP {response.status} · {words}")
            if "html" in kind or content.lstrip()[:1] == b"<":
                raise LLMError(say("{host} answered with a web page.", host=self._host), words)
            try:
                events = replies.events_of(content, kind)
            except ValueError:
                message = say("The reply of {host} is not JSON.", host=self._host)
                raise LLMError(message, words) from None
            if len(events) > replies.MOST_EVENTS:
                most = say(
                    "The reply of {host} has more than {most:,} events, the limit.",
                    host=self._host,
                    most=replies.MOST_EVENTS,
                )
                raise LLMError(most)
            return events
        raise LLMError(say("{host} redirects in a circle.", host=self._host))

    def _sent_on(self, response: Any, address: str) -> str:
        """Where a redirect leads on the same host; any other one would get the headers."""
        keeps_method = response.status in (307, 308) or response.method == "GET"
        try:
            target = urljoin(address, response.headers.get("location", ""))
            here, there = urlsplit(address), urlsplit(target)
        except ValueError:  # such as http://[
            message = say("{host} redirects to an address that cannot be read.", host=self._host)
            raise LLMError(message, f"HTTP {response.status}") from None
        if keeps_method and (here.scheme, here.netloc) == (there.scheme, there.netloc):
            return str(target)
        raise RunStoppedError(
            say(
                "{host} redirects to {other}, where neither question nor headers are sent. Enter "
                "that address if it is the right one.",
                host=self._host,
                other=self._clean(f"{there.scheme}://{there.netloc}{there.path}"),
            ),
            f"HTTP {response.status}",
            kind="address",
        )

    def _refused(self, response: Any, details: str) -> LLMError:
        status = response.status
        if status in (401, 403):
            words = say(
                "{host} refused the headers (HTTP {status}). Correct them.",
                host=self._host,
                status=status,
            )
            return RunStoppedError(words, details, kind="access")
        message = say("{host} answered with HTTP {status}.", host=self._host, status=status)
        if status == 429:
            headers = {name.lower(): text for name, text in response.headers.items()}
            wait = seconds_to_wait(headers)
            if wait is None or wait <= LONGEST_PAUSE:
                return RateLimitedError(message, details, wait=wait)
            resume_at = datetime.now(UTC) + timedelta(seconds=wait)
            words = say(
                "{host} asks to wait until {when} UTC. Everything so far is kept; resume then.",
                host=self._host,
                when=f"{resume_at:%Y-%m-%d %H:%M}",
            )
            return RunStoppedError(words, details, kind="limits", resume_at=resume_at)
        if status >= 500:
            return TransientError(message, details, tries=3)
        return LLMError(message, details)

    def _changed(self, place: str, events: Sequence[Any]) -> LLMError:
        there = ", ".join(list(replies.places(events))[:10])
        message = say(
            "The reply of {host} has no “{place}”: its shape has changed. Choose it again under "
            "Try one.",
            host=self._host,
            place=place,
        )
        return LLMError(message, self._clean(there))

    def _texts(self, found: Sequence[Any]) -> tuple[str, ...]:
        texts: list[str] = []
        for each in found:
            if isinstance(each, str):
                texts.append(each)
            elif each is not None:
                texts += arguments.retrieved(each)
        return tuple(text for text in texts if text.strip())

    @property
    def _host(self) -> str:
        return _host_of(self._access)

    def _clean(self, text: str) -> str:
        return printable(mask(self._access.mask(text)))[:300]


def _host_of(access: OwnAccess) -> str:
    return urlsplit(access.base_url).netloc


def _query(body: Any) -> list[tuple[str, str]]:
    """The fields of a body as those of a query, a list as a field for each entry."""
    pairs = []
    for key, value in body.items() if isinstance(body, dict) else ():
        for each in value if isinstance(value, list) else [value]:
            pairs.append((key, str(each)))
    return pairs


def try_one(access: OwnAccess, question: str) -> list[Any]:
    """The events of one reply, without the headers' secrets, to choose in it.

    Raises `LLMError` with what is wrong.
    """

    async def ask() -> list[Any]:
        connection = _HTTP(access)
        assert access.spec.system
        try:
            return await connection.in_time(connection.ask(access.spec.system, question, ()))
        finally:
            await connection.close()

    events = Scope().run(ask())
    try:
        return list(json.loads(access.mask(json.dumps(events, ensure_ascii=False))))
    except RecursionError:  # read where fewer calls were open
        raise LLMError(say("The reply of {host} is not JSON.", host=_host_of(access))) from None
    except ValueError:
        # A secret of digits stood there as a number.
        raise LLMError(say("The reply holds a header's secret. Have it leave that out.")) from None
