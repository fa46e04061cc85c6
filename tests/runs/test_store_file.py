"""The store's file: its owner's alone, ours, of a version that is known, and the one that was
opened.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from evaluators.errors import StoreError
from evaluators.records import Dataset, EvaluatorSpec, Run, Sample, SampleResult
from evaluators.runs.job import Job
from evaluators.runs.store import NEWEST, Store
from evaluators.runs.store.sqlite import APPLICATION
from tests.runs.slow import slow_run

ROOT = Path(__file__).parents[2]
DATASET = Dataset(name="d", samples=(Sample(id="s", question="q"),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "plumbline.sqlite3"


def run(run_id="r1"):
    spec = (EvaluatorSpec(name="trace"),)
    created = "2026-01-01T00:00:00"
    return Run(id=run_id, workspace="w", created=created, title="t", dataset_name="d",
               fingerprint=DATASET.fingerprint, evaluators=spec)  # fmt: skip


def failed(position=0):
    return SampleResult(position=position, status="failed", error="It broke. Try again.")


# A file that goes away while it is open


def moved_away(path, other):
    path.parent.rename(path.parent.with_name("elsewhere"))


def folder_deleted(path, other):
    shutil.rmtree(path.parent)


def deleted(path, other):
    path.unlink()


def its_log_deleted(path, other):
    path.with_name(f"{path.name}-wal").unlink()


def replaced(path, other):
    shutil.copy(other, path.parent / "new")
    (path.parent / "new").replace(path)


def overwritten(path, other):
    shutil.copy(other, path)


def emptied(path, other):
    path.write_bytes(b"")


def truncated(path, other):
    os.truncate(path, path.stat().st_size // 2)


def in_a_folder_that_is_none(path, other):
    shutil.rmtree(path.parent)
    path.parent.write_text("in the way")


LOSSES = {
    moved_away: "is gone",
    folder_deleted: "is gone",
    deleted: "is gone",
    its_log_deleted: "is gone",
    in_a_folder_that_is_none: "is gone",
    replaced: "replaced by another file",
    overwritten: "overwritten or emptied by another program",
    emptied: "overwritten or emptied by another program",
    truncated: "overwritten or emptied by another program",
}


@pytest.fixture
def older(tmp_path, path):
    """A store with a run, and a copy of it from before that."""
    older = tmp_path / "older.sqlite3"
    Store(path).close()
    shutil.copy(path, older)
    store = Store(path)
    store.runs.save(run(), DATASET)
    store.close()
    os.utime(path, (1, 1))
    return older


@pytest.mark.parametrize("loss", LOSSES)
def test_the_next_write_notices_and_stores_nothing(path, older, loss):
    store = Store(path)
    store.results.save("r1", failed())

    loss(path, older)

    with pytest.raises(StoreError, match=LOSSES[loss]) as refused:
        store.results.save("r1", failed())
    assert "restart" in str(refused.value) or "start again" in str(refused.value)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_next_look_of_a_page_notices(path, older, loss):
    store = Store(path)
    store.check()

    loss(path, older)

    with pytest.raises(StoreError, match=LOSSES[loss]):
        store.check()


def test_readers_look_now_and_then(path):
    store = Store(path)
    store.runs.save(run(), DATASET)
    shutil.rmtree(path.parent)
    store.database._looked -= 2  # as two seconds later

    with pytest.raises(StoreError, match="is gone"):
        store.runs.newest("w")


# Who reads waits for nobody

LONG = """with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000000)
select count(*) from numbers, samples"""


def beside(work):
    """Begins it in a thread of its own."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_who_reads_and_looks_does_not_wait_for_who_writes(path):
    store = Store(path)
    store.runs.save(run(), DATASET)
    store.database._looked -= 2  # as two seconds later
    with store.database.transaction():
        reader = beside(lambda: (store.check(), store.runs.get("r1")))
        reader.join(20)
        assert not reader.is_alive()
    store.close()


def test_who_reads_does_not_wait_for_who_reads_many_texts(path):
    store = Store(path)
    store.runs.save(run(), DATASET)
    long = beside(lambda: store.database.rows(LONG))
    for _ in range(5):
        assert store.runs.get("r1")
    assert long.is_alive(), "The long query has ended before the short ones."
    long.join()
    store.close()


