"""What is held in memory: within its bytes, the least recently used first, and nothing that nobody
uses.
"""

import threading
import time
import tracemalloc

import pytest

from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, EvaluatorSpec, Sample
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from tests.stored import stored_run
from ui import run_views
from ui.held import Held, weight

KB = 1024


def held(most: int = 10 * KB, **options: float) -> Held:
    return Held(lambda: most, **options)


def test_the_least_recently_used_goes_first():
    memory = held()
    for key in "abc":
        memory.keep(key, key, 4 * KB)
        memory.find("a")
    assert [memory.find(key) for key in "abc"] == ["a", None, "c"]
    assert memory.size == 8 * KB


def test_what_is_larger_than_all_that_may_be_held_is_not_and_drops_nothing():
    memory = held()
    memory.keep("small", 1, KB)
    assert memory.read("large", lambda: "x" * 20 * KB) == "x" * 20 * KB
    assert memory.find("large") is None
    assert memory.find("small") == 1


def test_a_value_is_loaded_once_also_by_many_at_once():
    memory, loads = held(), []

    def load() -> str:
        loads.append(1)
        time.sleep(0.02)
        return "value"

    threads = [threading.Thread(target=memory.read, args=("key", load)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.read("key", load) == "value"
    assert len(loads) == 1


def test_one_thing_is_loaded_at_a_time_and_may_need_another():
    memory = held()
    assert memory.read("outer", lambda: memory.read("inner", lambda: 1) + 1) == 2


def test_a_new_version_takes_the_place_of_the_one_before():
    memory = held()
    assert [memory.read("key", lambda number=number: number, number) for number in (1, 2, 2)] == [
        1,
        2,
        2,
    ]
    assert memory.find("key", 1) is None
    assert len(memory._entries) == 1


def test_what_failed_to_load_is_tried_again():
    memory = held()
    with pytest.raises(ZeroDivisionError):
        memory.read("key", lambda: 1 // 0)
    assert memory.read("key", lambda: 1) == 1


def test_what_nobody_uses_is_let_go_and_what_is_used_stays():
    memory = held(idle=600, look=0.01)
    for key in ("idle", "used"):
        memory.keep(key, key, KB)
        memory._entries[key] = memory._entries[key]._replace(used=time.monotonic() - 500)
    assert memory.find("used")
    memory._idle = 400
    for _ in range(500):
        if memory.size == KB:
            break
        time.sleep(0.02)
    assert memory.find("idle") is None
    assert memory.find("used")
    memory.drop(
        "used"
    )  # else it looks, and collects all garbage, a hundred times a second for minutes


def test_what_is_dropped_is_gone():
    memory = held()
    memory.keep("key", 1, KB)
    memory.drop("key")
    memory.drop("key")
    assert memory.size == 0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("x" * 100 * KB, 100, 102),
        ("я" * 100 * KB, 200, 202),
        ("x" * (100 * KB - 1) + "😀", 400, 402),
    ],
    ids=["one byte a character", "two", "four for all because of one"],
)
def test_a_data_set_weighs_what_its_texts_take_in_memory(text, least, most):
    data = Dataset(name="d", samples=(Sample(id="1", question="q", response=text),))
    assert least <= weight(data) / KB <= most + 2


def test_a_run_weighs_what_people_said_of_it():
    store = Store(":memory:")
    sample = Sample(id="1", question="Why?", response="So.", retrieved_documents=("So it is.",))
    data = Dataset(name="One", samples=(sample,))
    run = stored_run(store, data, EvaluatorSpec(name="answer_match"))
    label = {"label": "verdict", "key": "accuracy", "created": "2026-01-01"}
    labels = [
        (Cell(0), PersonLabel(person=f"p{number}", value="yes", **label)) for number in range(2000)
    ]
    store.person_labels.save_all(run.id, labels)
    tracemalloc.start()
    view = RunView.read(store, run)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert run_views._most_bytes(view) > taken / 2 > 500_000


@pytest.mark.parametrize(
    ("samples", "runs", "seconds"),
    [
        (100, 1, 2.0),
        (2000, 1, 2.0),
        (2000, 8, 16.0),  # 16,000 rows in all, and 1,000 of them a second
        (20_000, 1, 20.0),
        (50, 8, 2.0),
    ],
)
def test_partial_results_are_read_the_less_often_the_more_is_at_work(samples, runs, seconds):
    assert run_views.seconds_between(samples, runs) == seconds
