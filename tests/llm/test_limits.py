"""Limits: requests go out in order, none too early, none much later than the plan allows.

Time is a clock that jumps to the next event, except where a provider on this computer answers.
"""

import asyncio
import random
import selectors
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from evaluators.errors import LLMError, RunStoppedError
from evaluators.llm import Access
from evaluators.llm.catalogue import PlanLimits
from evaluators.llm.durations import parse_duration
from evaluators.llm.limits import HeaderReading, Limiter, Permit, RateWindow, digest, limiter_for
from evaluators.llm.providers import PROVIDERS
from evaluators.records import ModelSpec
from tests.benchmarks.limits import PLANS, RESERVED, USED, measured, permitted_minutes

DAY = 86_400


class JumpingSelector(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("Everybody waits for ever.")
        self.now += max(0.0, timeout)
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop on which waiting takes no time; its clock starts at 0."""

    def __init__(self):
        self._selector_with_clock = JumpingSelector()
        super().__init__(self._selector_with_clock)

    def time(self):
        return self._selector_with_clock.now


def run(work):
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(work)


def now():
    return asyncio.get_running_loop().time()


NAMES = {"day": PROVIDERS["groq"].limit_headers, "minute": PROVIDERS["openai"].limit_headers}
"""The headers' names, by whether the requests among them are those of a day or of a minute."""


def limiter(*, requests_header="day", concurrency=32, most=64, **free):
    names = NAMES[requests_header]
    return Limiter(PlanLimits(**free), header_names=names, concurrency=concurrency, most=most)


def in_order(limits, *tokens):
    """Tasks that acquire these permits in this order; each gives the permit and when it went."""

    async def go(amount):
        return await limits.acquire(amount), round(now(), 2)

    return [asyncio.ensure_future(go(amount)) for amount in tokens]


async def times(limits, *tokens):
    return [sent for _, sent in await asyncio.gather(*in_order(limits, *tokens))]


async def permits(limits, *tokens):
    return [permit for permit, _ in await asyncio.gather(*in_order(limits, *tokens))]


def headers(unit="tokens", *, limit, remaining, reset):
    return {
        f"x-ratelimit-limit-{unit}": str(limit),
        f"x-ratelimit-remaining-{unit}": str(remaining),
        f"x-ratelimit-reset-{unit}": reset,
    }


# A minute, a day, and the order


@pytest.mark.parametrize(
    ("plan", "tokens", "sent"),
    [
        # The window is 60 s and 2 % of a minute: the server sees a request later than we do.
        ({}, [9000, 9000, 9000], [0, 0, 0]),
        ({"rpm": 2}, [10, 10, 10, 10, 10], [0, 0, 61.2, 61.2, 122.4]),
        ({"tpm": 8000}, [3000, 3000, 3000, 2000, 4000], [0, 0, 61.2, 61.2, 122.4]),
        ({"tpm": 8000}, [4000, 4000, 1], [0, 0, 61.2]),
        # First in, first out: the small one does not overtake the large one.
        ({"tpm": 8000}, [5000, 8000, 10], [0, 61.2, 122.4]),
        ({"rpm": 1, "tpm": 8000}, [10, 8000], [0, 61.2]),
        # 15 % more than a minute's tokens may be an error of the estimate.
        ({"tpm": 8000}, [9200, 10], [0, 61.2]),
    ],
)
def test_requests_go_as_soon_as_every_window_has_room(plan, tokens, sent):
    assert run(times(limiter(**plan), *tokens)) == sent


def test_a_request_above_a_minutes_tokens_is_refused_at_once():
    async def ask():
        limits = limiter(tpm=8000)
        limits.settle(
            await limits.acquire(100), 100, headers(limit=8000, remaining=7900, reset="0.75s")
        )
        waiting = in_order(limits, 8000, 8000)
        await asyncio.sleep(1)
        with pytest.raises(LLMError) as raised:
            await limits.acquire(9201)
        waiting[1].cancel()
        return str(raised.value), now()

    assert run(ask()) == (
        "One request (9,201 tokens with the answer budget) exceeds your plan's 8,000 tokens "
        "per minute. "
        "Lower the answer budget or choose another model.",
        1,
    )


def test_a_limit_that_is_only_assumed_refuses_nothing():
    """The account may have another plan than the free one; the provider says so, if not."""
    assert run(times(limiter(tpm=8000), 20_000, 100)) == [0, 61.2]


def test_a_minute_may_last_shorter():
    assert run(times(Limiter(PlanLimits(rpm=1), header_names=NAMES["day"], minute=2.0), 1, 1)) == [
        0,
        2.04,
    ]


@pytest.mark.parametrize("plan", [{"rpd": 2}, {"tpd": 4000}])
def test_the_end_of_a_days_limit_stops_all_who_wait_and_says_when_to_resume(plan):
    async def ask():
        limits = limiter(**plan)
        first = await permits(limits, 2000, 2000)
        waiting = in_order(limits, 2000, 10)
        await asyncio.sleep(5)
        assert not any(task.done() for task in waiting)  # those in flight may give something back
        for permit in first:
            limits.settle(permit, 2000, {})
        return await asyncio.gather(*waiting, return_exceptions=True)

    errors = run(ask())

    resume_at = datetime.now(UTC) + timedelta(seconds=DAY + 1.2 - 5)
    assert [type(error) for error in errors] == [RunStoppedError, RunStoppedError]
    assert all(abs(error.resume_at - resume_at) < timedelta(minutes=1) for error in errors)
    assert str(errors[0]) == (
        "The daily limit for this model is reached. Everything so far is kept; "
        f"resume after {errors[0].resume_at:%Y-%m-%d %H:%M} UTC."
    )


def test_what_a_days_requests_give_back_lets_the_next_ones_go():
    async def ask():
        limits = limiter(tpd=4000)
        (first,) = await permits(limits, 3000)
        (waiting,) = in_order(limits, 3000)
        await asyncio.sleep(5)
        limits.settle(first, 1000, {})
        return (await waiting)[1]

    assert run(ask()) == 5


@pytest.mark.parametrize(("after", "stops"), [(DAY + 1.2 - 89, False), (DAY + 1.2 - 91, True)])
def test_a_wait_of_90_seconds_for_the_next_day_is_waited(after, stops):
    async def ask():
        limits = limiter(rpd=1)
        limits.settle(await limits.acquire(10), 10, {})
        await asyncio.sleep(after)
        await limits.acquire(10)
        return now()

    if stops:
        with pytest.raises(RunStoppedError):
            run(ask())
    else:
        assert run(ask()) == pytest.approx(DAY + 1.2)


def test_only_so_many_go_at_once():
    async def ask():
        limits = limiter(concurrency=2, most=2)
        tasks = in_order(limits, 1, 1, 1, 1)
        await asyncio.sleep(3)
        assert [task.done() for task in tasks] == [True, True, False, False]
        limits.settle(tasks[1].result()[0], 1, {})
        await asyncio.sleep(4)
        limits.failed(tasks[0].result()[0])
        return [sent for _, sent in await asyncio.gather(*tasks)]

    assert run(ask()) == [0, 0, 3, 7]


def test_anybody_may_read_how_long_the_next_one_waits():
    async def ask():
        limits = limiter(rpm=1)
        seen = [limits.waiting]
        await limits.acquire(1)
        seen.append(limits.waiting)
        (waiting,) = in_order(limits, 1)
        await asyncio.sleep(11.2)
        with ThreadPoolExecutor() as threads:
            seen.append(threads.submit(lambda: limits.waiting).result())
        await waiting
        return [*seen, limits.waiting]

    assert run(ask()) == pytest.approx([0, 0, 50, 0])


def test_a_refusal_is_the_reason_until_an_answer_comes_or_none_does():
    async def ask():
        limits = limiter()
        seen = [limits.is_refused]
        first, second = await permits(limits, 1, 1)
        limits.refused(first, 1, {})
        seen.append(limits.is_refused)
        await asyncio.sleep(3)
        seen.append(limits.is_refused)  # the next try is on its way, or soon will be
        await asyncio.sleep(30)
        seen.append(limits.is_refused)
        limits.refused(second, 1, {})
        (third,) = await permits(limits, 1)
        limits.settle(third, 1, {})
        return [*seen, limits.is_refused]

    assert run(ask()) == [False, True, True, False, False]


def test_anybody_may_read_for_how_long_no_answer_has_come():
    async def ask():
        limits = limiter()
        seen = [limits.unanswered]
        await asyncio.sleep(5)
        first, second = await permits(limits, 1, 1)
        await asyncio.sleep(7)
        seen.append(limits.unanswered)
        limits.settle(first, 1, {})
        await asyncio.sleep(2)
        seen.append(limits.unanswered)
        limits.failed(second)
        return [*seen, limits.unanswered]

    assert run(ask()) == [0, 7, 2, 0]


# What comes back


def test_tokens_that_were_not_used_make_room_at_once():
    async def ask():
        limits = limiter(tpm=8000)
        first, _ = await permits(limits, 4000, 4000)
        waiting = in_order(limits, 3000, 1000)
        await asyncio.sleep(2)
        limits.settle(first, 1000, {})  # 1,000 + 4,000 + 3,000 = 8,000
        return [sent for _, sent in await asyncio.gather(*waiting)]

    assert run(ask()) == [2, 61.2]


@pytest.mark.parametrize("outcome", ["failed", "used_unknown"])
def test_a_request_whose_use_is_unknown_counts_in_full(outcome):
    async def ask():
        limits = limiter(tpm=8000)
        (first,) = await permits(limits, 8000)
        (waiting,) = in_order(limits, 1000)
        await asyncio.sleep(2)
        if outcome == "failed":
            limits.failed(first)
        else:
            limits.settle(first, 0, {})
        return (await waiting)[1]

    assert run(ask()) == 61.2


@pytest.mark.parametrize(("when", "sent"), [("waiting", 3), ("waiting no more", 2), ("going", 2)])
def test_who_is_cancelled_leaves_the_place_to_the_next(when, sent):
    async def ask():
        limits = limiter(tpm=8000, concurrency=1, most=1)
        (first,) = await permits(limits, 4000)
        cancelled, following = in_order(limits, 4000, 4000)
        await asyncio.sleep(2)
        if when != "going":
            cancelled.cancel()  # notices only when the loop goes on
        if when == "waiting":
            await asyncio.sleep(1)
        limits.settle(first, 4000, {})
        if when == "going":
            cancelled.cancel()  # its turn has come, but it has not noticed yet
        return (await following)[1], cancelled.cancelled()

    assert run(ask()) == (sent, True)


def test_a_large_request_that_is_cancelled_holds_up_no_small_one():
    async def ask():
        limits = limiter(tpm=8000)
        _, large, small = in_order(limits, 4000, 8000, 1000)
        await asyncio.sleep(2)
        large.cancel()
        return (await small)[1]

    assert run(ask()) == 2


# What the headers say


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7.66s", 7.66),
        ("2m59.56s", 179.56),
        ("1h2m3s", 3723),
        ("150ms", 0.15),
        ("1m26.4s", 86.4),
        ("6m0s", 360),
        ("1d2h", 93600),
        ("0s", 0),
        ("12", 12),
        ("1.5", 1.5),
        ("", None),
        ("soon", None),
        ("-5s", None),
        ("7.66s later", None),
        ("1e9s", None),
        ("nan", None),
        ("2026-11-12T00:00:00Z", None),
        ("9" * 400, None),
    ],
)
def test_a_reset_is_read_in_every_form(text, seconds):
    assert parse_duration(text) == (seconds if seconds is None else pytest.approx(seconds))


