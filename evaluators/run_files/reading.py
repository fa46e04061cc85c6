"""Opens a run file: what was changed, is too large or does not fit together is refused."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evaluators.catalogue import leads
from evaluators.config import config
from evaluators.errors import PlumblineError, RunFileError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Run, Sample, SampleResult
from evaluators.run_files.contents import (
    ENVIRONMENT,
    FORMAT,
    LABELS,
    MANIFEST,
    NOTES,
    PARTS,
    RESULTS,
    RUN,
    SAMPLES,
    AnswerNote,
    CellLabel,
    Manifest,
    RunFile,
)
from evaluators.runs.environment import Environment
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer, Store
from evaluators.runs.store.bodies import timestamp, why_unreadable
from evaluators.text.language import say
from evaluators.text.printable import printable

MOST_OF_A_MANIFEST = 2**20
MOST_METRICS = 20
"""Results for each sample, by models and metrics, of a data set as large as the host allows."""
MOST_NUMBER = 1e15
"""Of values, tokens and dollars: sums of a run's stay finite."""
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways of packing that run files may have: others unpack slowly, or into any size."""

R = TypeVar("R", bound=BaseModel)


def opened(data: bytes, store: Store, workspace: str) -> Run:
    """The run of a file, in the store from now on; a file that was opened before is not put twice.

    Raises `RunFileError`, and then nothing is stored.
    """
    content = read(data)
    # The same file in the same workspace is the same run.
    run_id = hashlib.sha256(f"{workspace}\n".encode() + data).hexdigest()[:32]
    run = content.run.model_copy(update={"id": run_id, "workspace": workspace})
    if store.runs.get(run_id) is None:
        store.runs.put(run, content.dataset, content.results)
        try:
            environment = content.environment.model_copy(update={"opened": timestamp()})
            store.environments.save(run_id, environment)
            for cell, labels in content.labels.items():
                store.person_labels.save(run_id, cell, *labels)
            for answer, note in content.notes.items():
                store.notes.save(run_id, answer, note)
        except PlumblineError:
            store.runs.delete(run_id)
            raise
    return run


def read(data: bytes) -> RunFile:
    """All that a file holds; raises `RunFileError` with what is wrong with it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = _parts(archive)
    except RunFileError:
        raise
    # The library raises whatever it meets first in a damaged file, and not only its own errors.
    except Exception as error:
        raise RunFileError(
            say("This is not a run file, or it is damaged. Export it again.")
        ) from error
    [run] = _records(Run, RUN, parts, 1)
    [environment] = _records(Environment, ENVIRONMENT, parts, 1)
    samples = tuple(_records(Sample, SAMPLES, parts, config().rows_per_dataset))
    dataset = Dataset(name=run.dataset_name, samples=samples, origin=run.origin)
    _check_run(run, dataset)
    _check_environment(environment)
    cells = _Cells(run, dataset)
    most = cells.count
    results = tuple(map(_checked_result, _records(SampleResult, RESULTS, parts, most)))
    cells.check_different(RESULTS, (_cell_of(result) for result in results))
    return RunFile(
        run=run,
        dataset=dataset,
        results=results,
        labels=_checked_labels(cells, _records(CellLabel, LABELS, parts, None)),
        notes=_checked_notes(cells, _records(AnswerNote, NOTES, parts, most)),
        environment=environment,
    )


