"""The error table on what providers really write: each wording has its message and remedy."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import openai
import pytest
from pydantic import SecretStr

from evaluators.errors import LLMError, RateLimitedError, RunStoppedError, TransientError
from evaluators.llm import Access, ModelRequest
from evaluators.llm.provider_errors import CallContext, error_for, seconds_to_wait, unsupported
from evaluators.records import ModelSpec
from ui.parts.remedies import ON_SETTINGS, worded

ACCESS = Access(
    provider="custom", base_url="http://localhost:11434/v1", key=SecretStr("my own secret")
)
SPEC = ModelSpec(provider="custom", model="qwen3:8b", answer_tokens=1000)
# 4,000 bytes: 1,000 tokens and 8.
ASKED = CallContext(ACCESS, 90, ModelRequest(spec=SPEC, text="word " * 800))

MISTRALS = {
    "detail": [
        {
            "type": "extra_forbidden",
            "loc": ["body", "max_completion_tokens"],
            "msg": "Extra inputs are not permitted",
            "input": 100,
        }
    ]
}
"""The message of a refusal by Mistral, which is no text."""


def refused(status, message="", headers=None, **fields):
    """The exception of the SDK for a refusal in OpenAI's form."""
    return answered(status, json.dumps({"error": {"message": message, **fields}}), headers)


def answered(status, body, headers=None):
    request = httpx2.Request("POST", "http://localhost:11434/v1/chat/completions")
    response = httpx2.Response(status, content=body, headers=headers, request=request)
    return openai.APIStatusError("", response=response, body=None)


LONG = "This model's maximum context length is 4096 tokens. However, you requested 4200 tokens "
LLAMAS = "request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it"
OPENAIS = (
    "Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in "
    "300,012 tokens."
)
A_MINUTE = (
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000. "
    "The input or output tokens must be reduced in order to run successfully."
)
UNKNOWN = '{"object": "error", "message": "The model `qwen3:8b` does not exist.", "code": 404}'
REACHED = "The limit for qwen3:8b at Custom endpoint is reached"
DAILY = "The daily limit for qwen3:8b at Custom endpoint is reached. Everything so far is kept"
NO_MODEL = "qwen3:8b is not available at Custom endpoint. Choose another model."
TOO_LONG = {"code": "context_length_exceeded"}
REFUSALS = {
    (RunStoppedError, NO_MODEL): [
        refused(404, 'model "qwen3:8b" not found, try pulling it first', type="not_found_error"),
        answered(404, UNKNOWN),
    ],
    (RunStoppedError, "Nothing at http://localhost:11434/v1"): [
        answered(404, "404 page not found"),
        refused(404, "Invalid URL (POST /chat/completions)"),
        answered(405, '{"detail": "Method Not Allowed"}'),
    ],
    (LLMError, "refused the request (HTTP 404)"): [
        refused(404, "no recorded answer for this prompt")
    ],
    (RunStoppedError, "localhost:11434 redirects"): [answered(302, "", {"location": "/login"})],
    (LLMError, "This sample needs 4,200 tokens, more than qwen3:8b takes (4,096)."): [
        refused(400, f"{LONG}(3900 in the messages, 300 in the completion).")
    ],
    (LLMError, "This sample needs 9,120 tokens, more than qwen3:8b takes (8,192)."): [
        refused(400, LLAMAS)
    ],
    (LLMError, "This sample needs 300,012 tokens, more than qwen3:8b takes (272,000)."): [
        refused(400, OPENAIS, **TOO_LONG)
    ],
    (LLMError, "This sample needs about 1,008 tokens, more than qwen3:8b takes."): [
        refused(400, "Please reduce the length of the messages.", **TOO_LONG)
    ],
    (
        LLMError,
        "One request (45,000 tokens with the answer budget) exceeds your plan's 30,000 tokens per "
        "minute.",
    ): [refused(429, A_MINUTE, code="rate_limit_exceeded")],
    (
        LLMError,
        "One request (about 2,008 tokens with the answer budget) exceeds your plan's tokens per "
        "minute.",
    ): [refused(413, "Too many tokens per minute.")],
    (RunStoppedError, "has no credit"): [
        refused(402, "Insufficient balance"),
        refused(400, "Spend limit reached.", code="blocked_api_access"),
        refused(429, "Account is not active.", code="billing_not_active"),
    ],
    (RateLimitedError, f"{REACHED}; try again in 8 s."): [
        refused(429, "Limit 30, Used 30, Requested 1. Please try again in 7.66s.")
    ],
    (RunStoppedError, f"{REACHED}. Everything so far is kept; resume after "): [
        refused(429, "Please try again in 7m12s.")
    ],
    (RunStoppedError, f"{DAILY}; resume tomorrow."): [
        refused(429, "On requests per day (RPD): Limit 1000, Used 1000, Requested 1.")
    ],
    (RunStoppedError, DAILY): [refused(429, "Rate limit exceeded: free-models-per-day.")],
    (TransientError, "is overloaded (HTTP 503)"): [
        answered(503, "<html><h1>Bad gateway</h1></html>")
    ],
    (TransientError, "is overloaded (HTTP 500)"): [
        answered(500, '{"error": null}'),
        answered(500, '{"error": "out of memory"}'),
    ],
    (LLMError, "Custom endpoint refused the request (HTTP 418)."): [refused(418, "I'm a teapot")],
    (LLMError, "Custom endpoint refused the request (HTTP 400)."): [
        answered(400, "[" * 50_000),
        answered(400, b"\xff\xfe"),
    ],
}