def test_what_was_written_is_read_by_all_at_once(path):
    store = Store(path)
    ids = [f"r{number}" for number in range(40)]
    missed = []

    def write_and_read(several):
        for each in several:
            store.runs.save(run(each), DATASET)
            if not store.runs.get(each):
                missed.append(each)

    threads = [beside(lambda part=ids[first::8]: write_and_read(part)) for first in range(8)]
    for thread in threads:
        thread.join()
    assert not missed
    store.close()
    assert not list(path.parent.glob("*-wal")), "A connection is left open."


def test_a_store_that_is_put_back_goes_on(path):
    store = Store(path)
    store.runs.save(run(), DATASET)
    moved_away(path, None)
    with pytest.raises(StoreError, match="is gone"):
        store.results.save("r1", failed())

    path.parent.with_name("elsewhere").rename(path.parent)
    store.results.save("r1", failed())

    assert store.results.counts(run()).failed == 1


def test_after_a_restart_there_is_a_new_store(path):
    Store(path).runs.save(run(), DATASET)
    shutil.rmtree(path.parent)

    again = Store(path)
    again.runs.save(run(), DATASET)

    assert again.runs.newest("w") == [run()]


def test_other_processes_may_write_and_tidy_up(path):
    store, other = Store(path), sqlite3.connect(path)
    store.runs.save(run(), DATASET)
    store.check()
    other.execute("pragma wal_autocheckpoint = 1")  # the file itself changes with every write
    with other:
        other.execute(
            "create table more as with n(i) as (select 1 union all select i + 1 from n "
            "where i < 9999) select * from n"
        )
    store.results.save("r1", failed())
    other.execute("vacuum")

    store.results.save("r1", failed())
    store.check()
    other.close()


@pytest.mark.parametrize("loss", [folder_deleted, replaced, overwritten])
def test_a_run_at_work_stops_at_once(tmp_path, path, older, loss):
    store = Store(path)
    gate = tmp_path / "gate"
    job = Job(slow_run(store, tmp_path, gate=gate), store)
    job.start()
    while not (tmp_path / "log.txt").exists():
        threading.Event().wait(0.01)

    loss(path, older)
    gate.touch()
    job.wait(60)

    begun = len((tmp_path / "log.txt").read_text().split())
    assert not job.is_live
    assert begun < 60
    with pytest.raises(StoreError, match=LOSSES[loss]):
        store.check()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_cleaning_up_never_touches_a_store(tmp_path):
    for name in (".plumbline", ".venv", ".pytest_cache"):
        (tmp_path / name).mkdir()
    Store(tmp_path / ".plumbline" / "plumbline.sqlite3").close()

    subprocess.run(
        ["make", "-f", ROOT / "Makefile", "clean"], cwd=tmp_path, check=True, capture_output=True
    )

    assert [each.name for each in tmp_path.iterdir()] == [".plumbline"]
    assert Store(tmp_path / ".plumbline" / "plumbline.sqlite3").runs.newest("w") == []


# Whose file it is


def test_a_store_says_that_it_is_one(path):
    Store(path).close()
    with sqlite3.connect(path) as db:
        assert db.execute("pragma application_id").fetchone() == (APPLICATION,)
        assert db.execute("pragma user_version").fetchone() == (NEWEST,)
    db.close()


def other_database(path, script):
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.executescript(script)
    db.close()


@pytest.mark.parametrize(
    "script",
    [
        "create table notes (text)",
        "create table notes (text); pragma user_version = 3",
        "create table runs (id); create table samples (id); pragma user_version = 99",
        "pragma application_id = 7",
        "pragma user_version = 1",
        "pragma journal_mode = wal; create table notes (text)",
    ],
)
def test_a_database_that_is_no_store_is_refused_and_left_as_it_is(path, script):
    other_database(path, script)
    before = path.read_bytes(), path.stat().st_mode

    with pytest.raises(
        StoreError,
        match=r"is a database, but not a run store .* set PLUMBLINE_DATA_DIR to another folder",
    ):
        Store(path)

    assert (path.read_bytes(), path.stat().st_mode) == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize(
    ("version", "remedy"),
    [
        (99, r"newer version .* Install the newer version, or set PLUMBLINE_DATA_DIR"),
        (NEWEST + 1, "newer version"),
        (NEWEST - 1, r"before the first release .* as run files .* Set PLUMBLINE_DATA_DIR"),
        (7, "before the first release"),
    ],
)
def test_a_store_of_another_version_is_refused_before_anything_is_written(path, version, remedy):
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.executescript(f"pragma user_version = {version}; create table another (x)")
    db.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match=remedy):
        Store(path)

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"This is no database. " * 100, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_damaged_file_is_called_so(path, content):
    path.parent.mkdir()
    path.write_bytes(content)

    with pytest.raises(
        StoreError, match=r"is damaged or not a run store .* put a backup in its place"
    ):
        Store(path)


