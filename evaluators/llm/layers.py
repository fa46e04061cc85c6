"""The layers around a provider: is a call needed, how often is it tried, may the run pay for it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import CancelledError, Future

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from evaluators.errors import (
    MOST_TRIES,
    LateError,
    LLMError,
    NoAnswerError,
    RateLimitedError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import Layer, ModelReply, ModelRequest
from evaluators.llm.budget import Meter, Share
from evaluators.llm.catalogue import find, model_title
from evaluators.llm.connection import AskForLessError, Connection
from evaluators.llm.limits import TOLERANCE, Limiter
from evaluators.llm.loop import Scope
from evaluators.llm.own import OwnConnection
from evaluators.records import Call, Completion, ModelSpec, Usage
from evaluators.text.language import say

# Limits of a minute are over after one or two pauses: after 30 it is not such a limit.
MOST_REFUSALS = 30
"""How often in a row a provider may ask one request to wait before the run stops."""

NOT_WHOLE = frozenset({"length", "max_tokens", "content_filter", "tool_calls", "function_call"})
"""Reasons to end that leave no whole answer.

What is listed are the bad ends: local servers have names of their own for a good one.
"""

# Half a second doubling to eight, as the SDKs of Groq and OpenAI wait when they retry themselves.
# The random part keeps requests that failed together from coming back together.
_pause_before_retry = wait_random_exponential(multiplier=0.5, max=8)


class ResponseCache:
    """The answers of one workspace: those in the store, and those on their way there.

    `find` reads the store and may wait for the disk, so it is never called on the event loop.
    """

    def __init__(self, find: Callable[[str], Completion | None]) -> None:
        self.find = find
        self.in_flight: dict[str, Future[Completion]] = {}
        """By the key of the request; an answer stays until it is in the store."""

    def mark_stored(self, key: str) -> None:
        """The answer is in the store now, or of no use to others; may be called from any thread."""
        call = self.in_flight.get(key)
        # One that is not done is somebody else's new call for the same key.
        if call is not None and call.done():
            self.in_flight.pop(key, None)


_OWN_ERRORS = (CancelledError, RunStoppedError)
"""What stopped one run (its cap, its key) says nothing to another that waits for the same answer.

Neither does an interrupt, which is not an `Exception`: on the event loop it would end the loop.
"""


class Cached:
    """Gives an answer that is there already, and lets the same requests share one call.

    It is called on the evaluator's thread, which waits; the layers inside run on the event loop.
    Without a cache every request is a call.
    """

    def __init__(self, inner: Layer, cache: ResponseCache | None, scope: Scope) -> None:
        self._inner = inner
        self._cache = cache
        self._scope = scope

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answers the request; raises `CancelledError` where the run was cancelled."""
        if self._cache is None:
            return self._call(request)
        in_flight = self._cache.in_flight
        own: Future[Completion] = Future()
        # `setdefault` is one step for all threads: only one of them finds its own call there.
        while (call := in_flight.setdefault(request.key, own)) is not own:
            try:
                return _from_cache(self._scope.run(_result_of(call)))
            except CancelledError:
                if not call.cancelled():
                    raise  # this run was cancelled, not the one that it waited for
        try:
            # Looked up only now that nobody else calls: whoever called before has it stored.
            stored = self._cache.find(request.key)
            reply = _from_cache(stored) if stored else self._call(request)
        except BaseException as error:
            del in_flight[request.key]
            if isinstance(error, Exception) and not isinstance(error, _OWN_ERRORS):
                own.set_exception(error)
            else:
                own.cancel()  # who waits asks for itself
            raise
        own.set_result(reply.completion)
        if stored:
            # It came from the store, so nobody else will say that it is there.
            self._cache.mark_stored(request.key)
        return reply

    def _call(self, request: ModelRequest) -> ModelReply:
        return self._scope.run(self._inner.complete(request))


async def _result_of(call: Future[Completion]) -> Completion:
    # Shielded, as who stops waiting must not cancel the call that others wait for.
    return await asyncio.shield(asyncio.wrap_future(call))


