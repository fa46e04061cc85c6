"""The HTTP door around Streamlit: what a browser may load, what is answered, what is uploaded.

Plain ASGI, each class one layer around the app; `app.py` hands `MIDDLEWARE` to `st.App`.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import streamlit
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from evaluators.config import ROOT, Config, config, on_a_space
from evaluators.llm.sign_in import START
from evaluators.own_command import own_command
from ui.held import give_back
from ui.session import NO_PAGE

# ---- what the browser may load


def _inline_scripts() -> list[str]:
    """The scripts inside Streamlit's own page, each by the hash that allows it and no other."""
    page = Path(streamlit.__file__).parent / "static" / "index.html"
    after_openings = page.read_text(encoding="utf-8").split("<script>")[1:]
    bodies = [rest.partition("</script>")[0] for rest in after_openings]
    sources = []
    for body in bodies:
        digest = hashlib.sha256(body.encode()).digest()
        in_base64 = base64.b64encode(digest).decode()
        sources.append(f"'sha256-{in_base64}'")
    return sources


_SCRIPTS = " ".join(["'self'", "'wasm-unsafe-eval'", "blob:", *_inline_scripts()])
"""Streamlit's protobuf counts in WebAssembly, and it imports the script of a component as a blob.

No text can become a script by either: only a running script makes blobs, under names that nobody
can guess, and a table to download, the only text among them, is CSV, which no browser runs.
"""
_HOST = re.compile(r"[\w.:\[\]-]{1,255}", re.ASCII)
_SPACE_FRAMES = "https://huggingface.co https://*.hf.space"

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # The workspace's token stands in the address.
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def _content_security_policy(host: str) -> str:
    """Nothing but this server's own files; what is more is named with its reason."""
    # Not every browser counts a WebSocket of the same host as 'self'.
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    allowed = {
        "default-src": "'self'",
        "script-src": _SCRIPTS,
        # Else blobs could be workers too; only maps need them, and there are none.
        "worker-src": "'none'",
        # Streamlit and Plotly write styles, and a font, into the page.
        "style-src": "'self' 'unsafe-inline'",
        "font-src": "'self' data:",
        "img-src": "'self' data:",
        "connect-src": f"'self'{sockets}",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-src": "'none'",
        "frame-ancestors": _frames() or "'none'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in allowed.items())


def _frames() -> str:
    return " ".join(filter(None, [_SPACE_FRAMES if on_a_space() else "", config().framed_by]))


class SecurityHeaders:
    """Every answer says what the browser may do with it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                policy = _content_security_policy(Headers(scope=scope).get("host", ""))
                MutableHeaders(scope=message).update(
                    {**_HEADERS, "Content-Security-Policy": policy}
                )
            await send(message)

        await self.app(scope, receive, send_with_headers)


# ---- what is answered


_CORE_ROUTES = ("health", "host-config", "stream", "upload_file/")
"""What a page needs under `/_stcore/`.

The rest (metrics of all visitors, an interface for agents) has no user.
"""


_OWN_PAGES = {START.strip("/"), *(page.stem for page in (ROOT / "pages").glob("*.py"))}


class OwnRoutes:
    """Only names of this host, pages of this host, and routes that its pages need."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not _is_own_page(Headers(scope=scope)):
            # Streamlit would ask a server elsewhere for this host's address before it refuses.
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = _refuse_name_or_route(scope) if scope["type"] == "http" else None
        await (refusal or self.app)(scope, receive, send)


def _refuse_name_or_route(scope: Scope) -> Response | None:
    headers = Headers(scope=scope)
    host = headers.get("host")
    if not is_host_allowed(host):
        return PlainTextResponse(
            f"Plumbline does not answer under the name {(host or '')[:100]!r}. Open it as "
            f"localhost, or start it for phones with: {own_command()} app --class; for another "
            f"name with: {own_command()} app --server.allowedHosts NAME",
            status_code=400,
        )
    _, core, route = scope["path"].partition("/_stcore/")
    if core and not route.startswith(_CORE_ROUTES):
        return PlainTextResponse("There is nothing here.", status_code=404)
    name = scope["path"].strip("/")
    is_page = "text/html" in headers.get("accept", "") and re.fullmatch(r"[\w-]+", name)
    # Of a page that is not there Streamlit would say so in English alone.
    if is_page and name not in _OWN_PAGES:
        query = scope["query_string"].decode("latin-1")
        return RedirectResponse(f"/?{NO_PAGE}=1&{query}", status_code=303)
    return None


def _is_own_page(headers: Headers) -> bool:
    """Whether a connection comes from a page of this host."""
    origin = headers.get("origin")
    # Browsers always name the origin of a WebSocket; other programs need not.
    if origin is None:
        return True
    name = origin.partition("://")[2]
    # A proxy may change the name that arrives here; this option gives the one visitors use.
    configured = streamlit.config.get_option("browser.serverAddress")
    return bool(name) and name in (headers.get("host"), configured)


# ---- what a page sends


SMALL_BYTES = 2**14
"""A message that asks for something else than a drawing, as for places of files, is smaller."""
STATE_BYTES = 2**17
"""What a message holds beside texts that somebody wrote: all runs of a table are some 40 KB.

Read, it takes twenty times as much memory, for as long as Streamlit keeps the tab.
"""
MOST_ITEMS = 10_000
"""Widgets of a message, and values of lists in them: no page has a tenth of it."""
TAB_SECONDS = 130.0
"""After so long a closed tab has not come back; Streamlit lets it go only when others come."""


class BoundedMessages:
    """What a page sends is bounded before it is read; a larger message closes the connection.

    And what a closed tab has left is let go of, also where nobody comes any more.
    """

    def __init__(self, app: ASGIApp, tab_seconds: float = TAB_SECONDS) -> None:
        self.app = app
        self._tab_seconds = tab_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return

        async def receive_bounded() -> Message:
            message = await receive()
            if not _takes_much(message.get("bytes") or b""):
                return message
            await send({"type": "websocket.close", "code": 1009})
            return {"type": "websocket.disconnect", "code": 1009}

        try:
            await self.app(scope, receive_bounded, send)
        finally:
            asyncio.get_running_loop().call_later(self._tab_seconds, _forget_closed_tabs)


def _forget_closed_tabs() -> None:
    # Private parts of Streamlit: its version is pinned, and a test closes a tab.
    tabs: Any = get_instance()._session_mgr
    if tabs._session_storage._cache.expire():
        give_back()


def _takes_much(data: bytes) -> bool:
    if len(data) <= SMALL_BYTES:
        return False
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return False  # Streamlit refuses it
    if message.WhichOneof("type") != "rerun_script":
        return True
    states = message.rerun_script.widget_states.widgets
    texts = sum(len(state.string_value.encode()) for state in states)
    items = len(message.rerun_script.cached_message_hashes) + sum(map(_items, states))
    return len(data) - texts > STATE_BYTES or items > MOST_ITEMS


def _items(state: WidgetState) -> int:
    lists = (
        state.int_array_value.data,
        state.double_array_value.data,
        state.string_array_value.data,
        state.file_uploader_state_value.uploaded_file_info,
    )
    return 1 + sum(map(len, lists))


# ---- what is uploaded


UPLOAD_SECONDS = 600
"""The longest that one file may take; whoever sends slower only takes up room."""
_FRAME_BYTES = 2**16
"""What a request has around its file, at most."""
_FILE_BYTES = 2**16
"""What a file counts beside its bytes: a bound on the number of files as well."""
_UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[\w-]{1,64})/[\w-]{1,64}\Z", re.ASCII)
"""Ids as Streamlit gives them; of any length, they would hold memory themselves."""
LOOK = 60.0
"""Seconds between two looks for files of closed tabs; Streamlit keeps them until somebody comes."""


