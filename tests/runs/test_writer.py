"""The writer: everything in its order, together on the disk, and one bad value spoils no other."""

import sqlite3
from contextlib import closing

import pytest

from evaluators.errors import StoreError
from evaluators.records import Call, Completion, SampleResult, Score, Usage
from evaluators.runs.store import Store
from evaluators.runs.store.calls import call_row, insert_calls
from tests.runs import paid

NUMBER = 200


@pytest.fixture
def written(tmp_path):
    """A store on the disk with a run of so many samples, and what puts results of it."""
    with closing(Store(tmp_path / "runs.sqlite3")) as store:
        run = paid.paid_run(store, paid.dataset(NUMBER))

        def put(position, reason="", useless=()):
            score = Score(values={"accuracy": 1.0}, reason=reason)
            result = SampleResult(position=position, status="scored", score=score)
            return store.writer.put_result(run.id, result, failed, useless)

        def failed(error):
            assert error.message == (
                "This cannot be stored (DataError). Try again; if it happens again, report it."
            )
            return SampleResult(position=0, status="failed", error="too large")

        yield store, run, put


def call(key, text):
    completion = Completion(text=text, finish_reason="stop", usage=Usage(prompt_tokens=3))
    return Call(key=key, model=paid.LUNA.id, completion=completion, reusable=True)


def test_what_comes_together_is_stored_together_and_in_its_order(written):
    store, run, put = written

    stored = [put(position % 50, f"turn {position}") for position in range(NUMBER)]
    stored[-1].result(10)

    assert all(future.done() for future in stored)
    assert store.results.counts(run).scored == 50
    # Of each cell the last one counts.
    assert store.results.get(run.id, 7).score.reason == "turn 157"


def test_an_answer_that_turns_out_useless_is_billed_and_serves_nobody(written):
    store, run, put = written
    bad, good = call("k", "{broken"), call("k2", "{}")
    for each in (bad, good):
        store.writer.put_call(run.id, each)

    put(0, useless=[bad]).result(10)

    assert store.calls.answer("w", "k") is None
    assert store.calls.answer("w", "k2") == good.completion
    assert store.calls.spent(run.id)[paid.LUNA.id].calls == 2


def test_a_value_that_no_store_can_hold_leaves_the_others_their_own(written):
    store, run, put = written
    store.database._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)

    stored = [put(0, "x" * 200_000), *(put(position) for position in range(1, 5))]
    for future in stored:
        future.result(10)

    counts = store.results.counts(run)
    assert (counts.scored, counts.failed) == (4, 1)
    assert store.results.get(run.id, 0).error == "too large"


def test_a_disk_that_is_full_is_told_to_all_who_wait(written):
    store, run, put = written
    (pages,) = store.database._db.execute("pragma page_count").fetchone()
    store.database._db.execute(f"pragma max_page_count = {pages + 2}")

    stored = [put(position, "x" * 50_000) for position in range(5)]

    for future in stored:
        with pytest.raises(StoreError, match="Free disk space, then resume"):
            future.result(10)
    assert store.results.counts(run).scored == 0


def test_a_call_that_was_paid_for_and_could_not_be_stored_is_stored_with_what_comes_next(written):
    """Else its result would stand there without its bill, and be paid for once more."""
    store, run, put = written
    (pages,) = store.database._db.execute("pragma page_count").fetchone()
    store.database._db.execute(f"pragma max_page_count = {pages + 2}")
    first, second = call("k", "Mina." * 10_000), call("k2", "Osei." * 10_000)
    for each in (first, second):
        with pytest.raises(StoreError, match="Free disk space"):
            store.writer.put_call(run.id, each).result(10)

    with pytest.raises(StoreError, match="Free disk space"):
        store.writer.store_left_over()
    store.database._db.execute("pragma max_page_count = 1000000")
    put(0).result(10)

    assert store.calls.spent(run.id)[paid.LUNA.id].calls == 2
    assert store.calls.answer("w", "k2") == second.completion


def test_a_call_of_which_it_is_not_known_whether_it_is_stored_is_stored_once(written):
    store, run, _ = written
    row = call_row(run.id, call("k", "Mina."))
    for _ in range(2):
        with store.database.transaction() as db:
            insert_calls(db, [row], once=True)

    assert store.calls.spent(run.id)[paid.LUNA.id].calls == 1


def test_what_was_put_is_on_the_disk_when_the_store_is_closed(tmp_path):
    path = tmp_path / "runs.sqlite3"
    with closing(Store(path)) as store:
        run = paid.paid_run(store, paid.dataset(1))
        store.writer.put_call(run.id, call("k", "Mina."))

    with closing(Store(path)) as store:
        assert store.calls.answers_kept("w") == 1
