"""One attempt with the real SDKs against the loopback provider.

Every fault has its error, and no key comes out.
"""

import asyncio
import gzip
import logging
import shutil
import socket
import ssl
import subprocess
import traceback
import tracemalloc
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack, suppress

import psutil
import pytest
from pydantic import SecretStr

from evaluators.errors import (
    LateError,
    LLMError,
    RateLimitedError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import Access, ModelReply, ModelRequest
from evaluators.llm.connection import AskForLessError, Connection
from evaluators.llm.keys import quiet_logs
from evaluators.llm.providers import PROVIDERS
from evaluators.records import Completion, ModelSpec, Usage
from tests.loopback import FAULTS, Loopback, Response, ServerLimits

KEY = "gsk_loopback1234567890abcdefghijklmnop"
MODELS = {"groq": "openai/gpt-oss-20b", "openai": "gpt-6-luna", "custom": "qwen3:8b"}
TITLES = {
    "groq": {"provider": "Groq", "model": "GPT-OSS 20B"},
    "openai": {"provider": "OpenAI", "model": "GPT-6 Luna"},
}

both = pytest.mark.parametrize("name", ["groq", "openai"])

ERRORS = {
    "401": (RunStoppedError, "The API key was refused by {provider}. Check"),
    "403": (RunStoppedError, "This key may not use {model}. Choose another model"),
    "404 retired": (RunStoppedError, "{model} is not available at {provider}. Choose another"),
    "400 decommissioned": (RunStoppedError, "{model} is not available at {provider}. Choose"),
    "404 address": (RunStoppedError, "Nothing at http://127.0.0.1:"),
    "400 context": (
        LLMError,
        "This sample needs 9,120 tokens, more than {model} takes (8,192). Use fewer or",
    ),
    "413 context": (
        LLMError,
        "This sample needs about 11 tokens, more than {model} takes. Use fewer or",
    ),
    "413 tokens": (
        LLMError,
        "(9,000 tokens with the answer budget) exceeds your plan's 8,000 tokens per minute. Lower",
    ),
    "400 json": (TransientError, "{model} did not return valid JSON. Try again"),
    "422": (TransientError, "could not process the request"),
    "429": (RateLimitedError, "The limit for {model} at {provider} is reached; try again in 1 s."),
    "429 bare": (
        RateLimitedError,
        "The limit for {model} at {provider} is reached; try again in a moment.",
    ),
    "429 long": (RunStoppedError, "The limit for {model} at {provider} is reached."),
    "429 day": (RunStoppedError, "The daily limit for {model} at {provider} is reached."),
    "429 quota": (RunStoppedError, "The account at {provider} has no credit. Add some there"),
    "408": (TransientError, "{provider} is overloaded (HTTP 408)."),
    "409": (TransientError, "{provider} is overloaded (HTTP 409)."),
    "498": (TransientError, "{provider} is overloaded (HTTP 498). Try again"),
    "500": (TransientError, "{provider} is overloaded (HTTP 500)."),
    "503": (TransientError, "{provider} is overloaded (HTTP 503)."),
    "529": (TransientError, "{provider} is overloaded (HTTP 529)."),
    "reset": (TransientError, "The connection to 127.0.0.1:"),
    "hang": (LateError, "No answer from {provider} within 0.5 s."),
    "drip": (LateError, "No answer from {provider} within 0.5 s."),
    "reset in the body": (TransientError, "The connection to 127.0.0.1:"),
    "html": (TransientError, "answered with a web page"),
    "error 200": (TransientError, "{provider} reported an error instead of an answer. Try again"),
    "no choices": (TransientError, "Unexpected answer from {provider}."),
    "truncated": (TransientError, "Unexpected answer from {provider}. Try again"),
    "wrong json": (TransientError, "Unexpected answer from {provider}."),
    "huge": (LLMError, "sent far more than an answer"),
    "redirect": (RunStoppedError, "redirects to another address, which is not followed."),
}
TRIES = {"400 json": 2, "422": 2, "html": 2} | dict.fromkeys(
    ("hang", "drip", "error 200", "no choices", "truncated", "wrong json"), 3
)

ODD_COMPLETIONS = {
    "null content": ("", "stop"),
    "empty": ("", "stop"),
    "no json": ("I would say: {yes", "stop"),
    "length": ("The answer begins, but the", "length"),
    "filter": ("", "content_filter"),
}

LEFT_OUT = {
    "400 temperature": ("temperature", "temperature not applied"),
    "400 effort": ("reasoning_effort", "reasoning effort not applied"),
    "400 max_completion_tokens": ("max_completion_tokens", ""),
}

ONLY_FOR_JSON = {"json_validate_failed", "no_schema", "no_format"}
"""Faults of requests for JSON only; see `test_json_modes`."""


def access_to(server: Loopback, name: str, key: str = KEY) -> Access:
    return Access(
        provider=name,
        base_url=server.address if name == "groq" else server.base_url,
        key=SecretStr(key),
    )


def request_to(name: str, text: str = "Say: London", **options: object) -> ModelRequest:
    return ModelRequest(
        spec=ModelSpec(provider=name, model=MODELS[name], effort="low", **options), text=text
    )


class Unlimited(Connection):
    """A connection that is asked for less at once, as `Limited` does when the limits allow it."""

    async def complete(self, request):
        while True:
            try:
                return await super().complete(request)
            except AskForLessError as refusal:
                request = refusal.request


def with_connection(
    access: Access,
    work: Callable[[Connection], Awaitable],
    seconds: float = 60,
    kind: type[Connection] = Unlimited,
):
    async def run():
        connection = kind(access, seconds)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


def ask(access: Access, seconds: float = 60, text: str = "Say: London") -> ModelReply:
    request = request_to(access.provider, text)
    return with_connection(access, lambda connection: connection.complete(request), seconds)


def failure(access: Access, seconds: float = 60) -> LLMError:
    with pytest.raises(LLMError) as caught:
        ask(access, seconds)
    return caught.value


def test_every_fault_of_the_loopback_is_told():
    assert {*ERRORS, *ODD_COMPLETIONS, *LEFT_OUT, *ONLY_FOR_JSON} == set(FAULTS)


@pytest.mark.parametrize("name", ["groq", "openai", "custom"])
def test_a_completion_comes_with_its_tokens_and_the_model_that_served_it(loopback, name):
    server = loopback()
    reply = ask(access_to(server, name))
    # "Say: London" is 11 bytes: 3 tokens and 8; "London" is 6 bytes: 2 tokens and 8.
    assert reply == ModelReply(
        Completion(
            text="London",
            usage=Usage(prompt_tokens=11, answer_tokens=10),
            served_model=MODELS[name],
        ),
        {},
    )


@both
def test_what_the_specification_sets_is_sent_and_nothing_else(loopback, name):
    server = loopback()
    access = access_to(server, name)
    request = request_to(name, temperature=0.5, answer_tokens=64)
    with_connection(access, lambda connection: connection.complete(request))
    spec = ModelSpec(provider=name, model=MODELS[name], temperature=None)
    request = ModelRequest(spec=spec, text="Hello")
    with_connection(access, lambda connection: connection.complete(request))
    assert [asked.body for asked in server.asked] == [
        {
            "model": MODELS[name],
            "messages": [{"role": "user", "content": "Say: London"}],
            "temperature": 0.5,
            "reasoning_effort": "low",
            "max_completion_tokens": 64,
        },
        {
            "model": MODELS[name],
            "messages": [{"role": "user", "content": "Hello"}],
            "max_completion_tokens": 1024,
        },
    ]


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda each: each.name)
def test_the_answer_budget_has_the_name_that_the_provider_reads(loopback, provider):
    server = loopback()
    address = server.address if provider.path else server.base_url
    access = Access(provider=provider.name, base_url=address, key=SecretStr(KEY))
    spec = ModelSpec(provider=provider.name, model="m", temperature=None, answer_tokens=64)
    request = ModelRequest(spec=spec, text="Hello")
    with_connection(access, lambda connection: connection.complete(request))
    (asked,) = server.asked
    assert asked.path == f"{provider.path or '/v1'}/chat/completions"
    assert asked.body.keys() - {"model", "messages"} == {provider.answer_budget}
    assert asked.body[provider.answer_budget] == 64


