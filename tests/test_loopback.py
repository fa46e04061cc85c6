"""The provider on this computer speaks as the real ones do,
and its limits follow the arithmetic.
"""

import json
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import groq
import openai
import pytest

from evaluators.prompts import fenced, load
from tests.loopback import (
    ANSWERS,
    DEFAULT_MODELS,
    FAULTS,
    HUGE,
    Loopback,
    ServerLimits,
    default_answer,
    duration,
    judging,
)

ROOT = Path(__file__).parents[1]


def openai_client(server, key="any"):
    return openai.OpenAI(base_url=server.base_url, api_key=key, max_retries=0, timeout=1)


def groq_client(server, key="any"):
    return groq.Groq(base_url=server.address, api_key=key, max_retries=0, timeout=1)


CLIENTS = pytest.mark.parametrize("client", [openai_client, groq_client])


def ask(client, text="Say: yes", model="some-model", **options):
    return client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": text}], **options
    )


def headers_of(client, text="Say: yes", model="some-model", **options):
    create = client.chat.completions.with_raw_response.create
    return create(model=model, messages=[{"role": "user", "content": text}], **options).headers


def refusal_of(client, text="Say: yes", **options):
    with pytest.raises((openai.APIStatusError, groq.APIStatusError)) as caught:
        ask(client, text, **options)
    return caught.value


# Answers


@CLIENTS
def test_both_sdks_get_an_answer_with_its_usage(loopback, client):
    answer = ask(client(loopback()), "Who?\nSay: Mina Okafor.")

    assert answer.choices[0].message.content == "Mina Okafor."
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model == "some-model"
    assert answer.usage.prompt_tokens == 14  # 22 bytes: 6 tokens, and 8 for the message
    assert answer.usage.completion_tokens == 11  # 12 bytes: 3 tokens, and 8


@CLIENTS
def test_both_sdks_get_the_list_of_models(loopback, client):
    assert [model.id for model in client(loopback()).models.list().data] == list(DEFAULT_MODELS)
    assert [model.id for model in client(loopback(models=["one"])).models.list().data] == ["one"]


@CLIENTS
def test_only_the_right_key_is_let_in(loopback, client):
    server = loopback(key="gsk_right")

    assert ask(client(server, "gsk_right")).choices
    assert client(server, "gsk_right").models.list()
    assert refusal_of(client(server, "gsk_wrong")).status_code == 401
    with pytest.raises((openai.AuthenticationError, groq.AuthenticationError)):
        client(server, "gsk_wrong").models.list()


def test_the_same_prompt_gets_the_same_answer():
    assert default_answer("Who?") == default_answer("Who?")
    assert {default_answer(f"Who? {number}") for number in range(100)} == set(ANSWERS)


def test_an_answer_can_be_made_to_order(loopback):
    server = loopback(answer=str.upper)

    assert ask(openai_client(server), "who").choices[0].message.content == "WHO"


def test_what_was_asked_can_be_read_in_the_order_of_arrival(loopback):
    server = loopback(fault=lambda asked: "503" if asked.text == "second" else "")
    ask(groq_client(server, "gsk_key"), "first", temperature=0)
    refusal_of(openai_client(server), "second")

    first, second = server.asked
    assert (first.model, first.text, first.body["temperature"]) == ("some-model", "first", 0)
    assert (first.path, second.path) == ("/openai/v1/chat/completions", "/v1/chat/completions")
    assert first.headers["authorization"] == "Bearer gsk_key"
    assert first.at < second.at
    assert [(asked.fault, asked.status) for asked in server.asked] == [("", 200), ("503", 503)]
    assert (server.answered, server.refused) == (1, 0)


def test_a_base_url_without_v1_finds_nothing(loopback):
    client = openai.OpenAI(base_url=loopback().address, api_key="any", max_retries=0)

    with pytest.raises(openai.NotFoundError) as caught:
        ask(client)
    assert caught.value.code is None


def test_an_answer_takes_the_latency(loopback):
    started = time.monotonic()
    ask(openai_client(loopback(latency=0.2)))

    assert time.monotonic() - started >= 0.2


