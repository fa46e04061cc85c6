"""Keys and addresses: cleaned when they come in, masked wherever text goes out, never stored."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

from evaluators.config import config
from evaluators.errors import AccessError
from evaluators.llm import Access, living
from evaluators.llm.masking import Masker
from evaluators.llm.providers import PROVIDERS, Provider, named_endpoint
from evaluators.text.language import mark, say

_AROUND_A_KEY = " \t\r\n\v\f\u00a0\u200b\ufeff\"'`“”„‟‘’‚‛«»"
"""What gets copied along with a key: white space, invisible marks, quotes of all kinds."""

_BEGINNINGS = [start for provider in PROVIDERS.values() for start in provider.key_beginnings]

_ANY_BEGINNING = "|".join(map(re.escape, _BEGINNINGS))
_LOOKS_LIKE_A_KEY = re.compile(
    rf"(?<![A-Za-z0-9])({_ANY_BEGINNING})[\w*.-]{{4,}}|\b((?i:Bearer)\s+)\S{{6,}}"
)

_LONGEST_KEY = 4_000
"""Characters; tokens of clouds have some 2,000."""

_NAMED_VARIABLE = re.compile("PLUMBLINE_CUSTOM_([A-Z0-9]{1,30})_BASE_URL")

_SDKS = {provider.sdk for provider in PROVIDERS.values()}
_CHATTY_LOGGERS = (*_SDKS, "httpx", "httpx2", "httpcore", "httpcore2")


def clean_key(text: str) -> SecretStr:
    """The key without what was copied along with it.

    Raises `AccessError` where the rest cannot be a key.
    """
    key = re.sub(r"^Bearer\s+", "", text.strip(_AROUND_A_KEY), flags=re.IGNORECASE)
    # Quotes may stand around the key alone: Bearer "sk-..."
    key = key.strip(_AROUND_A_KEY)
    if problem := _key_problem(key):
        raise AccessError(
            say(
                "The key {problem}. Copy it again from the provider's page, and nothing else.",
                problem=problem,
            )
        )
    return SecretStr(key)


def bind(provider: str, base_url: str, key: str, models: str = "") -> Access:
    """The access that this key gives at this address; a custom endpoint may want none.

    `models` names what may be asked there where the provider's list does not, separated by commas.

    Raises `AccessError` where it cannot be a key, where it is another provider's (it would be sent
    to the wrong one), and where this host may not ask the address.
    """
    check_address(base_url)
    record = PROVIDERS[provider]
    cleaned = SecretStr("") if record.is_custom and not key else clean_key(key)
    owners = _owners(cleaned.get_secret_value())
    # A proxy in its place has keys of its own, which may begin like anybody's.
    is_own_address = base_url == record.address or _is_of_form(record, base_url)
    if is_own_address and owners and record not in owners:
        owner = owners[0].title
        raise AccessError(
            say(
                "This looks like a key of {owner}, so it is not sent to {provider}. Choose "
                "{owner} for it, or copy the key of {provider}.",
                owner=owner,
                provider=record.title,
            )
        )
    names = tuple(filter(None, map(str.strip, models.split(","))))
    return Access(provider=provider, base_url=base_url, key=cleaned, models=names)


def _owners(key: str) -> list[Provider]:
    """The providers whose keys begin so."""
    # The longest beginning counts: OpenRouter's sk-or- is not OpenAI's sk-.
    beginnings = [
        (len(start), provider)
        for provider in PROVIDERS.values()
        for start in provider.key_beginnings
        if key.startswith(start)
    ]
    longest = max((length for length, _ in beginnings), default=0)
    return [provider for length, provider in beginnings if length == longest]


def address_of(record: Provider, text: str) -> str:
    """The base URL of a provider, from what its user gives of it: a part of it, or all.

    Raises `AccessError` where it cannot be one or may not be asked.
    """
    form = record.address_form
    text = text.strip()
    if form is None:
        return clean_address(text)
    if re.fullmatch(form.pattern, text.lower()):
        address = form.template.format(text.lower())
    elif _is_of_form(record, text):
        parts = urlsplit(text)
        address = f"https://{parts.netloc.lower()}{urlsplit(form.template).path}"
        if parts.query or not urlsplit(address).path.startswith(parts.path.rstrip("/")):
            words = mark(
                "The address has a path or a query that is not asked. Give {address}; a deployment "
                "is named as the model."
            )
            raise AccessError(say(words, address=address))
    elif "://" in text:
        # A proxy's, in its place.
        return clean_address(text)
    else:
        raise AccessError(
            say(
                "This is no {part} of {provider}. Give one such as {example}, or the base URL.",
                part=say(form.part),
                provider=record.title,
                example=form.example,
            )
        )
    check_address(address)
    return address


def _is_of_form(record: Provider, address: str) -> bool:
    """Whether it is an address at the provider itself."""
    form = record.address_form
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_there = bool(form and re.fullmatch(form.hosts, parts.netloc.lower()))
    return is_there and parts.scheme == "https"


def provider_at(address: str, sdk: str) -> str:
    """The provider at this address; else the custom one, the last that the SDK serves."""
    served = [record for record in PROVIDERS.values() if record.sdk == sdk]
    for record in served:
        if record.address == address or _is_of_form(record, address):
            return record.name
    return served[-1].name


def clean_address(text: str) -> str:
    """The base URL in one spelling, without the path of a chat that was copied along with it.

    Raises `AccessError` where it cannot be one or may not be asked.
    """
    address = text.strip().rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if problem := _address_problem(address):
        raise AccessError(
            say(
                "The address {problem}. Give the base URL, for example http://localhost:11434/v1.",
                problem=problem,
            )
        )
    parts = urlsplit(address)
    address = f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"
    check_address(address)
    return address


def check_address(address: str) -> None:
    """Raises `AccessError` where this host may not ask the address."""
    # A public host would else send requests to its own network for any visitor.
    known = {provider.address for provider in allowed_providers().values()}
    if config().public and address not in known:
        raise AccessError(
            say(
                "This public host asks known providers only. Run Plumbline on your own "
                "machine for others."
            )
        )


def allowed_providers() -> dict[str, Provider]:
    """Those that a visitor of this host may use, by name: on a public one those marked so."""
    if not config().public:
        return dict(PROVIDERS)
    return {name: provider for name, provider in PROVIDERS.items() if provider.public}


def keys_from_environment(environment: Mapping[str, str]) -> dict[str, Access]:
    """The access that the environment's variables give, by provider; nothing on a public host."""
    if config().public:
        return {}
    accesses = {}
    for name, provider in known_providers(environment).items():
        access = _from_variables(provider, environment)
        if access:
            accesses[name] = access
    return accesses


