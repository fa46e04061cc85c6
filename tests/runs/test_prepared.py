"""What a large run's pages show is the same, whether a worker process works it out or this one."""

import shutil
from typing import NamedTuple

import pytest

from evaluators.config import config
from evaluators.runs import samples
from evaluators.runs.pool import Pool
from evaluators.runs.prepared import PrepareRequest, prepare
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.runs.worker import Reply


class Asked(NamedTuple):
    """Asks a worker what its host allows."""

    def reply(self):
        return Reply(answer=str(config().public))


def never():
    return False


@pytest.fixture
def pool():
    own = Pool(1)
    yield own
    own.close()


def kept(store):
    return dict(store.database.rows("select name, body from figures"))


def test_a_worker_works_out_what_this_process_would(tmp_path, registry, pool):
    path, copy = tmp_path / "a.sqlite3", tmp_path / "b.sqlite3"
    store = Store(path)
    run = samples.trace(store, "w")
    registry.start(run, store).wait()
    store.close()
    shutil.copy(path, copy)

    here, there = Store(path), Store(copy)
    before = kept(here)
    RunView.read(here, run).prepare(lambda: True)
    pool.run(PrepareRequest(copy, run.id), never)

    assert len(kept(here)) > len(before) + 10
    assert kept(there) == kept(here)
    assert there.database.rows("select count(*) from viewed") == here.database.rows(
        "select count(*) from viewed"
    )


def test_a_run_that_is_deleted_meanwhile_leaves_nothing(tmp_path, pool):
    path = tmp_path / "a.sqlite3"
    store = Store(path)

    pool.run(PrepareRequest(path, "gone"), never)

    assert kept(store) == {}


def test_a_store_without_a_file_is_read_here(registry):
    store = Store(":memory:")
    run = samples.trace(store, "w")
    registry.start(run, store).wait()
    before = kept(store)

    prepare(RunView.read(store, run), never)

    assert len(kept(store)) > len(before) + 10


@pytest.mark.parametrize("public", [True, False])
def test_a_worker_reads_as_much_of_a_run_as_its_host_lets_it(monkeypatch, pool, public):
    if public:
        monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")

    assert pool.run(Asked(), never).answer == str(public)
