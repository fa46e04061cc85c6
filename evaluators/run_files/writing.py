"""Writes a run with all of it into one file; keys are in none of its parts."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from evaluators.errors import UnreadableRowError
from evaluators.records import Record, Run, Sample
from evaluators.run_files.contents import (
    ENVIRONMENT,
    FORMAT,
    LABELS,
    MANIFEST,
    NOTES,
    RESULTS,
    RUN,
    SAMPLES,
    AnswerNote,
    CellLabel,
    Manifest,
    Part,
)
from evaluators.runs.environment import versions
from evaluators.runs.store import Answer, Store
from evaluators.runs.store.bodies import to_body

AT_ONCE = 500
"""Samples that are read from the store at a time, so that a large run needs little memory."""

IN_MEMORY = 16 * 2**20
"""Bytes of a file up to which it is made in memory, above on the disk."""


def written(store: Store, run: Run) -> bytes:
    """The file of a run, as it is now; an unfinished one is written as far as it is."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        write(store, run, file)
        file.seek(0)
        return file.read()


def write(store: Store, run: Run, file: IO[bytes]) -> None:
    """The same into an open file; raises `UnreadableRowError` where a sample cannot be read."""
    # Whose workspace it was is nobody else's business: on a public host it opens the workspace.
    # And a run that this one did again has another id wherever it is opened.
    anonymous = run.model_copy(update={"workspace": "", "again_of": ""})
    if file_of_data := run.origin.get("file"):
        # Folders of this machine tell who works on what.
        origin = {**run.origin, "file": Path(file_of_data).name}
        anonymous = anonymous.model_copy(update={"origin": origin})
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {
            RUN: _write(archive, RUN, [anonymous]),
            SAMPLES: _write(archive, SAMPLES, _written_samples(store, run)),
            RESULTS: _write(archive, RESULTS, _results(store, run)),
            LABELS: _write(archive, LABELS, _written_labels(store, run)),
            NOTES: _write(archive, NOTES, _written_notes(store, run)),
            ENVIRONMENT: _write(archive, ENVIRONMENT, [store.environments.of(run)]),
        }
        manifest = Manifest(
            format=FORMAT,
            plumbline=versions().plumbline,
            written=datetime.now(UTC).isoformat(timespec="seconds"),
            parts=parts,
        )
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))


def _write(archive: zipfile.ZipFile, name: str, records: Iterable[Record]) -> Part:
    """A record a line; the hash is of the bytes before they are packed."""
    digest, size = hashlib.sha256(), 0
    # Line by line: the samples of a large run need not fit into memory.
    with archive.open(name, "w", force_zip64=True) as entry:
        for record in records:
            line = to_body(record).encode() + b"\n"
            entry.write(line)
            digest.update(line)
            size += len(line)
    return Part(size=size, sha256=digest.hexdigest())


def _written_samples(store: Store, run: Run) -> Iterator[Sample]:
    for positions in _portions(store, run):
        samples = store.samples.get_many(run.fingerprint, positions)
        for position in positions:
            sample = samples[position]
            # Without one of its samples the file would be of other data.
            if isinstance(sample, UnreadableRowError):
                raise sample
            yield sample


def _results(store: Store, run: Run) -> Iterator[Record]:
    # Answers that came with the data have no model and stand under number 0.
    models = range(max(1, len(run.models)))
    for positions in _portions(store, run):
        answers = [Answer(position, model) for position in positions for model in models]
        found = store.results.of_answers(run.id, answers)
        for answer in answers:
            yield from found.get(answer, {}).values()


def _written_labels(store: Store, run: Run) -> Iterator[CellLabel]:
    for cell, labels in store.person_labels.by_cell(run.id).items():
        for label in labels:
            yield CellLabel(
                position=cell.position,
                model=cell.model,
                metric=cell.metric,
                label=label,
            )


def _written_notes(store: Store, run: Run) -> Iterator[AnswerNote]:
    for answer, note in store.notes.by_answer(run.id).items():
        yield AnswerNote(position=answer.position, model=answer.model, note=note)


def _portions(store: Store, run: Run) -> Iterator[range]:
    count = store.samples.number_of(run.id)
    for start in range(0, count, AT_ONCE):
        yield range(start, min(start + AT_ONCE, count))
