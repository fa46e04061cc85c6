"""A copy of the store in one file, made while runs write, and checked by opening it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from evaluators.errors import StoreError
from evaluators.records import Record, Remedy
from evaluators.runs.store import NEWEST, Store

ENDS = ("", "-journal", "-wal", "-shm")
"""What SQLite puts beside a database, by the end of its name."""


class Backup(Record):
    """A copy that was made and can be opened: where it is, its size in bytes, its runs."""

    path: Path
    size: int
    runs: int


def back_up(store: Store, path: Path, *, replace: bool = False) -> Backup:
    """Copies the store into a new file that only its owner can read; runs may write meanwhile.

    An existing file stays unless `replace`, and until the copy is whole; the store itself always.
    Raises `StoreError`. A store whose file was deleted can be saved so while it is open.
    """
    draft = path.parent / f".{path.name}.part"
    try:
        _check_target(store, path, replace)
        _delete_draft(draft)
        # Made here, as SQLite would make it readable for everybody.
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(draft)) as copy:
            store.copy_into(copy)
            # One file, without others beside it.
            copy.execute("pragma journal_mode = delete")
        runs = _runs_in_checked(draft)
        # Again: copying took its time, and somebody may have put a file there meanwhile.
        _check_target(store, path, replace)
        draft.replace(path)
    except (sqlite3.Error, OSError, ValueError) as error:
        raise StoreError(
            f"No backup at {path} ({error}). Choose a folder with room that can be written."
        ) from error
    finally:
        _delete_draft(draft)
    return Backup(path=path, size=path.stat().st_size, runs=runs)


def _check_target(store: Store, path: Path, replace: bool) -> None:
    if store.path:
        # Another name of the same file, such as a link, is the store too.
        if path.exists() and store.path.exists() and path.samefile(store.path):
            raise StoreError(f"{path} is the run store itself. Choose another file.")
        # The folder is resolved, the name is not: a link there would be replaced, not followed.
        target = path.absolute().parent.resolve() / path.name
        if target in _files_of_store(store.path):
            raise StoreError(f"{path} is a part of the run store. Choose another file.")
    if path.is_dir():
        example = path / "plumbline-backup.sqlite3"
        raise StoreError(f"{path} is a folder. Name a file in it, for example {example}.")
    if path.exists() and not replace:
        raise StoreError(f"{path} is there already.", remedy=Remedy("replace_file"))


def _files_of_store(path: Path) -> set[Path]:
    """The store's own files, whether they are there or not."""
    folder = path.absolute().parent.resolve()
    return {folder / f"{path.name}{end}" for end in ENDS}


def _runs_in_checked(path: Path) -> int:
    """How many runs the copy holds; raises `sqlite3.Error` where it is not whole or no store."""
    with closing(sqlite3.connect(path)) as copy:
        (integrity,) = copy.execute("pragma integrity_check").fetchone()
        (version,) = copy.execute("pragma user_version").fetchone()
        if integrity != "ok" or version != NEWEST:
            raise sqlite3.DatabaseError(f"the copy is damaged: {integrity}, format {version}")
        return int(copy.execute("select count(*) from runs").fetchone()[0])


def _delete_draft(draft: Path) -> None:
    for end in ENDS:
        with suppress(OSError, ValueError):
            Path(f"{draft}{end}").unlink()
