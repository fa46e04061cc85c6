"""Runs give way while a page is drawn."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from evaluators.runs.giving_way import ANSWERS_A_SECOND, drawing, give_way


def test_beside_a_page_the_threads_of_all_runs_share_one_pace():
    started = time.monotonic()
    with drawing(), ThreadPoolExecutor(8) as threads:
        ended = sorted(threads.map(lambda _: give_way() or time.monotonic(), range(20)))

    # The first goes at once, the twentieth has waited for nineteen turns, whoever took them.
    assert ended[-1] - started >= 19 / ANSWERS_A_SECOND


def test_where_nobody_waits_for_a_page_nothing_is_held_up():
    with drawing():
        pass
    started = time.monotonic()
    for _ in range(1000):
        give_way()

    # At that pace it would take twenty seconds.
    assert time.monotonic() - started < 1000 / ANSWERS_A_SECOND / 2


def test_a_page_that_ends_in_an_error_holds_nothing_up_afterwards():
    with suppress(ValueError), drawing():
        raise ValueError
    started = time.monotonic()
    for _ in range(1000):
        give_way()

    assert time.monotonic() - started < 1000 / ANSWERS_A_SECOND / 2
