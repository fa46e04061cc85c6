import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluators.errors import RunElsewhereError
from evaluators.runs import samples
from evaluators.runs.engine import RunRegistry
from evaluators.runs.store import Store
from evaluators.runs.store.file import LOCKS
from tests.postgres import wait_until

HOLD = """
import sys, time
from evaluators.runs.store import Store
lock = Store(sys.argv[1]).run_lock(sys.argv[2])
lock.acquire()
print("held", flush=True)
time.sleep(600)
"""


@contextmanager
def held_elsewhere(where: Path | str, run_id: str) -> Iterator[subprocess.Popen]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, where, run_id], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_run_at_work_in_another_process_is_not_started_and_no_result_is_written(store, where):
    run, registry = samples.trace(store, "local"), RunRegistry()
    with held_elsewhere(where, run.id):
        assert registry.is_at_work(run.id, store)
        assert not registry.is_live(run.id)
        with pytest.raises(RunElsewhereError, match="another process"):
            registry.start(run, store)
    assert store.results.counts(run).scored == 0


def test_a_killed_process_leaves_the_run_free_to_go_on(store, where):
    run, registry = samples.trace(store, "local"), RunRegistry()
    with held_elsewhere(where, run.id) as process:
        process.kill()
        process.wait()
        wait_until(lambda: not registry.is_at_work(run.id, store))
        registry.start(run, store).wait()
    assert store.results.counts(run).open == 0


def test_the_lock_is_free_again_when_the_run_has_ended(store):
    run, registry = samples.trace(store, "local"), RunRegistry()
    registry.start(run, store).wait()
    assert not registry.is_at_work(run.id, store)
    assert not store.run_lock(run.id).is_held


def test_a_deleted_run_leaves_no_lock(store, path):
    run, registry = samples.trace(store, "local"), RunRegistry()
    registry.start(run, store).wait()
    assert list((path.parent / LOCKS).iterdir())
    store.runs.delete(run.id)
    assert not list((path.parent / LOCKS).iterdir())


def test_a_store_in_memory_has_nobody_to_share_with():
    store = Store(":memory:")
    run, registry = samples.trace(store, "local"), RunRegistry()
    registry.start(run, store).wait()
    assert not registry.is_at_work(run.id, store)
