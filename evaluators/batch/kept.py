"""Batches as the store of this machine keeps them: what each came to, and where its files are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
from pydantic import TypeAdapter

from evaluators.batch.folder import Folder
from evaluators.batch.pieces import Reading
from evaluators.batch.plan import BatchPlan, storable
from evaluators.batch.results import BatchResults
from evaluators.batch.sources import Fragment, Source, found
from evaluators.errors import DatasetError, PlumblineError, StoreError
from evaluators.records import EvaluatorSpec, ModelSpec
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.store import FileBatch, Store
from evaluators.text.language import say
from evaluators.text.printable import printable

_READING = TypeAdapter(Reading)

SELDOM = 5.0
"""Seconds, at least, between two notes of what a batch at work has come to."""


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


class Notes:
    """Keeps what a batch has come to while it is at work: whatever ends it, the app shows that."""

    def __init__(
        self,
        store: Store,
        batch: FileBatch,
        read: Callable[[], BatchResults],
    ) -> None:
        self._store = store
        self._batch = batch
        self._read = read
        self._next = time.monotonic() + SELDOM

    def file_done(self) -> None:
        """Keeps it now and then."""
        if time.monotonic() >= self._next:
            self.keep()

    def keep(self) -> None:
        """Keeps it as far as that can be done: whatever keeps it from that is told at the end."""
        began = time.monotonic()
        with suppress(PlumblineError, OSError, pa.ArrowException):
            ended(self._store, self._batch, self._read())
        ends = time.monotonic()
        # Of many files it takes long, and must stay a small part of the work.
        self._next = ends + max(SELDOM, 20 * (ends - began))


def reading_as_stored(reading: Reading) -> dict[str, Any]:
    parts = _READING.dump_python(reading, mode="json")
    return dict(storable(dict(zip(Reading._fields, parts, strict=True))))


def source_of(batch: FileBatch) -> Source:
    """The files that came in, as they are now; raises `DatasetError` where there are none."""
    return found(str(batch.settings["data"]), str(batch.settings.get("encoding", "")))


def judged_files(batch: FileBatch, source: Source, names: Iterable[str]) -> dict[str, Fragment]:
    """Files that came in, by name; raises `DatasetError` where one is not as it was judged."""
    folder = Folder(batch.folder)
    there = {fragment.name: fragment for fragment in source.fragments}
    files = {}
    for name in names:
        if name not in there or not folder.is_finished(there[name]):
            raise changed(name)
        files[name] = there[name]
    return files


def changed(name: str) -> DatasetError:
    return DatasetError(
        say(
            "{file} is gone, or has changed since it was judged, or its results have. Give the "
            "same command again: its rows are judged anew.",
            file=printable(name),
        )
    )


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
