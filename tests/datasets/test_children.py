"""Child processes of a public host: few at once, whoever's files they parse."""

import gzip
import json
import threading
import time

import pytest

from evaluators.config import config
from evaluators.datasets import apart
from evaluators.datasets.readers import read
from evaluators.datasets.table import Collector
from evaluators.errors import DatasetError
from evaluators.sandbox.child import TURNS
from tests.datasets import files


def most_at_once(count: int) -> int:
    """How many children there are at once while so many visitors upload a file each; all files must
    be read.
    """
    data, limits = (
        files.xlsx([["question"], ["When?"]]),
        apart.allowed(Collector("x.xlsx", config())),
    )
    at_once, counts, outputs = [], [], []

    def parse():
        with apart.child("xlsx", data, limits) as lines:
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


QUOTED = '"Who ""said"" it, when?","Nobody\nsaid it",\n'
TEXTS = {
    "plain.csv": "question,response,contexts\n" + QUOTED + "Short\n,,\n",
    "bars.csv": "question|response\nWhat?|a\nWhy?|b|c\n",
    "quotation marks.tsv": 'question\tresponse\nWhat?\t"a\nWhy?\tb\n',
    "no names.csv": "What is it?,A mill\nWhen was it built?,In 1812\nWhere is it?,Here\n",
    "cyrillic.csv": "question,response\nКогда построили мельницу?,Давно\n".encode("cp1251"),
    "in doubt.csv": "question,response\nW\xe4r?,\xfc\n".encode("cp1252"),
    "half characters.jsonl": '{"question": "\\ud800?", "response": "\\udfff", "x": "\\ud83d\\ude00"}',
    "numbers.jsonl": '{"question": "?", "a": NaN, "b": 1e999, "c": 12345678901234567890, "d": 1.50}',
    "broken.jsonl": '{"question": "a?", "response": "a"}\n{"question": \n[1]\n',
    "rows.json": '[["Who?", "I"], ["When?", "Now"]]',
    "lists.json": json.dumps(
        {"train": [{"question": "a?", "response": "b"}], "other": [{"name": "x"}, {"name": "y"}]}
    ),
}
REFUSED = {
    "empty.csv": " \n",
    "broken names.csv": '"question,response\nWhat?,a\n',
    "no text.jsonl": b"\0\1\2" * 100,
    "deep.json": "[" * 100_000,
    "columns.csv": ",".join(f"c{number}" for number in range(1001)) + "\n1\n",
}


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize("name", TEXTS)
def test_a_child_reads_a_text_as_this_process_does(name, monkeypatch):
    data = as_bytes(TEXTS[name])
    here = read(name, data)
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")

    # As they are written, for half characters and what is no number are unlike themselves.
    assert repr(read(name, data)) == repr(here)
    assert here.rows


@pytest.mark.parametrize("name", REFUSED)
def test_a_child_refuses_a_text_in_the_words_of_this_process(name, monkeypatch):
    data = as_bytes(REFUSED[name])
    with pytest.raises(DatasetError) as here:
        read(name, data)
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")

    with pytest.raises(DatasetError) as there:
        read(name, data)
    assert there.value.reason == here.value.reason


def test_a_child_keeps_to_the_limits_of_the_host(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_ROWS_PER_DATASET", "2")

    with pytest.raises(DatasetError, match="more than 2 rows, the limit"):
        read("a.csv", b"question\na?\nb?\nc?\n")


@pytest.mark.parametrize(
    ("text", "is_public", "is_read_apart"),
    [
        (b"question\na?\n", False, False),
        (b"question\na?\n", True, True),
        (b"x" * (apart.LARGE + 1), False, True),
        (apart.GZIP, False, True),
    ],
)
def test_a_child_reads_all_texts_of_a_public_host_and_elsewhere_large_ones(
    text, is_public, is_read_apart, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1" if is_public else "")

    assert apart.is_apart(text) == is_read_apart


def test_a_packed_list_of_questions_is_unpacked_by_a_child(monkeypatch):
    text = "Когда?\nWhere?\n" * 1000
    here = apart.plain_text("q.txt", text.encode("utf-16"), 8000)

    there = apart.plain_text("q.txt.gz", gzip.compress(text.encode("utf-16")), 8000)

    assert there == here
    assert len(there.start) == 8000
