import io
import logging
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from evaluators.config import ROOT
from evaluators.errors import AccessError
from evaluators.llm.keys import (
    bind,
    check_address,
    clean_address,
    clean_key,
    keys_from_environment,
    mask,
    quiet_logs,
)
from tests.loopback import Loopback

KEY = "gsk_Marked0123Q7x2Lw9RzTn"
LOCAL = "http://localhost:11434/v1"
ALL_LOUD = {"GROQ_LOG": "debug", "OPENAI_LOG": "debug"}
CALLS = f"""
import logging, sys
logging.basicConfig(level=logging.DEBUG)
if "quiet" in sys.argv:
    from evaluators.llm.keys import quiet_logs
    quiet_logs()
from groq import Groq
from openai import OpenAI
for client in (Groq(api_key="{KEY}", base_url=sys.argv[1]), OpenAI(api_key="{KEY}", base_url=sys.argv[1] + "/v1")):
    client.chat.completions.create(model="m", messages=[{{"role": "user", "content": "the marked prompt"}}])
logging.warning("done with %s", "{KEY}")
"""


@pytest.fixture(autouse=True)
def _on_a_laptop(monkeypatch):
    for name in ("SPACE_ID", "PLUMBLINE_PUBLIC"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def quiet():
    """Quiet logs, and after it the logging of before."""
    loggers = [
        logging.getLogger(name)
        for name in ("groq", "openai", "httpx", "httpx2", "httpcore", "httpcore2")
    ]
    before, factory = (
        [(logger, logger.level, logger.propagate) for logger in loggers],
        logging.getLogRecordFactory(),
    )
    quiet_logs()
    yield
    logging.setLogRecordFactory(factory)
    for logger, level, propagate in before:
        logger.setLevel(level)
        logger.propagate = propagate


def logged(write):
    """What a handler that knows nothing of keys prints."""
    stream, logger = io.StringIO(), logging.getLogger("tests.keys")
    handler = logging.StreamHandler(stream)
    logger.addHandler(handler)
    try:
        with quiet():
            write(logger)
    finally:
        logger.removeHandler(handler)
    return stream.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        f"  {KEY}\r\n",
        f'"{KEY}"',
        f"'{KEY}'",
        f"“{KEY}”",
        f"Bearer {KEY}",
        f'"bearer  {KEY}"',
        f'Bearer "{KEY}"',
        f"\ufeff{KEY}\u200b",
    ],
)
def test_a_key_loses_what_was_copied_along_with_it(text):
    assert clean_key(text).get_secret_value() == KEY


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "The key is empty."),
        (' "" \n', "The key is empty."),
        ("gsk_Marked 0123", "The key contains a space."),
        ("gsk_Marked\n0123", "The key contains a line break."),
        ("gsk_Mar“ked", "The key contains a character that no key has (U+201C)."),
        ("gsk_Marked\x00", "The key contains a character that no key has (U+0000)."),
        ("gsk_Márked", "The key contains a character that no key has (U+00E1)."),
        ("k" * 4001, "The key has 4,001 characters, more than any key has."),
    ],
)
def test_a_text_that_cannot_be_a_key_is_refused_with_the_reason_and_not_shown(text, problem):
    with pytest.raises(AccessError) as error:
        clean_key(text)
    assert (
        str(error.value) == f"{problem} Copy it again from the provider's page, and nothing else."
    )


GROQ, OPENAI = "https://api.groq.com", "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("provider", "address", "key"),
    [
        ("groq", GROQ, KEY),
        ("openai", OPENAI, "sk-proj-0123"),
        ("openai", OPENAI, "of-another-kind"),
        ("openai", "https://api.groq.com/openai/v1", KEY),
        ("groq", "http://localhost:4000", "sk-proj-0123"),
        ("custom", LOCAL, KEY),
        ("custom", LOCAL, ""),
    ],
)
def test_a_key_is_bound_to_its_address(provider, address, key):
    access = bind(provider, address, key)
    assert (access.provider, access.base_url, access.key.get_secret_value()) == (
        provider,
        address,
        key,
    )