@both
@pytest.mark.parametrize("fault", ERRORS)
def test_a_fault_becomes_the_error_that_says_what_to_do(loopback, name, fault):
    server = loopback(fault=lambda asked: fault)
    error = failure(access_to(server, name), seconds=0.5 if fault in {"hang", "drip"} else 60)
    kind, phrase = ERRORS[fault]
    assert type(error) is kind
    assert phrase.format(**TITLES[name]) in str(error)
    if isinstance(error, TransientError):
        assert error.tries == TRIES.get(fault, 5)
    assert KEY not in "".join(traceback.format_exception(error)) + error.details
    assert len(server.asked) == 1


@both
@pytest.mark.parametrize("fault", ["html", "truncated", "error 200", "no choices", "wrong json"])
def test_what_is_no_answer_of_an_endpoint_that_answered_before_is_tried_as_an_outage_is(
    loopback, name, fault
):
    """A proxy says so while what is behind it is away; a wrong address has never answered."""

    async def twice(connection):
        await connection.complete(request_to(name))
        return await connection.complete(request_to(name, "Say: Paris"))

    server = loopback(fault=lambda asked: fault if "Paris" in asked.text else "")
    with pytest.raises(TransientError) as caught:
        with_connection(access_to(server, name), twice)
    assert caught.value.tries == 5