def sent_after(answers, amount, **plan):
    """When a request goes that follows on these, of which one goes every 5 s.

    Each is the tokens reserved, the tokens used, and the headers of the answer.
    """

    async def ask():
        limits = limiter(**plan)
        for reserved, used, said in answers:
            limits.settle(await limits.acquire(reserved), used, said)
            await asyncio.sleep(5)
        return (await times(limits, amount))[0]

    return run(ask())


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        (headers(limit=8000, remaining=7000, reset="1m"), 5),  # as we count
        (
            headers(limit=8000, remaining=7900, reset="1m"),
            5,
        ),  # less: whoever was asked last may not know all
        (headers(limit=8000, remaining=1500, reset="20s"), 21.2),  # somebody else used 5,500
        (headers(limit=8000, remaining=500, reset=""), 61.2),
        (
            headers(limit=8000, remaining=500, reset="9h"),
            61.2,
        ),  # nothing counts for longer than the window
        (headers(limit=2000, remaining=9000, reset="1s"), 5),  # no sense
        (headers(limit=8000, remaining=-1, reset="1m"), 5),
        (headers(limit="8 thousand", remaining=0, reset="1m"), 5),
        (headers(limit=0, remaining=0, reset="1m"), 5),
        (headers(limit=1, remaining=1, reset="1s"), 5),  # the answer itself took 1,000
        ({"x-ratelimit-limit-tokens": "8000"}, 5),
    ],
)
def test_where_the_server_counts_more_it_is_believed(said, sent):
    assert sent_after([(1000, 1000, said)], 2000, tpm=8000) == sent


