"""One attempt at a provider: nothing is tried again, and only our own errors come out."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from evaluators.config import config
from evaluators.errors import LLMError
from evaluators.llm import Access, ModelReply, ModelRequest, decisions, received
from evaluators.llm.json_modes import JsonModes, response_format
from evaluators.llm.masking import Masker
from evaluators.llm.patience import GivenUpError, Patience
from evaluators.llm.provider_errors import (
    CallContext,
    error_for,
    is_no_address,
    unsupported,
    unusable_response,
)
from evaluators.llm.providers import PROVIDERS, DecisionTerms, Provider
from evaluators.llm.received import MOST_NAME, ReceivedAnswer
from evaluators.llm.sdk import Sdk
from evaluators.records import Completion, ModelSpec, Usage
from evaluators.text.language import say
from evaluators.text.size import tokens
from evaluators.text.words import in_a_line

T = TypeVar("T")


class AskForLessError(Exception):
    """The provider refused a part, or a shape, that a request can do without; `request` is so."""

    def __init__(self, request: ModelRequest) -> None:
        super().__init__("The provider takes the request with less in it.")
        self.request = request


class Connection:
    """The connections to one endpoint with one key.

    They belong to the event loop that first uses them.
    """

    def __init__(self, access: Access, seconds: float | None = None) -> None:
        self._access = access
        self.seconds = seconds if seconds is not None else config().call_seconds
        self._opening = asyncio.Lock()
        self._sdk: Sdk | None = None
        # By the model: the parameters that it does not take.
        self._refused: defaultdict[str, set[str]] = defaultdict(set)
        self._json_modes = JsonModes()
        # By what tells how long an answer takes: the model, its thinking, and what it is to write.
        self._patience: defaultdict[tuple[ModelSpec, str], Patience]
        self._patience = defaultdict(lambda: Patience(self.seconds))
        # How many of the ways to its decision models lead nowhere.
        self._closed_doors = 0
        self._has_answered = False
        self._limit_headers = _limit_headers(PROVIDERS[access.provider])

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Asks once; the completion comes as it is, also cut off or empty.

        Raises `AskForLessError` where the provider would take the request with less in it. What it
        does not take is left out from then on, for all requests to the model.
        """
        call = CallContext(self._access, self.seconds, request)
        mode = self.json_mode(request)
        # JSON takes alike long whatever asks for it.
        kind = mode if request.questions else request.schema_text and "JSON"
        patience = self._patience[request.spec, kind]

        async def send(sdk: Sdk) -> Any:
            async with patience.attempt(request.key):
                return await self._create(sdk, request, mode)

        response = await self._checked(send, call)
        # Asked for now: others may have been answered while this one was out.
        call = call._replace(has_answered=self._has_answered)
        answer = read_body(_reader(request), response, call)
        self._has_answered = True
        completion = self.completion(answer, request.spec, mode, request.prompt_tokens)
        limits = {}
        for name, value in response.headers.items():
            if name.lower() in self._limit_headers:
                limits[name.lower()] = value
        return ModelReply(completion, limits)

    def json_mode(self, request: ModelRequest) -> str:
        """How JSON is asked for, by what the provider is known to take; see `json_modes`."""
        if request.questions:
            return decisions.MODE
        # One that comes back after a refusal says itself how JSON is asked for now.
        if request.schema_text and not request.json_mode:
            return self._json_modes.best(request.spec)
        return request.json_mode

    def body(self, request: ModelRequest, mode: str) -> dict[str, Any]:
        """What is sent for the request."""
        if request.questions:
            return decisions.body_of(request, self._decision_terms.shape)
        message = {"role": "user", "content": request.text}
        parameters = _call_parameters(request.spec, self._refused[request.spec.model])
        shape = response_format(mode, request.schema_text)
        return {"model": request.spec.model, "messages": [message]} | parameters | shape

    @property
    def _decision_terms(self) -> DecisionTerms:
        """How its decision models are asked, by what is known of the paths that it has."""
        ways = PROVIDERS[self._access.provider].decisions
        if not ways:
            title = PROVIDERS[self._access.provider].title
            raise LLMError(
                say("{provider} has no decision models. Choose another judge.", provider=title)
            )
        return ways[min(self._closed_doors, len(ways) - 1)]

    def completion(
        self,
        answer: ReceivedAnswer,
        spec: ModelSpec,
        mode: str,
        prompt: str | int,
    ) -> Completion:
        """The answer as it is kept; `prompt` is the text that was sent, or its tokens."""
        return _completion(answer, prompt, self._note(spec), mode, self._access.mask)

    async def models(self) -> dict[str, str]:
        """The ids of the models that the provider offers to this key, each with its last day."""
        call = CallContext(self._access, self.seconds)
        response = await self.ask(lambda sdk: sdk.models(), call)
        ids = read_body(received.model_ids, response, call)
        # An endpoint may send the key back, also as the name of a model.
        mask, prefix = self._access.mask, call.record.models_prefix
        return {name.removeprefix(prefix): day for name, day in ids.items() if mask(name) == name}

    async def close(self) -> None:
        if self._sdk:
            await self._sdk.close()

    async def open(self) -> Sdk:
        """Makes ready to ask, which takes a second the first time: the SDK is imported."""
        if self._sdk:
            return self._sdk
        async with self._opening:
            # Looked at again: whoever held the lock before has opened it.
            if self._sdk is None:
                self._sdk = await asyncio.to_thread(Sdk, self._access)
            return self._sdk

    async def ask(
        self,
        send: Callable[[Sdk], Awaitable[Any]],
        call: CallContext,
    ) -> Any:
        """One response; raises `LLMError` where none came, or one that refuses."""

        async def limited(sdk: Sdk) -> Any:
            # The SDKs' time-outs are for each read: a server that sends a byte now and then would
            # never meet one.
            async with asyncio.timeout(call.seconds):
                return await send(sdk)

        return await self._checked(limited, call)

    async def _checked(self, send: Callable[[Sdk], Awaitable[Any]], call: CallContext) -> Any:
        sdk = await self.open()
        try:
            return await send(sdk)
        except GivenUpError as error:
            raise error_for(error, call._replace(seconds=error.seconds)) from None
        except sdk.problems as error:
            raise error_for(error, call) from None  # what the SDKs raise holds the key

    async def _create(self, sdk: Sdk, request: ModelRequest, mode: str) -> Any:
        """Sends the request; raises `AskForLessError` where it may go with less in it."""
        spec = request.spec
        body = self.body(request, mode)
        try:
            if not request.questions:
                return await sdk.create(body)
            terms = self._decision_terms
            return await sdk.create(body, terms.path)
        except sdk.refusal as error:
            if request.questions:
                self._close_door(terms, error)
                raise AskForLessError(request) from None
            name = unsupported(error, body)
            if name:
                self._refused[spec.model].add(name)
                next_mode = mode
            else:
                next_mode = self._json_modes.lower(spec, mode, error)
                if not next_mode:
                    raise
            less = request.model_copy(update={"json_mode": next_mode})
            raise AskForLessError(less) from None

    def _close_door(self, refused: DecisionTerms, error: Any) -> None:
        """Goes on to the next way to decision models; raises the error where it says more."""
        ways = PROVIDERS[self._access.provider].decisions
        number = ways.index(refused) + 1
        if not is_no_address(error) or number == len(ways):
            raise error
        self._closed_doors = max(self._closed_doors, number)

    def _note(self, spec: ModelSpec) -> str:
        """What of the specification the provider did not take."""
        # `max_completion_tokens` is not left out but sent under its older name.
        refused = self._refused[spec.model] - {"max_completion_tokens"}
        left_out = _call_parameters(spec, set()).keys() & refused
        names = [name.replace("_", " ") for name in sorted(left_out)]
        return in_a_line(say("{parameter} not applied", parameter=name) for name in names)


