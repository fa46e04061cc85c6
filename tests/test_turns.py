"""Turns: so many at once, in the order in which they came, and nobody waits for ever."""

import threading
import time

import pytest

from evaluators.errors import HostLimitError
from evaluators.turns import Turns

PATIENCE = 10


def begin(work) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_at_most_so_many_are_at_it_and_all_get_their_turn_in_order():
    turns, lock, order, now, peak = (
        Turns("reading", lambda: 2, PATIENCE),
        threading.Lock(),
        [],
        0,
        0,
    )

    def work(number):
        nonlocal now, peak
        with turns.turn():
            with lock:
                order.append(number)
                now += 1
                peak = max(peak, now)
            time.sleep(0.03)
            with lock:
                now -= 1

    threads = []
    for number in range(8):
        threads.append(begin(lambda number=number: work(number)))
        while len(turns._queue) + len(order) <= number and threads[-1].is_alive():
            time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert peak == 2
    assert sorted(order) == list(range(8))


def test_who_has_to_wait_is_told_before_and_who_need_not_is_not():
    turns, told = Turns("reading", lambda: 1, PATIENCE), []
    with turns.turn(lambda: told.append("first")):
        second = begin(lambda: turns.turn(lambda: told.append("second")).__enter__())
        while not told:
            time.sleep(0.001)
    second.join()
    assert told == ["second"]


def test_who_waits_too_long_is_refused_with_the_remedy_and_leaves_no_gap():
    turns = Turns("reading files", lambda: 1, 0.02)
    refused = pytest.raises(
        HostLimitError, match=r"busy reading files for others\. Try again in a minute"
    )
    with turns.turn(), refused, turns.turn():
        pass
    with turns.turn():
        pass


def test_a_turn_ends_with_an_error_too():
    turns = Turns("reading", lambda: 1, 0.02)
    with pytest.raises(ZeroDivisionError), turns.turn():
        1 / 0  # noqa: B018
    with turns.turn():
        pass