@both
def test_the_curious_find_status_code_request_and_the_provider_s_own_words(loopback, name):
    server = loopback(fault=lambda asked: "401")
    details = failure(access_to(server, name)).details
    assert details == (
        "HTTP 401 · invalid_api_key invalid_request_error · request req_loopback000001 · "
        "Incorrect API key provided: ***. You can find your key in the console."
    )


def test_a_key_of_any_form_stays_out_of_the_error(loopback):
    server = loopback(fault=lambda asked: "401")
    error = failure(access_to(server, "custom", key="correct horse battery staple"))
    assert "horse" not in str(error) + error.details


@both
@pytest.mark.parametrize("fault", ODD_COMPLETIONS)
def test_a_cut_off_or_empty_completion_comes_as_it_is(loopback, name, fault):
    server = loopback(fault=lambda asked: fault)
    completion = ask(access_to(server, name)).completion
    assert (completion.text, completion.finish_reason) == ODD_COMPLETIONS[fault]
    assert completion.usage.prompt_tokens == 11


@both
@pytest.mark.parametrize("fault", LEFT_OUT)
def test_a_parameter_that_is_not_taken_is_left_out_from_then_on(loopback, name, fault):
    async def twice(connection):
        return [(await connection.complete(request_to(name))).completion for _ in range(2)]

    server = loopback(fault=lambda asked: fault)
    completions = with_connection(access_to(server, name), twice)
    parameter, note = LEFT_OUT[fault]
    assert [(completion.text, completion.note) for completion in completions] == [
        ("London", note)
    ] * 2
    assert [(asked.status, parameter in asked.body) for asked in server.asked] == [
        (400, True),
        (200, False),
        (200, False),
    ]
    assert [asked.body.get("max_tokens") for asked in server.asked] == (
        [None, 1024, 1024] if parameter == "max_completion_tokens" else [None] * 3
    )


def test_several_parameters_are_left_out_one_after_the_other(loopback):
    def fault(asked):
        return next(
            (name for name, (parameter, _) in LEFT_OUT.items() if parameter in asked.body), ""
        )

    server = loopback(fault=fault)
    completion = ask(access_to(server, "custom")).completion
    assert (completion.text, completion.note) == (
        "London",
        "reasoning effort not applied, temperature not applied",
    )
    assert [asked.status for asked in server.asked] == [400, 400, 400, 200]


@both
def test_the_headers_about_limits_are_passed_on(loopback, name):
    server = loopback(limits=ServerLimits(requests=30, tokens=8000, day_requests=1000))
    headers = ask(access_to(server, name)).headers
    assert headers["x-ratelimit-limit-tokens"] == "8000"
    assert headers["x-ratelimit-remaining-requests"] == "999"
    assert all(header.startswith("x-ratelimit-") for header in headers)


@both
def test_a_wait_that_was_asked_for_is_known(loopback, name):
    server = loopback(fault=lambda asked: "429")
    assert failure(access_to(server, name)).wait == 1


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_provider_s_models_are_listed(loopback, name):
    server = loopback(models=("one", "two/three"))
    access = access_to(server, name)
    listed = with_connection(access, lambda connection: connection.models())
    assert listed == {"one": "", "two/three": ""}


