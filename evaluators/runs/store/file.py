"""The store's file: readable by its owner alone, and still the one that was opened."""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from evaluators.errors import StoreError
from evaluators.text.language import mark, say
from evaluators.text.words import joined_sentences

IS_POSIX = os.name == "posix"

LOG = "-wal"
"""What was written last is in a file of its own, by the end of its name; SQLite moves it later."""

COMPANIONS = (LOG, "-shm", "-journal")
"""All that SQLite keeps beside a database."""

LOCKS = "locks"
"""The folder beside the store where processes say which runs they work on."""

LOOK = 1.0
"""Seconds after which a reader looks at the file again; a writer always does."""

AFTER_OTHERS = 30.0
"""Seconds within which the file may change after another process wrote.

SQLite moves what was written from the log into the file a little later.
"""

GONE = mark(
    "Nothing more is stored, and what is at work has stopped. Put it back to "
    "go on, or restart Plumbline, which begins a new store where there is none."
)
REPLACED = mark(
    "Nothing more is stored, and what is at work has stopped. Stop Plumbline, "
    "delete the files beside it that end in -wal and -shm, put there the store "
    "that you want, and start again."
)


class _Stamp(NamedTuple):
    """How large the file was, and when it was changed last (0 where the system tells that late)."""

    size: int
    changed: float


class StoreFile:
    """One store on the disk; made before the database is opened, `opened()` afterwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.locks = path.parent / LOCKS
        # SQLite follows a link, and keeps its other files beside what it leads to.
        beside = os.path.realpath(path)
        self._names = [str(path), *(f"{beside}{end}" for end in COMPANIONS)]
        self._opened: dict[str, os.stat_result] = {}  # of the database and its log
        self._stamp = _Stamp(0, 0.0)
        self._version: int | None = None
        self._version_read = self._others_wrote = -math.inf
        self._is_foreign = False

    def create(self) -> None:
        """Makes the folder (0700) and an empty file (0600) where there is none.

        SQLite gives the files that it puts beside it the same rights.
        """
        if not self.path.parent.is_dir():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        only_new = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        with suppress(FileExistsError):
            descriptor = os.open(self.path, only_new, 0o600)
            os.close(descriptor)

    def opened(self, version: int | None) -> None:
        """Takes others' rights away, and notes which files these are; `version` is of the data."""
        self._make_private()
        stats = {name: _stat_or_none(name) for name in self._names[:2]}
        self._opened = {name: stat for name, stat in stats.items() if stat}
        self._stamp, self._version = self._look(), version

    def check(self, version: Callable[[], int | None] | None = None) -> None:
        """Raises `StoreError` where the file is gone, replaced, or changed by another program.

        A copy over an open store does not change which file it is, so size and time are looked at
        too: only SQLite changes them, and only after somebody wrote. `version()` shows by its
        change that others did, and is `None` where it cannot be read.
        """
        if not self._opened:
            return
        stamp = self._look()
        if version is None:
            return
        now = time.monotonic()
        if stamp != self._stamp or now - self._version_read > LOOK:
            self._version_read, newest = now, version()
            if newest not in (None, self._version):
                self._version, self._others_wrote = newest, now
        if stamp.size == 0 or (stamp != self._stamp and now - self._others_wrote > AFTER_OTHERS):
            self._is_foreign = True
        if self._is_foreign:
            what = say(
                "The run store {path} was overwritten or emptied by another program.",
                path=self.path,
            )
            raise StoreError(joined_sentences([what, say(REPLACED)]))
        self._stamp = stamp

    def written(self) -> None:
        """Notes what this connection wrote; raises `StoreError` where that file is gone."""
        self._stamp = self._look(most=1)

    def closed(self) -> None:
        """Nothing is to be looked at any more: SQLite takes its other files away."""
        self._opened = {}

    def _look(self, most: int = 2) -> _Stamp:
        """The database's stamp; raises `StoreError` where a file is not the one that was opened."""
        stamp = _Stamp(0, 0.0)
        for number, (name, opened) in enumerate(self._opened.items()):
            if number == most:
                break
            now = _stat_or_none(name)
            if now is None:
                raise StoreError(
                    say(
                        "The run store {file} is gone: it was deleted or moved. {remedy}",
                        file=name,
                        remedy=say(GONE),
                    )
                )
            if now.st_ino != opened.st_ino or now.st_dev != opened.st_dev:
                raise StoreError(
                    say(
                        "The run store {file} was replaced by another file. {remedy}",
                        file=name,
                        remedy=say(REPLACED),
                    )
                )
            if number == 0:
                stamp = _Stamp(now.st_size, now.st_mtime if IS_POSIX else 0.0)
        return stamp

    def _make_private(self) -> None:
        """Others of this machine may not read the store; a folder with more in it stays as it is.

        Rights are only taken away; where the system does not allow or know that, nothing happens.
        """
        if not IS_POSIX:
            return
        ours = {LOCKS, *(f"{self.path.name}{end}" for end in ("", *COMPANIONS))}
        with suppress(OSError):
            if ours.issuperset(os.listdir(self.path.parent)):
                _take_rights_away(self.path.parent, 0o700)
            for name in self._names:
                _take_rights_away(Path(name), 0o600)
            if self.locks.is_dir():
                _take_rights_away(self.locks, 0o700)
                for lock in self.locks.iterdir():
                    _take_rights_away(lock, 0o600)


def _take_rights_away(path: Path, most: int) -> None:
    """Takes away what goes beyond the rights in `most`."""
    with suppress(OSError):
        now = stat.S_IMODE(path.stat().st_mode)
        if now & ~most:
            path.chmod(now & most)


def _stat_or_none(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        message = say(
            "The run store {file} cannot be reached ({why}). Check the disk.",
            file=name,
            why=error.strerror,
        )
        raise StoreError(message) from error
