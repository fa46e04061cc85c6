"""The provider on this computer speaks as the real ones do,
and its limits follow the arithmetic.
"""

import subprocess
import sys
import time
from pathlib import Path

import groq
import openai
import pytest

from tests.loopback import (
    ServerLimits,
    duration,
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
def test_only_the_right_key_is_let_in(loopback, client):
    server = loopback(key="gsk_right")

    assert ask(client(server, "gsk_right")).choices
    assert client(server, "gsk_right").models.list()
    assert refusal_of(client(server, "gsk_wrong")).status_code == 401
    with pytest.raises((openai.AuthenticationError, groq.AuthenticationError)):
        client(server, "gsk_wrong").models.list()


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