def test_a_server_that_gives_nothing_back_is_noticed():
    kept = headers(limit=8000, remaining=2000, reset="1m")

    assert sent_after([(6000, 1000, {})], 4000, tpm=8000) == 5
    assert sent_after([(6000, 1000, kept)], 4000, tpm=8000) == 61.2


def test_a_bucket_is_known_by_its_resets_and_believed_in_everything():
    # 3,200 of 8,000 used: full again after 24 s; 5,600: after 42 s.
    bucket = [
        headers(limit=8000, remaining=4800, reset="24s"),
        headers(limit=8000, remaining=2400, reset="42s"),
    ]
    window = [
        headers(limit=8000, remaining=4800, reset="60s"),
        headers(limit=8000, remaining=2400, reset="60s"),
    ]

    # Of the 5,600 told at 5 s, a bucket gives back 3,200 within 24 s (and 1.2 s of margin); a
    # window forgets at 61.2 s.
    assert (
        sent_after([(4000, 3200, bucket[0]), (4000, 2400, bucket[1])], 5600, tpm=8000)
        == 5 + 24 + 1.2
    )
    assert sent_after([(4000, 3200, window[0]), (4000, 2400, window[1])], 5600, tpm=8000) == 61.2


def test_a_bucket_that_holds_less_than_was_sent_lets_the_next_one_go():
    nearly_empty = headers(limit=8000, remaining=7200, reset="6s")

    assert sent_after([(4000, 4000, {}), (4000, 4000, {})], 4000, tpm=8000) == 61.2
    assert (
        sent_after([(4000, 4000, nearly_empty), (4000, 4000, nearly_empty)], 4000, tpm=8000) == 10
    )


