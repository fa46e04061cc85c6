"""Child processes of a public host: few at once, whoever's files they parse."""

import threading
import time

import pytest

from evaluators.config import config
from evaluators.datasets import binary
from evaluators.datasets.table import Collector
from evaluators.sandbox.child import TURNS
from tests.datasets import files


def most_at_once(count: int) -> int:
    """How many children there are at once while so many visitors upload a file each; all files must
    be read.
    """
    data, limits = (
        files.xlsx([["question"], ["When?"]]),
        binary.allowed(Collector("x.xlsx", config())),
    )
    at_once, counts, outputs = [], [], []

    def parse():
        with binary.child("xlsx", data, limits) as lines:
            at_once.append(1)
            counts.append(len(at_once))
            outputs.append(lines.read())
            time.sleep(0.02)
            at_once.pop()

    threads = [threading.Thread(target=parse) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [b'{"end": true}' in output for output in outputs] == [True] * count
    return max(counts)


@pytest.mark.parametrize("allowed", [1, 2])
def test_on_a_public_host_others_wait(allowed, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_CHILDREN_AT_ONCE", str(allowed))
    assert 1 <= most_at_once(4) <= allowed


def test_on_a_machine_of_ones_own_nobody_waits(monkeypatch):
    monkeypatch.delenv("PLUMBLINE_PUBLIC", raising=False)
    with TURNS.turn(), TURNS.turn():  # as many as a public host allows
        assert most_at_once(1) == 1