def _from_cache(completion: Completion) -> ModelReply:
    return ModelReply(completion.model_copy(update={"cached": True}), {})


class EmptyAnswerError(TransientError):
    """The model said nothing: worth a second try, and no sign that the provider is in trouble."""

    documents: tuple[str, ...] | None = None


class Retried:
    """Tries again what may go better in a moment, and lets only whole answers through."""

    def __init__(self, inner: Layer) -> None:
        self._inner = inner

    async def complete(self, request: ModelRequest) -> ModelReply:
        try:
            # Nearly always enough, and tenacity would take half of the layers' processor time.
            return await self._try(request)
        except TransientError as error:
            return await self._retry(request, error)

    async def _retry(self, request: ModelRequest, first: TransientError) -> ModelReply:
        """Goes on after a first try that failed."""
        # The first failure counts as tenacity's first try: it is raised there once more.
        failed = [first]

        async def attempt() -> ModelReply:
            if failed:
                raise failed.pop()
            return await self._try(request)

        retrying = AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=_TriesUsedUp(),
            wait=_seconds_before_retry,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except RateLimitedError as error:
            message = say(
                "{model}: the provider refused {number} times in a row. Resume later.",
                model=model_title(request.spec),
                number=MOST_REFUSALS,
            )
            raise RunStoppedError(message, error.details, kind="limits") from error
        except EmptyAnswerError as error:
            # No longer transient: an outage, which stops a run, is not what empty answers show.
            silent = NoAnswerError(str(error), error.details)
            silent.documents = error.documents
            raise silent from error
        except UnreachableError as error:
            message = say(
                "{message} Everything so far is kept; resume when it answers.",
                message=error.message,
            )
            raise RunStoppedError(
                message,
                error.details,
                kind="unreachable",
                remedy=error.remedy,
            ) from error

    async def _try(self, request: ModelRequest) -> ModelReply:
        reply = await self._inner.complete(request)
        if not is_whole(reply.completion):
            problem = _not_whole(reply.completion, request)
            if isinstance(problem, EmptyAnswerError):
                problem.documents = reply.completion.documents
            raise problem
        return reply


class _TriesUsedUp:
    """Whether a request has been tried often enough; being asked to wait is not a try.

    An error counts only with those of as many tries: what broke otherwise before says nothing of
    it. No request is tried more than `MOST_TRIES` times.
    """

    def __init__(self) -> None:
        self._failures: Counter[int] = Counter()
        self._refusals_in_a_row = 0

    def __call__(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, RateLimitedError):
            self._refusals_in_a_row += 1
            return self._refusals_in_a_row >= MOST_REFUSALS
        self._refusals_in_a_row = 0
        if not isinstance(error, TransientError):
            return True
        self._failures[error.tries] += 1
        return self._failures[error.tries] >= error.tries or self._failures.total() >= MOST_TRIES