def test_it_serves_in_a_process_of_its_own():
    command = [sys.executable, "-m", "tests.loopback"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        client = openai.OpenAI(
            base_url=process.stdout.readline().strip(), api_key="any", max_retries=0
        )
        try:
            answer = ask(client)
        finally:
            process.terminate()

    assert answer.choices[0].message.content == "yes"


def test_a_closed_server_is_gone():
    with Loopback() as server:
        port = int(server.address.rpartition(":")[2])

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


# Faults

STATUSES = {
    "401": (openai.AuthenticationError, 401, "invalid_api_key", None),
    "403": (openai.PermissionDeniedError, 403, "model_permission_blocked_org", None),
    "404 retired": (openai.NotFoundError, 404, "model_not_found", None),
    "400 decommissioned": (openai.BadRequestError, 400, "model_decommissioned", None),
    "404 address": (openai.NotFoundError, 404, None, None),
    "400 context": (openai.BadRequestError, 400, "context_length_exceeded", None),
    "413 context": (openai.APIStatusError, 413, "request_too_large", None),
    "413 tokens": (openai.APIStatusError, 413, "rate_limit_exceeded", None),
    "400 json": (openai.BadRequestError, 400, "json_validate_failed", None),
    "422": (openai.UnprocessableEntityError, 422, None, None),
    "400 temperature": (openai.BadRequestError, 400, "unsupported_value", None),
    "400 effort": (openai.BadRequestError, 400, "unsupported_parameter", None),
    "400 max_completion_tokens": (openai.BadRequestError, 400, "unsupported_parameter", None),
    "429": (openai.RateLimitError, 429, "rate_limit_exceeded", "1"),
    "429 bare": (openai.RateLimitError, 429, "rate_limit_exceeded", None),
    "429 long": (openai.RateLimitError, 429, "rate_limit_exceeded", "600"),
    "429 day": (openai.RateLimitError, 429, "rate_limit_exceeded", None),
    "429 quota": (openai.RateLimitError, 429, "insufficient_quota", None),
    "408": (openai.APIStatusError, 408, None, None),
    "409": (openai.ConflictError, 409, None, None),
    "498": (openai.APIStatusError, 498, "capacity_exceeded", None),
    "500": (openai.InternalServerError, 500, None, None),
    "503": (openai.InternalServerError, 503, None, None),
    "529": (openai.InternalServerError, 529, None, None),
}


@pytest.mark.parametrize(
    ("fault", "kind", "status", "code", "retry_after"), [(n, *row) for n, row in STATUSES.items()]
)
def test_a_refusal_comes_with_its_status_and_code(loopback, fault, kind, status, code, retry_after):
    server = loopback(fault=lambda asked: fault)
    error = refusal_of(
        openai_client(server), temperature=0, reasoning_effort="low", max_completion_tokens=50
    )

    assert type(error) is kind
    assert (error.status_code, error.code) == (status, code)
    assert error.response.headers.get("retry-after") == retry_after
    assert error.request_id.startswith("req_")


ODDITIES = {
    "html": lambda answer: answer == "<html><body><h1>Welcome</h1></body></html>",
    "error 200": lambda answer: answer.choices is None and answer.error["message"],
    "no choices": lambda answer: answer.choices == [],
    "null content": lambda answer: answer.choices[0].message.content is None,
    "wrong json": lambda answer: answer == [1, 2, 3],
    "huge": lambda answer: len(answer.choices[0].message.content) == HUGE,
    "length": lambda answer: answer.choices[0].finish_reason == "length",
    "empty": lambda answer: (
        (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("", "stop")
    ),
    "no json": lambda answer: answer.choices[0].message.content == "I would say: {yes",
    "filter": lambda answer: answer.choices[0].finish_reason == "content_filter",
}


@pytest.mark.parametrize(("fault", "is_odd"), ODDITIES.items())
def test_an_odd_answer_passes_the_sdk_with_status_200(loopback, fault, is_odd):
    server = loopback(fault=lambda asked: fault)

    assert is_odd(ask(openai_client(server).with_options(timeout=60)))
    assert [asked.status for asked in server.asked] == [200]


BREAKS = {
    "truncated": ValueError,  # a raw JSONDecodeError
    "reset": openai.APIConnectionError,
    "reset in the body": openai.APIConnectionError,
    "hang": openai.APITimeoutError,
}


@pytest.mark.parametrize(("fault", "kind"), BREAKS.items())
def test_a_broken_exchange_raises(loopback, fault, kind):
    with pytest.raises(kind):
        ask(openai_client(loopback(fault=lambda asked: fault)))


def test_a_dripping_answer_outlives_the_time_limit_of_a_single_read(loopback):
    server = loopback(fault=lambda asked: "drip")
    with openai_client(server).chat.completions.with_streaming_response.create(
        model="some-model", messages=[{"role": "user", "content": "Who?"}]
    ) as response:
        pieces = response.iter_bytes(1)
        started = time.monotonic()
        assert [next(pieces) for _ in range(8)] == [b" "] * 8
        assert time.monotonic() - started > 1  # the client's limit: 1 s


def test_a_redirect_that_is_followed_shows_as_a_second_request(loopback):
    server = loopback(fault=lambda asked: "" if server.asked else "redirect")

    assert ask(openai_client(server)).choices
    assert [asked.status for asked in server.asked] == [307, 200]
    assert server.asked[0].headers["host"] != server.asked[1].headers["host"]


SCHEMA = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {}}}
OBJECT = {"type": "json_object"}
FORMS = {
    "json_validate_failed": {"none": 200, "object": 400, "schema": 400},
    "no_schema": {"none": 200, "object": 200, "schema": 400},
    "no_format": {"none": 200, "object": 422, "schema": 422},
}


