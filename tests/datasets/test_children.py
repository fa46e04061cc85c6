"""Child processes of a public host: few at once, whoever's files they parse."""

import threading
import time

import psutil
import pytest

from evaluators.datasets import binary
from evaluators.datasets.readers import read
from tests.datasets import files

ROWS = 3


def most_at_once(count: int) -> int:
    """How many children there are at once while so many visitors upload a file each; all files must be read."""
    tables = []
    data = files.xlsx([["question", "response"]] + [["When?", "In May."]] * ROWS)
    threads = [threading.Thread(target=lambda: tables.append(read("x.xlsx", data))) for _ in range(count)]
    for thread in threads:
        thread.start()
    most = 0
    while any(thread.is_alive() for thread in threads):
        most = max(most, len(psutil.Process().children()))
        time.sleep(0.005)
    assert [len(table.rows) for table in tables] == [ROWS] * count
    return most


@pytest.mark.parametrize("allowed", [1, 2])
def test_on_a_public_host_others_wait(allowed, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_CHILDREN_AT_ONCE", str(allowed))
    assert 1 <= most_at_once(5) <= allowed


def test_on_a_machine_of_ones_own_nobody_waits(monkeypatch):
    monkeypatch.delenv("PLUMBLINE_PUBLIC", raising=False)
    with binary.TURNS.turn(), binary.TURNS.turn():  # as many as a public host allows
        assert most_at_once(1) == 1