@both
def test_a_wrong_key_is_told_when_the_models_are_listed(loopback, name):
    server = loopback(key="another")
    with pytest.raises(RunStoppedError, match="key was refused") as caught:
        with_connection(access_to(server, name), lambda connection: connection.models())
    assert KEY not in str(caught.value) + caught.value.details


@pytest.mark.parametrize(
    ("name", "remedy"), [("openai", "usually ends in /v1"), ("groq", "is https://api.groq.com")]
)
def test_a_base_url_with_the_wrong_path_names_the_usual_one(loopback, name, remedy):
    server = loopback()
    wrong = server.address if name == "openai" else server.base_url
    access = access_to(server, name).model_copy(update={"base_url": wrong})
    assert remedy in str(failure(access))


@both
def test_an_address_where_nobody_listens_is_unreachable(name):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    error = failure(Access(provider=name, base_url=f"http://127.0.0.1:{port}", key=SecretStr(KEY)))
    assert type(error) is UnreachableError
    assert f"Cannot reach 127.0.0.1:{port}." in str(error)


@both
@pytest.mark.parametrize("key", ["“gsk_quoted”", "gsk_line\nbreak"])
def test_a_key_that_no_header_can_hold_is_not_shown(loopback, name, key):
    server = loopback()
    error = failure(access_to(server, name, key))
    assert type(error) is RunStoppedError
    assert "gsk_" not in str(error) + error.details


def test_without_a_key_a_custom_endpoint_gets_a_placeholder(loopback):
    server = loopback(key="none")
    assert ask(access_to(server, "custom", key="")).completion.text == "London"


@both
def test_nothing_from_the_environment_is_used_or_sent(loopback, name, monkeypatch):
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-host")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-of-the-host")
    for variable in ("OPENAI_CUSTOM_HEADERS", "GROQ_CUSTOM_HEADERS"):
        monkeypatch.setenv(variable, "X-Secret: of-the-host\nAuthorization: Bearer of-the-host")
    server = loopback()
    ask(access_to(server, name))
    headers = server.asked[0].headers
    assert "of-the-host" not in str(headers)
    assert headers["authorization"] == f"Bearer {KEY}"
    names = "accept accept-encoding authorization content-length content-type host user-agent"
    assert sorted(header.lower() for header in headers) == names.split()


@both
def test_a_huge_body_is_not_read_into_memory(loopback, name):
    async def huge_after_small(connection):
        await connection.complete(request_to(name))  # the imports are not to be counted
        tracemalloc.start()
        with pytest.raises(LLMError, match="far more than an answer"):
            await connection.complete(request_to(name, "huge"))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    server = loopback(fault=lambda asked: "huge" if asked.text == "huge" else "")
    assert with_connection(access_to(server, name), huge_after_small) < 20_000_000


@both
def test_a_compressed_body_is_read_as_far_as_it_is_small(name):
    answer = b'{"choices": [{"message": {"content": "London"}, "finish_reason": "stop"}]}'
    assert (
        told(name, gzip.compress(b" " * 10_000 + answer), "content-encoding: gzip").text == "London"
    )
    for blanks in (5_000_000, 200_000_000):
        with pytest.raises(LLMError, match="far more than an answer"):
            told(name, gzip.compress(b" " * blanks + answer), "content-encoding: gzip")


@both
def test_of_a_compressed_body_no_more_is_unpacked_than_is_read(name):
    packed = gzip.compress(b" " * 60_000_000)
    with suppress(LLMError):
        told(name, b"{}")  # what is loaded at the first call does not count
    tracemalloc.start()
    try:
        with pytest.raises(LLMError, match="far more than an answer"):
            told(name, packed, "content-encoding: gzip")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30 * 2**20


@both
@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": null}',
        b'{"choices": ["London"]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": {"0": "London"}}',
        b"[" * 100_000,
        b"\xff\xfe",
        b"",
    ],
)
def test_a_body_of_the_wrong_shape_is_no_answer(name, body):
    with pytest.raises(TransientError, match="Unexpected answer"):
        told(name, body)