@pytest.mark.parametrize(("fault", "statuses"), FORMS.items())
def test_a_form_of_the_answer_that_is_not_taken_is_refused(loopback, fault, statuses):
    server = loopback(fault=lambda asked: fault)
    client = openai_client(server)
    for form in ({}, {"response_format": OBJECT}, {"response_format": SCHEMA}):
        with suppress(openai.APIStatusError):
            ask(client, **form)
    assert [asked.status for asked in server.asked] == list(statuses.values())


def test_every_fault_is_in_one_of_these_tables():
    assert sorted([*STATUSES, *ODDITIES, *BREAKS, *FORMS, "drip", "redirect"]) == sorted(FAULTS)


def test_a_judge_answers_labelling_prompts_with_labels_and_others_as_usual():
    text = fenced(
        load("trace_labels_en"),
        question="Where?",
        documents="0a: In London.",
        response="a: In London.",
    )
    assert json.loads(judging()(text))["all_utilized_sentence_keys"] == ["0a"]
    assert judging()("Say: yes") == "yes"


@pytest.mark.parametrize("fault", ["400 temperature", "400 effort", "400 max_completion_tokens"])
def test_a_request_without_the_parameter_is_answered(loopback, fault):
    server = loopback(fault=lambda asked: fault)

    assert ask(openai_client(server), max_tokens=50).choices
    assert (server.asked[0].fault, server.asked[0].status) == ("", 200)


def test_faults_and_answers_take_turns_on_one_connection(loopback):
    server = loopback(fault=lambda asked: "" if len(server.asked) % 2 else "500")
    client = openai_client(server)

    for _ in range(3):
        assert refusal_of(client).status_code == 500
        assert ask(client).choices


# Limits: "Say: yes" is 8 bytes, so 10 prompt tokens; its answer "yes" 3 bytes, so 9


@pytest.mark.parametrize(("kind", "wait"), [("bucket", 20), ("window", 60)])
def test_the_fourth_of_three_requests_a_minute_waits(loopback, kind, wait):
    server = loopback(limits=ServerLimits(requests=3, tokens=8000, kind=kind))
    client = openai_client(server)
    started = time.monotonic()
    for _ in range(3):
        ask(client)
    error = refusal_of(client)

    # a bucket grants one more 20 s after the start, a window when the first has left it
    retry_after = float(error.response.headers["retry-after"])
    assert wait - (time.monotonic() - started) <= retry_after <= wait
    assert "on requests per minute (RPM): Limit 3, Used 3, Requested 1." in error.message
    assert (server.answered, server.refused) == (3, 1)


