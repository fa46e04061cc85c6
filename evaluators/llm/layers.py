"""The layers around a provider: what a call costs, how often it is tried, and whether it is needed
at all.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from evaluators.errors import (
    LLMError,
    RateLimitedError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import Layer, Reply, Request
from evaluators.llm.catalogue import find, title
from evaluators.llm.connection import Connection
from evaluators.llm.limits import TOLERANCE, Limiter
from evaluators.records import Call, Cap, Completion, Remedy, Usage
from evaluators.text.size import tokens

MOST_REFUSALS = 30
"""How often in a row a provider may ask one request to wait before the run stops."""

NOT_WHOLE = frozenset({"length", "max_tokens", "content_filter", "tool_calls", "function_call"})
"""Reasons to end that leave no whole answer;
local servers have names of their own for a good end.
"""

MOST_ARRIVED = 256
"""Answers may be stored between a look into the store and the next step of the one who looked."""

_pause = wait_random_exponential(multiplier=0.5, max=8)


class Limited:
    """Waits until the plan allows the request."""

    def __init__(self, connection: Connection, limiter: Limiter) -> None:
        self._connection = connection
        self._limiter = limiter

    async def complete(self, request: Request) -> Reply:
        size = _request_tokens(request) + request.spec.answer_tokens
        _check_context(request, size)
        await self._connection.open()  # before the limiter notes when the request went out
        ticket = await self._limiter.acquire(size)

        async def again() -> None:
            nonlocal ticket
            self._limiter.failed(ticket)
            ticket = await self._limiter.acquire(size)

        try:
            reply = await self._connection.complete(request, again)
        except RateLimitedError as error:
            self._limiter.refused(ticket, error.wait, error.headers)
            raise
        except BaseException:  # also a cancelled one: its place must be freed
            self._limiter.failed(ticket)
            raise
        usage = reply.completion.usage
        self._limiter.settle(ticket, usage.prompt_tokens + usage.answer_tokens, reply.headers)
        return reply


class Meter:
    """What a run has spent and may spend; lives on the loop. Calls in flight count with the most
    they can cost.
    """

    def __init__(self, cap: Cap, calls: int, cost: float) -> None:
        self._cap = cap
        self._calls = calls
        self._cost = cost
        self._in_flight = 0
        self._reserved = 0.0
        self._changed = asyncio.Event()

    async def reserve(self, most: float) -> None:
        """Returns when the call fits under the cap; raises `RunStoppedError` when it never will."""
        while not self._fits(most):
            if not self._in_flight:
                raise RunStoppedError(self._reason(), kind="cap", remedy=Remedy("raise_cap"))
            self._changed.clear()
            await self._changed.wait()
        self._in_flight += 1
        self._reserved += most

    def settle(self, most: float, calls: int, cost: float) -> None:
        """Puts what was really spent in the place of a reservation."""
        self._in_flight -= 1
        self._reserved -= most
        self._calls += calls
        self._cost += cost
        self._changed.set()

    def _fits(self, most: float) -> bool:
        calls, cost = self._calls + self._in_flight + 1, self._cost + self._reserved + most
        return (self._cap.calls is None or calls <= self._cap.calls) and (
            self._cap.cost is None or cost <= self._cap.cost
        )

    def _reason(self) -> str:
        if self._cap.calls is not None and self._calls >= self._cap.calls:
            spent = (
                f"The cap of {self._cap.calls:,} call{'s' if self._cap.calls > 1 else ''} is "
                "reached"
            )
        else:
            spent = (
                f"The cap of ${self._cap.cost:g} is reached: ${self._cost:.4f} spent, the "
                "next call could exceed it"
            )
        return f"{spent}. Everything so far is kept."


class Metered:
    """Lets a call pass while the cap allows it, and writes down every answer that was paid for."""

    def __init__(self, inner: Layer, meter: Meter, calls: list[Call]) -> None:
        self._inner = inner
        self._meter = meter
        self._calls = calls

    async def complete(self, request: Request) -> Reply:
        usage = Usage(
            prompt_tokens=_request_tokens(request), answer_tokens=request.spec.answer_tokens
        )
        most = _cost(request, usage) or 0.0
        await self._meter.reserve(most)
        started, calls, paid = time.perf_counter(), 0, 0.0
        try:
            reply = await self._inner.complete(request)
            cost = _cost(request, reply.completion.usage)
            calls, paid = 1, cost or 0.0
        finally:
            self._meter.settle(most, calls, paid)
        self._calls.append(
            Call(
                key=request.key,
                model=request.spec.id,
                completion=reply.completion,
                cost=cost,
                seconds=time.perf_counter() - started,
                reusable=_is_whole(reply.completion),
            )
        )
        return reply


class EmptyAnswerError(TransientError):
    """The model said nothing: worth a second try, and no sign that the provider is in trouble."""


class Retried:
    """Tries again what may go better in a moment, and lets only whole answers through."""

    def __init__(self, inner: Layer) -> None:
        self._inner = inner

    async def complete(self, request: Request) -> Reply:
        try:
            return await self._try(
                request
            )  # nearly always enough; tenacity would take half of the layers' time
        except TransientError as error:
            return await self._again(request, error)

    async def _again(self, request: Request, first: TransientError) -> Reply:
        """Goes on after a first try that failed."""
        before = [first]

        async def attempt() -> Reply:
            if before:
                raise before.pop()
            return await self._try(request)

        again = AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=_Tries().are_enough,
            wait=_wait,
            reraise=True,
        )
        try:
            return await again(attempt)
        except RateLimitedError as error:
            message = (
                f"{title(request.spec)}: the provider refused {MOST_REFUSALS} times in a row. "
                "Resume later."
            )
            raise RunStoppedError(message, error.details, kind="limits") from error
        except EmptyAnswerError as error:
            raise LLMError(str(error), error.details) from error
        except UnreachableError as error:
            message = f"{error.message} Everything so far is kept; resume when it answers."
            raise RunStoppedError(
                message,
                error.details,
                kind="unreachable",
                remedy=error.remedy,
            ) from error

    async def _try(self, request: Request) -> Reply:
        reply = await self._inner.complete(request)
        _check(reply.completion, request)
        return reply


class Shelf:
    """The answers of one workspace: those that are stored, and those that are on their way to the
    store.

    `find` reads the store and may wait for the disk: never on the loop. `arrived` holds the keys
    that were stored lately, for those who looked just before.
    """

    def __init__(self, find: Callable[[str], Completion | None]) -> None:
        self.find = find
        self.coming: dict[str, asyncio.Future[Completion]] = {}
        self.arrived: deque[str] = deque(maxlen=MOST_ARRIVED)

    def stored(self, key: str) -> None:
        """The answer is in the store now, or of no use to others; may be called from any thread."""
        future = self.coming.get(key)
        if future is not None and future.done():
            self.arrived.append(key)
            self.coming.pop(key, None)


class Cached:
    """Gives an answer that is there already, and lets the same requests share one call."""

    def __init__(self, inner: Layer, shelf: Shelf) -> None:
        self._inner = inner
        self._shelf = shelf

    async def complete(self, request: Request) -> Reply:
        key = request.key
        while (coming := self._shelf.coming.get(key)) is not None:
            try:
                return _reused(await asyncio.shield(coming))
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if not coming.cancelled() or (task and task.cancelling()):
                    raise  # this one was cancelled, not only the call it waited for
        coming = self._shelf.coming[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._just_stored(key) or await self._inner.complete(request)
        except BaseException as error:
            del self._shelf.coming[key]
            _pass_on(error, coming)
            raise
        coming.set_result(reply.completion)
        if reply.completion.cached:
            self._shelf.stored(key)
        return reply

    def stored(self, request: Request) -> Reply | None:
        """The answer that is in the store, if there is one; reads the disk, so it is not for the
        loop.
        """
        found = self._shelf.find(request.key)
        return _reused(found) if found else None

    async def _just_stored(self, key: str) -> Reply | None:
        """The answer that came into the store after the caller had looked there."""
        found = (
            await asyncio.to_thread(self._shelf.find, key) if key in self._shelf.arrived else None
        )
        return _reused(found) if found else None


class _Tries:
    """Counts tries; being asked to wait is none."""

    def __init__(self) -> None:
        self._failed = 0
        self._refused = 0

    def are_enough(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, RateLimitedError):
            self._refused += 1
            return self._refused >= MOST_REFUSALS
        self._failed, self._refused = self._failed + 1, 0
        return not isinstance(error, TransientError) or self._failed >= error.tries


def _wait(state: RetryCallState) -> float:
    """What the provider asked for, else an exponential pause; after a refusal the limiter does the
    waiting.
    """
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RateLimitedError):
        return 0.0
    if isinstance(error, TransientError) and error.wait is not None:
        return error.wait
    return _pause(state)


def _is_whole(completion: Completion) -> bool:
    return bool(completion.text.strip()) and completion.finish_reason not in NOT_WHOLE


def _check(completion: Completion, request: Request) -> None:
    """Raises where the answer cannot be used: cut off, withheld or empty."""
    if _is_whole(completion):
        return
    name, budget, text = title(request.spec), request.spec.answer_tokens, completion.text.strip()
    words = f"finish_reason {completion.finish_reason} · {text[:300]}"
    is_cut = completion.finish_reason in ("length", "max_tokens")
    if is_cut and text:
        raise LLMError(
            f"The answer of {name} was cut off at {budget:,} tokens. Raise the answer budget.",
            words,
        )
    if is_cut:
        raise LLMError(
            f"{name} used all {budget:,} tokens of its answer budget for thinking. Raise "
            "the answer budget.",
            words,
        )
    if completion.finish_reason == "content_filter":
        raise LLMError(f"The provider of {name} withheld the answer (content filter).", words)
    if not text:
        raise EmptyAnswerError(
            f"{name} gave an empty answer. Try again, or choose another model.", words, tries=2
        )
    raise LLMError(
        f"{name} wanted to call a tool instead of answering. Choose another model.", words
    )


def _check_context(request: Request, size: int) -> None:
    """Raises where the model can never take the request; the size is an estimate, so a doubtful one
    is sent.
    """
    model = find(request.spec.id)
    if model and model.context and size > TOLERANCE * model.context:
        raise LLMError(
            f"This example needs about {size:,} tokens with the answer budget, more than "
            f"{model.title} takes "
            f"({model.context:,}). Use fewer or shorter documents, or a model with a "
            "longer context."
        )


def _request_tokens(request: Request) -> int:
    """An estimate of what the provider counts before the answer: the prompt, and the schema where
    there is one.
    """
    return tokens(request.text) + len(request.schema_text) // 4


def _cost(request: Request, usage: Usage) -> float | None:
    model = find(request.spec.id)
    return model.cost(usage) if model else None


def _reused(completion: Completion) -> Reply:
    return Reply(completion.model_copy(update={"cached": True}), {})


def _pass_on(error: BaseException, coming: asyncio.Future[Completion]) -> None:
    if isinstance(error, asyncio.CancelledError | RunStoppedError):
        # what stopped one run (its cap, its key) is its own; whoever waits asks for itself
        coming.cancel()
    else:
        coming.set_exception(error)
        coming.exception()  # whoever waits gets it; nobody need
