"""Batches as the store of this machine keeps them: what each came to, and where its files are."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter

from evaluators.batch.folder import Folder
from evaluators.batch.pieces import Reading
from evaluators.batch.plan import BatchPlan
from evaluators.batch.results import BatchResults
from evaluators.errors import StoreError
from evaluators.records import EvaluatorSpec, ModelSpec
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.store import FileBatch, Store

_READING = TypeAdapter(Reading)


def begun(store: Store, folder: Folder, plan: BatchPlan) -> FileBatch:
    """The batch of this folder, in the store from now on; one that goes on is there already."""
    place = _storable(str(folder.local or folder.address))
    settings = _storable(plan.settings)
    before = store.file_batches.of_folder(WORKSPACE, place)
    if before and before.settings == settings:
        return before
    files = len(plan.source.fragments)
    reading = _READING.dump_python(plan.reading, mode="json")
    nothing = BatchResults(folder=place, rows=0, finished=(), means={}, files=files)
    batch = FileBatch(
        id=uuid.uuid4().hex,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        title=PurePosixPath(settings["data"]).name or settings["data"],
        folder=place,
        settings=settings,
        reading=_storable(dict(zip(Reading._fields, reading, strict=True))),
        summary=nothing.manifest(),
    )
    # A full disk keeps nobody from judging; when the batch ends it is told of.
    with suppress(StoreError):
        store.file_batches.save(WORKSPACE, batch)
    return batch


def ended(store: Store, batch: FileBatch, results: BatchResults) -> None:
    """Keeps what the batch came to, whole or as far as it is; raises `StoreError`."""
    own = batch.model_copy(update={"summary": _storable(results.manifest())})
    store.file_batches.save(WORKSPACE, own)


def reading_of(batch: FileBatch) -> Reading:
    """How the rows of its files are read."""
    return _READING.validate_python(batch.reading)


def results_of(batch: FileBatch) -> BatchResults:
    """What the batch came to when its command ended last; raises `ValueError` where unreadable."""
    return BatchResults.of_manifest(batch.folder, batch.summary)


def _storable(content: Any) -> Any:
    """The same without half characters, of which names of files may hold some."""
    text = json.dumps(content, ensure_ascii=False)
    return json.loads(text.encode(errors="replace"))


def metrics_of(batch: FileBatch) -> list[EvaluatorSpec]:
    return [EvaluatorSpec.model_validate(spec) for spec in batch.settings["metrics"]]


def judges_of(batch: FileBatch) -> list[ModelSpec]:
    return [ModelSpec.model_validate(spec) for spec in batch.settings["judges"]]
