"""PostgreSQL in place of the file: the same tables, a server that goes away, two processes at once."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from evaluators.errors import StoreError
from evaluators.records import Run
from evaluators.runs.engine import RunRegistry
from evaluators.runs.inputs import local_store
from evaluators.runs.job import Job
from evaluators.runs.store import Store
from evaluators.runs.store.postgres import READERS
from tests import postgres
from tests.runs.slow import FREE, SAMPLES, slow_run

ROOT = Path(__file__).parents[2]
AT_WORK = """
import sys
from pathlib import Path
from evaluators.runs.job import Job
from evaluators.runs.store import Store
from tests.runs.slow import slow_run

store, folder = Store(sys.argv[1]), Path(sys.argv[2])
run = slow_run(store, folder, gate=folder / "gate")
Job(run, store).start()
print(run.id, flush=True)
for _ in sys.stdin:
    print(*[each.id for each in store.runs.newest("w")], flush=True)
"""


WRITTEN = f":{quote(postgres.PASSWORD, safe='')}"
"""The password, as it stands in an address."""


@pytest.fixture
def address(postgres_server):
    with postgres_server.database() as address:
        yield address


@pytest.fixture
def cable(postgres_server):
    cable = postgres.Cable(postgres_server.port)
    yield cable
    cable.close()


@pytest.fixture
def far_store(postgres_server, address, cable):
    """A store that reaches its server by the cable."""
    store = Store(address.replace(f":{postgres_server.port}/", f":{cable.port}/"))
    yield store
    store.close()


# A server that goes away


def test_a_run_whose_database_vanishes_says_so_and_goes_on_when_it_is_back(
    postgres_server, address, tmp_path
):
    store, gate = Store(address), tmp_path / "gate"
    run = slow_run(store, tmp_path, gate=gate)
    job = Job(run, store)
    job.start()
    wait_for_free_ones(store, run)
    postgres_server.stop()
    try:
        gate.touch()
        job.wait()
        for ask in (store.check, lambda: store.runs.get(run.id), lambda: Store(address)):
            with pytest.raises(StoreError, match="Start the database") as raised:
                ask()
            assert postgres.PASSWORD not in str(raised.value)
            assert "127.0.0.1/store_" in str(raised.value)
    finally:
        postgres_server.start()

    outlines = store.results.outlines(run)
    assert {outline.status for outline in outlines} == {None, "scored"}
    kept = {outline.position for outline in outlines if outline.status == "scored"}
    before = (tmp_path / "log.txt").read_text().split()
    RunRegistry().start(run, store).wait()

    assert store.results.counts(run).scored == SAMPLES
    again = (tmp_path / "log.txt").read_text().split()[len(before) :]
    assert sorted(again) == sorted(f"s{n}" for n in range(SAMPLES) if n not in kept)


def test_a_run_whose_connections_are_ended_takes_new_ones_and_goes_on(
    postgres_server, address, tmp_path
):
    store, gate = Store(address), tmp_path / "gate"
    run = slow_run(store, tmp_path, gate=gate)
    job = Job(run, store)
    job.start()
    wait_for_free_ones(store, run)
    end_sessions(address)
    gate.touch()
    job.wait()

    assert store.results.counts(run).scored == SAMPLES
    assert store.runs.stop_reasons(run.id) == ()


def test_a_run_whose_lost_session_the_server_still_has_goes_on(far_store, cable, tmp_path):
    gate = tmp_path / "gate"
    run = slow_run(far_store, tmp_path, gate=gate)
    job = Job(run, far_store)
    job.start()
    wait_for_free_ones(far_store, run)
    cable.cut()
    gate.touch()
    job.wait()

    assert far_store.results.counts(run).scored == SAMPLES
    assert far_store.runs.stop_reasons(run.id) == ()


def test_a_run_given_back_by_a_lost_connection_can_be_taken_again(far_store, cable):
    lock = far_store.run_lock("run")
    lock.acquire()
    cable.cut()
    lock.release()

    lock.acquire()

    assert lock.is_held
    far_store.check()


def test_a_connection_lost_while_it_writes_does_not_hold_up_what_is_written_next(far_store, cable):
    def write_and_lose():
        with far_store.database.transaction() as db:
            db.execute("create table half (done integer)")
            cable.cut()
            db.execute("insert into half values (1)")

    with pytest.raises(StoreError, match="Start the database"):
        write_and_lose()
    with far_store.database.transaction() as db:
        db.execute("create table half (done integer)")

    assert far_store.database.rows("select * from half") == []


def test_a_run_that_another_process_took_over_is_said_to_be_there(address, far_store, cable):
    mine, theirs = far_store.run_lock("run"), Store(address).run_lock("run")
    mine.acquire()
    cable.cut()
    end_sessions(address)
    postgres.wait_until(lambda: not theirs.is_held)
    theirs.acquire()
    with far_store.database.transaction():
        pass

    with pytest.raises(StoreError, match="another process went on"):
        far_store.check()
    assert theirs.is_held


def test_a_store_that_is_closed_leaves_no_session_and_opens_none(address):
    store = Store(address)
    with (
        psycopg.connect(address, autocommit=True) as other,
        ThreadPoolExecutor(READERS) as threads,
    ):
        other.execute("select pg_advisory_lock(1)")
        for _ in range(READERS):
            threads.submit(store.database.rows, "select pg_advisory_xact_lock_shared(1)")
        waiting = f"{OURS} and wait_event_type = 'Lock'"
        postgres.wait_until(lambda: sessions(other, waiting) == READERS)
        other.execute("select pg_advisory_unlock(1)")
    store.close()

    with psycopg.connect(address, autocommit=True) as other:
        postgres.wait_until(lambda: sessions(other, OURS) == 0)
        with pytest.raises(StoreError, match="it was closed"):
            store.runs.newest("w")
        assert sessions(other, OURS) == 0


OURS = "application_name = 'plumbline' and datname = current_database()"
"""The sessions of our stores."""


def sessions(db: psycopg.Connection, condition: str) -> int:
    ((count,),) = db.execute(f"select count(*) from pg_stat_activity where {condition}").fetchall()
    return count


def end_sessions(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as db:
        ended = db.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where {OURS}")
        assert ended.fetchall()


def wait_for_free_ones(store: Store, run: Run) -> None:
    postgres.wait_until(lambda: store.results.counts(run).scored == FREE)


# What it must be


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_keep_every_text_is_refused(postgres_server, encoding):
    options = f"encoding '{encoding}' locale 'C' template template0"
    refused = pytest.raises(StoreError, match=rf"keeps texts as {encoding}, .* createdb -E UTF8")

    with postgres_server.database(options) as address, refused:
        Store(address)


def test_a_user_who_may_not_make_tables_is_told_so(postgres_server, address):
    postgres_server.execute("drop role if exists guest")
    postgres_server.execute("create role guest login password 'guest'")

    with pytest.raises(StoreError, match=r"permission denied.* Give its user the right to make"):
        Store(address.replace(f"plumbline{WRITTEN}", "guest:guest"))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("samples (id integer)", "not Plumbline's: set PLUMBLINE_DATABASE to an empty database"),
        ("runs (id integer)", "not Plumbline's: set PLUMBLINE_DATABASE to an empty database"),
        ("plumbline (version integer)", "without what was in them. Restore them"),
    ],
)
def test_tables_of_another_program_and_half_a_backup_stay_as_they_are(
    postgres_server, table, words
):
    with (
        postgres_server.database("template template0") as address,
        psycopg.connect(address, autocommit=True) as db,
    ):
        db.execute(f"create table {table}")
        with pytest.raises(StoreError, match=words):
            Store(address)
        tables = db.execute("select relname from pg_class where relkind = 'r' and oid > 16383")
        assert tables.fetchall() == [(table.split()[0],)]


@pytest.mark.parametrize(("version", "words"), [(99, "newer version"), (25, "before the first")])
def test_tables_of_another_version_are_refused_with_what_to_do(address, version, words):
    Store(address).close()
    with psycopg.connect(address, autocommit=True) as db:
        db.execute("update plumbline set version = %s", (version,))

    with pytest.raises(StoreError, match=f"{words}.* set PLUMBLINE_DATABASE|{words}.* Set PLUMB"):
        Store(address)


IN_TEAM = "?options=-csearch_path%3Dteam"


def test_runs_may_lie_in_any_schema_and_never_in_one_that_nobody_named(address):
    beside = pytest.raises(StoreError, match=r"runs in the schema public.*-csearch_path%3Dpublic$")
    with pytest.raises(StoreError, match="Make the schema that its search_path names"):
        Store(address + IN_TEAM)
    with psycopg.connect(address, autocommit=True) as db:
        db.execute("create schema team")

    # Whoever makes a schema, of the user's own name for instance, moves where tables are made.
    with beside:
        Store(f"{address}{IN_TEAM},public")
    Store(address + IN_TEAM).close()
    for own in (IN_TEAM, f"{IN_TEAM},public", ""):
        store = Store(address + own)
        schemas = store.database.rows("select current_schema()")
        assert schemas == [("team" if own else "public",)]
        store.close()


# Two processes


def test_two_processes_work_on_a_run_each_and_one_takes_over_what_the_other_left(address, tmp_path):
    store, registry = Store(address), RunRegistry()
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    mine = slow_run(store, own, gate=own / "gate")
    job = registry.start(mine, store)
    with subprocess.Popen(
        [sys.executable, "-c", AT_WORK, address, other],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as child:
        try:
            theirs = store.runs.get(child.stdout.readline().strip())
            wait_for_free_ones(store, mine)
            wait_for_free_ones(store, theirs)
            child.stdin.write("\n")
            child.stdin.flush()
            both = [theirs.id, mine.id]
            assert child.stdout.readline().split() == both
            assert [each.id for each in store.runs.newest("w")] == both
            assert registry.is_at_work(theirs.id, store)
        finally:
            child.kill()
    postgres.wait_until(lambda: not registry.is_at_work(theirs.id, store))
    for folder in (own, other):
        (folder / "gate").touch()
    registry.start(theirs, store).wait()
    job.wait()

    assert store.results.counts(mine).scored == store.results.counts(theirs).scored == SAMPLES
    # What was stored before the other process died was not done again.
    done = (other / "log.txt").read_text().split()
    assert [done.count(f"s{n}") for n in range(FREE)] == [1] * FREE


# The variable


def test_the_variable_says_where_runs_are_kept(address, monkeypatch, tmp_path):
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_DATABASE", address)
    run = slow_run(local_store(), tmp_path)

    assert Store(address).runs.get(run.id) == run
    assert not list(tmp_path.glob("*.sqlite3"))


@pytest.mark.parametrize(
    ("part", "other", "words"),
    [
        (":{port}/", ":1/", "Start the database or correct PLUMBLINE_DATABASE"),
        ("/store_", "/none_", 'database "none_'),
        (WRITTEN, ":another-s3cret", "password authentication failed"),
    ],
)
def test_a_database_that_lets_nobody_in_is_said_without_its_password(
    postgres_server, address, part, other, words
):
    with pytest.raises(StoreError) as raised:
        Store(address.replace(part.format(port=postgres_server.port), other))

    assert words in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_the_password_may_stand_beside_the_address(address, monkeypatch):
    with pytest.raises(StoreError, match="no password supplied"):
        Store(address.replace(WRITTEN, ""))

    monkeypatch.setenv("PGPASSWORD", postgres.PASSWORD)

    assert Store(address.replace(WRITTEN, "")).runs.newest("w") == []


def test_without_psycopg_it_is_said_how_to_install_it():
    code = """
import sys
sys.modules["psycopg"] = None
from evaluators.errors import StoreError
from evaluators.runs.store import Store
try:
    Store("postgresql://host/name")
except StoreError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert done.stdout.endswith('Install it: pip install "psycopg[binary]==3.3.9"\n'), done.stderr


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:s3cret@[host/name",
        "postgresql://user:a/s3cret@host/name",
        "postgresql://user:a@s3cret@host/name",
        "mysql://user:s3cret@host/name",
    ],
)
def test_an_address_that_cannot_be_read_is_not_repeated(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match="%40 for @") as raised:
        Store(address)

    assert "s3cret" not in str(raised.value)
    assert not list(tmp_path.iterdir())