def _seconds_before_retry(state: RetryCallState) -> float:
    """What the provider asked for, else an exponential pause."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RateLimitedError):
        return 0.0  # the limiter waits, for all requests of the key together
    if isinstance(error, TransientError) and error.wait is not None:
        return error.wait
    return _pause_before_retry(state)


def is_whole(completion: Completion) -> bool:
    """Whether the answer may serve again: it came to its end."""
    return bool(completion.text.strip()) and completion.finish_reason not in NOT_WHOLE


def _not_whole(completion: Completion, request: ModelRequest) -> LLMError:
    """Why the answer cannot be used: cut off, withheld or empty."""
    model, budget = model_title(request.spec), request.spec.answer_tokens
    text = completion.text.strip()
    details = f"finish_reason {completion.finish_reason} · {text[:300]}"
    is_cut_off = completion.finish_reason in ("length", "max_tokens")
    if is_cut_off and text:
        return LLMError(
            say(
                "The answer of {model} was cut off at {budget:,} tokens. Raise the answer budget.",
                model=model,
                budget=budget,
            ),
            details,
        )
    if is_cut_off:
        return LLMError(
            say(
                "{model} used all {budget:,} tokens of its answer budget for thinking. "
                "Raise the answer budget.",
                model=model,
                budget=budget,
            ),
            details,
        )
    if completion.finish_reason == "content_filter":
        return LLMError(
            say("The provider of {model} withheld the answer (content filter).", model=model),
            details,
        )
    if not text:
        return EmptyAnswerError(
            say("{model} gave an empty answer. Try again, or choose another model.", model=model),
            details,
            tries=2,
        )
    return LLMError(
        say(
            "{model} wanted to call a tool instead of answering. Choose another model.", model=model
        ),
        details,
    )


class Metered:
    """Lets a call pass while the cap allows it, and notes every answer that was paid for."""

    def __init__(
        self,
        inner: Layer,
        meter: Meter,
        note: Callable[[Call], None],
        share: Share | None = None,
    ) -> None:
        self._inner = inner
        self._meter = meter
        self._note = note
        self._share = share

    async def complete(self, request: ModelRequest) -> ModelReply:
        most = most_cost(request)
        await self._meter.reserve(most, self._share)
        started = time.perf_counter()
        calls, paid = 0, 0.0
        try:
            reply = await self._inner.complete(request)
            cost = cost_of(request.spec, reply.completion.usage)
            calls, paid = 1, cost or 0.0
        except LateError:
            # Nobody tells what it costs: a cap holds whatever it is.
            calls, paid = 1, most
            raise
        finally:
            # Also a failed or cancelled call gives its reservation back.
            self._meter.settle(most, calls, paid, self._share)
        self._note(
            Call(
                key=request.key,
                model=request.spec.id,
                completion=reply.completion,
                cost=cost,
                seconds=time.perf_counter() - started,
                reusable=is_whole(reply.completion),
            )
        )
        return reply


def most_cost(
    request: ModelRequest,
    further_tokens: int = 0,
    *,
    in_batch: bool = False,
) -> float:
    """US dollars that the request can cost at most, with tokens that its prompt has yet to get."""
    tokens_in = request.prompt_tokens + further_tokens
    most = Usage(prompt_tokens=tokens_in, answer_tokens=request.most_answer_tokens)
    # Without a price nothing can be reserved: a budget in dollars is refused for such a model.
    return cost_of(request.spec, most, in_batch=in_batch) or 0.0


def cost_of(spec: ModelSpec, usage: Usage, *, in_batch: bool = False) -> float | None:
    """US dollars for the tokens; `None` where the price is unknown."""
    model = find(spec.id)
    return model.cost(usage, in_batch=in_batch) if model else None


class Limited:
    """Waits until the plan allows the request."""

    def __init__(self, connection: Connection | OwnConnection, limiter: Limiter) -> None:
        self._connection = connection
        self._limiter = limiter

    async def complete(self, request: ModelRequest) -> ModelReply:
        size = request.prompt_tokens + request.most_answer_tokens
        _check_context(request, size)
        # Before the limiter notes when the request went out: the first time, importing the SDK
        # takes a second.
        await self._connection.open()
        while True:
            permit = await self._limiter.acquire(size)
            try:
                reply = await self._connection.complete(request)
            except AskForLessError as refusal:
                # The provider may count the refused request, so the next one has its own permit.
                self._limiter.failed(permit)
                request = refusal.request
            except RateLimitedError as error:
                self._limiter.refused(permit, error.wait, error.headers)
                raise
            except BaseException:  # also a cancelled one: its place must be freed
                self._limiter.failed(permit)
                raise
            else:
                usage = reply.completion.usage
                used = usage.prompt_tokens + usage.answer_tokens
                self._limiter.settle(permit, used, reply.headers)
                return reply


def _check_context(request: ModelRequest, size: int) -> None:
    """Raises `LLMError` where the model can never take the request."""
    model = find(request.spec.id)
    # The size is an estimate: where it is doubtful, the provider decides.
    if model and model.context and size > TOLERANCE * model.context:
        raise LLMError(
            say(
                "This sample needs about {size:,} tokens with the answer budget, more than "
                "{model} takes ({context:,}). Use fewer or shorter documents, or a model "
                "with a longer context.",
                size=size,
                model=model.title,
                context=model.context,
            )
        )
