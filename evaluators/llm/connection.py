"""One attempt at a provider through its own SDK: nothing is tried again, and nothing comes out but
our own errors.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from importlib import import_module
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from evaluators.config import config
from evaluators.llm import Access, Reply, Request, received
from evaluators.llm.json_modes import JsonModes, response_format
from evaluators.llm.masking import Masker
from evaluators.llm.provider_errors import Asked, error_for, unreadable, unsupported
from evaluators.llm.providers import PROVIDERS, Provider
from evaluators.llm.received import MOST_NAME, Received
from evaluators.records import Completion, ModelSpec, Usage
from evaluators.text.size import tokens

T = TypeVar("T")

MOST_BYTES = {"identity": 4 * 2**20, "gzip": 64 * 2**10, "deflate": 64 * 2**10}
"""Of a body. One that came packed although that was not asked for grows a thousandfold at most;
twice packed or packed otherwise it may grow far more, and is not read.
"""

CONNECT_SECONDS = 10
MOST_HEADER_BYTES = 64 * 2**10


class TooBigError(Exception):
    """A body that is no answer, whatever it is."""


class PackedError(Exception):
    """A body that came packed in a way that was not asked for and is not read."""


class _AskForLessError(Exception):
    """The provider refused a part of the request that it can do without; `mode` is how JSON is
    asked for next.
    """

    def __init__(self, mode: str) -> None:
        super().__init__(mode)
        self.mode = mode


async def _at_once() -> None:
    """Waits for nothing."""


class Connection:
    """The connections to one endpoint with one key; they belong to the event loop that first uses
    them.
    """

    def __init__(self, access: Access, seconds: float | None = None) -> None:
        self._access = access
        self._seconds = seconds if seconds is not None else config().call_seconds
        self._opening = asyncio.Lock()
        self._sdk: _Sdk | None = None
        self._refused: defaultdict[str, set[str]] = defaultdict(
            set
        )  # model: parameters that it does not take
        self._modes = JsonModes()
        self._limit_names = _limit_names(PROVIDERS[access.provider])

    async def complete(
        self, request: Request, again: Callable[[], Awaitable[None]] = _at_once
    ) -> Reply:
        """Asks once; the completion comes as it is, also cut off or empty.

        What the provider does not take is left out from then on, and the rest asked for after
        waiting for `again`.
        """
        asked = Asked(self._access, self._seconds, request)
        mode = self._modes.best(request.spec) if request.schema_text else ""
        while True:
            try:
                response = await self._ask(partial(self._create, request=request, mode=mode), asked)
                break
            except _AskForLessError as less:
                mode = less.mode
                await again()
        answer = _read(received.answer, response, asked)
        completion = _completion(answer, request, self._note(request.spec), mode, self._access.mask)
        headers = ((name.lower(), value) for name, value in response.headers.items())
        limits = {name: value for name, value in headers if name in self._limit_names}
        return Reply(completion, limits)

    async def models(self) -> list[str]:
        """The ids of the models that the provider offers to this key."""
        asked = Asked(self._access, self._seconds)
        response = await self._ask(lambda sdk: sdk.models(), asked)
        listed = _read(received.model_ids, response, asked)
        return [name for name in listed if self._access.mask(name) == name]

    async def close(self) -> None:
        if self._sdk:
            await self._sdk.close()

    async def open(self) -> _Sdk:
        """Makes ready to ask, which takes a second the first time: the SDK is imported."""
        if self._sdk:
            return self._sdk
        async with self._opening:
            if self._sdk is None:
                self._sdk = await asyncio.to_thread(_connect, self._access)
            return self._sdk

    async def _ask(self, send: Callable[[_Sdk], Awaitable[Any]], asked: Asked) -> Any:
        sdk = await self.open()
        try:
            async with asyncio.timeout(
                self._seconds
            ):  # the SDKs' time-outs are for each read, and end no dripping
                return await send(sdk)
        except sdk.problems as error:
            raise error_for(error, asked) from None  # what the SDKs raise holds the key

    async def _create(self, sdk: _Sdk, request: Request, mode: str) -> Any:
        """Sends the request; raises `_AskForLessError` where the provider would take it with less
        in it.
        """
        spec = request.spec
        body = {"model": spec.model, "messages": [{"role": "user", "content": request.text}]}
        sent = _parameters(spec, self._refused[spec.model])
        try:
            return await sdk.create(body | sent | response_format(mode, request.schema_text))
        except sdk.refusal as error:
            if name := unsupported(error, sent):
                self._refused[spec.model].add(name)
                raise _AskForLessError(mode) from None
            if lower := self._modes.lower(spec, mode, error):
                raise _AskForLessError(lower) from None
            raise

    def _note(self, spec: ModelSpec) -> str:
        left_out = _parameters(spec, set()).keys() & self._refused[spec.model] - {
            "max_completion_tokens"
        }
        return ", ".join(f"{name.replace('_', ' ')} not applied" for name in sorted(left_out))


class _Sdk(NamedTuple):
    """What is used of an SDK; groq and openai are made by one generator, so that the names are the
    same.
    """

    problems: tuple[type[Exception], ...]
    refusal: type[Exception]
    create: Callable[..., Awaitable[Any]]
    models: Callable[[], Awaitable[Any]]
    close: Callable[[], Awaitable[None]]


_importing = Lock()


def _connect(access: Access) -> _Sdk:
    with _importing:  # one thread must not find what another has imported by half
        return _connected(access)


def _connected(access: Access) -> _Sdk:
    provider = PROVIDERS[access.provider]
    is_groq = provider.sdk == "groq"
    # The SDK of OpenAI looks at each call whether httpx is loaded, and breaks where that of Groq
    # has it by half.
    import_module("httpx")
    api = import_module(provider.sdk)
    http = import_module("httpx" if is_groq else "httpx2")
    key = access.key.get_secret_value() or "none"
    sdk = api.AsyncGroq if is_groq else api.AsyncOpenAI
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "User-Agent": f"{sdk.__name__}/Python {api.__version__}",
    }
    client = sdk(
        api_key=key,
        base_url=access.base_url,
        max_retries=0,
        http_client=_client(http, _transport(http) if is_groq else _aiohttp(http), headers),
    )
    address = access.base_url.rstrip("/") + provider.path

    def create(body: Any) -> Awaitable[Any]:
        # The SDKs' own `create` and `list` walk through every value of request and answer, for a
        # third of the time.
        return client.post(f"{address}/chat/completions", body=body, cast_to=http.Response)  # type: ignore[no-any-return]

    def models() -> Awaitable[Any]:
        return client.get(f"{address}{provider.models_path}", cast_to=http.Response)  # type: ignore[no-any-return]

    unmapped = (
        () if is_groq else (import_module("aiohttp").ClientError,)
    )  # what the SDK's transport lets through
    problems = (api.APIError, *unmapped, TooBigError, PackedError, TimeoutError, ValueError)
    return _Sdk(problems, api.APIStatusError, create, models, client.close)


def _transport(http: Any) -> Any:
    """The transport of the HTTP library itself."""
    limits = http.Limits(max_connections=None, max_keepalive_connections=100)
    return http.AsyncHTTPTransport(limits=limits, trust_env=False, verify=http.create_ssl_context())


def _aiohttp(http: Any) -> Any:
    """The OpenAI SDK's own transport for aiohttp, which takes a third less of the processor."""
    aiohttp, context = import_module("aiohttp"), http.create_ssl_context()

    def session() -> Any:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context),
            cookie_jar=aiohttp.DummyCookieJar(),
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )

    return import_module("openai._vendor.httpx_aiohttp").AiohttpTransport(
        verify=context, client=session
    )