def test_a_bucket_does_not_hide_what_is_on_its_way():
    async def ask():
        limits = limiter(tpm=8000)
        limits.settle(
            await limits.acquire(800), 800, headers(limit=8000, remaining=7200, reset="6s")
        )
        await asyncio.sleep(10)
        early, late = await permits(limits, 4000, 2000)
        await asyncio.sleep(1)
        limits.settle(
            late, 2000, headers(limit=8000, remaining=6000, reset="15s")
        )  # before the early one arrived
        (waiting,) = in_order(limits, 3000)
        await asyncio.sleep(1)
        assert not waiting.done()  # 4,000 + 2,000 + 3,000
        limits.settle(early, 4000, headers(limit=8000, remaining=2000, reset="45s"))
        return (await waiting)[1]

    # The latest reading is of 6,000 at 12 s, given back by 160 in 1.2 s: 1,000 after 7 steps,
    # and 1.2 s of margin.
    assert run(ask()) == pytest.approx(12 + 7 * 1.2 + 1.2)


@pytest.mark.parametrize(("requests_header", "sent"), [("minute", 31.2), ("day", None)])
def test_the_headers_requests_are_those_of_a_minute_or_of_a_day(requests_header, sent):
    async def ask():
        limits = limiter(requests_header=requests_header)
        said = headers("requests", limit=1000, remaining=0, reset="30s" if sent else "2h")
        limits.settle(await limits.acquire(10), 10, said)
        return (await times(limits, 10))[0]

    if sent:
        assert run(ask()) == sent
    else:
        with pytest.raises(RunStoppedError) as raised:
            run(ask())
        assert (
            timedelta(minutes=119)
            < raised.value.resume_at - datetime.now(UTC)
            < timedelta(minutes=121)
        )


