"""The layers around a provider: nothing is asked twice, paid beyond the cap, or taken for whole."""

import asyncio
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from evaluators.errors import (
    LLMError,
    RateLimitedError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import ModelReply, ModelRequest
from evaluators.llm.budget import Amount, Meter
from evaluators.llm.layers import Cached, Metered, ResponseCache, Retried
from evaluators.llm.loop import Scope
from evaluators.records import Cap, Completion, ModelSpec, Usage

SPEC = ModelSpec(provider="openai", model="gpt-6-luna", answer_tokens=1000)
URL = "https://api.openai.com/v1"
REQUEST = ModelRequest(spec=SPEC, text="Who?", base_url=URL)
WHOLE = Completion(text="Mina.", usage=Usage(prompt_tokens=100, answer_tokens=10))


class Said:
    """A provider that says these things in turn, the last one for ever; an exception is raised."""

    def __init__(self, *things, seconds=0.0):
        self._things = list(things)
        self.seconds = seconds
        self.asked = 0

    async def complete(self, request):
        self.asked += 1
        thing = self._things.pop(0) if len(self._things) > 1 else self._things[0]
        await asyncio.sleep(self.seconds)
        if isinstance(thing, Exception):
            raise thing
        return ModelReply(thing, {})


def soon(message="Overloaded.", **options):
    return TransientError(message, wait=0.0, **options)


# Trying again


def answer(provider, request=REQUEST):
    return asyncio.run(Retried(provider).complete(request)).completion


@pytest.mark.parametrize(
    ("things", "asked"),
    [
        ([WHOLE], 1),
        ([soon(), WHOLE], 2),
        ([soon(), soon(), soon(), soon(), WHOLE], 5),
        ([RateLimitedError("Wait.")] * 9 + [WHOLE], 10),
        ([soon(), RateLimitedError("Wait."), soon(), RateLimitedError("Wait."), soon(), WHOLE], 6),
        ([Completion(text=" "), WHOLE], 2),
        # What broke otherwise before takes no try from what breaks only now.
        ([soon(), soon(), soon("Not read.", tries=3), WHOLE], 4),
        ([soon("Not read.", tries=3), Completion(text=" "), soon(), soon(), WHOLE], 5),
    ],
)
def test_what_goes_better_in_a_moment_is_tried_again(things, asked):
    provider = Said(*things)

    assert answer(provider) == WHOLE
    assert provider.asked == asked


@pytest.mark.parametrize(
    ("thing", "error", "words", "asked"),
    [
        (LLMError("Too long."), LLMError, "Too long.", 1),
        (RunStoppedError("No credit."), RunStoppedError, "No credit.", 1),
        (soon(), TransientError, "Overloaded.", 5),
        (soon("No answer within 90 s.", tries=3), TransientError, "No answer within 90 s.", 3),
        (RateLimitedError("Wait."), RunStoppedError, "refused 30 times in a row", 30),
        (
            UnreachableError("Cannot reach host.", wait=0.0),
            RunStoppedError,
            "Cannot reach host. Everything so far",
            5,
        ),
        (Completion(text=""), LLMError, "gave an empty answer", 2),
        (
            Completion(text="It was Mi", finish_reason="length"),
            LLMError,
            "cut off at 1,000 tokens. Raise",
            1,
        ),
        (Completion(text="", finish_reason="length"), LLMError, "used all 1,000 tokens", 1),
        (Completion(text="", finish_reason="content_filter"), LLMError, "withheld the answer", 1),
        (Completion(text="{}", finish_reason="tool_calls"), LLMError, "wanted to call a tool", 1),
    ],
)
def test_what_stays_bad_is_an_error_that_says_what_to_do(thing, error, words, asked):
    provider = Said(thing)

    with pytest.raises(error, match=words) as raised:
        answer(provider)

    assert type(raised.value) is error or error is LLMError
    assert provider.asked == asked


def test_no_request_is_sent_more_often_than_the_most_patient_error_allows():
    provider = Said(soon("Late.", tries=3), soon(), soon("Late.", tries=3), soon(), soon(), WHOLE)

    with pytest.raises(TransientError, match="Overloaded"):
        answer(provider)

    assert provider.asked == 5


# The cap and the bill


def bill(cap, requests, provider, *, calls=0, cost=0.0):
    """Sends so many requests at once under the cap; the calls written down, and the errors."""
    calls_paid = []

    async def ask():
        metered = Metered(provider, Meter(cap, Amount(calls, cost)), calls_paid.append)
        return await asyncio.gather(
            *[metered.complete(REQUEST) for _ in range(requests)], return_exceptions=True
        )

    outcomes = asyncio.run(ask())
    return calls_paid, [outcome for outcome in outcomes if isinstance(outcome, Exception)]


def test_every_answer_is_written_down_with_its_price():
    calls_paid, errors = bill(Cap(), 2, Said(WHOLE))

    assert errors == []
    assert [call.cost for call in calls_paid] == [pytest.approx(100 * 0.1e-6 + 10 * 0.5e-6)] * 2
    assert {(call.key, call.model, call.reusable) for call in calls_paid} == {
        (REQUEST.key, SPEC.id, True)
    }


@pytest.mark.parametrize("text", ["", "It was Mi"])
def test_an_answer_that_is_not_whole_is_paid_for_but_never_used_again(text):
    calls_paid, _ = bill(
        Cap(), 1, Said(Completion(text=text, finish_reason="length", usage=WHOLE.usage))
    )

    assert [call.reusable for call in calls_paid] == [False]
    assert calls_paid[0].cost > 0


def test_a_call_that_failed_costs_nothing():
    calls_paid, errors = bill(Cap(calls=2), 3, Said(soon(), WHOLE))

    assert len(calls_paid) == 2
    assert [type(error) for error in errors] == [TransientError]


def test_a_cap_on_calls_holds_for_calls_at_once_and_counts_the_earlier_ones():
    calls_paid, errors = bill(Cap(calls=5), 8, Said(WHOLE, seconds=0.01), calls=2)

    assert len(calls_paid) == 3
    assert {str(error) for error in errors} == {
        "The budget of 5 calls is used up. Everything so far is kept. Raise the budget and resume."
    }


def test_a_cap_on_money_is_never_exceeded_and_is_used_as_far_as_it_is_safe():
    # one call can cost at most 9 tokens in and 1,000 out: 0.0000009 + 0.0005; it really costs
    # 0.000015
    calls_paid, errors = bill(Cap(cost=0.0006), 50, Said(WHOLE, seconds=0.001))

    assert sum(call.cost for call in calls_paid) <= 0.0006
    assert (
        len(calls_paid) == 7
    )  # 0.0006 - 6 * 0.000015 = 0.00051 lets one more go, 0.000495 does not
    assert len(errors) == 43
    assert "The budget of $0.0006 is used up: $0.0001 spent" in str(errors[0])


# Answers that are there already


def started(threads, cache, provider, scope=None):
    """A request through the cache on a thread of its own, as evaluators make them."""
    return threads.submit(Cached(provider, cache, scope or Scope()).complete, REQUEST)


def outcome(future):
    """What it returned or raised."""
    return future.exception() or future.result()


def through_cache(cache, provider, times):
    with ThreadPoolExecutor(times) as threads:
        return [outcome(each) for each in [started(threads, cache, provider) for _ in range(times)]]


def empty():
    return ResponseCache(lambda key: None)


def until(condition):
    """Waits for what another thread does."""
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("It did not happen within five seconds.")


def test_the_same_requests_at_once_share_one_call():
    provider = Said(WHOLE, seconds=0.01)

    replies = through_cache(empty(), provider, 5)

    assert provider.asked == 1
    assert [reply.completion.text for reply in replies] == ["Mina."] * 5
    assert sorted(reply.completion.cached for reply in replies) == [False, True, True, True, True]


def test_an_answer_in_the_store_is_found():
    cache = ResponseCache({REQUEST.key: WHOLE}.get)

    provider = Said(WHOLE)
    (reply,) = through_cache(cache, provider, 1)
    assert reply.completion == WHOLE.model_copy(update={"cached": True})
    assert (provider.asked, cache.in_flight) == (0, {})

    (reply,) = through_cache(empty(), provider, 1)
    assert (reply.completion, provider.asked) == (WHOLE, 1)


def test_without_a_cache_every_request_is_a_call():
    provider = Said(WHOLE, seconds=0.01)

    replies = through_cache(None, provider, 3)

    assert [reply.completion for reply in replies] == [WHOLE] * 3
    assert provider.asked == 3


def test_an_answer_that_came_into_the_store_just_after_the_look_is_not_asked_for():
    stored, provider = {}, Said(WHOLE)
    cache = ResponseCache(stored.get)
    through_cache(cache, provider, 1)
    stored[REQUEST.key] = WHOLE
    cache.mark_stored(REQUEST.key)

    replies = through_cache(cache, provider, 2)

    assert [reply.completion.cached for reply in replies] == [True, True]
    assert provider.asked == 1
    assert cache.in_flight == {}


def test_what_stops_the_one_who_asks_is_its_own_and_another_takes_over():
    cache, provider = empty(), Said(RunStoppedError("The cap is reached."), WHOLE, seconds=0.01)

    first, second = through_cache(cache, provider, 2)

    assert str(first) == "The cap is reached."
    assert second.completion.text == "Mina."


def test_an_interrupt_of_the_one_who_asks_is_its_own_and_the_loop_goes_on():
    interrupts = [KeyboardInterrupt()]

    def find(key):
        time.sleep(0.1)
        if interrupts:
            raise interrupts.pop()

    first, second = through_cache(ResponseCache(find), Said(WHOLE), 2)

    assert isinstance(first, KeyboardInterrupt)
    assert second.completion.text == "Mina."
    assert Scope().run(asyncio.sleep(0, "alive")) == "alive"


def test_an_answer_serves_others_until_it_is_stored():
    cache, provider = empty(), Said(WHOLE)
    through_cache(cache, provider, 1)
    through_cache(cache, provider, 1)
    assert provider.asked == 1

    cache.mark_stored(REQUEST.key)

    assert cache.in_flight == {}


def test_an_error_is_told_to_all_who_wait_and_is_not_kept():
    # Long enough for all three to wait for the same call on a busy machine too.
    cache, provider = empty(), Said(LLMError("Too long."), WHOLE, seconds=1)

    assert [str(error) for error in through_cache(cache, provider, 3)] == ["Too long."] * 3
    provider.seconds = 0
    assert [reply.completion.text for reply in through_cache(cache, provider, 1)] == ["Mina."]
    assert provider.asked == 2


def test_when_the_one_who_asks_is_cancelled_another_takes_over():
    # The first call would take a minute, so that no busy machine ends it before it is cancelled.
    provider, cache, run = Said(WHOLE, seconds=60), empty(), Scope()
    with ThreadPoolExecutor(3) as threads:
        first = started(threads, cache, provider, run)
        until(lambda: provider.asked)
        provider.seconds = 0.0
        others = [started(threads, cache, provider) for _ in range(2)]
        time.sleep(0.05)
        run.cancel()

    assert isinstance(first.exception(), CancelledError)
    assert [each.result().completion.text for each in others] == ["Mina.", "Mina."]
    assert provider.asked == 2


def test_one_who_waits_can_be_cancelled_without_disturbing_the_call():
    provider, cache, run = Said(WHOLE, seconds=0.2), empty(), Scope()
    with ThreadPoolExecutor(2) as threads:
        first = started(threads, cache, provider)
        until(lambda: provider.asked)
        second = started(threads, cache, provider, run)
        time.sleep(0.05)
        run.cancel()

    assert first.result().completion.text == "Mina."
    assert isinstance(second.exception(), CancelledError)
    assert provider.asked == 1


def test_a_run_that_is_cancelled_as_well_does_not_take_over():
    provider, cache, run = Said(WHOLE, seconds=5), empty(), Scope()
    with ThreadPoolExecutor(3) as threads:
        calls = [started(threads, cache, provider, run) for _ in range(3)]
        until(lambda: provider.asked)
        run.cancel()
        errors = [call.exception(timeout=2) for call in calls]

    assert [type(error) for error in errors] == [CancelledError] * 3
    assert provider.asked == 1
    assert cache.in_flight == {}


# The key


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "groq"},
        {"model": "gpt-6-sol"},
        {"temperature": 0.5},
        {"temperature": None},
        {"answer_tokens": 999},
        {"effort": "low"},
    ],
)
def test_whatever_can_change_the_answer_changes_the_key(change):
    other = ModelRequest(spec=SPEC.model_copy(update=change), text="Who?", base_url=URL)

    assert other.key != REQUEST.key


def test_another_text_or_address_is_another_request():
    assert ModelRequest(spec=SPEC, text="Who", base_url=URL).key != REQUEST.key
    assert (
        ModelRequest(spec=SPEC, text="Who?", base_url="http://localhost:11434/v1").key
        != REQUEST.key
    )
    assert ModelRequest(spec=SPEC, text="Who?", base_url=URL + "/").key == REQUEST.key


# The scope


def test_a_cancelled_scope_ends_what_is_in_flight_and_takes_nothing_more():
    scope = Scope()

    async def cancelling():
        scope.cancel()
        await asyncio.sleep(30)

    with pytest.raises(CancelledError):
        scope.run(cancelling())
    with pytest.raises(CancelledError):
        scope.run(asyncio.sleep(0))
    assert Scope().run(asyncio.sleep(0, "done")) == "done"