def body(message='{"content": "London"}', finish='"stop"', **more):
    """A completion in JSON; `more` are its other fields, as JSON too."""
    fields = {"choices": f'[{{"message": {message}, "finish_reason": {finish}}}]', **more}
    return "{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}"


# what "usage" holds, and what counts: else 11 tokens of the prompt and 10 of the answer are
# estimated
COUNTS = {
    "null": (11, 10),
    "[]": (11, 10),
    '"many"': (11, 10),
    "{}": (11, 10),
    '{"prompt_tokens": 7, "completion_tokens": null}': (7, 10),
    '{"prompt_tokens": 0, "completion_tokens": 3}': (0, 3),
    '{"prompt_tokens": "12", "completion_tokens": 3.0}': (12, 3),
    '{"prompt_tokens": -5, "completion_tokens": -1}': (11, 10),
    '{"prompt_tokens": 1.5, "completion_tokens": true}': (11, 10),
    '{"prompt_tokens": "many", "completion_tokens": "-1"}': (11, 10),
    '{"prompt_tokens": {"n": [1]}, "completion_tokens": [2]}': (11, 10),
    '{"prompt_tokens": 18446744073709551615, "completion_tokens": 9223372036854775807}': (11, 10),
    '{"prompt_tokens": 1e400, "completion_tokens": NaN}': (11, 10),
    f'{{"prompt_tokens": {"9" * 5000}, "completion_tokens": "{"9" * 5000}"}}': (11, 10),
    '{"prompt_tokens": 10000000, "completion_tokens": 10000001}': (10_000_000, 10),
    '{"a":' * 5000 + "1" + "}" * 5000: (11, 10),
}


@both
def test_tokens_that_make_no_sense_are_estimated_and_cost_no_answer(name):
    found = replies(name, COUNTS, lambda usage: body(usage=usage))
    counts = {usage: (got.usage.prompt_tokens, got.usage.answer_tokens) for usage, got in found}
    assert counts == COUNTS


LONG = "x" * 10**6
ODD = {  # what else may be odd, and text, reason to end, and model that come of it
    body(model="5"): ("London", "stop", ""),
    body(model='["m"]', id="7", created='"today"', object="null"): ("London", "stop", ""),
    body(model=f'"{LONG}"'): ("London", "stop", LONG[:200]),
    body(finish="7"): ("London", "unknown", ""),
    body(finish='{"type": "stop"}'): ("London", "unknown", ""),
    body(finish=f'"{LONG}"'): ("London", LONG[:200], ""),
    body('{"content": "London", "tool_calls": 5, "annotations": [[[]]], "audio": NaN}'): (
        "London",
        "stop",
        "",
    ),
    body('{"content": "London", "refusal": 0}'): ("London", "stop", ""),
    body('{"content": [{"type": "text", "text": "Lon"}, {"type": "text", "text": "don"}]}'): (
        "London",
        "stop",
        "",
    ),
    body('{"content": [{"type": "thinking", "text": "Paris?"}, "London", null, 5]}'): (
        "London",
        "stop",
        "",
    ),
    body('{"content": [{"type": "text", "text": {"value": "London", "annotations": []}}]}'): (
        "London",
        "stop",
        "",
    ),
    body('{"content": [{"type": "text", "text": ""}]}'): ("", "stop", ""),
    body('{"content": [null]}'): ("", "stop", ""),
    body('{"content": [1, 2]}'): ("[1, 2]", "stop", ""),
    body('{"content": [{"type": "reasoning", "text": "Paris?"}]}'): ("", "stop", ""),
    body('{"content": {"text": "London"}}'): ("London", "stop", ""),
    body('{"content": {"verdict": "yes"}}'): ('{"verdict": "yes"}', "stop", ""),
    body('{"content": 5}'): ("5", "stop", ""),
    '{"choices": [null, 3, {"message": {"content": "London"}}]}': ("London", "unknown", ""),
    '{"choices": [{"text": "London", "index": "first", "logprobs": "none"}]}': (
        "London",
        "unknown",
        "",
    ),
    '{"choices": [{"delta": {"content": "London"}}], "choices2": 5}': ("London", "unknown", ""),
    f'{{"x": {"[" * 100_000}{"]" * 100_000}, {body()[1:]}': ("London", "stop", ""),
    body('{"content": "Lon\ndon"}'): ("Lon\ndon", "stop", ""),
}


