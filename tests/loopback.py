"""A provider on this computer: the chat API of OpenAI and Groq, with limits and faults to order.

    with Loopback(limits=ServerLimits(requests=30, tokens=8000)) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="any")

`python -m tests.loopback --port 8900 --latency 0.2` serves in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import socket
import struct
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from http.client import responses
from typing import Any, Literal, NamedTuple

from tests.loopback_batches import Batches

DEFAULT_MODELS = (
    "openai/gpt-oss-20b",
    "openai/gpt-oss-120b",
    "qwen/qwen3.8-27b",
    "gpt-6-luna",
    "gpt-4o-mini",
    "whisper-large-v3",
)
ANSWERS = (
    "Mina Okafor designed the bridge.",
    "It opened in 1931, according to the second document.",
    "The documents name London as the place.",
    "I can not answer the question because of the insufficient information in documents.",
    "There are factual errors in the provided documents. The answer should be Lisbon.",
)
HUGE = 50 * 2**20


class Asked(NamedTuple):
    """One chat completion that was asked for.

    `at` is `time.monotonic()`, `status` 0 where no answer was sent.
    """

    model: str
    text: str
    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    at: float
    fault: str = ""
    status: int = 0


class ServerLimits(NamedTuple):
    """What each model grants in a minute and a day; `None` is no limit.

    A "minute" lasts `minute` seconds. A request reserves its prompt and its whole answer budget. "bucket" starts full and refills
    continuously; "window" looks back over the last minute. With `refunds` the unused part is given
    back with the answer. With `tells_requests` the headers name the requests of a minute, as OpenAI's do.
    """

    requests: int
    tokens: int
    minute: float = 60.0
    kind: Literal["bucket", "window"] = "bucket"
    refunds: bool = True
    day_requests: int | None = None
    day_tokens: int | None = None
    tells_requests: bool = False


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Response(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str] = {}


def default_answer(text: str) -> str:
    """What follows "Say: " in the prompt, or else a sentence, the same for the same prompt."""
    dictated = re.search(r"^Say: (.*)$", text, re.MULTILINE)
    return dictated[1] if dictated else ANSWERS[zlib.crc32(text.encode()) % len(ANSWERS)]


def token_count(text: str) -> int:
    return math.ceil(len(text.encode()) / 4) + 8


# Limits


class Bucket:
    """Refills continuously up to what a minute grants."""

    def __init__(self, capacity: int, minute: float) -> None:
        self.capacity = capacity
        self._rate = capacity / minute
        self._level = float(capacity)
        self._at = time.monotonic()

    def free(self) -> float:
        now = time.monotonic()
        self._level = min(self.capacity, self._level + (now - self._at) * self._rate)
        self._at = now
        return self._level

    def wait(self, amount: float) -> float:
        return max(0.0, (amount - self.free()) / self._rate)

    def take(self, amount: float) -> Callable[[float], None]:
        """Takes the amount; what it returns gives a part of it back."""
        self._level = self.free() - amount
        return self._give_back

    def _give_back(self, amount: float) -> None:
        self._level = min(self.capacity, self.free() + amount)


class Window:
    """Counts what was taken within the last minute."""

    def __init__(self, capacity: int, minute: float) -> None:
        self.capacity = capacity
        self._minute = minute
        self._taken: deque[list[float]] = deque()  # when, how much

    def free(self) -> float:
        while self._taken and self._taken[0][0] <= time.monotonic() - self._minute:
            self._taken.popleft()
        return self.capacity - sum(amount for _, amount in self._taken)

    def wait(self, amount: float) -> float:
        free, leaves = self.free(), 0.0
        for at, taken in self._taken:
            if free >= amount:
                break
            free, leaves = free + taken, at + self._minute
        return max(0.0, leaves - time.monotonic())

    def take(self, amount: float) -> Callable[[float], None]:
        """Takes the amount; what it returns gives a part of it back."""
        entry = [time.monotonic(), amount]
        self._taken.append(entry)

        def give_back(unused: float) -> None:
            entry[1] -= unused

        return give_back


class Gate:
    """One model's limits.

    It refuses a request, or reserves its tokens and settles them with the answer.
    """

    def __init__(self, model: str, limits: ServerLimits) -> None:
        meter: type[Bucket] | type[Window] = Bucket if limits.kind == "bucket" else Window
        self._model = model
        self._limits = limits
        self._requests = meter(limits.requests, limits.minute)
        self._tokens = meter(limits.tokens, limits.minute)
        self._day_requests = self._day_tokens = 0

    def reserve(self, tokens: int) -> Callable[[int], None]:
        """Takes so many tokens; what it returns settles them, given the tokens used."""
        self._requests.take(1)
        give_back = self._tokens.take(tokens)
        self._day_requests += 1
        self._day_tokens += tokens

        def settle(used: int) -> None:
            if self._limits.refunds:
                give_back(tokens - used)
                self._day_tokens -= tokens - used

        return settle

    def headers(self) -> dict[str, str]:
        """As Groq sends them: requests are those of a day, tokens those of a minute."""
        limit, free = self._limits.tokens, self._tokens.free()
        headers = {
            "x-ratelimit-limit-tokens": str(limit),
            "x-ratelimit-remaining-tokens": str(max(0, int(free))),
            "x-ratelimit-reset-tokens": duration(self._tokens.wait(limit)),
        }
        if self._limits.day_requests is not None:
            headers |= {
                "x-ratelimit-limit-requests": str(self._limits.day_requests),
                "x-ratelimit-remaining-requests": str(
                    self._limits.day_requests - self._day_requests
                ),
                "x-ratelimit-reset-requests": duration(
                    self._day_requests * 86400 / self._limits.day_requests
                ),
            }
        if self._limits.tells_requests:
            limit, free = self._limits.requests, self._requests.free()
            headers |= {
                "x-ratelimit-limit-requests": str(limit),
                "x-ratelimit-remaining-requests": str(max(0, int(free))),
                "x-ratelimit-reset-requests": duration(self._requests.wait(limit)),
            }
        return headers

    def refusal(self, tokens: int) -> Response | None:
        """Why so many tokens cannot be had now; `None` where they can."""
        limits = self._limits
        if tokens > limits.tokens:
            return too_large(self._model, limits.tokens, tokens)
        for what, limit, used, wanted in (
            ("requests per day (RPD)", limits.day_requests, self._day_requests, 1),
            ("tokens per day (TPD)", limits.day_tokens, self._day_tokens, tokens),
        ):
            if limit is not None and used + wanted > limit:
                return too_many(self._model, what, (limit, used, wanted), headers=self.headers())
        for what, meter, wanted in (
            ("requests per minute (RPM)", self._requests, 1),
            ("tokens per minute (TPM)", self._tokens, tokens),
        ):
            if wait := meter.wait(wanted):
                numbers = (meter.capacity, math.ceil(meter.capacity - meter.free()), wanted)
                return too_many(self._model, what, numbers, wait, self.headers())
        return None


def duration(seconds: float) -> str:
    """In Groq's way: 120ms, 7.66s, 2m59.56s."""
    if 0 < seconds < 1:
        return f"{math.ceil(seconds * 1000)}ms"
    hundredths = math.ceil(seconds * 100) / 100
    minutes, rest = divmod(hundredths, 60)
    return f"{int(minutes)}m{rest:.4g}s" if minutes else f"{rest:.4g}s"


