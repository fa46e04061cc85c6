"""Small files that hold far too much are refused in little memory, whoever unpacks them: this
process or its child.
"""

import json
import os
import threading

import psutil
import pytest

from evaluators.datasets.readers import read
from evaluators.errors import DatasetError
from tests.datasets import files

MB = 2**20
CEILING = 500 * MB
SECONDS = 5
"""Of a processor, which do not depend on what else the machine does."""


class Watch:
    """The most memory that this process has taken in since, together with the children that it
    started since.
    """

    def __enter__(self):
        self._process = psutil.Process()
        self.earlier = self._process.children(recursive=True)
        self._start = self._process.memory_info().rss
        self.peak = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def started(self):
        return [
            child for child in self._process.children(recursive=True) if child not in self.earlier
        ]

    def _watch(self):
        while not self._ends.wait(0.01):
            children = sum(memory(child, self._process) for child in self.started())
            self.peak = max(self.peak, children + self._process.memory_info().rss - self._start)


def memory(child, parent):
    """What a child has taken in; until it runs a program of its own its memory is its parent's,
    counted already.
    """
    try:
        return child.memory_info().rss if child.cmdline() != parent.cmdline() else 0
    except psutil.Error:
        return 0


def deep(opening):
    return opening * (40 * MB // len(opening))


def spent():
    """Seconds that this process and its children have worked."""
    return sum(os.times()[:4])


BOMBS = [
    ("a.jsonl.gz", files.gzip_bomb, "a.jsonl.gz unpacks to more than 200 MB, the limit."),
    ("a.jsonl.gz", files.long_line, "a.jsonl.gz unpacks to more than 200 MB, the limit."),
    (
        "a.json",
        lambda: b'{"a": "' + b"x" * 300 * MB + b'"}',
        "a.json has 300 MB; the limit is 50 MB.",
    ),
    ("a.parquet", files.parquet_bomb, "a.parquet unpacks to more than 200 MB, the limit."),
    ("a.parquet", files.parquet_list_bomb, "a.parquet needs more memory than a file may."),
    ("a.xlsx", files.xlsx_bomb, "a.xlsx unpacks to more than 200 MB, the limit."),
    ("a.xlsx", files.xlsx_texts_bomb, "a.xlsx cannot be read"),
    ("a.xlsx", files.xlsx_far_cell, "a.xlsx "),
    ("a.json", lambda: deep(b"["), "a.json holds no usable row. Row 1: nested more than 64 deep."),
    (
        "a.jsonl",
        lambda: deep(b'{"a":'),
        "a.jsonl holds no usable row. Row 1: longer than 8,388,608 characters.",
    ),
    ("a.json", lambda: deep(b'{"a":'), "a.json is one JSON object of more than 32 MB."),
    ("a.json", lambda: b'{"a":[' + b"[]," * 10 * MB, "a.json holds more than 6,000,000 values."),
    (
        "a.json",
        lambda: b'[{"a":[' + b"[]," * 15 * MB,
        "a.json holds no usable row. Row 1: more than 500,000 values.",
    ),
    (
        "a.json",
        lambda: b'[{"a":"' + b"x" * 45 * MB,
        "a.json holds no usable row. Row 1: longer than 8,388,608 characters.",
    ),
    ("a.json", lambda: b'{"\xf0\x9f\x98\x80":"' + b"x" * 31 * MB, "a.json holds no usable row."),
    (
        "a.csv",
        lambda: b'a,b\n"' + b"x" * 45 * MB,
        "a.csv holds no usable row. Row 1: a cell is larger",
    ),
    (
        "a.csv",
        lambda: b'a,b\n"' + b"x\n" * 20 * MB,
        "a.csv holds no usable row. Row 1: a quotation mark opens",
    ),
    ("a.csv", lambda: b"," * 45 * MB, "a.csv has 8,388,610 columns; the limit is 1,000."),
]


@pytest.mark.parametrize(("name", "make", "message"), BOMBS)
def test_a_file_that_holds_too_much_is_refused_in_little_memory(name, make, message):
    data = make()
    start = spent()

    with Watch() as watch, pytest.raises(DatasetError) as caught:
        read(name, data)

    assert str(caught.value).startswith(message)
    assert watch.peak < CEILING - 100 * MB
    assert spent() - start < SECONDS
    assert not watch.started()


def test_a_long_line_between_others_costs_only_itself():
    data = b'{"a": 1}\n{"a": "' + b"x" * 45 * MB + b'"}\n{"a": 2}\n'

    table = read("a.jsonl", data)

    assert table.rows == [(1, {"a": 1}), (3, {"a": 2})]
    assert table.problems[0].message == "longer than 8,388,608 characters. Cut it."


def test_a_file_with_new_names_in_every_row_is_refused():
    rows = (
        {"question": "Who?"} | {f"r{number}c{at}": 1 for at in range(900)} for number in range(60)
    )
    data = "\n".join(map(json.dumps, rows)).encode()

    with pytest.raises(DatasetError, match="more than 10,000 different field names"):
        read("a.jsonl", data)