@both
def test_whatever_else_is_odd_an_answer_that_can_be_read_counts(name):
    found = replies(name, ODD, lambda each: each)
    assert {each: (got.text, got.finish_reason, got.served_model) for each, got in found} == ODD


@both
def test_an_answer_with_half_an_emoji_is_kept(name):
    body = b'{"choices": [{"message": {"content": "London \\ud83d"}, "finish_reason": "stop"}]}'
    assert told(name, body).text == "London \ufffd"


@both
def test_a_refusal_to_answer_is_withheld_and_keeps_its_words(name):
    body = (
        b'{"choices": [{"message": {"content": null, "refusal": "I cannot help."}, '
        b'"finish_reason": "stop"}]}'
    )
    completion = told(name, body)
    assert (completion.text, completion.finish_reason) == ("I cannot help.", "content_filter")


OK = b'{"choices": [{"message": {"content": "London"}, "finish_reason": "stop"}]}'


@both
@pytest.mark.parametrize(
    "sent",
    [
        b"SSH-2.0-OpenSSH_9.2\r\nwho is there\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n" + OK,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n" + OK,
        b"HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + OK,
        b"",
    ],
)
def test_what_is_no_http_is_a_broken_connection_and_tells_no_key(name, sent):
    with pytest.raises(TransientError, match=r"The connection to 127\.0\.0\.1:\d+ broke") as caught:
        heard(name, sent)
    assert KEY not in "".join(traceback.format_exception(caught.value)) + caught.value.details
    assert caught.value.__cause__ is None


@both
def test_a_long_header_is_read(name):
    assert told(name, OK, f"content-security-policy: {'x' * 20_000}").text == "London"


@both
@pytest.mark.parametrize("coding", ["gzip, gzip", "br", "zstd", "unheard-of"])
def test_a_body_packed_twice_or_in_another_way_is_not_unpacked(name, coding):
    body = gzip.compress(gzip.compress(b" " * 100_000_000))
    tracemalloc.start()
    with pytest.raises(
        LLMError, match="compressed in a way that was not asked for and that cannot be read here"
    ):
        told(name, body, f"content-encoding: {coding}")
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@both
@pytest.mark.parametrize("charset", ["hex", "rot13", "undefined", "no-such"])
def test_a_strange_charset_changes_no_message(name, charset):
    with pytest.raises(RunStoppedError, match="The API key was refused"):
        told(name, b"no", f"content-type: text/plain; charset={charset}", status="401 Unauthorized")


@both
def test_bytes_in_a_header_that_are_no_text_are_told_as_text(name):
    sent = answer(b"{}", "x-request-id: a~b", status="400 Bad").replace(b"~", b"\xff\xfe")
    with pytest.raises(LLMError) as caught:
        heard(name, sent)
    caught.value.details.encode()


@both
def test_an_impossible_date_to_wait_for_is_none(name):
    with pytest.raises(RateLimitedError, match="in a moment"):
        told(name, b"{}", "retry-after: Mon, 01 Jan 99999999999999 00:00:00 GMT", status="429 Wait")


