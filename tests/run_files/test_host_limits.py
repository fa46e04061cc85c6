"""What a public host allows a run holds for run files too: refused whole, in words that help."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from evaluators.errors import PlumblineError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell
from evaluators.run_files.contents import LABELS, RESULTS
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs.store import Store
from tests.comparison.made import results
from tests.run_files.test_run_files import QUESTIONS, rewritten, with_line

VISITOR = "visitor-4fT9qLx2Vb7Rz1_KcW"
NOW = "2026-11-23T10:00:00+00:00"


def run_file(store: Store | None = None) -> bytes:
    """Of a run of three samples."""
    store = store or Store(":memory:")
    return written(store, results(store, "Made", QUESTIONS, [1.0, 0.0, 1.0]).run)


def labelled(count: int, people: int = 1) -> Callable[[bytes], bytes]:
    """The file with so many labels of the first answer by each of so many people."""

    def change(data: bytes) -> bytes:
        lines = []
        for number in range(people):
            label = PersonLabel(
                person=f"p{number}", label="verdict", key="answer_match", value="no", created=NOW
            )
            line = {"position": 0, "model": 0, "metric": 0, "label": label.model_dump()}
            lines += [json.dumps(line) + "\n"] * count
        return rewritten(data, {LABELS: "".join(lines).encode()})

    return change


def long_reason(data: bytes) -> bytes:
    """The file with four megabytes of letters in it, a few kilobytes as it is sent."""
    return with_line(data, RESULTS, lambda line: line["score"].update(reason="x" * 2**22))


class Limit(NamedTuple):
    """A limit of the host, a file beyond it, and what is said: what came, what may, what to do."""

    variables: Mapping[str, int]
    change: Callable[[bytes], bytes]
    words: tuple[str, ...]


LIMITS = {
    "samples to score": Limit(
        {"PLUMBLINE_CELLS_PER_RUN": 2},
        bytes,
        ("3 samples to score", "allows 2", "own machine"),
    ),
    "runs kept": Limit(
        {"PLUMBLINE_RUNS_KEPT_PER_VISITOR": 1},
        bytes,
        ("you have 1", "keeps 1 runs for each visitor", "Delete one"),
    ),
    "room, by what is unpacked": Limit(
        {"PLUMBLINE_WORKSPACE_BYTES": 2**21},
        long_reason,
        ("would add 4.0 MB", "keeps 2.0 MB", "Delete some first"),
    ),
    "unpacked size": Limit(
        {"PLUMBLINE_DECODED_BYTES": 2**21},
        long_reason,
        ("Unpacked it holds more than 2 MB", "PLUMBLINE_DECODED_BYTES", "own machine"),
    ),
    "labels of a run": Limit(
        {"PLUMBLINE_LABELS_PER_RUN": 10},
        labelled(4, people=3),
        ("12 labels by people", "keeps 10", "PLUMBLINE_LABELS_PER_RUN", "own machine"),
    ),
    "labels of one person and answer": Limit(
        {},
        labelled(1001),
        ("more than 1,000 labels", "of one person and answer", "Export it again"),
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_run_file_beyond_a_limit_of_the_host_is_refused_whole(name, monkeypatch):
    limit, store = LIMITS[name], Store(":memory:")
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    if name == "runs kept":
        opened(long_reason(run_file()), store, VISITOR)
    before = store.runs.ids(VISITOR)
    for variable, value in limit.variables.items():
        monkeypatch.setenv(variable, str(value))

    with pytest.raises(PlumblineError) as refused:
        opened(limit.change(run_file()), store, VISITOR)

    message = str(refused.value)
    assert all(words in message for words in limit.words), message
    assert store.runs.ids(VISITOR) == before


def test_within_the_limits_a_run_file_is_opened(monkeypatch):
    store = Store(":memory:")
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_CELLS_PER_RUN", "3")
    monkeypatch.setenv("PLUMBLINE_LABELS_PER_RUN", "12")

    run = opened(labelled(4, people=3)(run_file()), store, VISITOR)

    assert len(store.person_labels.by_cell(run.id)[Cell(0)]) == 12


def test_a_run_file_brings_no_queues_and_no_rounds(monkeypatch):
    """Whoever has their addresses could label in them."""
    store = Store(":memory:")

    run = opened(run_file(), store, VISITOR)

    assert store.label_queues.of_run(run.id) == []
    assert store.rounds.of_run(run.id) == []
