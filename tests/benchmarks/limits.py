"""60 labelling-sized calls within the limits of a plan, against a provider on this computer: time
taken and refusals.

A "minute" lasts two seconds. `permitted` is the least time that the server's own rule allows.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from math import ceil

from pydantic import SecretStr

from evaluators.errors import RateLimitedError
from evaluators.llm import Access, ModelRequest
from evaluators.llm.catalogue import PlanLimits
from evaluators.llm.connection import Connection
from evaluators.llm.limits import Limiter
from evaluators.llm.providers import PROVIDERS
from evaluators.records import ModelSpec
from tests.loopback import Loopback, ServerLimits, token_count

CALLS = 60
PROMPT = "p" * 4 * (1300 - token_count(""))
NAMES = PROVIDERS["groq"].limit_headers
SPEC = ModelSpec(provider="custom", model="openai/gpt-oss-20b", answer_tokens=700)
WARM_UP = ModelSpec(provider="custom", model="qwen/qwen3.8-27b")  # each model has limits of its own
RESERVED, USED = 1300 + 700, 1300 + 500
PLANS = {
    "bucket with refund": ServerLimits(requests=30, tokens=8000, minute=2.0),
    "bucket without refund": ServerLimits(requests=30, tokens=8000, minute=2.0, refunds=False),
    "window with refund": ServerLimits(requests=30, tokens=8000, minute=2.0, kind="window"),
    "window without refund": ServerLimits(
        requests=30, tokens=8000, minute=2.0, kind="window", refunds=False
    ),
}


def permitted_minutes(plan: ServerLimits, calls: int = CALLS) -> float:
    """When the last call can be let in at the earliest, if answers come at once."""
    counted = USED if plan.refunds else RESERVED
    if plan.kind == "window":
        at_once = min(plan.requests, 1 + (plan.tokens - RESERVED) // counted)
        return ceil(calls / at_once) - 1
    tokens = ((calls - 1) * counted + RESERVED - plan.tokens) / plan.tokens
    return max(0.0, tokens, (calls - plan.requests) / plan.requests)


async def measured(window_slack: float = 1.0) -> dict[str, dict[str, float]]:
    """All plans side by side, with 8 and with 32 callers; windows that look back so many times less
    than a minute.
    """
    variants = [(name, callers) for name in PLANS for callers in (8, 32)]
    slack = {"bucket": 1.0, "window": window_slack}
    ready = asyncio.Barrier(len(variants))

    async def one(number: int, name: str, callers: int) -> dict[str, float]:
        plan = PLANS[name]
        with Loopback(
            limits=plan._replace(minute=plan.minute / slack[plan.kind]), latency=0.1, answer=_answer
        ) as server:
            access = Access(provider="custom", base_url=server.base_url, key=SecretStr("any"))
            connection = Connection(access)
            # The first call of all takes long to be sent.
            await connection.complete(ModelRequest(spec=WARM_UP, text="Hello"))
            await ready.wait()
            await asyncio.sleep(number * plan.minute / len(variants))  # not all at once
            await _ask_all(plan, callers, connection)
            await connection.close()
        return _figures(plan, server)

    results = await asyncio.gather(
        *[one(number, *variant) for number, variant in enumerate(variants)]
    )
    return {
        f"{name}, {callers} callers": result
        for (name, callers), result in zip(variants, results, strict=True)
    }


async def _ask_all(plan: ServerLimits, callers: int, connection: Connection) -> None:
    limits = PlanLimits(rpm=plan.requests, tpm=plan.tokens)
    limiter = Limiter(limits, header_names=NAMES, concurrency=callers, minute=plan.minute)
    todo = iter(range(CALLS))
    await asyncio.gather(*[_caller(todo, limiter, connection) for _ in range(callers)])


def _figures(plan: ServerLimits, server: Loopback) -> dict[str, float]:
    arrivals = [
        request.at
        for request in server.asked
        if request.model == SPEC.model and request.status == 200
    ]
    minutes = (arrivals[-1] - arrivals[0]) / plan.minute
    return {
        "answered": len(arrivals),
        "refused": server.refused,
        "minutes": round(minutes, 2),
        "of_permitted": round(permitted_minutes(plan) / minutes, 3),
    }


def _answer(text: str) -> str:
    return "a" * 4 * (500 - token_count(""))


async def _caller(todo: Iterator[int], limiter: Limiter, connection: Connection) -> None:
    for _ in todo:
        while not await _answered(limiter, connection):
            pass


async def _answered(limiter: Limiter, connection: Connection) -> bool:
    permit = await limiter.acquire(RESERVED)
    try:
        reply = await connection.complete(ModelRequest(spec=SPEC, text=PROMPT))
    except RateLimitedError as error:
        limiter.refused(permit, error.wait, {})
        return False
    usage = reply.completion.usage
    limiter.settle(permit, usage.prompt_tokens + usage.answer_tokens, reply.headers)
    return True


async def acquire_microseconds(times: int = 1000) -> float:
    """From asking for a permit to giving it back, where nobody has to wait."""
    limits = PlanLimits(rpm=10**6, tpm=10**9, rpd=10**6, tpd=10**9)
    limiter = Limiter(limits, header_names=NAMES)
    started = time.perf_counter()
    for _ in range(times):
        limiter.settle(await limiter.acquire(2000), 1800, {})
    return round(1e6 * (time.perf_counter() - started) / times, 1)


if __name__ == "__main__":
    print(
        json.dumps({**asyncio.run(measured()), "acquire_us": asyncio.run(acquire_microseconds())})
    )
