"""The SDKs of Groq and OpenAI, reduced to what is used: one request out, one whole body back.

Of an SDK come the class of the client and its exceptions. What it would do besides is either done
elsewhere (retries, limits) or must not happen: follow a redirect with the prompt, keep a cookie,
read on without end.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, NamedTuple

from evaluators.llm import Access
from evaluators.llm.providers import PROVIDERS

MOST_BYTES = {"identity": 4 * 2**20, "gzip": 64 * 2**10, "deflate": 64 * 2**10}
"""Of a body, by how it is packed.

One that came packed although that was not asked for grows a thousandfold at most, and is let go
where it is longer than one that came plain; twice packed or packed otherwise it may grow far more,
and is not read.
"""

MOST_FILE_BYTES = 2**30
"""Of a file of answers; a batch of the most requests does not reach it."""

CONNECT_SECONDS = 10
MOST_HEADER_BYTES = 64 * 2**10


class TooBigError(Exception):
    """A body that cannot be an answer, whatever it is."""


class PackedError(Exception):
    """A body that came packed in a way that was not asked for and is not read."""


class Sdk(NamedTuple):
    """What is used of an SDK.

    groq and openai are made by one generator, so that the names are the same in both.
    """

    problems: tuple[type[Exception], ...]
    """Whatever may be raised instead of an answer."""

    refusal: type[Exception]
    """Among them, an answer with a status that is an error."""

    create: Callable[..., Awaitable[Any]]
    models: Callable[[], Awaitable[Any]]
    get: Callable[[str], Awaitable[Any]]
    """Of files and batches, by the path behind the address."""

    post: Callable[[str, Any], Awaitable[Any]]
    upload: Callable[[str, bytes], Awaitable[Any]]
    """A file for a batch, by a name and its content."""

    close: Callable[[], Awaitable[None]]


_importing = Lock()


def open_sdk(access: Access) -> Sdk:
    """The SDK of this provider with this key; imports it, which takes a second the first time."""
    with _importing:  # one thread must not find what another has imported by half
        return _imported_sdk(access)


def _imported_sdk(access: Access) -> Sdk:
    provider = PROVIDERS[access.provider]
    is_groq = provider.sdk == "groq"
    # The SDK of OpenAI looks at each call whether httpx is loaded, and breaks where that of Groq
    # has it by half.
    import_module("httpx")
    api = import_module(provider.sdk)
    http = import_module("httpx" if is_groq else "httpx2")
    client = _client(access, api, http)
    address = access.base_url.rstrip("/") + provider.path

    # The SDKs' own `create` and `list` walk through every value of request and answer, for a third
    # of the time.
    def create(body: Any) -> Awaitable[Any]:
        return client.post(f"{address}/chat/completions", body=body, cast_to=http.Response)  # type: ignore[no-any-return]

    def models() -> Awaitable[Any]:
        return client.get(f"{address}{provider.models_path}", cast_to=http.Response)  # type: ignore[no-any-return]

    def get(path: str) -> Awaitable[Any]:
        return client.get(f"{address}{path}", cast_to=http.Response)  # type: ignore[no-any-return]

    def post(path: str, body: Any) -> Awaitable[Any]:
        return client.post(f"{address}{path}", body=body, cast_to=http.Response)  # type: ignore[no-any-return]

    def upload(name: str, content: bytes) -> Awaitable[Any]:
        file = (name, content, "application/jsonl")
        return client.post(  # type: ignore[no-any-return]
            f"{address}/files",
            body={"purpose": "batch"},
            files=[("file", file)],
            options={"headers": {"Content-Type": "multipart/form-data"}},
            cast_to=http.Response,
        )

    # What the transport for aiohttp lets through, although it maps most errors to those of httpx2.
    unmapped = () if is_groq else (import_module("aiohttp").ClientError,)
    return Sdk(
        problems=(api.APIError, *unmapped, TooBigError, PackedError, TimeoutError, ValueError),
        refusal=api.APIStatusError,
        create=create,
        models=models,
        get=get,
        post=post,
        upload=upload,
        close=client.close,
    )


def _client(access: Access, api: Any, http: Any) -> Any:
    """The client of the SDK `api` over the HTTP library `http`."""
    is_groq = PROVIDERS[access.provider].sdk == "groq"
    sdk_class = api.AsyncGroq if is_groq else api.AsyncOpenAI
    transport = _http_transport(http) if is_groq else _aiohttp_transport(http)
    # An empty key is an error for the SDKs, but a local server needs none.
    key = access.key.get_secret_value() or "none"
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "User-Agent": f"{sdk_class.__name__}/Python {api.__version__}",
    }
    return sdk_class(
        api_key=key,
        base_url=access.base_url,
        # The layers try again: a retry of the SDK would wait twice, and go past limits and cap.
        max_retries=0,
        http_client=_http_client(http, transport, headers),
    )


def _http_transport(http: Any) -> Any:
    """The transport of the HTTP library itself."""
    # Groq's SDK keeps 20 connections alive: with more requests at once each opens a new one. How
    # many go at once is the limiter's business.
    limits = http.Limits(max_connections=None, max_keepalive_connections=100)
    # No proxy and no login of the environment: the key goes to its own address alone.
    return http.AsyncHTTPTransport(limits=limits, trust_env=False, verify=http.create_ssl_context())


def _aiohttp_transport(http: Any) -> Any:
    """The OpenAI SDK's own transport for aiohttp, which takes a third less of the processor."""
    aiohttp = import_module("aiohttp")
    context = http.create_ssl_context()

    def session() -> Any:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context),
            cookie_jar=aiohttp.DummyCookieJar(),
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )

    # A private path of the SDK: its version is pinned, and every test of a connection goes through.
    vendored = import_module("openai._vendor.httpx_aiohttp")
    return vendored.AiohttpTransport(verify=context, client=session)