class BoundedUploads:
    """Bounds for uploads: Streamlit keeps them in memory, whether a page asked for them or not.

    Refused is a file that is too large itself; on a public host a third one of the largest size
    in one tab; and what is too much for the memory of the host. Files of closed tabs give way
    first, and go by themselves where a tab is closed at two looks in a row: one that lost its
    connection for a moment keeps them.
    """

    def __init__(self, app: ASGIApp, look: float = LOOK) -> None:
        self.app = app
        self._look = look
        self._next_look: asyncio.TimerHandle | None = None
        self._closed: set[str] = set()
        self.arriving: dict[object, tuple[str, int]] = {}
        """For each request at work its session and the bytes that have come."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        try:
            await self._upload(scope, receive, send)
        except HTTPException as refusal:
            # Refused before Streamlit began to read; later its own layers answer.
            await PlainTextResponse(refusal.detail, refusal.status_code)(scope, receive, send)

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = _UPLOAD.search(scope["path"])
        if upload is None:
            raise HTTPException(404, "There is nothing here.")
        session, limits, request = upload["session"], config(), object()
        deadline = asyncio.get_running_loop().time() + UPLOAD_SECONDS

        async def receive_counted() -> Message:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "The file took too long. Try again.") from None
            # Streamlit's layers turn an HTTPException of this into the answer.
            self._count(request, session, len(message.get("body", b"")), limits)
            return message

        announced = Headers(scope=scope).get("content-length", "")[:15]
        try:
            # Refuse before a byte is read; but count only what comes, or a promise would fill the
            # host.
            self._count(request, session, int(announced) if announced.isdecimal() else 0, limits)
            self.arriving[request] = session, 0
            await self.app(scope, receive_counted, send)
        finally:
            self.arriving.pop(request, None)
            self._look_later()

    def _look_later(self) -> None:
        if self._next_look is None and _uploaded_files().file_storage:
            loop = asyncio.get_running_loop()
            self._next_look = loop.call_later(self._look, self._drop_what_stayed_closed)

    def _drop_what_stayed_closed(self) -> None:
        self._next_look = None
        closed = _closed_tabs()
        _drop_files(closed & self._closed)
        self._closed = closed
        self._look_later()

    def _count(
        self,
        request: object,
        session: str,
        more: int,
        limits: Config,
    ) -> None:
        """Counts bytes of this request; raises `HTTPException` where there is no room for them."""
        _, so_far = self.arriving.get(request, (session, 0))
        size = so_far + more
        self.arriving[request] = session, size
        if size > limits.upload_bytes + _FRAME_BYTES:
            most = limits.upload_bytes // 2**20
            raise HTTPException(413, f"The file is larger than {most} MB. Split it.")
        two_files = 2 * (limits.upload_bytes + _FRAME_BYTES + _FILE_BYTES)
        if limits.public and self._bytes(session) > two_files:
            raise HTTPException(413, "This tab holds two large files already. Reload the page.")
        if self._bytes() > limits.upload_bytes_in_memory:
            _drop_files(_closed_tabs())
        if self._bytes() > limits.upload_bytes_in_memory:
            raise HTTPException(
                503, "This host holds as many files as it can. Try again in a minute."
            )

    def _bytes(self, session: str | None = None) -> int:
        """What is held and arriving, for one session or for all."""
        size = 0
        for owner, arriving in self.arriving.values():
            if session in (None, owner):
                size += arriving
        storage = _uploaded_files().file_storage
        owners = list(storage) if session is None else [session]
        for owner in owners:
            # A list: another thread may put a file there meanwhile.
            for file in list(storage.get(owner, {}).values()):
                size += len(file.data) + len(file.name) + len(file.type) + _FILE_BYTES
        return size


def _uploaded_files() -> MemoryUploadedFileManager:
    files = get_instance().uploaded_file_mgr
    assert isinstance(files, MemoryUploadedFileManager)
    return files


def _closed_tabs() -> set[str]:
    """The sessions that have files and no open tab."""
    # A list: another thread may put a file there meanwhile.
    owners = list(_uploaded_files().file_storage)
    return {session for session in owners if not get_instance().is_active_session(session)}


def _drop_files(sessions: set[str]) -> None:
    for session in sessions:
        _uploaded_files().remove_session_files(session)
    if sessions:
        give_back()


MIDDLEWARE = [
    Middleware(layer) for layer in (SecurityHeaders, OwnRoutes, BoundedMessages, BoundedUploads)
]
