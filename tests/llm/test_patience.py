"""How long an answer is waited for: by what was seen, on a clock that jumps."""

import asyncio
from contextlib import suppress

import pytest

from evaluators.llm.patience import GivenUpError, Patience
from tests.llm.test_limits import run

HANGS = 600.0


async def ended(patience, seconds, key="k"):
    """When an answer that takes so long comes or is given up, in seconds from now."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    with suppress(GivenUpError):
        async with patience.attempt(key):
            await asyncio.sleep(seconds)
    return round(loop.time() - start, 3)


async def after(took, *more):
    """After answers that took so long one by one, when each of `more` ends, one by one."""
    patience = Patience(90)
    for number, seconds in enumerate(took):
        await ended(patience, seconds, f"earlier {number}")
    return [await ended(patience, seconds) for seconds in more]


@pytest.mark.parametrize(
    ("took", "limit"),
    [
        ([], 90),
        ([1] * 7, 90),  # too few
        ([1] * 8, 5),  # four times as long is below the least
        ([5] * 20, 20),
        ([20] * 20, 80),  # a reasoning model has its own slow end
        ([60] * 20, 90),  # never longer than allowed
        ([2] * 18 + [5] * 2, 20),  # the slowest tenth counts
        ([2] * 19 + [5], 8),  # and not a single one
        ([1] * 98 + [HANGS] * 2, 5),  # hangs do not, where they are rare
        ([50] * 100 + [1] * 100, 5),  # what is long ago does not
    ],
)
def test_an_answer_is_waited_for_four_times_as_long_as_slow_ones_took(took, limit):
    assert run(after(took, HANGS)) == [limit]


def test_a_request_that_was_given_up_is_waited_for_longer_each_time_until_it_is_answered():
    assert run(after([1] * 60, HANGS, HANGS, HANGS, 50, HANGS)) == [5, 10, 80, 50, 5]


def test_a_provider_that_has_become_slow_is_waited_for():
    async def slow_now():
        patience = Patience(90)
        for number in range(100):
            await ended(patience, 1, f"earlier {number}")
        return [await ended(patience, 30, f"slow {number}") for number in range(26)]

    seconds = run(slow_now())

    assert seconds[0] == 5
    assert seconds[-1] == 30


def test_those_under_way_when_the_slow_end_becomes_known_end_by_it():
    async def at_once():
        patience = Patience(90)
        hanging = [asyncio.ensure_future(ended(patience, HANGS, f"h{n}")) for n in range(2)]
        others = [ended(patience, 0.2, f"k{n}") for n in range(30)]
        return await asyncio.gather(*hanging, *others)

    assert run(at_once()) == [5.0] * 2 + [0.2] * 30