def _client(http: Any, transport: Any, headers: Mapping[str, str]) -> Any:
    """The HTTP library's client, but it sends these headers only, follows no redirect, takes no
    cookie, and reads no further than an answer may be long.

    What SDK and library do in its place takes a third of the processor time of a call.
    """
    parsed = cache(http.URL)
    extensions = {"timeout": http.Timeout(None, connect=CONNECT_SECONDS).as_dict()}

    class Client(http.AsyncClient):  # type: ignore[misc]
        def build_request(self, method: str, url: Any, *, content: Any = None, **more: Any) -> Any:
            body = {"content": content, "json": more.get("json")}
            return http.Request(method, parsed(url), headers=headers, extensions=extensions, **body)

        async def send(self, request: Any, **_: Any) -> Any:
            response = await transport.handle_async_request(request)
            try:
                body = await _body(response)
            finally:
                await response.aclose()
            answer = http.Response(
                response.status_code, headers=response.headers, content=body, request=request
            )
            # what JSON is in; a server may name any codec of Python's, also one that gives no text
            answer.encoding = "utf-8"
            return answer

    return Client(transport=transport, trust_env=False)


async def _body(response: Any) -> bytes:
    """The body as it came; raises `TooBigError` where it is longer than any answer, `PackedError`
    for one packed.
    """
    coding = response.headers.get("content-encoding", "identity").lower()
    if coding not in MOST_BYTES:
        raise PackedError(f"packed as {coding}")
    most = MOST_BYTES[coding]
    body = bytearray()
    async for chunk in response.stream:
        body += chunk
        if len(body) > most:
            raise TooBigError(f"more than {most:,} bytes")
    return bytes(body)


def _parameters(spec: ModelSpec, refused: set[str]) -> dict[str, float | str]:
    """What is sent besides the prompt: all that the specification sets and the provider takes."""
    budget = PROVIDERS[spec.provider].answer_budget
    if budget in refused:
        budget = "max_tokens"  # older endpoints know this name only
    wanted = {
        "temperature": spec.temperature,
        "reasoning_effort": spec.effort or None,
        budget: spec.answer_tokens,
    }
    return {
        name: value for name, value in wanted.items() if value is not None and name not in refused
    }


def _read(what: Callable[[Any], T], response: Any, asked: Asked) -> T:
    try:
        return what(received.load(response.content))
    except (ValueError, RecursionError):
        raise unreadable(response, asked) from None  # its text holds the answer


def _completion(
    answer: Received, request: Request, note: str, mode: str, mask: Masker
) -> Completion:
    """The answer as it is kept: whatever the provider says of itself is cut only after its key is
    masked.
    """
    refusal = "" if answer.text else answer.refusal
    text = answer.text or refusal
    return Completion(
        text=mask(text),
        finish_reason="content_filter"
        if refusal
        else mask(answer.finish_reason)[:MOST_NAME] or "unknown",
        usage=Usage(
            prompt_tokens=_counted(answer.prompt_tokens, request.text),
            answer_tokens=_counted(answer.answer_tokens, text),
        ),
        served_model=mask(answer.model)[:MOST_NAME],
        note=note,
        mode=mode,
    )


def _counted(told: int | None, text: str) -> int:
    """The provider's count; one that does not count served not nothing: zero would be a
    measurement.
    """
    return tokens(text) if told is None else told


def _limit_names(provider: Provider) -> frozenset[str]:
    """The headers of an answer that tell of limits, in lower case."""
    parts = ("limit", "remaining", "reset")
    names = (name.format(part) for name in provider.limit_headers.values() for part in parts)
    return frozenset({"retry-after", "retry-after-ms", *names})