@both
def test_an_address_that_takes_no_connection_is_not_a_slow_model(name, monkeypatch):
    monkeypatch.setattr("evaluators.llm.transport.CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as waiting:
        address = full.getsockname()
        for _ in range(3):  # fill the queue, so that nobody is let in
            each = waiting.enter_context(socket.socket())
            each.setblocking(False)
            each.connect_ex(address)
        base_url = f"http://127.0.0.1:{address[1]}"
        error = failure(Access(provider=name, base_url=base_url, key=SecretStr(KEY)), seconds=10)
    assert isinstance(error, UnreachableError)
    assert "Cannot reach 127.0.0.1:" in str(error)


@both
def test_connections_are_kept_and_used_again(loopback, name):
    async def ports_after_each_round(connection):
        rounds = []
        for _ in range(2):
            await asyncio.gather(*(connection.complete(request_to(name)) for _ in range(30)))
            rounds.append(own_ports(int(server.address.rpartition(":")[2])))
        return rounds

    server = loopback(latency=1)
    first, second = with_connection(access_to(server, name), ports_after_each_round)
    assert len(first) == 30
    assert second == first


@both
def test_a_provider_gets_no_cookie_back(loopback, name):
    async def twice(connection):
        for _ in range(2):
            await connection.complete(request_to(name))

    server = loopback()
    access = access_to(
        server, name
    )  # by name: of an address that is a number, aiohttp takes no cookies anyway
    address = access.base_url.replace("127.0.0.1", "localhost")
    with_connection(access.model_copy(update={"base_url": address}), twice)
    assert ["cookie" in asked.headers for asked in server.asked] == [False, False]


@both
def test_an_attempt_that_is_cancelled_ends_and_the_provider_goes_on(loopback, name):
    async def cancel_and_go_on(connection):
        hanging = asyncio.create_task(connection.complete(request_to(name, "hang")))
        while not server.asked and not hanging.done():
            await asyncio.sleep(0.01)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        return (await connection.complete(request_to(name))).completion.text

    server = loopback(fault=lambda asked: asked.text if asked.text == "hang" else "")
    assert with_connection(access_to(server, name), cancel_and_go_on, seconds=600) == "London"


@both
def test_no_log_line_holds_the_prompt_or_the_key(loopback, name, caplog):
    quiet_logs()
    server = loopback(fault=lambda asked: asked.text.partition(" ")[0])
    with caplog.at_level(logging.DEBUG):
        ask(access_to(server, name), text=" confidential")
        with suppress(TransientError):
            ask(access_to(server, name), text="500 confidential")
    assert len(server.asked) == 2
    assert "confidential" not in caplog.text
    assert KEY not in caplog.text


def own_ports(server_port: int) -> set[int]:
    """The local ports of this process's open connections to a server."""
    return {
        connection.laddr.port
        for connection in psutil.Process().net_connections("tcp")
        if connection.raddr and connection.raddr.port == server_port
    }


@pytest.fixture
def certificate(tmp_path):
    """A certificate for localhost that nobody has signed but itself, with its key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    paths = tmp_path / "certificate.pem", tmp_path / "key.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-out", str(paths[0]), "-keyout", str(paths[1])]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*make, *names, *files], check=True, capture_output=True)
    return paths


@both
@pytest.mark.parametrize("is_known", [False, True])
def test_a_certificate_of_ones_own_is_trusted_where_it_is_named(
    name, is_known, certificate, monkeypatch
):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))

    async def complete(connection):
        async with await asyncio.start_server(responding(answer(OK)), sock=listening, ssl=context):
            return (await connection.complete(request_to(name))).completion.text

    listening = socket.create_server(("127.0.0.1", 0))
    access = Access(
        provider=name,
        base_url=f"https://localhost:{listening.getsockname()[1]}",
        key=SecretStr(KEY),
    )
    if is_known:
        assert with_connection(access, complete) == "London"
    else:
        with pytest.raises(UnreachableError, match="not trusted here"):
            with_connection(access, complete)


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = (
        f"HTTP/1.1 {status}",
        f"content-length: {len(body)}",
        "content-type: application/json",
        *headers,
    )
    return "\r\n".join((*head, "", "")).encode() + body


def responding(sent: bytes):
    """What a server does that answers every request with these bytes."""

    async def respond(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        await writer.drain()
        writer.close()

    return respond


def told(name: str, body: bytes, *headers: str, status: str = "200 OK") -> Completion:
    """What the provider makes of a response with this body."""
    return heard(name, answer(body, *headers, status=status))


def replies(
    name: str, cases: Iterable[str], sent: Callable[[str], str]
) -> list[tuple[str, Completion]]:
    """What one provider makes of the body for each case."""

    async def complete_all(connection):
        return [(case, (await connection.complete(request_to(name))).completion) for case in cases]

    responses = iter([Response(200, sent(case).encode()) for case in cases])
    with Loopback(respond=lambda asked: next(responses)) as server:
        return with_connection(access_to(server, name), complete_all)


def heard(name: str, sent: bytes) -> Completion:
    """What the provider makes of these bytes."""

    async def complete(connection):
        async with await asyncio.start_server(responding(sent), sock=listening):
            return (await connection.complete(request_to(name))).completion

    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    return with_connection(Access(provider=name, base_url=address, key=SecretStr(KEY)), complete)