@pytest.mark.parametrize("kind", ["bucket", "window"])
def test_who_obeys_retry_after_is_let_in(loopback, kind):
    client = groq_client(
        loopback(limits=ServerLimits(requests=3, tokens=8000, minute=1.5, kind=kind))
    )
    for _ in range(3):
        ask(client)
    time.sleep(float(refusal_of(client).response.headers["retry-after"]))

    assert ask(client).choices


@pytest.mark.parametrize("budget", ["max_completion_tokens", "max_tokens"])
@pytest.mark.parametrize("kind", ["bucket", "window"])
def test_a_request_reserves_its_answer_budget_and_gets_the_rest_back(loopback, kind, budget):
    client = openai_client(
        loopback(limits=ServerLimits(requests=30, tokens=1000, minute=1e6, kind=kind))
    )
    headers = headers_of(client, **{budget: 590})

    assert headers["x-ratelimit-limit-tokens"] == "1000"
    assert (
        headers["x-ratelimit-remaining-tokens"] == "400"
    )  # 10 + 590 are reserved until it is answered
    assert (
        headers_of(client, **{budget: 490})["x-ratelimit-remaining-tokens"] == "481"
    )  # 1000 - 19 - 500


@pytest.mark.parametrize(("kind", "wait"), [("bucket", 12), ("window", 60)])
def test_without_refunds_the_reservation_stays_counted(loopback, kind, wait):
    server = loopback(limits=ServerLimits(requests=30, tokens=1000, kind=kind, refunds=False))
    client = openai_client(server)
    started = time.monotonic()
    ask(client, max_completion_tokens=590)
    error = refusal_of(client, max_completion_tokens=590)

    # 600 are wanted and 400 free: a bucket refills the other 200 within 200 / 1000 of a minute
    retry_after = float(error.response.headers["retry-after"])
    assert wait - (time.monotonic() - started) <= retry_after <= wait
    assert "on tokens per minute (TPM): Limit 1000, Used 600, Requested 600." in error.message


def test_more_than_a_minute_grants_never_fits(loopback):
    client = openai_client(loopback(limits=ServerLimits(requests=30, tokens=1000)))
    error = refusal_of(client, max_completion_tokens=991)

    assert error.status_code == 413
    assert "on tokens per minute (TPM): Limit 1000, Requested 1001" in error.message
    assert ask(client, max_completion_tokens=990).choices


def test_a_days_requests_are_counted_and_told(loopback):
    client = groq_client(loopback(limits=ServerLimits(requests=30, tokens=8000, day_requests=2)))
    ask(client)
    headers = headers_of(client)
    error = refusal_of(client)

    assert (headers["x-ratelimit-limit-requests"], headers["x-ratelimit-remaining-requests"]) == (
        "2",
        "0",
    )
    assert (
        "on requests per day (RPD): Limit 2, Used 2, Requested 1. Please try again in 7m12s"
        in str(error)
    )


def test_a_days_tokens_are_counted_as_used(loopback):
    client = groq_client(loopback(limits=ServerLimits(requests=30, tokens=8000, day_tokens=1000)))
    ask(client, max_completion_tokens=900)
    error = refusal_of(client, max_completion_tokens=980)

    assert "on tokens per day (TPD): Limit 1000, Used 19, Requested 990." in str(error)
    assert ask(client, max_completion_tokens=971).choices  # 19 + 10 + 971 are 1000


def test_each_model_has_its_own_limits(loopback):
    client = openai_client(loopback(limits=ServerLimits(requests=1, tokens=8000)))
    ask(client, model="one")

    assert ask(client, model="two").choices
    assert refusal_of(client, model="one").status_code == 429


def test_a_fault_is_not_counted_against_the_limits(loopback):
    server = loopback(
        limits=ServerLimits(requests=1, tokens=8000),
        fault=lambda asked: "" if server.asked else "503",
    )
    refusal_of(openai_client(server))

    assert ask(openai_client(server)).choices


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.12, "120ms"),
        (0.0001, "1ms"),
        (7.66, "7.66s"),
        (60, "1m0s"),
        (179.56, "2m59.56s"),
        (432, "7m12s"),
    ],
)
def test_durations_are_written_as_groq_writes_them(seconds, text):
    assert duration(seconds) == text
