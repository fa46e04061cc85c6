"""A backup: whole, checked, its owner's alone, made while a run writes, and never over anything by
mistake.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from evaluators.errors import StoreError
from evaluators.records import SampleResult, Score
from evaluators.runs.backup import back_up
from evaluators.runs.job import Job
from evaluators.runs.store import NEWEST, Store
from tests.runs.slow import SAMPLES, slow_run


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path


@pytest.fixture
def store(folder):
    return Store(folder / "data" / "plumbline.sqlite3")


def finished(store, folder):
    run = slow_run(store, folder)
    for position in range(SAMPLES):
        store.results.save(
            run.id,
            SampleResult(position=position, status="scored", score=Score(values={"done": 1.0})),
        )
    return run


def test_a_backup_is_a_store_with_everything_in_one_file(store, folder):
    run = finished(store, folder)

    made = back_up(store, folder / "backup.sqlite3")

    assert (made.path, made.runs, made.size) == (
        folder / "backup.sqlite3",
        1,
        made.path.stat().st_size,
    )
    assert sorted(each.name for each in folder.iterdir()) == ["backup.sqlite3", "data"]
    with sqlite3.connect(made.path) as db:
        assert db.execute("pragma user_version").fetchone() == (NEWEST,)
    db.close()
    again = Store(made.path)
    assert again.runs.newest("w") == [run]
    assert again.results.counts(run) == store.results.counts(run)


@pytest.mark.skipif(os.name != "posix", reason="this system has no such rights")
def test_only_its_owner_may_read_it_and_the_folder_stays_as_it_is(store, folder):
    (folder / "backups").mkdir(mode=0o755)

    made = back_up(store, folder / "backups" / "b")

    assert made.path.stat().st_mode & 0o777 == 0o600
    assert (folder / "backups").stat().st_mode & 0o777 == 0o755


def test_a_run_goes_on_while_the_backup_is_made(store, folder):
    gate = folder / "gate"
    run = slow_run(store, folder, gate=gate)
    job = Job(run, store)
    job.start()
    sizes = [back_up(store, folder / f"{number}").runs for number in range(3)]
    assert job.is_live
    gate.touch()
    job.wait()

    assert sizes == [1, 1, 1]
    assert store.results.counts(run).scored == SAMPLES
    assert Store(folder / "2").results.counts(run).scored <= SAMPLES


def test_an_existing_file_stays_unless_it_is_to_be_replaced(store, folder):
    target = folder / "thesis.txt"
    target.write_text("mine")

    with pytest.raises(StoreError, match="is there already"):
        back_up(store, target)
    assert target.read_text() == "mine"

    back_up(store, target, replace=True)
    assert Store(target).runs.newest("w") == []


def linked(folder, made):
    made(folder / "data" / "plumbline.sqlite3", folder / "link")
    return folder / "link"


PLACES = {
    "itself": lambda folder: folder / "data" / "plumbline.sqlite3",
    "by a detour": lambda folder: folder / "data" / ".." / "data" / "plumbline.sqlite3",
    "its log": lambda folder: folder / "data" / "plumbline.sqlite3-wal",
    "a journal": lambda folder: folder / "data" / "plumbline.sqlite3-journal",
    "a link": lambda folder: linked(folder, lambda there, link: link.symlink_to(there)),
    "a hard link": lambda folder: linked(folder, os.link),
    "a folder": lambda folder: folder,
    "no folder": lambda folder: folder / "missing" / "b",
    "no name at all": lambda folder: folder / "a\0b",
    "in a file": lambda folder: folder / "data" / "plumbline.sqlite3" / "b",
}


@pytest.mark.parametrize("place", PLACES)
def test_it_never_goes_over_the_store_or_to_where_it_cannot_be(store, folder, place):
    run = finished(store, folder)
    target = PLACES[place](folder)

    with pytest.raises(StoreError):
        back_up(store, target, replace=True)

    assert Store(folder / "data" / "plumbline.sqlite3").results.counts(run).scored == SAMPLES
    assert not [each for each in folder.rglob("*.part*")]


def test_a_relative_path_is_taken_from_here(store, folder, monkeypatch):
    monkeypatch.chdir(folder)

    assert back_up(store, Path("b")).runs == 0
    with pytest.raises(StoreError, match="the run store itself"):
        back_up(store, Path("data/plumbline.sqlite3"), replace=True)


def test_what_was_in_a_deleted_store_can_still_be_saved(store, folder):
    run = finished(store, folder)
    shutil.rmtree(folder / "data")

    made = back_up(store, folder / "rescued.sqlite3")

    assert made.runs == 1
    assert Store(made.path).results.counts(run).scored == SAMPLES


def test_a_damaged_store_gives_no_backup(store, folder):
    finished(store, folder)
    store.close()
    path = folder / "data" / "plumbline.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        # Of results, not of the list of tables, without which no store opens at all.
        query = "select rootpage from sqlite_master where name = 'results'"
        [page] = db.execute(query).fetchone()
    with path.open("r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(b"\xee" * 4096)

    with pytest.raises(StoreError, match="No backup at"):
        back_up(Store(path), folder / "b")

    assert not (folder / "b").exists()


def test_a_store_in_memory_can_be_saved(folder):
    assert back_up(Store(":memory:"), folder / "b").runs == 0
