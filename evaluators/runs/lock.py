"""One process at a time works on a run, by a lock that a killed process cannot leave behind."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from evaluators.errors import RunElsewhereError
from evaluators.text.language import say

PATIENCE = 0.5
"""Seconds to wait for whoever only looks whether the run is at work."""


class RunLock(Protocol):
    """The right to work on one run."""

    def acquire(self) -> None:
        """Takes the lock; raises `RunElsewhereError` where another process has it."""

    def release(self) -> None: ...

    def remove(self) -> None:
        """Leaves nothing behind; the run is gone."""

    @property
    def is_held(self) -> bool:
        """Whether a process has the lock, this one included."""


class FileRunLock:
    """A lock of the operating system, on a file.

    Without a folder, as of a store in memory, there is nobody to share with.
    """

    def __init__(self, folder: Path | None, run_id: str) -> None:
        self._lock: FileLock | None = None
        if folder:
            # Not bound to a thread: the one that ends a run is another than the one that began it.
            self._lock = FileLock(folder / f"{run_id}.lock", mode=0o600, thread_local=False)

    def acquire(self) -> None:
        if self._lock is None:
            return
        Path(self._lock.lock_file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=PATIENCE)
        except Timeout as error:
            raise elsewhere() from error

    def release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def remove(self) -> None:
        if self._lock is not None:
            Path(self._lock.lock_file).unlink(missing_ok=True)

    @property
    def is_held(self) -> bool:
        if self._lock is None or not Path(self._lock.lock_file).exists():
            return False
        try:
            with self._lock.acquire(timeout=0):
                # More than once where this object held it before, which counts as held.
                return self._lock.lock_counter > 1
        except Timeout:
            return True


def elsewhere() -> RunElsewhereError:
    """What is raised where another process works on a run."""
    return RunElsewhereError(
        say(
            "This run is at work in another process, perhaps a terminal. Wait for it, "
            "or stop it there (Ctrl-C)."
        )
    )
