"""Keys and addresses: cleaned when they come in, masked wherever text goes out, and never stored."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

from evaluators.config import config
from evaluators.errors import AccessError
from evaluators.llm import Access
from evaluators.llm.catalogue import PROVIDERS

ADDRESSES = {"groq": "https://api.groq.com", "openai": "https://api.openai.com/v1"}
"""The providers' own addresses, as their SDKs want them: groq's adds /openai/v1 by itself."""

VARIABLES = {
    "groq": ("GROQ_API_KEY", "GROQ_BASE_URL"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "custom": ("PLUMBLINE_CUSTOM_API_KEY", "PLUMBLINE_CUSTOM_BASE_URL"),
}
"""Where the environment holds each provider's key and address."""

_BEGINNINGS = {"gsk_": "groq", "sk-": "openai"}
"""How the keys of each provider begin."""

_AROUND = " \t\r\n\v\f\u00a0\u200b\ufeff\"'`“”„‟‘’‚‛«»"
"""What gets copied along with a key: white space, invisible marks, straight and typographic quotes."""
_KEY = re.compile(r"(?<![A-Za-z0-9])(gsk_|sk-|hf_)[\w*.-]{4,}|\b((?i:Bearer)\s+)\S{6,}")
_MOST_KEY = 4_000
"""Characters; tokens of clouds have some 2,000."""
_CHATTY = ("groq", "openai", "httpx", "httpx2", "httpcore", "httpcore2")


def clean_key(text: str) -> SecretStr:
    """The key without what was copied along with it; raises `AccessError` where the rest cannot be a key."""
    key = re.sub(r"^Bearer\s+", "", text.strip(_AROUND), flags=re.IGNORECASE).strip(_AROUND)
    if problem := _key_problem(key):
        raise AccessError(f"The key {problem}. Copy it again from the provider's page, alone.")
    return SecretStr(key)


def bind(provider: str, base_url: str, key: str) -> Access:
    """The access that this key gives at this address; a custom endpoint may want none.

    Raises `AccessError` where it cannot be a key, or is another provider's: it would be sent to the wrong one.
    """
    cleaned = SecretStr("") if provider == "custom" and not key else clean_key(key)
    owner = next(
        (name for start, name in _BEGINNINGS.items() if cleaned.get_secret_value().startswith(start)), provider
    )
    if owner != provider and base_url == ADDRESSES.get(provider):  # a proxy in its place has keys of its own
        raise AccessError(
            f"This looks like a key of {PROVIDERS[owner]}, so it is not sent to {PROVIDERS[provider]}. "
            f"Choose {PROVIDERS[owner]} for it, or copy the key of {PROVIDERS[provider]}."
        )
    return Access(provider=provider, base_url=base_url, key=cleaned)


def clean_address(text: str) -> str:
    """The base URL in one spelling, without the path of a chat that was copied along with it.

    Raises `AccessError` where it cannot be one or may not be asked.
    """
    address = text.strip().rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if problem := _address_problem(address):
        raise AccessError(f"The address {problem}. Give the base URL, for example http://localhost:11434/v1.")
    parts = urlsplit(address)
    address = f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"
    check_address(address)
    return address


def check_address(address: str) -> None:
    """Raises `AccessError` where this host may not ask the address: a public one asks known providers only."""
    if config().public and address not in ADDRESSES.values():
        raise AccessError("This public host asks known providers only. Run Plumbline on your own machine for others.")


def from_environment(environment: Mapping[str, str]) -> dict[str, Access]:
    """The access that the environment's variables give, by provider; nothing on a public host."""
    if config().public:
        return {}
    found = {provider: _from_variables(provider, environment) for provider in VARIABLES}
    return {provider: access for provider, access in found.items() if access}


def mask(text: str) -> str:
    """The text without anything that looks like a key; a key that is known, `Access.mask` finds in any form."""
    return _KEY.sub(lambda found: f"{found[1] or found[2]}***", text)


def quiet_logs() -> None:
    """Keeps keys and prompts out of every log, whoever writes it; may be called again.

    The SDKs turn their own loggers up while they are imported (`GROQ_LOG=debug` logs whole prompts), so levels alone
    do not hold. Cut off from the root's handlers, only their warnings are printed.
    """
    logging.setLogRecordFactory(_MaskedRecord)
    for name in _CHATTY:
        logger = logging.getLogger(name)
        logger.setLevel(logging.WARNING)
        logger.propagate = False


class _MaskedRecord(logging.LogRecord):
    """A log record whose message and traceback hold no key, for any handler."""

    def getMessage(self) -> str:  # noqa: N802 (the name is logging's)
        return mask(super().getMessage())

    @property
    def exc_text(self) -> str | None:
        return self._exc_text

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._exc_text = text and mask(text)


def _key_problem(key: str) -> str:
    if not key:
        return "is empty"
    if len(key) > _MOST_KEY:
        return f"has {len(key):,} characters, more than any"
    if re.search(r"[\r\n]", key):
        return "holds a line break"
    if re.search(r"\s", key):
        return "holds a space"
    if odd := re.search(r"[^\x21-\x7e]", key):
        return f"holds a character that no key has (U+{ord(odd[0]):04X})"
    return ""


def _is_host(host: str, is_number: bool) -> bool:
    if not is_number:
        return bool(re.fullmatch(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", host))
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _address_problem(address: str) -> str:
    """What is wrong with it, without showing it: it may hold a password, or be a key in the wrong field."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a URL"
    if parts.scheme not in ("http", "https"):
        return "does not begin with http:// or https://"
    if not host or re.search(r"[\s\x00-\x1f\\]", address):
        return "is not a URL"
    if not _is_host(host, is_number="[" in parts.netloc):
        return "has a host that cannot be one (letters beyond ASCII are written as xn--...)"
    if "@" in parts.netloc:
        return "holds a user name or password"
    if "?" in address or "#" in address:
        return "holds a query or a fragment"
    return ""


def _from_variables(provider: str, environment: Mapping[str, str]) -> Access | None:
    """A provider needs its key, a custom endpoint its address; one that cannot be used is named in the log."""
    key, address = (environment.get(name, "").strip() for name in VARIABLES[provider])
    if not (address if provider == "custom" else key):
        return None
    try:
        return bind(provider, clean_address(address) if address else ADDRESSES[provider], key)
    except AccessError as error:
        _warn(f"{' or '.join(VARIABLES[provider])} is not used. {error}")
        return None


@cache
def _warn(message: str) -> None:
    """Once: the environment is read for every page."""
    logging.getLogger(__name__).warning(message)
