"""The memory of a process and all its children, watched until it is stopped."""

from __future__ import annotations

import threading
from subprocess import Popen

import psutil


class Memory:
    """The most megabytes that a process and its children held at once; what they share counts for
    each.
    """

    def __init__(self, process: Popen[bytes]) -> None:
        self._process = psutil.Process(process.pid)
        self._peak = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def peak(self) -> int:
        return round(self._peak / 2**20)

    def stop(self) -> int:
        self._ends.set()
        self._thread.join()
        return self.peak()

    def _watch(self) -> None:
        while not self._ends.wait(0.1):
            try:
                family = [self._process, *self._process.children(recursive=True)]
            except psutil.Error:
                return
            self._peak = max(self._peak, sum(map(_resident, family)))


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