NO_HOST = "has a host that cannot be one (letters beyond ASCII are written as xn--...)"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (f" {LOCAL}/ ", LOCAL),
        ("HTTP://LocalHost:11434/v1//", LOCAL),
        ("https://api.example.com/Path/v1", "https://api.example.com/Path/v1"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        (f"{LOCAL}/chat/completions/", LOCAL),
        ("https://me.services.ai.azure.com/models", "https://me.services.ai.azure.com/models"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://my_gpu-2.lan.:8000/v1", "http://my_gpu-2.lan.:8000/v1"),
        ("http://xn--mnchen-3ya.example/v1", "http://xn--mnchen-3ya.example/v1"),
    ],
)
def test_an_address_is_brought_into_one_spelling(text, address):
    assert clean_address(text) == address


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not begin with http:// or https://"),
        ("localhost:11434/v1", "does not begin with http:// or https://"),
        ("file:///etc/passwd", "does not begin with http:// or https://"),
        (KEY, "does not begin with http:// or https://"),
        ("http://", "is not a URL"),
        ("http:///v1", "is not a URL"),
        ("http://a b/v1", "is not a URL"),
        ("http://a\nb/v1", "is not a URL"),
        ("http://a:99999/v1", "is not a URL"),
        ("http://[::1/v1", "is not a URL"),
        ("http://evil.example\\@localhost/v1", "is not a URL"),
        ("http://user:secret@localhost/v1", "contains a user name or password"),
        *(
            (f"http://{host}/v1", NO_HOST)
            for host in ("☃.invalid", "a\u200db.de", "[v1.x]", "a..b", "a" * 64)
        ),
        ("http://localhost/v1?key=secret", "contains a query or a fragment"),
        ("http://localhost/v1#secret", "contains a query or a fragment"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused_and_not_shown(text, problem):
    with pytest.raises(AccessError) as error:
        clean_address(text)
    assert str(error.value) == f"The address {problem}. Give the base URL, for example {LOCAL}."


@pytest.mark.parametrize("address", ["https://api.groq.com", "https://api.openai.com/v1"])
def test_a_public_host_asks_known_providers(address, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        LOCAL,
        "http://api.groq.com",
        "https://api.groq.com.evil.example",
        "http://169.254.169.254/latest",
    ],
)
@pytest.mark.parametrize("check", [check_address, clean_address])
def test_a_public_host_asks_nobody_else(check, address, monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/plumbline")
    with pytest.raises(AccessError, match="This public host asks known providers only"):
        check(address)


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, {}),
        ({"GROQ_API_KEY": " ", "OPENAI_BASE_URL": LOCAL}, {}),
        ({"GROQ_API_KEY": f"{KEY}\n"}, {"groq": ("https://api.groq.com", KEY)}),
        ({"OPENAI_API_KEY": "sk-marked"}, {"openai": ("https://api.openai.com/v1", "sk-marked")}),
        (
            {"GROQ_API_KEY": KEY, "GROQ_BASE_URL": "http://localhost:9/"},
            {"groq": ("http://localhost:9", KEY)},
        ),
        ({"PLUMBLINE_CUSTOM_API_KEY": KEY}, {}),
        ({"PLUMBLINE_CUSTOM_BASE_URL": LOCAL}, {"custom": (LOCAL, "")}),
        (
            {"PLUMBLINE_CUSTOM_BASE_URL": LOCAL, "PLUMBLINE_CUSTOM_API_KEY": KEY},
            {"custom": (LOCAL, KEY)},
        ),
    ],
)
def test_the_environment_gives_access(environment, found):
    read = keys_from_environment(environment)
    assert {
        name: (access.base_url, access.key.get_secret_value()) for name, access in read.items()
    } == found
    assert all(access.provider == name for name, access in read.items())


def test_a_variable_that_cannot_be_used_is_named_in_the_log_and_not_shown(caplog):
    environment = {"GROQ_API_KEY": KEY, "OPENAI_API_KEY": "sk-Marked×0123"}
    assert list(keys_from_environment(environment)) == ["groq"]
    assert (
        "OPENAI_API_KEY or OPENAI_BASE_URL is not used. The key contains a character" in caplog.text
    )
    assert "Marked" not in caplog.text


def test_the_environment_of_a_public_host_gives_nothing(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    assert keys_from_environment({"GROQ_API_KEY": KEY, "PLUMBLINE_CUSTOM_BASE_URL": LOCAL}) == {}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"key {KEY}.", "key gsk_***"),
        ("Incorrect API key provided: sk-proj-ab12****wxyz", "Incorrect API key provided: sk-***"),
        ("token=hf_AbCdEfGh&x", "token=hf_***&x"),
        ("{'Authorization': 'Bearer my-own-token'}", "{'Authorization': 'Bearer ***"),
        ("authorization: bearer my-own-token", "authorization: bearer ***"),
        (
            "a risk-based task-force, HF_HOME, the bearer of news",
            "a risk-based task-force, HF_HOME, the bearer of news",
        ),
    ],
)
def test_what_looks_like_a_key_is_masked(text, masked):
    assert mask(text) == masked


def test_a_log_shows_no_key_in_its_message_or_arguments():
    text = logged(
        lambda log: (log.warning(f"with {KEY}"), log.warning("%s and %r", KEY, {"key": KEY}))
    )
    assert text == "with gsk_***\ngsk_*** and {'key': 'gsk_***'}\n"


def test_a_log_shows_no_key_in_an_exception_or_its_cause():
    def write(log):
        try:
            try:
                raise ValueError(f"Illegal header value b'Bearer {KEY}'")
            except ValueError as error:
                raise RuntimeError(KEY) from error
        except RuntimeError:
            log.exception("failed")

    text = logged(write)
    assert "Marked" not in text
    assert "ValueError: Illegal header value b'Bearer ***" in text
    assert "RuntimeError: gsk_***" in text


def test_a_log_shows_no_key_of_a_kind_that_nobody_has_seen_as_long_as_it_may_be_used():
    access = bind("mistral", "https://api.mistral.ai/v1", "q7XvT2mLw9RzK4bNcY8dHs3J")
    text = logged(lambda log: log.warning("with %s", access.key.get_secret_value()))
    assert text == "with ***\n"


def test_a_warning_of_an_sdk_is_still_printed():
    code = f"""
import logging
from evaluators.llm.keys import quiet_logs
quiet_logs()
logging.getLogger("groq._base_client").warning("not well: %s", {KEY!r})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr == "not well: gsk_***\n"


def sdk_logs(*argv):
    """What both SDKs print of one call each, in a process where every log is turned up."""
    with Loopback() as server:
        return subprocess.run(
            [sys.executable, "-c", CALLS, server.address, *argv],
            cwd=ROOT,
            env=os.environ | ALL_LOUD,
            capture_output=True,
            text=True,
            check=True,
        ).stderr


def test_the_sdks_log_neither_prompt_nor_request():
    assert sdk_logs("quiet") == "WARNING:root:done with gsk_***\n"


def test_without_quiet_logs_they_do():
    assert "the marked prompt" in sdk_logs()
