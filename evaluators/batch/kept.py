"""Batches as the store of this machine keeps them: what each came to, and where its files are."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter

from evaluators.batch.folder import Folder
from evaluators.batch.pieces import Reading
from evaluators.batch.plan import BatchPlan, storable
from evaluators.batch.results import BatchResults
from evaluators.errors import StoreError
from evaluators.records import EvaluatorSpec, ModelSpec
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.store import FileBatch, Store

_READING = TypeAdapter(Reading)


def begun(store: Store, batch_id: str, folder: Folder, plan: BatchPlan) -> FileBatch:
    """The batch in this folder, in the store from now on; one that goes on is there already."""
    place = storable(str(folder.local or folder.address))
    settings = plan.settings
    before = store.file_batches.get(WORKSPACE, batch_id)
    if before and before.folder == place:
        return before
    files = len(plan.source.fragments)
    nothing = BatchResults(folder=place, rows=0, finished=(), means={}, files=files)
    batch = FileBatch(
        id=batch_id,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        title=PurePosixPath(settings["data"]).name or settings["data"],
        folder=place,
        settings=settings,
        reading=reading_as_stored(plan.reading),
        summary=nothing.manifest(),
    )
    # A full disk keeps nobody from judging; when the batch ends it is told of.
    with suppress(StoreError):
        # In place of what it was, and of another that had the same folder.
        for other in store.file_batches.newest(WORKSPACE).values():
            if other.id == batch_id or other.folder == place:
                store.file_batches.delete(WORKSPACE, other.id)
        store.file_batches.save(WORKSPACE, batch_id, batch)
    return batch


def ended(store: Store, batch: FileBatch, results: BatchResults) -> None:
    """Keeps what the batch came to, whole or as far as it is; raises `StoreError`."""
    own = batch.model_copy(update={"summary": storable(results.manifest())})
    store.file_batches.save(WORKSPACE, own.id, own)


def reading_as_stored(reading: Reading) -> dict[str, Any]:
    parts = _READING.dump_python(reading, mode="json")
    return dict(storable(dict(zip(Reading._fields, parts, strict=True))))


def reading_of(batch: FileBatch) -> Reading:
    """How the rows of its files are read."""
    return _READING.validate_python(batch.reading)


def results_of(batch: FileBatch) -> BatchResults:
    """What the batch came to when its command ended last; raises `ValueError` where unreadable."""
    return BatchResults.of_manifest(batch.folder, batch.summary)


def metrics_of(batch: FileBatch) -> list[EvaluatorSpec]:
    return [EvaluatorSpec.model_validate(spec) for spec in batch.settings["metrics"]]


def judges_of(batch: FileBatch) -> list[ModelSpec]:
    return [ModelSpec.model_validate(spec) for spec in batch.settings["judges"]]
