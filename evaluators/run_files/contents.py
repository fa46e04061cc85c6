"""What a run file holds: a zip of a manifest and the parts that it names, each with its hash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Record, Run, Sample, SampleResult
from evaluators.runs.environment import Environment
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer
from evaluators.sandbox import script

FORMAT = 2
"""The version of the format; a file of a later one is refused."""
SUFFIX = ".plumbline"
MANIFEST, RUN, ENVIRONMENT = script.MANIFEST, script.RUN, "environment.json"
SAMPLES, RESULTS, LABELS, NOTES = (
    f"{name}.jsonl" for name in ("samples", "results", "labels", "notes")
)
PARTS = (RUN, SAMPLES, RESULTS, LABELS, NOTES, ENVIRONMENT)
"""The entries of a file beside its manifest, all of them in every file."""


class Part(Record):
    """An entry of the zip as it was written: bytes, and SHA-256 in 64 hex digits."""

    size: int
    sha256: str


class Manifest(Record):
    """What the file is: the format, the version of Plumbline that wrote it and when (UTC, ISO)."""

    format: int
    plumbline: str
    written: str
    parts: dict[str, Part]


class CellLabel(Record):
    """A person's label with the cell that it is of."""

    position: int
    model: int
    metric: int
    label: PersonLabel

    @property
    def cell(self) -> Cell:
        return Cell(self.position, self.model, self.metric)


class AnswerNote(Record):
    """A note with the answer that it is of."""

    position: int
    model: int
    note: Note

    @property
    def answer(self) -> Answer:
        return Answer(self.position, self.model)


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Lines(Generic[R]):
    """Records as their lines of JSON, each made anew when it is read.

    As objects those of a large run take many times as much memory as their text.
    """

    kind: type[R]
    texts: list[bytes]

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[R]:
        return map(self.kind.model_validate_json, self.texts)


@dataclass(frozen=True)
class RunFile:
    """A run with all of it, as a file holds it."""

    run: Run
    environment: Environment
    samples: Lines[Sample]
    results: Lines[SampleResult]
    labels: Lines[CellLabel]
    notes: Lines[AnswerNote]
