"""How the SDKs' clients reach a provider: by aiohttp, and within limits.

It sends its own headers only, keeps no cookie, follows no redirect, and reads no further than an
answer may be long. For httpx it is a transport: a request in, a whole response out.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

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

_NOT_PASSED_ON = {b"content-encoding", b"content-type", b"set-cookie"}
"""Headers that are no longer true of an unpacked body, name odd codecs, or would make a cookie."""


class TooBigError(Exception):
    """A body that cannot be an answer, whatever it is."""


class PackedError(Exception):
    """A body that came packed in a way that was not asked for and is not read."""


class Transport:
    """The transport for the client of `http`, which is httpx or httpx2.

    Their own takes twice as much of the processor.
    """

    def __init__(
        self,
        http: Any,
        headers: Mapping[str, str],
        in_place_of_key: Collection[str] = (),
    ) -> None:
        self._http = http
        self._aiohttp = import_module("aiohttp")
        self._headers = headers
        self._in_place_of_key = in_place_of_key
        self._context = http.create_ssl_context()
        self._session: Any = None

    async def handle_async_request(self, request: Any) -> Any:
        """Asks once; raises httpx's errors of connections, `TooBigError` and `PackedError`."""
        # Opened here: it belongs to the event loop.
        self._session = self._session or new_session(self._aiohttp, self._context)
        api = self._aiohttp
        try:
            return await self._answer(request)
        except (api.ClientConnectorError, api.ServerTimeoutError, api.InvalidURL) as error:
            raise self._http.ConnectError(str(error)) from error
        except api.ClientError as error:
            raise self._http.ReadError(str(error)) from error

    async def _answer(self, request: Any) -> Any:
        headers = dict(self._headers)
        for name, value in request.headers.items():
            if name in self._in_place_of_key or name.startswith("x-goog-"):
                headers.pop("Authorization", None)
                headers[name] = value
        content = None
        if kind := request.headers.get("content-type"):
            headers |= {"Content-Type": kind, "Content-Length": request.headers["content-length"]}
            # A file is not copied.
            is_file = kind.startswith(("multipart/", "application/jsonl"))
            content = request.stream if is_file else request.content
        is_file = request.url.path.endswith(("/content", ":download"))
        most = MOST_FILE_BYTES if is_file else MOST_BYTES["identity"]
        asking = self._session.request(
            request.method, str(request.url), headers=headers, data=content, allow_redirects=False
        )
        async with asking as response:
            body = await body_of(response, most)
        passed_on = [pair for pair in response.raw_headers if pair[0].lower() not in _NOT_PASSED_ON]
        return self._http.Response(response.status, headers=passed_on, content=body)

    async def aclose(self) -> None:
        if self._session:
            await self._session.close()


def new_session(aiohttp: Any, context: Any) -> Any:
    """A session of aiohttp; it belongs to the event loop on which it is opened."""
    return aiohttp.ClientSession(
        # How many go at once is the limiter's business.
        connector=aiohttp.TCPConnector(limit=0, ssl=context),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        max_line_size=MOST_HEADER_BYTES,
        max_field_size=MOST_HEADER_BYTES,
        # That of the whole call is around it, in `Connection`.
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        # No proxy and no login of the environment: the key goes to its own address alone.
        trust_env=False,
    )


async def body_of(response: Any, most: int, end: bytes = b"") -> bytes:
    """The body, unpacked, of at most so many bytes; as it came of fewer where it came packed.

    What comes after `end` is not waited for, where there is one. Raises `TooBigError` where it is
    longer than any answer, `PackedError` for one packed.
    """
    coding = response.headers.get("content-encoding", "identity").lower()
    if coding not in MOST_BYTES:
        raise PackedError(f"packed as {coding}")
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        _check_length(body, most if coding == "identity" else MOST_BYTES[coding])
        # Looked for in what is new, and where it was cut in two.
        if end and end in body[-len(chunk) - len(end) :]:
            break
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