@pytest.mark.parametrize(
    ("limit", "tokens", "sent"), [(8000, 1000, [61.2]), (250_000, 100_000, [0])]
)
def test_another_plans_limit_makes_the_free_plan_void(limit, tokens, sent):
    async def ask():
        limits = limiter(rpm=1, rpd=1000, tpm=8000, tpd=200_000)
        limits.settle(
            await limits.acquire(1000),
            1000,
            headers(limit=limit, remaining=limit - 1000, reset="1m"),
        )
        return await times(limits, tokens)

    assert run(ask()) == sent


# Refusals


def test_a_refusal_pauses_all_and_gives_the_reservation_back():
    async def ask():
        limits = limiter(tpm=8000)
        first, second = await permits(limits, 4000, 4000)
        await asyncio.sleep(1)
        limits.refused(first, 20, {})
        limits.refused(second, 5, {})
        assert limits.waiting == 20
        return await times(limits, 4000, 4000, 4000)

    assert run(ask()) == [21, 21, 82.2]


def test_pauses_without_a_time_double_up_to_half_a_minute_and_start_anew_after_a_success():
    async def ask():
        limits, pauses = limiter(), []
        for outcome in "rrrrrrrsr":
            started = now()
            permit = await limits.acquire(10)
            pauses.append(round(now() - started, 2))
            await asyncio.sleep(0.5)
            if outcome == "r":
                limits.refused(permit, None, {})
            else:
                limits.settle(permit, 10, {})
        started = now()
        await limits.acquire(10)
        return [*pauses, round(now() - started, 2)]

    assert run(ask()) == [0, 1, 2, 4, 8, 16, 30, 30, 0, 1]


@pytest.mark.parametrize("wait", [None, 0.0, 60.0])
@pytest.mark.parametrize("requests", [1, 3, 40])
def test_what_refuses_everything_stops_all_within_twelve_minutes_and_again_after_a_resume(
    requests, wait
):
    async def ask(limits):
        while True:
            permit = await limits.acquire(10)
            await asyncio.sleep(0.5)
            limits.refused(permit, wait, {})

    async def both():
        limits, ended = limiter(), []
        for _ in range(2):
            started = now()
            stopped = await asyncio.gather(
                *[ask(limits) for _ in range(requests)], return_exceptions=True
            )
            assert {type(error) for error in stopped} == {RunStoppedError}
            assert "refused every request for 10 minutes" in str(stopped[0])
            ended.append((now() - started) / 60)
        return ended

    assert all(8 < minutes < 12 for minutes in run(both()))


def test_one_answer_shows_that_not_everything_is_refused():
    async def ask():
        limits = limiter()
        for number in range(60):
            permit = await limits.acquire(10)
            if number % 15 == 14:
                limits.settle(permit, 10, {})
            else:
                limits.refused(permit, 30, {})
        return now()

    assert run(ask()) > 25 * 60


