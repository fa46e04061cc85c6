"""Hugging Face as those see it who sign in with it: an OAuth provider on this computer.

    with Identity() as provider:
        environment = provider.space("127.0.0.1:8501")

It lets everybody in, each under a new name, and gives a token only for a code of its own, once, to the app that asked
for it, with the verifier of its challenge. `fault` says what it does wrong.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from tests.served import Answering, Served

CLIENT, SECRET = "plumbline-app", "secret-of-the-app-0123456789"
SPACE = "127.0.0.1:8501"
"""Where tests without a server take the Space to be."""


class Granted(NamedTuple):
    """A code that was given out: to whom, where to, and for which challenge."""

    name: str
    redirect_uri: str
    challenge: str
    scope: str


class _Handler(Answering, BaseHTTPRequestHandler):
    served: Identity

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.served.asked.append(parts.path)
        if parts.path == "/oauth/authorize":
            self._authorize(dict(parse_qsl(parts.query)))
        elif parts.path == "/oauth/userinfo":
            token = self.headers["Authorization"].removeprefix("Bearer ")
            names = [name for name, given in self.served.tokens.items() if given == token]
            self._reply(200 if names else 401, {"sub": "1", "preferred_username": "".join(names)})

    def _authorize(self, query: dict[str, str]) -> None:
        assert query["client_id"] == CLIENT
        assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
        with self.served.lock:
            self.served.people += 1
            name = f"visitor-{self.served.people}"
        code = secrets.token_urlsafe(24)
        granted = Granted(name, query["redirect_uri"], query["code_challenge"], query["scope"])
        self.served.codes[code] = granted
        reply = {"code": code, "state": query["state"]}
        if self.served.fault == "declined":
            reply = {"error": "access_denied", "state": query["state"]}
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri']}?{urlencode(reply)}")
        self.end_headers()

    def do_POST(self) -> None:
        self.served.asked.append(self.path)
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        granted = self.served.codes.pop(form["code"][0], None)
        digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        is_right = (
            granted is not None
            and self.headers["Authorization"] == f"Basic {basic}"
            and form["grant_type"] == ["authorization_code"]
            and form["redirect_uri"] == [granted.redirect_uri]
            and challenge == granted.challenge
        )
        if granted is None or not is_right:
            return self._reply(400, {"error": "invalid_grant"})
        token = f"hf_oauth_{secrets.token_urlsafe(32)}"
        self.served.tokens[granted.name] = token
        body: dict[str, Any] = {
            "access_token": token,
            "token_type": "bearer",
            "expires_in": self.served.expires_in,
            "scope": granted.scope,
            "id_token": "of.no.use",
        }
        self._answer(token, body)

    def _answer(self, token: str, body: dict[str, Any]) -> None:
        """The token, as the fault has it."""
        changed = {
            "no token": {"access_token": None},
            "long token": {"access_token": token + "a" * 2**20},
            "long enough": {"access_token": token + "a" * 10_000},
            "split token": {"access_token": f"{token}\r\nX-Other: 1"},
            "foreign letters": {"access_token": f"{token}\N{SNOWMAN}"},
            "other kind": {"token_type": "mac"},
            "large reply": {"more": "a" * 10 * 2**20},
        }
        whole = {
            "deep": b'{"access_token":' + b"[" * 60_000,
            "html": f"<html>{token}</html>".encode(),
        }
        fault = self.served.fault
        if fault in whole:
            self.send(200, whole[fault])
        elif fault == "elsewhere":
            self.send_response(307)
            self.send_header("Location", f"{self.served.address}/stolen")
            self.end_headers()
        elif fault == "echo":
            self._reply(500, {"error": token})
        elif fault == "drip":
            self._drip(json.dumps(body).encode())
        else:
            if fault == "slow":
                self.served.ends.wait(60)
            self._reply(200, body | changed.get(fault, {}))

    def _reply(self, status: int, body: dict[str, Any]) -> None:
        self.send(status, json.dumps(body).encode())

    def _drip(self, data: bytes) -> None:
        with suppress(OSError):
            self.send_response(200)
            self.end_headers()
            for byte in data:
                self.wfile.write(bytes([byte]))
                if self.served.ends.wait(0.5):
                    return


class Identity(Served):
    """The server; `tokens` are those it gave out, by the name of who signed in."""

    answering = _Handler

    def __init__(self, fault: str = "", expires_in: int = 28_800) -> None:
        self.fault = fault
        self.expires_in = expires_in
        self.codes: dict[str, Granted] = {}
        self.tokens: dict[str, str] = {}
        self.asked: list[str] = []
        self.people = 0
        self.lock = threading.Lock()
        super().__init__()

    def space(self, host: str, scopes: str = "openid profile inference-api") -> dict[str, str]:
        """The variables of a Space whose visitors sign in here."""
        return {
            "PLUMBLINE_PUBLIC": "1",
            "OAUTH_CLIENT_ID": CLIENT,
            "OAUTH_CLIENT_SECRET": SECRET,
            "OAUTH_SCOPES": scopes,
            "OPENID_PROVIDER_URL": self.address,
            "SPACE_HOST": host,
        }