def test_a_store_that_is_damaged_inside_says_so(path):
    store = Store(path)
    big = Dataset(
        name="d", samples=tuple(Sample(id=str(n), question="q" * 3000) for n in range(200))
    )
    store.runs.save(run().model_copy(update={"fingerprint": big.fingerprint}), big)
    store.close()
    with path.open("r+b") as file:
        # Behind the pages that every store begins with.
        file.seek(4096 * 80)
        file.write(b"\xee" * 4096 * 40)

    damaged = Store(path)

    with pytest.raises(StoreError, match=r"is damaged .* put a backup in its place"):
        damaged.samples.get_many(big.fingerprint, range(200))


# Who may read it


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.mark.skipif(os.name != "posix", reason="this system has no such rights")
def test_a_new_store_is_its_owners_alone(path):
    store = Store(path)
    store.runs.save(run(), DATASET)
    job = Job(run(), store)
    made = {each.name: mode(each) for each in path.parent.iterdir() if each.is_file()}
    locks = [mode(path.parent / "locks"), *map(mode, (path.parent / "locks").iterdir())]
    job.start()
    job.wait()

    assert mode(path.parent) == 0o700
    assert made == dict.fromkeys([path.name, f"{path.name}-wal", f"{path.name}-shm"], 0o600)
    assert locks == [0o700, 0o600]


@pytest.mark.skipif(os.name != "posix", reason="this system has no such rights")
def test_an_older_store_becomes_its_owners_alone(path):
    Store(path).close()
    (path.parent / "locks").mkdir()
    (path.parent / "locks" / "r1.lock").touch()
    for each in (path.parent / "locks" / "r1.lock", path, path.parent / "locks", path.parent):
        each.chmod(0o755 if each.is_dir() else 0o644)

    Store(path).close()

    assert [mode(path.parent), mode(path)] == [0o700, 0o600]
    assert [mode(path.parent / "locks"), mode(path.parent / "locks" / "r1.lock")] == [0o700, 0o600]


@pytest.mark.skipif(os.name != "posix", reason="this system has no such rights")
def test_a_folder_with_other_things_in_it_keeps_its_rights(tmp_path):
    (tmp_path / "thesis.txt").touch()
    tmp_path.chmod(0o755)
    (tmp_path / "thesis.txt").chmod(0o644)

    Store(tmp_path / "plumbline.sqlite3").close()

    assert [
        mode(tmp_path),
        mode(tmp_path / "thesis.txt"),
        mode(tmp_path / "plumbline.sqlite3"),
    ] == [
        0o755,
        0o644,
        0o600,
    ]


# A full disk

KILLED_AFTER_A_RUN = """
import os, sys
from tests.runs.test_store_file import DATASET, run
from evaluators.runs.store import Store
Store(sys.argv[1]).runs.save(run(), DATASET)
os._exit(0)
"""
READS_WHILE_NOTHING_CAN_BE_WRITTEN = """
import resource, sys
from evaluators.runs.store import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))  # what is shared takes 32 KB
print([run.title for run in Store(sys.argv[1]).runs.newest("w")])
"""


def in_another_process(script, path):
    return subprocess.run(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot limit what a process writes")
def test_what_a_full_disk_stopped_can_still_be_read(path):
    in_another_process(KILLED_AFTER_A_RUN, path)
    reading = in_another_process(READS_WHILE_NOTHING_CAN_BE_WRITTEN, path)
    assert (reading.stdout, reading.stderr) == ("['t']\n", "")