@pytest.mark.parametrize(
    ("every", "at_once"),
    [
        # One in ten is refused by chance: fewer at once would only make the run longer.
        (10, 16),
        # Every second one: each refusal halves them, each answer adds one.
        (2, 1),
    ],
)
def test_only_where_many_are_refused_fewer_go_at_once(every, at_once):
    async def ask():
        limits = limiter(concurrency=16, most=16)
        for number in range(1, 101):
            (permit,) = await permits(limits, 10)
            await asyncio.sleep(0.1)
            if number > 50 and number % every == 0:
                limits.refused(permit, 1, {})
            else:
                limits.settle(permit, 10, {})
        asking = [asyncio.create_task(limits.acquire(10)) for _ in range(16)]
        await asyncio.sleep(2)
        return sum(task.done() for task in asking)

    assert run(ask()) == at_once


def test_the_headers_of_a_refusal_count():
    async def ask():
        limits = limiter(tpm=8000)
        (first,) = await permits(limits, 2000)
        limits.refused(first, 1, headers(limit=8000, remaining=1000, reset="30s"))
        return await times(limits, 2000)

    assert run(ask()) == [31.2]


async def most_at_once(limits):
    """How many of many go at once; they are given up again."""
    await asyncio.sleep(100)
    tasks = in_order(limits, *[1] * 200)
    await asyncio.sleep(1)
    count = sum(task.done() for task in tasks)
    for task in tasks:
        if task.done():
            limits.failed(task.result()[0])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return count


def test_concurrency_halves_once_for_all_that_were_in_flight_and_grows_with_every_success():
    async def ask():
        limits = limiter(concurrency=8, most=16)
        counts = []
        together = await permits(limits, *[1] * 8)
        await asyncio.sleep(1)
        for permit in together[:4]:
            limits.refused(permit, 1, {})
        for permit in together[4:]:
            limits.settle(permit, 1, {})  # sent before the refusal: says nothing
        counts.append(await most_at_once(limits))
        for _ in range(2):
            limits.settle(await limits.acquire(1), 1, {})
        counts.append(await most_at_once(limits))
        for _ in range(5):
            limits.refused(await limits.acquire(1), 1, {})
            await asyncio.sleep(1)
        counts.append(await most_at_once(limits))
        for _ in range(50):
            limits.settle(await limits.acquire(1), 1, {})
        return [*counts, await most_at_once(limits)]

    assert run(ask()) == [4, 6, 1, 16]


# One for each endpoint, key and model


def access(key="gsk_one", base_url="https://api.groq.com", provider="groq"):
    return Access(provider=provider, base_url=base_url, key=SecretStr(key))


SMALL = ModelSpec(provider="groq", model="openai/gpt-oss-20b")


def test_all_that_use_the_same_key_and_model_share_a_limiter():
    same = SMALL.model_copy(update={"answer_tokens": 100})

    assert limiter_for(access(), SMALL) is limiter_for(access(), same)


@pytest.mark.parametrize(
    ("other", "spec"),
    [
        (access(key="gsk_two"), SMALL),
        (access(base_url="http://127.0.0.1:1"), SMALL),
        (access(), ModelSpec(provider="groq", model="openai/gpt-oss-120b")),
    ],
)
def test_another_key_endpoint_or_model_has_its_own(other, spec):
    assert limiter_for(other, spec) is not limiter_for(access(), SMALL)


def test_a_key_is_known_only_by_its_digest():
    assert digest(access()) == digest(access())
    assert digest(access()) != digest(access(key="gsk_two"))
    assert "gsk_one" not in digest(access())


def test_the_free_plan_is_the_catalogues_until_headers_say_otherwise():
    # 30 requests a minute, and 8,000 tokens.
    assert run(times(limiter_for(access("gsk_free"), SMALL), *[100] * 31)) == [0] * 30 + [61.2]
    assert run(times(limiter_for(access("gsk_free2"), SMALL), 8000, 1)) == [0, 61.2]


