"""A batch over files from Python: streamed, resumed where it stopped, and summed up."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

import pyarrow as pa

from evaluators.batch import kept
from evaluators.batch.columns import schema_of
from evaluators.batch.engine import Engine, Step, steps
from evaluators.batch.folder import MANIFEST, PARTS, Folder, WriteError, check_outputs
from evaluators.batch.function import free_scorer
from evaluators.batch.judging import Judging
from evaluators.batch.parts import Parts
from evaluators.batch.plan import BatchPlan, planned
from evaluators.batch.progress import Display
from evaluators.batch.results import BatchResults
from evaluators.batch.retry import failed_rows
from evaluators.batch.sources import Fragment
from evaluators.config import config
from evaluators.datasets.table import SHOWN_PROBLEMS, about_short
from evaluators.declared import checks_types
from evaluators.errors import (
    DatasetError,
    ParameterError,
    PlumblineError,
    RunStoppedError,
    StoreError,
    WorkerError,
)
from evaluators.extras import install_line
from evaluators.llm import Keys
from evaluators.numbers import whole_number
from evaluators.records import Cap
from evaluators.runs import inputs
from evaluators.runs.pool import Pool
from evaluators.runs.store import FileBatch, Store
from evaluators.runs.worker import Workers

LOCAL_THREADS = 2
"""Threads for metrics that stay in this process and ask nobody: more would only compete."""

SELDOM = 5.0
"""Seconds, at least, between two notes of what a batch at work has come to."""

MOST_NAMED = 5
"""Files that a remark names."""


@checks_types("metrics", "judge")
def evaluate_batch_files(
    data: str | os.PathLike[str],
    output: str | os.PathLike[str],
    metrics: inputs.Metric | Sequence[inputs.Metric],
    *,
    judge: inputs.Named | Sequence[inputs.Named] | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "",
    by: str | Sequence[str] = (),
    engine: Literal["local", "ray"] = "local",
    ray_address: str = "",
    workers: int | None = None,
    keys: Keys | None = None,
    cap: Cap | None = None,
    retry_failed: bool = False,
    progress: bool = True,
) -> BatchResults:
    """Judges every row of files of any size, in bounded memory, and writes Parquet files.

    `data` is a file, a folder, a pattern such as `"logs/*.jsonl.gz"`, or an address that pyarrow or
    fsspec open, of Parquet, JSON Lines or CSV; `output` is a folder that gets a file of results for
    each file, and `_manifest.json` when all are there. The same call goes on where it stopped:
    files whose results are there are skipped, and no answer of a judge is paid for twice. The app
    on this machine lists the batch among its runs.

    `columns` says which column a field is read from (`{"response": "answer"}`), else it is guessed
    as in the app; `encoding` is how text files are written that are not UTF-8, where that is in
    doubt. `by` names columns by which results are summed up as well: `"model"`, or of times
    `"created:week"` (or day, month). `workers` are processes, one for each processor unless given;
    metrics that ask a judge, and those of your own, stay in this one. With the engine `"ray"` they
    are processes of Ray, started here or in the cluster at `ray_address`. `cap` counts over all
    calls that go on with the same folder. `retry_failed` judges also those rows of finished files
    again that failed, and no others.

    Raises `PlumblineError` where nothing could begin; what stopped it later is in
    `BatchResults.stopped`, and files that cannot be read are in `BatchResults.problems`.
    """
    folder = Folder(os.fspath(output))
    plan = planned(
        os.fspath(data),
        metrics,
        judge=judge,
        columns=columns,
        encoding=encoding,
        by=[by] if isinstance(by, str) else by,
        keys=keys,
        cap=cap,
    )
    if plan.source.passed_over:
        passed_over = _listed(plan.source.passed_over)
        inputs.print_remark(
            f"Not read, as neither Parquet, JSON Lines nor CSV by name: {passed_over}."
        )
    if workers is not None:
        workers = whole_number(workers, "workers", least=1)
    theirs = _workers(engine, ray_address, workers)
    try:
        return work(plan, folder, theirs, retry_failed=retry_failed, progress=progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Stopped; what is done is kept. Give the same command again to go on."
        ) from None


def work(
    plan: BatchPlan,
    folder: Folder,
    workers: AbstractContextManager[Workers],
    *,
    retry_failed: bool = False,
    progress: bool = True,
) -> BatchResults:
    """Judges what is not finished, and sums up all that is."""
    fragments = plan.source.fragments
    check_outputs(folder, fragments)
    with folder.held(plan.settings) as batch_id:
        store = inputs.local_store()
        batch = kept.begun(store, batch_id, folder, plan)
        attempt = _Attempt(plan, folder, workers, store, batch)
        try:
            with Display(len(fragments), show=progress) as display:
                attempt.work(display, retry_failed=retry_failed)
        except BaseException:
            attempt.keep()
            raise
        if left := folder.of_no_file(fragments):
            inputs.print_remark(
                f"In the folder, but of no file of the batch: {_listed(left)}. Delete what is not "
                "to be read."
            )
        # Still held, so that no other process writes while the files are read.
        results = attempt.results()
        # A manifest says that every file is there, and whoever waits for it reads them at once.
        if results.is_complete:
            with attempt.stopping():
                folder.remove_folder(PARTS)
                reading = kept.reading_as_stored(plan.reading)
                manifest = {**plan.settings, "reading": reading, **results.manifest()}
                folder.write_json(MANIFEST, manifest)
        results = replace(results, stopped=attempt.stopped)
        try:
            kept.ended(store, batch, results)
        except StoreError as error:
            # What stopped the batch itself is to be seen first.
            results = replace(results, stopped=results.stopped or str(error))
    return results


@dataclass
class _Attempt:
    """One attempt at a batch: the files that it could not read, and why it stopped, if it did."""

    plan: BatchPlan
    folder: Folder
    workers: AbstractContextManager[Workers]
    store: Store
    batch: FileBatch
    problems: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    _finished: frozenset[Fragment] = frozenset()
    _parts: dict[Fragment, Parts] = field(default_factory=dict)
    _kept_next: float = field(default_factory=lambda: time.monotonic() + SELDOM)

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Keeps why nothing can go on, where that is so."""
        try:
            yield
        except (RunStoppedError, StoreError, WriteError, WorkerError) as error:
            self.stopped = str(error)

    def results(self) -> BatchResults:
        """What is in the folder now; raises `PlumblineError` where it cannot be read."""
        fragments = self.plan.source.fragments
        finished = list(filter(self.folder.is_finished, fragments))
        found = BatchResults.read(self.folder, finished, self.plan.columns, self.plan.groups)
        return replace(
            found,
            files=len(fragments),
            problems=self.problems,
            spent=self.store.calls.spent(self.batch.id),
            stopped=self.stopped,
        )

    def work(self, display: Display, *, retry_failed: bool = False) -> None:
        """Goes through the files that are not finished; raises only what nobody foresaw."""
        every = self.plan.source.fragments
        self._finished = frozenset(filter(self.folder.is_finished, every))
        open_files = []
        for fragment in every:
            is_open = fragment not in self._finished
            if is_open or (retry_failed and any(self._failed(fragment))):
                open_files.append(fragment)
        display.skip(len(every) - len(open_files))
        with self.stopping():
            if open_files:
                # Whoever waits for the manifest must not take that of an earlier attempt for it.
                self.folder.remove(MANIFEST)
                with self._engine() as engine:
                    self._write(engine, open_files, display)

    def _failed(self, fragment: Fragment) -> Iterator[int]:
        return failed_rows(self.folder, fragment.name, self.plan.columns)

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        """The engine at work; what it has started ends with it, the judges last."""
        plan, run = self.plan, self.plan.run
        with ExitStack() as open_until_the_end:
            workers = open_until_the_end.enter_context(self.workers)
            score_row = free_scorer(plan.own)
            if run.judges:
                judging = Judging(plan, self.store, self.batch.id)
                open_until_the_end.callback(judging.close)
                score_row = judging.score_row
            engine = Engine(
                plan.task(own=False),
                workers,
                schema_of(plan.columns, plan.groups),
                plan.task(own=True),
                score_row,
                config().workers if run.judges else LOCAL_THREADS,
            )
            yield open_until_the_end.enter_context(engine)

    def _write(self, engine: Engine, fragments: Sequence[Fragment], display: Display) -> None:
        plan = self.plan
        read = steps(
            plan.source,
            fragments,
            plan.reading,
            plan.required,
            plan.groups,
            lambda source, fragment, wanted: self._parts_of(fragment).left(source, wanted),
        )
        in_order = engine.results(read)
        # Steps come file by file, so that neighbours of one file are all there is of it.
        for fragment, own in groupby(in_order, key=lambda pair: pair[0].fragment):
            try:
                parts = self._parts_of(fragment)
                # It holds rows, which must not stay where the file cannot be read to its end.
                del self._parts[fragment]
                display.skip_rows(fragment.name, parts.rows)
                parts.write(_batches(own, display))
            except DatasetError as error:
                self.problems[fragment.name] = str(error)
            if note := plan.source.notes.get(fragment):
                inputs.print_remark(f"{fragment.name}: {note}")
            display.file_done(fragment.name)
            if time.monotonic() >= self._kept_next:
                self.keep()

    def keep(self) -> None:
        """Keeps what it has come to: whatever ends it, the app shows that.

        Whatever keeps it from that is told at the end.
        """
        began = time.monotonic()
        with suppress(PlumblineError, OSError, pa.ArrowException):
            kept.ended(self.store, self.batch, self.results())
        ends = time.monotonic()
        # Of many files it takes long, and must stay a small part of the work.
        self._kept_next = ends + max(SELDOM, 20 * (ends - began))

    def _parts_of(self, fragment: Fragment) -> Parts:
        # Once, by whoever is first: the reader of its rows, which is ahead of who writes them.
        if fragment not in self._parts:
            again = frozenset(self._failed(fragment)) if fragment in self._finished else None
            schema = schema_of(self.plan.columns, self.plan.groups)
            self._parts[fragment] = Parts(self.folder, fragment, schema, again)
        return self._parts[fragment]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])


def _batches(
    own: Iterator[tuple[Step, Future[pa.RecordBatch]]],
    display: Display,
) -> Iterator[pa.RecordBatch]:
    """The results of a file as they come, and at its end a remark on rows that lack cells; raises
    `DatasetError` where it cannot be read on.
    """
    first_short: list[int] = []
    count = 0
    for step, results in own:
        if step.problem:
            raise DatasetError(step.problem)
        if step.piece:
            batch = results.result()
            short = step.piece.short()
            first_short = [*first_short, *short][:SHOWN_PROBLEMS]
            count += len(short)
            display.rows_done(batch.num_rows)
            yield batch
        elif count:
            inputs.print_remark(f"{step.fragment.name}: {about_short(first_short, count)}")


def _workers(
    engine: Literal["local", "ray"], ray_address: str, count: int | None
) -> AbstractContextManager[Workers]:
    if engine == "local":
        return nullcontext(Pool(count or os.cpu_count() or 1))
    # Only here: the package is an extra, and takes seconds to import.
    try:
        from evaluators.batch.cluster import ray_workers
    except ImportError as error:
        raise ParameterError(
            "The engine ray needs a package that is not installed. Install it: "
            f"{install_line('ray')}"
        ) from error
    return ray_workers(ray_address, count)