def _http_client(http: Any, transport: Any, headers: Mapping[str, str]) -> Any:
    """The HTTP library's client, but it sends these headers only, and keeps to our limits.

    It follows no redirect, takes no cookie, and reads no further than an answer may be long. What
    SDK and library do in its place takes a third of the processor time of a call.
    """
    parsed = cache(http.URL)
    # Only connecting has a time-out here: that of the whole call is around it, in `Connection`.
    extensions = {"timeout": http.Timeout(None, connect=CONNECT_SECONDS).as_dict()}

    class Client(http.AsyncClient):  # type: ignore[misc]
        def build_request(
            self,
            method: str,
            url: Any,
            *,
            content: Any = None,
            **more: Any,
        ) -> Any:
            body = {"content": content, "json": more.get("json")}
            sent = headers
            if more.get("files"):
                body = {"data": more.get("data"), "files": more["files"]}
                # The library writes the type itself, with the mark between the parts.
                sent = {name: headers[name] for name in headers if name != "Content-Type"}
            return http.Request(method, parsed(url), headers=sent, extensions=extensions, **body)

        async def send(self, request: Any, **_: Any) -> Any:
            response = await transport.handle_async_request(request)
            try:
                is_file = request.url.path.endswith("/content")
                most = MOST_FILE_BYTES if is_file else MOST_BYTES["identity"]
                body = await _body(response, most)
            finally:
                await response.aclose()
            headers = http.Headers(response.headers)
            headers.pop("content-encoding", None)
            answer = http.Response(
                response.status_code,
                headers=headers,
                content=body,
                request=request,
            )
            # What JSON is in; a server may name any codec of Python's, also one that gives no text.
            answer.encoding = "utf-8"
            return answer

    return Client(transport=transport, trust_env=False)


async def _body(response: Any, most: int) -> bytes:
    """The body, unpacked, of at most so many bytes; as it came of fewer where it came packed.

    Raises `TooBigError` where it is longer than any answer, `PackedError` for one packed.
    """
    coding = response.headers.get("content-encoding", "identity").lower()
    if coding not in MOST_BYTES:
        raise PackedError(f"packed as {coding}")
    body = bytearray()
    async for chunk in response.stream:
        body += chunk
        _check_length(body, most if coding == "identity" else MOST_BYTES[coding])
    if coding != "identity":
        # Never more than is read of it: another 60 MB would wait in each call at a time.
        body = _unpacked(body, most + 1)
        _check_length(body, most)
    return bytes(body)


def _unpacked(body: bytearray, most: int) -> bytearray:
    """The first so many bytes; raises `PackedError` for what is packed otherwise than it says."""
    # Some servers leave out the head of a deflated body.
    for head in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):
        with suppress(zlib.error):
            return bytearray(zlib.decompressobj(head).decompress(body, most))
    raise PackedError("packed otherwise than it says")


def _check_length(body: bytes | bytearray, most: int) -> None:
    if len(body) > most:
        raise TooBigError(f"more than {most:,} bytes")