@pytest.mark.parametrize(
    ("provider", "workers", "at_first", "in_the_end"),
    [
        ("groq", "32", 32, 64),
        ("openai", "8", 8, 16),
        ("custom", "32", 8, 32),
        ("custom", "2", 2, 2),
    ],
)
def test_a_custom_endpoint_starts_with_few_at_once(
    monkeypatch, provider, workers, at_first, in_the_end
):
    monkeypatch.setenv("PLUMBLINE_WORKERS", workers)
    spec = ModelSpec(provider=provider, model="new")  # no plan is known
    limits = limiter_for(access(f"key {workers}", provider=provider), spec)

    async def ask():
        first = await most_at_once(limits)
        for _ in range(100):
            limits.settle(await limits.acquire(1), 1, {})
        return first, await most_at_once(limits)

    assert run(ask()) == (at_first, in_the_end)


@pytest.mark.parametrize(
    ("provider", "named", "limit"),
    [
        ("groq", "x-ratelimit-{}-tokens", 8000),
        ("openai", "x-ratelimit-{}-tokens", 8000),
        ("mistral", "x-ratelimit-{}-tokens-minute", 8000),
        ("mistral", "x-ratelimit-{}-tokens", None),
        ("together", "x-ratelimit-{}", None),  # of a second
        ("openrouter", "x-ratelimit-{}", None),  # of who knows what
        ("custom", "x-ratelimit-{}-tokens", 8000),
    ],
)
def test_a_limit_is_read_under_the_names_that_the_provider_gives_it(provider, named, limit):
    async def ask():
        new = ModelSpec(provider=provider, model="new")
        limits = limiter_for(access(f"key of {named}", provider=provider), new)
        said = {named.format("limit"): "8000", named.format("remaining"): "7000"}
        limits.settle(await limits.acquire(1000), 1000, said)
        return limits.minute_tokens

    assert run(ask()) == limit


@pytest.mark.parametrize(
    ("provider", "stops"), [("groq", True), ("openai", False), ("custom", False)]
)
def test_only_groq_names_the_requests_of_a_day(provider, stops):
    async def ask():
        limits = limiter_for(
            access("key of a day", provider=provider), ModelSpec(provider=provider, model="new")
        )
        limits.settle(
            await limits.acquire(1), 1, headers("requests", limit=1000, remaining=0, reset="2h")
        )
        return await asyncio.gather(*in_order(limits, 1), return_exceptions=True)

    assert isinstance(run(ask())[0], RunStoppedError) is stops


# 60 labelling-sized calls


class Server:
    """Counts as its plan says; requests take a while to arrive and to be answered."""

    def __init__(self, plan, seed):
        self._plan = plan
        self._random = random.Random(seed)
        self._taken = []  # when, how much: of a window
        self._level = float(plan.tokens)  # of a bucket
        self._at = 0.0
        self.refused = 0
        self.last = 0.0

    async def ask(self, reserved, used):
        """The headers of the answer, or `None` for a refusal."""
        await asyncio.sleep(self._random.uniform(0.02, 0.8))
        if reserved > self._free() + 1e-6:
            self.refused += 1
            return None
        self.last = now()
        entry = [now(), reserved]
        self._taken.append(entry)
        self._level -= reserved
        await asyncio.sleep(self._random.uniform(0.5, 3.0))
        said = self._headers()
        if self._plan.refunds:
            entry[1] = used
            self._level += reserved - used
        return said

    def _free(self):
        limit = self._plan.tokens
        self._taken = [entry for entry in self._taken if entry[0] > now() - 60]
        self._level = min(limit, self._level + (now() - self._at) * limit / 60)
        self._at = now()
        return (
            self._level
            if self._plan.kind == "bucket"
            else limit - sum(amount for _, amount in self._taken)
        )

    def _headers(self):
        free, limit = self._free(), self._plan.tokens
        reset = (
            (limit - free) / limit * 60
            if self._plan.kind == "bucket"
            else self._taken[-1][0] + 60 - now()
        )
        return headers(limit=limit, remaining=int(free), reset=f"{reset:.2f}s")


