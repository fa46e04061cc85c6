"""Sign in with Hugging Face: a visitor's own account in the place of a key.

By OAuth 2.1, authorization code with PKCE (RFC 6749, 7636, 9207), for a Space with `hf_oauth`:

    begin       a browser gets a secret, in a cookie, and is sent to Hugging Face with its digest
    returned    it comes back with a code: only the browser that holds the secret counts, once
    finish      the session that this browser opens exchanges the code for a token, and alone has it

A Space stands in a frame, where browsers keep no cookies: nothing tells the session that asked from
a stranger who sends somebody the address of a sign-in. So the token goes to the tab that returns,
and never to the one that asked.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from evaluators.config import config
from evaluators.datasets.download import in_words, received
from evaluators.errors import AccessError, DatasetError
from evaluators.llm import Access
from evaluators.llm.keys import bind
from evaluators.llm.providers import PROVIDERS
from evaluators.records import Record
from evaluators.text.language import mark, say

PROVIDER = "huggingface"
INFERENCE = "inference-api"
"""The scope with which models are asked."""
START, BACK = "/sign-in", "/sign-in/back"
COOKIE = "plumbline_sign_in"
"""Holds the secret by which a browser is known again until its sign-in is over; never a token."""
RETURNED = "signed_in"
"""The query parameter of the page to which a browser comes back."""
SECONDS = 600.0
"""How long a sign-in may take, from its first click."""
REPLY_SECONDS = 15.0
MOST_BYTES = 2**16
"""Of a reply: a token with what stands beside it has some 2,000."""
MOST_STARTED = 60_000
"""Sign-ins that are remembered, a kilobyte and a half each: as many as begin in that time, whoever
sends them, lest strangers push out what a visitor began."""
LONGEST_CODE = 4_000
USUAL_SECONDS = 8 * 3600
"""How long a token of Hugging Face holds where its Space says nothing else."""
MOST_SECONDS = 30 * 24 * 3600
"""The longest that a Space can ask for."""


class OAuthApp(Record):
    """What a Space is told of itself as an app of Hugging Face."""

    client_id: str
    client_secret: SecretStr
    scopes: str
    provider: str
    home: str
    """The address of this app, without a path."""


class SignedIn(Access):
    """The access of a visitor who signed in."""

    name: str
    scopes: tuple[str, ...]
    until: datetime

    @property
    def has_ended(self) -> bool:
        return datetime.now(UTC) >= self.until


class _Token(BaseModel):
    # No error of this shows what came.
    model_config = ConfigDict(hide_input_in_errors=True)

    access_token: SecretStr
    token_type: str = Field(pattern="^(?i:bearer)$")
    expires_in: int = Field(USUAL_SECONDS, gt=0)
    scope: str = ""


class _Person(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    preferred_username: str = Field(min_length=1, max_length=100)


@dataclass
class _Started:
    """A sign-in that began: the proof that its code is ours, for whom, and what came back."""

    verifier: str
    workspace: str
    at: float
    code: str = ""
    error: str = ""


_started: dict[str, _Started] = {}
"""By state, the oldest first; under the lock."""
_lock = threading.Lock()

_OVER = mark(
    "This sign-in began in another browser, was used already, or took longer than {minutes:.0f} "
    "minutes. Sign in again."
)
_UNREADABLE = mark("{host} did not complete the sign-in, or not in time. Sign in again.")
_REFUSED = mark("{host} refused the sign-in ({code}). Sign in again.")
_DECLINED = mark("You declined at {host}: nothing was shared.")


def app_of_host() -> OAuthApp | None:
    """The app that visitors of this host sign in to, if it is a Space that asks for it.

    On one's own machine there is none: keys are everybody's who opens it.
    """
    names = ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OPENID_PROVIDER_URL", "SPACE_HOST")
    values = [os.environ.get(name, "").strip() for name in names]
    if not (all(values) and config().public):
        return None
    client_id, client_secret, provider, host = values
    scopes = os.environ.get("OAUTH_SCOPES", "").replace(",", " ").split()
    # As OAuth has it: without TLS on this machine only.
    is_here = urlsplit(f"//{host}").hostname in ("localhost", "127.0.0.1")
    return OAuthApp(
        client_id=client_id,
        client_secret=SecretStr(client_secret),
        scopes=" ".join(dict.fromkeys(["openid", "profile", *(scopes or [INFERENCE])])),
        provider=provider.rstrip("/"),
        home=f"{'http' if is_here else 'https'}://{host}",
    )


def begin(app: OAuthApp, workspace: str) -> tuple[str, str]:
    """The secret for the cookie of the browser that asks, and where it goes next."""
    secret, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    state = _digest(secret)
    with _lock:
        _started[state] = _Started(verifier, workspace, time.monotonic())
        _forget_old()
    query = {
        "client_id": app.client_id,
        "redirect_uri": app.home + BACK,
        "response_type": "code",
        "scope": app.scopes,
        "state": state,
        "code_challenge": _digest(verifier),
        "code_challenge_method": "S256",
    }
    return secret, f"{app.provider}/oauth/authorize?{urlencode(query)}"


def returned(app: OAuthApp, secret: str, reply: Mapping[str, str]) -> str:
    """Keeps the reply that a browser brings, for `finish`; returns the workspace it began in.

    Empty where the browser did not begin this sign-in, or has brought a reply already.
    """
    with _lock:
        _forget_old()
        started = _started.get(_digest(secret))
        if started is None or started.code or started.error:
            return ""
        # Who answers in the place of another provider says so (RFC 9207).
        issuer = reply.get("iss", app.provider).rstrip("/")
        if reply.get("state") != _digest(secret) or issuer != app.provider:
            return ""
        code, error = reply.get("code", ""), reply.get("error", "")[:100]
        if not 0 < len(code) <= LONGEST_CODE:
            code, error = "", error or "no_code"
        started.code, started.error = code, error
        return started.workspace


def finish(app: OAuthApp, secret: str) -> SignedIn:
    """The access that the code of this browser gives; it can be had once.

    Raises `AccessError` with what to do where there is none. Nothing of a reply is in its words.
    """
    with _lock:
        _forget_old()
        started = _started.get(_digest(secret))
        # A link to this page ends no sign-in that is still on its way.
        has_returned = started is not None and bool(started.code or started.error)
        if has_returned:
            del _started[_digest(secret)]
    host = urlsplit(app.provider).netloc
    if started is None or not has_returned:
        raise AccessError(say(_OVER, minutes=SECONDS / 60))
    if started.error:
        words = _DECLINED if started.error == "access_denied" else _REFUSED
        code = started.error if re.fullmatch("[a-z_]{1,40}", started.error) else "error"
        raise AccessError(say(words, host=host, code=code))
    try:
        return _access(app, started)
    except (AccessError, DatasetError, ValidationError):
        # Without its cause: behind it stands what came, which may hold the token.
        raise AccessError(say(_UNREADABLE, host=host)) from None


def _access(app: OAuthApp, started: _Started) -> SignedIn:
    form = {
        "grant_type": "authorization_code",
        "code": started.code,
        "redirect_uri": app.home + BACK,
        "client_id": app.client_id,
        "code_verifier": started.verifier,
    }
    own = (app.client_id, app.client_secret.get_secret_value())
    reply = _asked(app, "POST", "/oauth/token", auth=own, data=form)
    token = _Token.model_validate_json(reply)
    # Refuses what cannot be a key, and from now on it is masked in every log.
    access = bind(PROVIDER, PROVIDERS[PROVIDER].address, token.access_token.get_secret_value())
    bearer = {"Authorization": f"Bearer {access.key.get_secret_value()}"}
    person = _Person.model_validate_json(_asked(app, "GET", "/oauth/userinfo", headers=bearer))
    return SignedIn(
        **dict(access),
        name=person.preferred_username,
        scopes=tuple(token.scope.split()),
        until=datetime.now(UTC) + timedelta(seconds=min(token.expires_in, MOST_SECONDS)),
    )


def _asked(app: OAuthApp, method: str, path: str, **request: Any) -> bytes:
    """A reply of the provider; raises `DatasetError` for one that is refused, late or too large."""
    import httpx2

    unpacked = {"Accept-Encoding": "identity"}
    with (
        in_words(app.provider),
        httpx2.Client(timeout=REPLY_SECONDS, follow_redirects=False, headers=unpacked) as client,
        client.stream(method, app.provider + path, **request) as response,
    ):
        if response.status_code != 200:
            raise DatasetError(f"HTTP {response.status_code}")
        return received(path, response, MOST_BYTES, seconds=REPLY_SECONDS)


def _forget_old() -> None:
    """Drops the sign-ins whose time is over, and the oldest where there are too many."""
    while _started:
        oldest = next(iter(_started))
        is_over = time.monotonic() - _started[oldest].at > SECONDS
        if not is_over and len(_started) <= MOST_STARTED:
            return
        del _started[oldest]


def _digest(text: str) -> str:
    """SHA-256 in base64, as PKCE has it; nobody finds the text from it."""
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