def _parts(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """The bytes of every part, as the manifest promises them."""
    # Nothing is unpacked to the disk, but who sends other entries means no run file.
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if sorted(names) != sorted((MANIFEST, *PARTS)):
        raise RunFileError(_wrong_entries(names))
    if any(entry.compress_type not in PACKINGS or entry.flag_bits & 1 for entry in entries):
        raise RunFileError(say("This file is encrypted or packed in a way that run files are not."))
    manifest = _manifest(_bytes(archive, MANIFEST, MOST_OF_A_MANIFEST))
    if manifest.format > FORMAT:
        raise RunFileError(
            say(
                "This file is from a newer version of Plumbline ({version}). Install that version "
                "to open it.",
                version=printable(manifest.plumbline)[:20],
            )
        )
    if sorted(manifest.parts) != sorted(PARTS):
        raise RunFileError(say("The manifest does not name every part of the file."))
    left = config().decoded_bytes
    parts = {}
    for name, part in manifest.parts.items():
        if not 0 <= part.size <= left:
            raise RunFileError(
                say(
                    "Unpacked it holds more than {limit:,.0f} MB, the limit.",
                    limit=config().decoded_bytes / 2**20,
                )
            )
        parts[name] = _bytes(archive, name, part.size)
        if hashlib.sha256(parts[name]).hexdigest() != part.sha256:
            raise RunFileError(say("{name} was changed after the file was written.", name=name))
        left -= part.size
    return parts


def _wrong_entries(names: list[str]) -> str:
    expected = {MANIFEST, *PARTS}
    if missing := sorted(expected - set(names)):
        return say("This is not a run file: {name} is missing.", name=", ".join(missing))
    strange = [name for name in names if name not in expected] or [say("an entry twice")]
    return say("This is not a run file: it holds {name}.", name=printable(strange[0])[:60])


def _manifest(text: bytes) -> Manifest:
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        # A later version may have more in its manifest: what it says of its format counts.
        with suppress(ValidationError):
            newer = _Format.model_validate_json(text)
            if newer.format > FORMAT:
                raise RunFileError(
                    say(
                        "This file is from a newer version of Plumbline. Install that version to "
                        "open it."
                    )
                ) from error
        raise RunFileError(
            say(
                "The manifest cannot be read ({why}).",
                why=why_unreadable(error),
            )
        ) from error


class _Format(BaseModel):
    format: int


def _bytes(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    with archive.open(name) as entry:
        # What an entry says of its size may be a lie: one byte more is read than it may have.
        data = entry.read(most + 1)
    if len(data) > most:
        raise RunFileError(say("{name} is longer than the file says.", name=name))
    return data


def _records(
    kind: type[R],
    name: str,
    parts: dict[str, bytes],
    most: int | None,
) -> Iterator[R]:
    lines = parts[name].splitlines()
    if most is not None and len(lines) > most:
        raise RunFileError(
            say(
                "{name} has {lines:,} lines, at most {most:,} fit.",
                name=name,
                lines=len(lines),
                most=most,
            )
        )
    if kind in (Run, Environment) and len(lines) != 1:
        raise RunFileError(say("{name} does not hold one record.", name=name))
    for number, line in enumerate(lines, start=1):
        try:
            yield kind.model_validate_json(line)
        except (ValueError, RecursionError) as error:
            why = why_unreadable(error) if isinstance(error, ValueError) else "too deep"
            raise RunFileError(
                say(
                    "{name}, line {number:,}, cannot be read ({why}).",
                    name=name,
                    number=number,
                    why=why,
                )
            ) from error


def _check_run(run: Run, dataset: Dataset) -> None:
    # Of their contents: a sample that was changed, left out or moved makes another one.
    if not dataset.samples or run.fingerprint != dataset.fingerprint:
        raise RunFileError(say("The samples are not those that the run was made with."))
    if run.repeats != dataset.repeats or dataset != dataset.repeated(run.repeats):
        raise RunFileError(say("The repeats of the samples are not those of the run."))
    if not _is_moment(run.created):
        raise RunFileError(say("run.json has no date that can be read."))
    # What a page asks by which labels or rules to count, it asks of the first metric.
    if any(leads(spec.name) for spec in run.evaluators[1:]):
        raise RunFileError(say("run.json has RGB or TRACE behind another metric."))
    try:
        _Origin.model_validate(run.origin)
    except ValidationError as error:
        why = why_unreadable(error)
        raise RunFileError(
            say("run.json, how the samples were made, cannot be read ({why}).", why=why)
        ) from error
    cells = len(dataset.samples) * max(1, len(run.models)) * len(run.evaluators)
    if cells > MOST_METRICS * config().rows_per_dataset:
        raise RunFileError(
            say("The run has {cells:,} results to give, too many to be shown.", cells=cells)
        )


def _check_environment(environment: Environment) -> None:
    for moment in (environment.ended, environment.opened):
        if moment and not _is_moment(moment):
            raise RunFileError(say("{name} has no date that can be read.", name=ENVIRONMENT))
    for model in environment.models:
        counts = (model.calls, model.prompt_tokens, model.answer_tokens, model.cost or 0)
        prices = (model.price_in or 0, model.price_out or 0)
        if not all(0 <= number <= MOST_NUMBER for number in (*counts, *prices)):
            raise RunFileError(say("{name} has a bill that cannot be.", name=ENVIRONMENT))


def _checked_result(result: SampleResult) -> SampleResult:
    values = [value or 0.0 for value in result.score.values.values()] if result.score else []
    usage = result.usage
    bill = (usage.prompt_tokens, usage.answer_tokens, result.calls, result.cached)
    times = (result.cost or 0.0, result.seconds)
    # A sum of a few greater ones is infinite, and no page could show the mean.
    if not all(abs(number) <= MOST_NUMBER for number in (*values, *bill, *times)):
        raise RunFileError(say("{name} has a number that cannot be.", name=RESULTS))
    return result


def _is_moment(text: str) -> bool:
    """Whether it is a date that can be shown by any clock of the world."""
    try:
        return 1970 < datetime.fromisoformat(text).year < 9999
    except ValueError:
        return False


class _Download(BaseModel):
    id: str
    config: str
    split: str
    rows: int
    license: str | None


class _Files(BaseModel):
    address: str


class _Retrieval(BaseModel):
    embedding_model: str
    chunking_strategy: str
    chunk_size: int
    chunk_overlap: int
    chunks: int
    k: int
    documents: list[Any]


class _Origin(BaseModel):
    """How samples were made from their source, as pages and commands read it."""

    abilities: list[str] = []
    noise_levels: list[float] = []
    passages: int | None = None
    fill_up: bool = False
    read_as: str = ""
    seed: int | None = None
    sample: int | None = None
    group: str = ""
    table: str = ""
    file: str = ""
    skip_broken: bool = False
    columns: dict[str, str] = {}
    hub: _Download | None = None
    rgb: _Files | None = None
    retrieval: _Retrieval | None = None


class _Cells:
    """The cells that a run has."""

    def __init__(self, run: Run, dataset: Dataset) -> None:
        self._sizes = len(dataset.samples), max(1, len(run.models)), len(run.evaluators)

    @property
    def count(self) -> int:
        samples, models, metrics = self._sizes
        return samples * models * metrics

    def check(self, name: str, cell: Cell) -> None:
        """Raises `RunFileError` for a cell that the run does not have."""
        if not all(0 <= place < size for place, size in zip(cell, self._sizes, strict=True)):
            raise RunFileError(say("{name} names an answer that the run does not have.", name=name))

    def check_different(self, name: str, cells: Iterable[Cell]) -> None:
        """The same for several, of which no two may be one."""
        known = set()
        for cell in cells:
            self.check(name, cell)
            if cell in known:
                raise RunFileError(say("{name} has an answer twice.", name=name))
            known.add(cell)


def _cell_of(of: SampleResult | CellLabel) -> Cell:
    return Cell(of.position, of.model, of.metric)


def _checked_labels(cells: _Cells, read: Iterable[CellLabel]) -> dict[Cell, list[PersonLabel]]:
    labels: dict[Cell, list[PersonLabel]] = {}
    for label in read:
        cells.check(LABELS, _cell_of(label))
        if not _is_moment(label.label.created):
            raise RunFileError(say("{name} has no date that can be read.", name=LABELS))
        labels.setdefault(_cell_of(label), []).append(label.label)
    return labels


def _checked_notes(cells: _Cells, read: Iterable[AnswerNote]) -> dict[Answer, Note]:
    notes = {}
    for note in read:
        cells.check(NOTES, Cell(note.position, note.model, 0))
        notes[Answer(note.position, note.model)] = note.note
    return notes