# What it says


def in_json(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps(value, ensure_ascii=False).encode()
    return Response(status, body, {"content-type": "application/json"} | (headers or {}))


def in_html(text: str, status: int = 200) -> Response:
    return Response(
        status, f"<html><body><h1>{text}</h1></body></html>".encode(), {"content-type": "text/html"}
    )


def problem(
    status: int,
    message: str,
    code: str | None = None,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    return in_json(
        {"error": {"message": message, "type": kind, "param": param, "code": code}}, status, headers
    )


def too_many(
    model: str,
    what: str,
    numbers: tuple[int, int, int],
    wait: float | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """429 in Groq's words; `numbers` are limit, used and wanted.

    Without `wait` it is a day's limit.
    """
    limit, used, wanted = numbers
    again = "7m12s" if wait is None else duration(wait)
    message = (
        f"Rate limit reached for model `{model}` in organization `org_01loopback` service "
        f"tier `on_demand` on {what}: Limit {limit}, Used {used}, Requested {wanted}. Please try again in {again}. "
        "Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing"
    )
    retry = {} if wait is None else {"retry-after": f"{math.ceil(wait * 1000) / 1000:.10g}"}
    return problem(
        429, message, "rate_limit_exceeded", kind=what.split()[0], headers=(headers or {}) | retry
    )


def too_large(model: str, limit: int, wanted: int) -> Response:
    message = (
        f"Request too large for model `{model}` in organization `org_01loopback` service "
        "tier `on_demand` on tokens "
        f"per minute (TPM): Limit {limit}, Requested {wanted}, please reduce your message "
        "size and try again."
    )
    return problem(413, message, "rate_limit_exceeded", kind="tokens")


def wrong_key(headers: dict[str, str]) -> Response:
    """401; it repeats the key, so that a test can see whether the key leaks."""
    key = headers.get("authorization", "").removeprefix("Bearer ")
    return problem(
        401,
        f"Incorrect API key provided: {key}. You can find your key in the console.",
        "invalid_api_key",
    )


def completion(asked: Asked, answer: str, number: int) -> dict[str, Any]:
    prompt_tokens, answer_tokens = token_count(asked.text), token_count(answer)
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": answer},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": answer_tokens,
            "total_tokens": prompt_tokens + answer_tokens,
        },
        "system_fingerprint": "fp_loopback",
    }


def questions_of(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The questions of a decision by name, whichever of the two shapes they came in."""
    questions = body["questions"]
    if isinstance(questions, dict):
        return questions
    return {
        question["name"]: question
        | {"criteria": [choice["value"] for choice in question.get("choices", ())]}
        for question in questions
    }


def default_decision(text: str, name: str, options: Sequence[str]) -> Any:
    """A probability that is the same for the same question; of options the first is the likeliest."""
    if options:
        rest = 0.4 / max(1, len(options) - 1)
        return {option: rest if number else 0.6 for number, option in enumerate(options)}
    return zlib.crc32(f"{text} {name}".encode()) % 1001 / 1000


def decision(asked: Asked, decide: Callable[[str, str, Sequence[str]], Any]) -> dict[str, Any]:
    """The answer in the shape of the request: OpenAI's has a list, System One's a map."""
    answers: dict[str, Any] = {}
    for name, question in questions_of(asked.body).items():
        probability = decide(asked.text, name, list(question.get("criteria") or ()))
        answers[name] = {"type": "predicate", "name": name, "probability": probability}
        if isinstance(probability, dict):
            entries = [{"value": own, "probability": p} for own, p in probability.items()]
            choice = max(probability, key=probability.__getitem__)
            answers[name] |= {"type": "choice", "choice": choice, "probabilities": entries}
        if "state" in asked.body:
            answers[name] = {"type": "noul", "noul": probability}
            if isinstance(probability, dict):
                answers[name] = {"type": "choice", "choice": choice, "probabilities": probability}
    odd = next(iter(answers), "")
    number = "noul" if "state" in asked.body else "probability"
    if asked.fault == "no probability":
        answers[odd] = {"type": "refusal", "name": odd}
    if asked.fault == "beyond 1":
        answers[odd] = answers[odd] | {number: 1.5}
    if asked.fault == "unknown key":
        answers["nobody_asked"] = {"type": "predicate", "name": "nobody_asked", number: 0.5}
    whole = [asked.text]
    for name, question in questions_of(asked.body).items():
        whole += [name, question["instructions"], *(question.get("criteria") or ())]
    tokens = token_count(" ".join(whole))
    return {
        "model": asked.model,
        "answers": answers if "state" in asked.body else list(answers.values()),
        "usage": {
            "input_tokens": tokens,
            "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
            "output_tokens": 0,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens,
        },
    }


def models_list(models: Sequence[str]) -> Response:
    entries = [
        {"id": model, "object": "model", "created": 0, "owned_by": "loopback"} for model in models
    ]
    return in_json({"object": "list", "data": entries})


# Faults


REFUSALS: dict[str, Callable[[Asked], Response]] = {
    "401": lambda asked: wrong_key(asked.headers),
    "403": lambda asked: problem(
        403,
        f"The model `{asked.model}` is blocked at the organization level.",
        "model_permission_blocked_org",
        kind="permissions_error",
    ),
    "404 retired": lambda asked: problem(
        404,
        f"The model `{asked.model}` does not exist or you do not have access to it.",
        "model_not_found",
    ),
    "400 decommissioned": lambda asked: problem(
        400,
        f"The model `{asked.model}` has been decommissioned and is no longer supported. "
        "Please refer to "
        "https://console.groq.com/docs/deprecations for a recommendation on which model "
        "to use instead.",
        "model_decommissioned",
    ),
    "404 address": lambda asked: in_html("404 Not Found", 404),
    "400 context": lambda asked: problem(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages "
        "resulted in 9120 tokens. "
        "Please reduce the length of the messages.",
        "context_length_exceeded",
        param="messages",
    ),
    "413 context": lambda asked: problem(413, "Request Entity Too Large", "request_too_large"),
    "413 tokens": lambda asked: too_large(asked.model, 8000, 9000),
    "400 json": lambda asked: problem(
        400,
        "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for "
        "more details.",
        "json_validate_failed",
    ),
    "json_validate_failed": lambda asked: problem(
        400,
        "Failed to validate JSON. Please adjust your prompt. See 'failed_generation' for "
        "more details.",
        "json_validate_failed",
    ),
    "no_schema": lambda asked: problem(
        400,
        "This model does not support response format `json_schema`. See supported models at "
        "https://console.groq.com/docs/structured-outputs#supported-models",
        param="response_format",
    ),
    "no_format": lambda asked: problem(
        422, "Extra inputs are not permitted: response_format", kind="extra_forbidden"
    ),
    "422": lambda asked: problem(422, "The model wrote something that could not be processed."),
    "400 temperature": lambda asked: problem(
        400,
        f"Unsupported value: 'temperature' does not support {asked.body['temperature']} "
        "with this model. "
        "Only the default (1) value is supported.",
        "unsupported_value",
        param="temperature",
    ),
    "400 effort": lambda asked: problem(
        400,
        "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
        "unsupported_parameter",
        param="reasoning_effort",
    ),
    "400 max_completion_tokens": lambda asked: problem(
        400,
        "Unsupported parameter: 'max_completion_tokens' is not supported with this "
        "model. Use 'max_tokens' instead.",
        "unsupported_parameter",
        param="max_completion_tokens",
    ),
    "429": lambda asked: too_many(asked.model, "tokens per minute (TPM)", (8000, 7200, 1000), 1),
    "429 bare": lambda asked: problem(
        429, "Too many requests.", "rate_limit_exceeded", kind="requests"
    ),
    "429 long": lambda asked: too_many(
        asked.model, "tokens per minute (TPM)", (8000, 8000, 1000), 600
    ),
    "429 day": lambda asked: too_many(
        asked.model, "tokens per day (TPD)", (200_000, 199_500, 1000)
    ),
    "429 quota": lambda asked: problem(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        kind="insufficient_quota",
    ),
    "408": lambda asked: problem(408, "Request timed out.", kind="timeout"),
    "409": lambda asked: problem(409, "The resource is being changed.", kind="conflict"),
    "498": lambda asked: problem(
        498, "Flex tier capacity exceeded.", "capacity_exceeded", kind="capacity_exceeded"
    ),
    "500": lambda asked: problem(
        500, "The server had an error while processing your request.", kind="server_error"
    ),
    "503": lambda asked: problem(503, "Service unavailable.", kind="service_unavailable"),
    "529": lambda asked: problem(529, "Overloaded.", kind="overloaded_error"),
}
"""Faults whose status says that something is wrong."""

ONLY_WITH = {
    "400 temperature": "temperature",
    "400 effort": "reasoning_effort",
    "400 max_completion_tokens": "max_completion_tokens",
    "json_validate_failed": "response_format",
    "no_schema": "json_schema",
    "no_format": "response_format",
}
"""Faults that go away with a parameter of the request, or with what its response format holds."""


def with_choice(whole: dict[str, Any], content: str | None, finish_reason: str) -> Response:
    choice = whole["choices"][0] | {
        "message": {"role": "assistant", "content": content},
        "finish_reason": finish_reason,
    }
    return in_json(whole | {"choices": [choice]})


def truncated(whole: dict[str, Any]) -> Response:
    response = in_json(whole)
    return response._replace(body=response.body[: len(response.body) // 2])


ODDITIES: dict[str, Callable[[dict[str, Any]], Response]] = {
    "html": lambda whole: in_html("Welcome"),
    "error 200": lambda whole: in_json(
        {"error": {"message": "The upstream model failed.", "type": "server_error"}}
    ),
    "no choices": lambda whole: in_json(whole | {"choices": []}),
    "null content": lambda whole: with_choice(whole, None, "stop"),
    "truncated": truncated,
    "wrong json": lambda whole: in_json([1, 2, 3]),
    "length": lambda whole: with_choice(whole, "The answer begins, but the", "length"),
    "empty": lambda whole: with_choice(whole, "", "stop"),
    "no json": lambda whole: with_choice(whole, "I would say: {yes", "stop"),
    "filter": lambda whole: with_choice(whole, "", "content_filter"),
}
"""Faults behind a status of 200, made from the whole answer."""


async def reset(asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Breaks the connection off with a TCP reset."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def reset_body(
    asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Breaks the connection off in the middle of an answer."""
    body = in_json(completion(asked, "The answer", 0)).body
    writer.write(
        header(200, {"content-type": "application/json", "content-length": str(len(body))})
    )
    writer.write(body[: len(body) // 2])
    await writer.drain()
    await reset(asked, reader, writer)


async def hang(asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Never answers; ends when the client goes."""
    await reader.read()


async def drip(asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends a byte every 0.2 s, for ever: no single read takes long."""
    writer.write(header(200, {"content-type": "application/json", "content-length": "1000000"}))
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.2)


async def huge(asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A well-formed answer of 50 MB, in chunks: its length is not announced."""
    writer.write(header(200, {"content-type": "application/json", "transfer-encoding": "chunked"}))
    start, end = in_json(completion(asked, "|", 0)).body.split(b"|")
    piece = b"x" * 2**16
    for chunk in (start, *[piece] * (HUGE // len(piece)), end, b""):
        writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        await writer.drain()


STREAMS = {
    "reset": (reset, 0),
    "reset in the body": (reset_body, 200),
    "hang": (hang, 0),
    "drip": (drip, 200),
    "huge": (huge, 200),
}
"""Faults of the connection, and the status that the client sees, if any."""

OF_DECISIONS = ("no probability", "beyond 1", "unknown key")
"""Faults of one probability among many."""

FAULTS = (*REFUSALS, *ODDITIES, *STREAMS, "redirect")


# The server


def header(status: int, headers: dict[str, str]) -> bytes:
    lines = "".join(
        f"{name}: {value}\r\n"
        for name, value in {"set-cookie": "visitor=1; Path=/", **headers}.items()
    )
    return f"HTTP/1.1 {status} {responses.get(status, 'Trouble')}\r\n{lines}\r\n".encode()


async def read_request(reader: asyncio.StreamReader) -> Request:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, body)


class Loopback:
    """A server on its own thread; `asked` holds the chat completions in order of arrival.

    Errors come at once, answers after `latency` seconds. A fault is not counted against the limits.
    What `decide` gives of a text, a question's name and its options is the probability, or a map of them.
    What `respond` gives is sent in the place of an answer, `models` as a response in the place of
    their list. An `open_list` is for everybody, with any key, as that of OpenRouter; the list at
    `/models/user` never is. From `holds_after` on, answers wait until `release` is called: what a
    test does to a run at work does not depend on how fast the machine is. `batches` holds what was
    sent to be answered by tomorrow.
    """

    def __init__(
        self,
        *,
        latency: float = 0.0,
        holds_after: int | None = None,
        answer: Callable[[str], str] = default_answer,
        decide: Callable[[str, str, Sequence[str]], Any] = default_decision,
        decision_paths: Sequence[str] = ("/v1/decisions", "/v1/systemone"),
        fault: Callable[[Asked], str] = lambda asked: "",
        respond: Callable[[Asked], Response | None] = lambda asked: None,
        models: Sequence[str] | Response = DEFAULT_MODELS,
        limits: ServerLimits | None = None,
        key: str | None = None,
        open_list: bool = False,
        port: int = 0,
    ) -> None:
        self.asked: list[Asked] = []
        self.answered = 0
        self.refused = 0
        self._latency = latency
        self._holds_after = holds_after
        self._begun = 0
        self._answer = answer
        self._decide = decide
        self._decision_paths = decision_paths
        self._fault = fault
        self._respond = respond
        self._models = models
        self._limits = limits
        self._key = key
        self._open_list = open_list
        self._port = port
        self.batches = Batches(self._complete_in_batch)
        self._gates: dict[str, Gate] = {}
        self._sent = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._run()), daemon=True, name="loopback"
        )

    def __enter__(self) -> Loopback:
        self._sockets = [socket.create_server(("127.0.0.1", port)) for port in (self._port, 0)]
        self._port, self._port_elsewhere = (each.getsockname()[1] for each in self._sockets)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def release(self) -> None:
        """Answers all that wait, and from now on at once."""
        self._holds_after = None

    @property
    def address(self) -> str:
        """What the SDK of Groq takes for its base URL."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What the SDK of OpenAI takes for its base URL."""
        return f"{self.address}/v1"

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        servers = [await asyncio.start_server(self._serve, sock=each) for each in self._sockets]
        self._ready.set()
        await self._stop.wait()
        for server in servers:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with (
            suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError),
            closing(writer),
        ):
            while not writer.is_closing():
                await self._exchange(await read_request(reader), reader, writer)

    async def _exchange(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        match request.method, without_door(request.path):
            case _, path if path.startswith(("/v1beta/batches", "/upload/", "/download/")):
                await self._batch(request, path, reader, writer)
            case _ if request.path.startswith("/v1beta/openai/files"):
                await self._send(in_html("404 Not Found", 404), writer)
            case "POST", "/v1/chat/completions":
                await self._chat(self._asked(request), reader, writer)
            case "POST", path if path in self._decision_paths:
                await self._chat(self._asked(request), reader, writer)
            case "GET", ("/v1/models" | "/v1/models/user") as path:
                is_open = self._open_list and path == "/v1/models"
                allowed = is_open or self._may(request.headers)
                listed = (
                    self._models
                    if isinstance(self._models, Response)
                    else models_list(self._models)
                )
                await self._send(listed if allowed else wrong_key(request.headers), writer)
            case _, path if path.startswith(("/v1/files", "/v1/batches")):
                await self._batch(request, path.removeprefix("/v1"), reader, writer)
            case _:
                await self._send(in_html("404 Not Found", 404), writer)

    async def _batch(
        self,
        request: Request,
        path: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if not self._may(request.headers):
            await self._send(wrong_key(request.headers), writer)
            return
        method, _, headers, sent = request
        if path.startswith(("/batches", "/files")):
            answer = self.batches.respond(method, path, sent)
        else:
            answer = self.batches.respond_as_google(method, path, headers, sent)
        if answer is None:
            await reader.read()  # until the client goes
            return
        status, body, *more = answer
        is_file = isinstance(body, bytes)
        response = Response(status, body) if is_file else in_json(body, status)
        await self._send(response, writer, *more)

    def _complete_in_batch(self, body: dict[str, Any]) -> dict[str, Any]:
        text = body["messages"][0]["content"]
        asked = Asked(body["model"], text, body, {}, "", time.monotonic())
        return completion(asked, self._answer(text), 0)

    def _asked(self, request: Request) -> Asked:
        body = json.loads(request.body)
        text = body.get("state", body.get("input"))
        if text is None:
            text = "\n".join(message["content"] for message in body["messages"])
        asked = Asked(body["model"], text, body, request.headers, request.path, time.monotonic())
        fault = self._fault(asked)
        if fault and fault not in (*FAULTS, *OF_DECISIONS):
            raise ValueError(f"There is no fault {fault!r}. FAULTS has their names.")
        is_over = fault in ONLY_WITH and ONLY_WITH[fault] not in (
            body | body.get("response_format", {})
        )
        return asked._replace(fault="" if is_over else fault)

    async def _chat(
        self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if asked.fault in STREAMS:
            stream, status = STREAMS[asked.fault]
            self.asked.append(asked._replace(status=status))
            await stream(asked, reader, writer)
        elif response := self._respond(asked):
            self.asked.append(asked._replace(status=response.status))
            await self._send(response, writer)
        elif refusal := self._refusal(asked):
            self.asked.append(asked._replace(status=refusal.status))
            await self._send(refusal, writer)
        else:
            self.asked.append(asked._replace(status=200))
            await self._complete(asked, writer)

    def _refusal(self, asked: Asked) -> Response | None:
        if not self._may(asked.headers):
            return wrong_key(asked.headers)
        if asked.fault == "redirect":
            return Response(
                307, b"", {"location": f"http://127.0.0.1:{self._port_elsewhere}{asked.path}"}
            )
        if asked.fault in REFUSALS:
            return REFUSALS[asked.fault](asked)
        gate = self._gate(asked)
        return gate.refusal(reservation(asked)) if gate else None

    async def _complete(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        gate = self._gate(asked)
        settle = gate.reserve(reservation(asked)) if gate else None
        self._begun += 1
        number = self._begun
        await asyncio.sleep(self._latency)
        while self._holds_after is not None and number > self._holds_after:
            await asyncio.sleep(0.01)
        if "questions" in asked.body:
            whole = decision(asked, self._decide)
        else:
            whole = completion(asked, self._answer(asked.text), self._sent)
        response = ODDITIES.get(asked.fault, in_json)(whole)
        await self._send(response, writer, gate.headers() if gate else {})
        if settle:
            settle(whole["usage"]["total_tokens"])

    def _gate(self, asked: Asked) -> Gate | None:
        if self._limits is None or asked.fault:
            return None
        if asked.model not in self._gates:
            self._gates[asked.model] = Gate(asked.model, self._limits)
        return self._gates[asked.model]

    def _may(self, headers: dict[str, str]) -> bool:
        # Anthropic's own API, of which the list of models is, knows no bearer keys; nor does Google's.
        own = headers.get("x-api-key") if "anthropic-version" in headers else None
        own = headers.get("x-goog-api-key", own)
        return self._key in (None, own) or headers.get("authorization") == f"Bearer {self._key}"

    async def _send(
        self, response: Response, writer: asyncio.StreamWriter, more: dict[str, str] | None = None
    ) -> None:
        self._sent += 1
        self.answered += response.status == 200
        self.refused += response.status == 429
        framing = {
            "content-length": str(len(response.body)),
            "x-request-id": f"req_loopback{self._sent:06}",
        }
        writer.write(
            header(response.status, response.headers | framing | (more or {})) + response.body
        )
        await writer.drain()


def without_door(path: str) -> str:
    """The path as OpenAI has it, without what Groq, Azure and Google put before it."""
    return re.sub("^/v1beta/openai(?=/)", "/v1", path).removeprefix("/openai")


def reservation(asked: Asked) -> int:
    """The tokens that a request may use: its prompt and its answer budget."""
    return token_count(asked.text) + (
        asked.body.get("max_completion_tokens") or asked.body.get("max_tokens") or 0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="A provider of LLMs on this computer, for tests.")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that an answer takes")
    parser.add_argument(
        "--limits", action="store_true", help="tell of limits in the headers, wide ones"
    )
    options = parser.parse_args()
    limits = (
        ServerLimits(requests=10**6, tokens=10**9, day_requests=10**9) if options.limits else None
    )
    loopback = Loopback(port=options.port, latency=options.latency, limits=limits)
    with loopback as server, suppress(KeyboardInterrupt):
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
