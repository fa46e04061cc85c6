"""What a run file holds: a zip of a manifest and the parts that it names, each with its hash."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Record, Run, SampleResult
from evaluators.runs.environment import Environment
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer

FORMAT = 1
"""The version of the format; a file of a later one is refused."""
SUFFIX = ".plumbline"
MANIFEST = "manifest.json"
RUN, ENVIRONMENT = "run.json", "environment.json"
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


class AnswerNote(Record):
    """A note with the answer that it is of."""

    position: int
    model: int
    note: Note


@dataclass(frozen=True)
class RunFile:
    """A run with all of it, as a file holds it."""

    run: Run
    dataset: Dataset
    results: tuple[SampleResult, ...]
    labels: dict[Cell, list[PersonLabel]] = field(default_factory=dict)
    notes: dict[Answer, Note] = field(default_factory=dict)
    environment: Environment = field(default_factory=Environment)