@pytest.mark.parametrize(("kind", "phrase"), REFUSALS)
def test_a_refusal_is_understood_by_its_status_and_wording(kind, phrase):
    for exception in REFUSALS[kind, phrase]:
        error = error_for(exception, ASKED)
        assert type(error) is kind
        assert phrase in str(error)


@pytest.mark.parametrize("exception", [refused(401), answered(404, "404 page not found")])
def test_only_a_run_is_sent_to_the_settings_page(exception):
    assert "on the Settings page" in worded(error_for(exception, ASKED))
    assert "Settings" not in error_for(exception, ASKED).reason.worded(ON_SETTINGS)


def test_a_key_that_may_not_list_models_may_still_ask_them():
    error = error_for(refused(403, "Missing scopes: api.model.read"), ASKED._replace(request=None))
    assert type(error) is LLMError
    assert str(error) == "This key may not see the list of models at Custom endpoint."


def test_a_retired_model_names_its_date_and_its_replacement():
    spec = ModelSpec(provider="groq", model="llama-3.3-70b-versatile")
    asked = CallContext(
        ACCESS.model_copy(update={"provider": "groq"}), 90, ModelRequest(spec=spec, text="Who?")
    )
    error = error_for(refused(404, "Does not exist.", code="model_not_found"), asked)
    assert (
        str(error)
        == "Llama 3.3 70B is not available at Groq (retired 2026-08-16). Use GPT-OSS 120B."
    )


def test_a_known_model_s_limits_stand_in_for_numbers_that_the_provider_does_not_give():
    spec = ModelSpec(provider="groq", model="openai/gpt-oss-20b", answer_tokens=7000)
    asked = ASKED._replace(request=ModelRequest(spec=spec, text="word " * 800))
    assert (
        "(about 8,008 tokens with the answer budget) exceeds your plan's 8,000 tokens per minute"
        in str(error_for(refused(413, "Over the tokens per minute."), asked))
    )


def test_a_run_may_go_on_when_the_provider_said_it_may():
    before = datetime.now(UTC)
    error = error_for(refused(429, "Slow down.", {"retry-after": "600"}), ASKED)
    assert before <= error.resume_at - timedelta(seconds=600) <= datetime.now(UTC)
    assert f"resume after {error.resume_at + timedelta(minutes=1):%Y-%m-%d %H:%M} UTC." in str(
        error
    )


@pytest.mark.parametrize(("after", "wait"), [("5", 5), ("3600", 90), ("", None)])
def test_an_overloaded_provider_says_when_to_try_again_but_not_for_hours(after, wait):
    assert error_for(refused(503, headers={"retry-after": after}), ASKED).wait == wait


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "2"}, "", 1.5),
        ({"retry-after": "2.5"}, "Please try again in 20s.", 2.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "", 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, "", 0),
        ({"retry-after": "soon"}, "Please try again in 120ms.", 0.12),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({"retry-after": "-1"}, "", None),
        ({"retry-after": "1e300"}, "", 366 * 86400),
        ({}, "Please try again in 7m12s. Need more tokens?", 432),
        ({}, "Please try again in 1h2m3.5s", 3723.5),
        ({}, "Please try again in 1d", 86400),
        ({}, "Please try again later.", None),
        ({}, "", None),
    ],
)
def test_the_wait_is_read_from_headers_and_words(headers, words, seconds):
    found = seconds_to_wait(headers, words)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


def test_a_wait_until_a_date_is_the_time_that_is_left():
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3000 < seconds_to_wait({"retry-after": in_an_hour}) <= 3600


def test_details_are_one_short_line_without_keys():
    words = "You sent my own secret\nand Bearer abcdefghijkl and sk-abcdefghijkl. " + "x" * 1000
    details = error_for(
        refused(500, words, {"x-request-id": "req_1"}, code="overloaded"), ASKED
    ).details
    assert details.startswith(
        "HTTP 500 · overloaded · request req_1 · You sent *** and Bearer *** and sk-***"
    )
    assert "\n" not in details
    assert len(details) == len("HTTP 500 · overloaded · request req_1 · ") + 300


@pytest.mark.parametrize(
    ("exception", "name"),
    [
        (refused(400, "`reasoning_effort` is not supported with this model"), "reasoning_effort"),
        (refused(400, "`reasoning_effort` must be one of `none` or `default`"), "reasoning_effort"),
        (
            refused(400, "Unsupported value: does not support 0.0.", param="temperature"),
            "temperature",
        ),
        (
            answered(
                422,
                '{"detail": [{"type": "extra_forbidden", "loc": ["body", '
                '"max_completion_tokens"]}]}',
            ),
            "max_completion_tokens",
        ),
        (
            answered(422, json.dumps({"object": "error", "message": MISTRALS})),
            "max_completion_tokens",
        ),
        (refused(400, "max_tokens is too large: 200000.", param="max_completion_tokens"), ""),
        (refused(400, "Unsupported content: temperature charts.", param="messages"), ""),
        (refused(400, "Unknown parameter: 'top_p'."), ""),
        (refused(500, "'temperature' is not supported."), ""),
    ],
)
def test_an_unsupported_parameter_is_found_by_its_name(exception, name):
    sent = {"temperature": 0.0, "reasoning_effort": "low", "max_completion_tokens": 1024}
    assert unsupported(exception, sent) == name
    assert unsupported(exception, sent.keys() - {name}) == ""