def _call_parameters(spec: ModelSpec, refused: set[str]) -> dict[str, float | str]:
    """What is sent besides the prompt: all that the specification sets and the provider takes."""
    budget = PROVIDERS[spec.provider].answer_budget
    if budget in refused:
        budget = "max_tokens"  # older endpoints know this name only
    wanted = {
        "temperature": spec.temperature,
        # An empty effort is the model's own, which is left to the provider.
        "reasoning_effort": spec.effort or None,
        budget: spec.answer_tokens,
    }
    parameters = {}
    for name, value in wanted.items():
        if value is not None and name not in refused:
            parameters[name] = value
    return parameters


def _reader(request: ModelRequest) -> Callable[[Any], ReceivedAnswer]:
    if not request.questions:
        return received.answer
    return lambda body: decisions.received(body, request.questions)


def read_body(read: Callable[[Any], T], response: Any, call: CallContext) -> T:
    """What `read` makes of the JSON of a response; raises `LLMError` where it can make nothing."""
    try:
        return read(received.parsed_body(response.content))
    except (ValueError, RecursionError):
        raise unusable_response(response, call) from None  # its text holds the answer


def _completion(
    answer: ReceivedAnswer,
    prompt: str | int,
    note: str,
    mode: str,
    mask: Masker,
) -> Completion:
    """The answer as it is kept.

    Whatever the provider says of itself is cut only after its key is masked: a part of a key may
    be too short to be found.
    """
    text = answer.text or answer.refusal
    finish_reason = mask(answer.finish_reason)[:MOST_NAME] or "unknown"
    if answer.refusal and not answer.text:
        finish_reason = "content_filter"
    return Completion(
        text=mask(text),
        finish_reason=finish_reason,
        usage=Usage(
            prompt_tokens=_token_count(answer.prompt_tokens, prompt),
            answer_tokens=_token_count(answer.answer_tokens, text),
        ),
        served_model=mask(answer.model)[:MOST_NAME],
        note=note,
        mode=mode,
    )


def _token_count(reported: int | None, sent: str | int) -> int:
    """The provider's count, or an estimate: zero would be taken for a measurement."""
    if reported is not None:
        return reported
    return tokens(sent) if isinstance(sent, str) else sent


def _limit_headers(provider: Provider) -> frozenset[str]:
    """The headers of an answer that tell of limits, in lower case."""
    headers = {"retry-after", "retry-after-ms"}
    for pattern in provider.limit_headers.values():
        for part in ("limit", "remaining", "reset"):
            headers.add(pattern.format(part))
    return frozenset(headers)