def known_providers(environment: Mapping[str, str]) -> dict[str, Provider]:
    """All by name, with the endpoints to which the environment gives a name."""
    providers = dict(PROVIDERS)
    for variable in environment:
        if named := _NAMED_VARIABLE.fullmatch(variable):
            name = named_endpoint(named[1])
            providers[name] = PROVIDERS[name]
    return providers


def mask(text: str) -> str:
    """The text without any key that this process knows, nor what looks like one.

    Known are those of every access that lives, whoever entered them, and those in the environment:
    an access to these may live for one redraw of a page only.
    """
    for access in living():
        text = access.mask(text)
    in_environment = []
    for provider in known_providers(os.environ).values():
        key = os.environ.get(provider.key_variable, "")
        in_environment.append(key.strip(_AROUND_A_KEY))
    text = Masker(*in_environment)(text)
    # Last, what only looks like a key, as in a message about one that was refused.
    return _LOOKS_LIKE_A_KEY.sub(lambda match: f"{match[1] or match[2]}***", text)


def quiet_logs() -> None:
    """Keeps keys and prompts out of every log, whoever writes it; may be called again.

    The SDKs turn their own loggers up while they are imported (`GROQ_LOG=debug` logs whole
    prompts), so levels alone do not hold. Cut off from the root's handlers, only their warnings are
    printed.
    """
    logging.setLogRecordFactory(_MaskedRecord)
    for name in _CHATTY_LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.WARNING)
        logger.propagate = False


class _MaskedRecord(logging.LogRecord):
    """A log record whose message and traceback hold no key, for any handler."""

    def getMessage(self) -> str:  # noqa: N802 (the name is logging's)
        return mask(super().getMessage())

    # A formatter keeps the traceback's text here, for all handlers after the first.
    @property
    def exc_text(self) -> str | None:
        return self._exc_text

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._exc_text = text and mask(text)


def _key_problem(key: str) -> str:
    if not key:
        return say("is empty")
    if len(key) > _LONGEST_KEY:
        return say("has {characters:,} characters, more than any key has", characters=len(key))
    if re.search(r"[\r\n]", key):
        return say("contains a line break")
    if re.search(r"\s", key):
        return say("contains a space")
    if odd := re.search(r"[^\x21-\x7e]", key):
        return say("contains a character that no key has (U+{code:04X})", code=ord(odd[0]))
    return ""


def _is_host(host: str, is_number: bool) -> bool:
    if not is_number:
        # Labels of at most 63 characters, as DNS has them, and the dot of a full name.
        return bool(re.fullmatch(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", host))
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _address_problem(address: str) -> str:
    """What is wrong with it, without showing it.

    It may hold a password, or be a key in the wrong field.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return say("is not a URL")
    if parts.scheme not in ("http", "https"):
        return say("does not begin with http:// or https://")
    if not host or re.search(r"[\s\x00-\x1f\\]", address):
        return say("is not a URL")
    # In brackets stands an IPv6 address.
    if not _is_host(host, is_number="[" in parts.netloc):
        return say("has a host that cannot be one (letters beyond ASCII are written as xn--...)")
    if "@" in parts.netloc:
        return say("contains a user name or password")
    if "?" in address or "#" in address:
        return say("contains a query or a fragment")
    return ""


def _from_variables(provider: Provider, environment: Mapping[str, str]) -> Access | None:
    """The access that a provider's variables give; one that cannot be used is named in the log."""
    variables = provider.key_variable, provider.address_variable
    key = environment.get(provider.key_variable, "").strip()
    address = environment.get(provider.address_variable, "").strip()
    # A custom endpoint may want no key, but it needs an address; a provider may need both.
    has_address = bool(address or provider.address)
    if not has_address or not (key or provider.is_custom):
        return None
    try:
        base_url = address_of(provider, address) if address else provider.address
        models = environment.get(provider.models_variable, "")
        return bind(provider.name, base_url, key, models)
    except AccessError as error:
        _warn_once(f"{' or '.join(variables)} is not used. {error}")
        return None


@cache
def _warn_once(message: str) -> None:
    # The environment is read for every page.
    logging.getLogger(__name__).warning(message)