async def calls(server, callers, plan):
    limits = limiter(rpm=plan.requests, tpm=plan.tokens, concurrency=callers)
    todo = iter(range(60))

    async def caller():
        for _ in todo:
            said = None
            while said is None:
                permit = await limits.acquire(RESERVED)
                said = await server.ask(RESERVED, USED)
                if said is None:
                    limits.refused(permit, None, {})
            limits.settle(permit, USED, said)

    await asyncio.gather(*[caller() for _ in range(callers)])


@pytest.mark.parametrize("callers", [8, 32])
@pytest.mark.parametrize("name", PLANS)
def test_sixty_calls_take_hardly_longer_than_the_server_must_let_them_take(name, callers):
    plan = PLANS[name]
    for seed in range(5):
        server = Server(plan, seed)

        run(calls(server, callers, plan))

        assert server.refused == 0
        assert permitted_minutes(plan) / (server.last / 60) >= 0.95


def test_a_provider_has_nothing_to_refuse():
    # A bucket fills while a busy machine dawdles. A window must see two requests as far apart as we
    # sent them, so it looks back over two thirds of the limiter's minute here; in the test above it
    # is a whole one.
    results = asyncio.run(measured(window_slack=1.5))

    assert [(result["answered"], result["refused"]) for result in results.values()] == [(60, 0)] * 8


class PlainWindow:
    """What a window counts, as a list: whose each amount is, until when it counts, how much."""

    def __init__(self, limit, seconds):
        self.limit, self.seconds, self.entries = limit, seconds, []

    def used(self, moment):
        self.entries = [entry for entry in self.entries if entry[1] > moment]
        return sum(amount for _, _, amount in self.entries)

    def add(self, permit, amount):
        self.entries.append((permit, permit.sent + self.seconds, amount))

    def refund(self, permit, used):
        self.entries = [
            (own, end, used if own is permit else amount) for own, end, amount in self.entries
        ]

    def remove(self, permit):
        self.entries = [entry for entry in self.entries if entry[0] is not permit]

    def update(self, _, reading, moment):
        if (more := reading.used - self.used(moment)) > 0:
            self.entries.append((None, moment + min(reading.reset, self.seconds), more))

    def wait(self, wanted, moment):
        over, until = self.used(moment) + wanted - self.limit, moment
        for _, end, amount in sorted(self.entries, key=lambda entry: entry[1]):
            if over > 0:
                over, until = over - amount, end
        return until - moment


@pytest.mark.parametrize("seed", range(20))
def test_a_window_counts_what_was_sent_and_told_within_its_seconds(seed):
    chance, moment = random.Random(seed), 0.0
    windows, sent = (RateWindow(100, 60.0, 0.0), PlainWindow(100, 60.0)), [Permit(0, 0.0)]
    for _ in range(300):
        moment += chance.random() * 5
        permit, amount, reset = chance.choice(sent), chance.randint(1, 30), chance.uniform(1, 90)
        match chance.choice(["add", "add", "refund", "remove", "update"]):
            case "add":
                sent.append(permit := Permit(amount, moment))
                step, values = "add", (permit, amount)
            case "refund":
                step, values = "refund", (permit, 1)
            case "remove":
                step, values = "remove", (permit,)
            case "update":
                told = min(100, windows[1].used(moment) + chance.randint(0, 5))
                step, values = "update", (sent[-1], HeaderReading(100, told, reset), moment)
        for window in windows:
            getattr(window, step)(*values)
        waits = [window.wait(20, moment) for window in windows]
        assert waits[0] == pytest.approx(waits[1])
