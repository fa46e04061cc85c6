"""What a run file holds: a zip of a manifest and the parts that it names, each with its hash."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Record, Run, SampleResult
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


class AskedModel(Record):
    """A model that the run asked: what was paid, and the names under which it answered.

    `price_in` and `price_out` are US dollars for a million tokens on the day of writing.
    """

    id: str
    served: tuple[str, ...] = ()
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None


class Environment(Record):
    """What the run may depend on beside its settings: versions, and who was asked."""

    python: str
    packages: dict[str, str]
    models: tuple[AskedModel, ...] = ()


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
    environment: Environment | None = None
