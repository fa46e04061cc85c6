"""A batch over files from Python: streamed, resumed where it stopped, and summed up."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

import pyarrow as pa

from evaluators.base import Evaluator
from evaluators.batch import kept
from evaluators.batch.columns import schema_of
from evaluators.batch.engine import Engine, Judged, Step, steps
from evaluators.batch.folder import MANIFEST, PARTS, Folder, WriteError, check_outputs
from evaluators.batch.function import ScoreRow, free_scorer
from evaluators.batch.judging import Judging
from evaluators.batch.parts import Parts
from evaluators.batch.plan import BatchPlan, planned
from evaluators.batch.progress import Display
from evaluators.batch.results import BatchResults
from evaluators.batch.retry import OpenRows, Retry
from evaluators.batch.sources import Fragment
from evaluators.batch.worker import Task
from evaluators.config import config
from evaluators.datasets.table import SHOWN_PROBLEMS, about_short
from evaluators.declared import checks_types
from evaluators.errors import (
    DatasetError,
    ParameterError,
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
from evaluators.runs.store import Store

if TYPE_CHECKING:
    from evaluators.batch.cluster import Cluster

LOCAL_THREADS = 2
"""Threads for metrics that stay in this process and ask nobody: more would only compete."""

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
    are actors, started here or in the cluster at `ray_address`. `cap` counts over all calls that go
    on with the same folder. `retry_failed` judges also those rows of finished files again that
    failed, and no others.

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
    where = Where(engine, ray_address, workers)
    try:
        return work(plan, folder, where, retry_failed=retry_failed, progress=progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Stopped; what is done is kept. Give the same command again to go on."
        ) from None


class Where(NamedTuple):
    """Which engine judges, at which address, with how many workers."""

    engine: Literal["local", "ray"] = "local"
    ray_address: str = ""
    workers: int | None = None


def work(
    plan: BatchPlan,
    folder: Folder,
    where: Where,
    *,
    retry_failed: bool = False,
    progress: bool = True,
) -> BatchResults:
    """Judges what is not finished, and sums up all that is."""
    fragments = plan.source.fragments
    check_outputs(folder, fragments)
    judged = Judged(plan.metrics, plan.columns, has_judge=bool(plan.judges))
    with folder.held(plan.settings) as batch_id:
        store = inputs.local_store()
        batch = kept.begun(store, batch_id, folder, plan)
        attempt = _Attempt(plan, folder, judged, where, store, batch_id)
        notes = kept.Notes(store, batch, attempt.results)
        try:
            with Display(len(fragments), show=progress) as display:
                attempt.work(display, notes, retry_failed=retry_failed)
        except BaseException:
            notes.keep()
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


class _Attempt:
    """One attempt at a batch: the files that it could not read, and why it stopped, if it did."""

    def __init__(
        self,
        plan: BatchPlan,
        folder: Folder,
        judged: Judged,
        where: Where,
        store: Store,
        batch: str,
    ) -> None:
        self.problems: dict[str, str] = {}
        self.stopped = ""
        self._retry = Retry(folder, judged.columns, frozenset())
        self._plan = plan
        self._folder = folder
        self._judged = judged
        self._where = where
        self._store = store
        self._batch = batch
        self._schema = schema_of(judged.columns, plan.groups)
        self._parts: dict[str, Parts] = {}

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Keeps why nothing can go on, where that is so."""
        try:
            yield
        except (RunStoppedError, StoreError, WriteError, WorkerError) as error:
            self.stopped = str(error)

    def results(self) -> BatchResults:
        """What is in the folder now; raises `PlumblineError` where it cannot be read."""
        fragments = self._plan.source.fragments
        finished = list(filter(self._folder.is_finished, fragments))
        found = BatchResults.read(self._folder, finished, self._judged.columns, self._plan.groups)
        return replace(
            found,
            files=len(fragments),
            problems=self.problems,
            spent=self._store.calls.spent(self._batch),
            stopped=self.stopped,
        )

    def work(self, display: Display, notes: kept.Notes, *, retry_failed: bool = False) -> None:
        """Goes through the files that are not finished; raises only what nobody foresaw."""
        every = self._plan.source.fragments
        finished = set(filter(self._folder.is_finished, every))
        self._retry = Retry.of(self._folder, self._judged.columns, finished if retry_failed else ())
        open_files = []
        for fragment in every:
            if fragment not in finished or fragment.name in self._retry.names:
                open_files.append(fragment)
        display.skip(len(every) - len(open_files))
        with self.stopping():
            if open_files:
                # Whoever waits for the manifest must not take that of an earlier attempt for it.
                self._folder.remove(MANIFEST)
                with self._engine() as engine:
                    self._write(engine, open_files, display, notes)

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        """The engine at work; what it has started ends with it, the judges last."""
        theirs, own = self._judged.split()
        with ExitStack() as open_until_the_end:
            cluster = None
            if self._where.engine == "ray":
                cluster = open_until_the_end.enter_context(_ray(self._where))
            score_row: ScoreRow | None = None
            if self._plan.judges:
                judging = self._opened_judges(own.metrics)
                open_until_the_end.callback(judging.close)
                score_row = judging.score_row
            elif own.metrics:
                score_row = free_scorer(own.metrics)
            specs = tuple(metric.spec() for metric in theirs.metrics)
            task = Task(self._plan.reading, specs, theirs.columns, self._plan.groups, config())
            count = self._where.workers or os.cpu_count() or 1
            engine = Engine(
                task,
                cluster.workers(task) if cluster else Pool(count),
                self._schema,
                own,
                score_row,
                config().workers if self._plan.judges else LOCAL_THREADS,
            )
            yield open_until_the_end.enter_context(engine)

    def _opened_judges(self, metrics: Sequence[Evaluator]) -> Judging:
        plan = self._plan
        return Judging(metrics, plan.judges, plan.keys, plan.cap, self._store, self._batch)

    def _write(
        self,
        engine: Engine,
        fragments: Sequence[Fragment],
        display: Display,
        notes: kept.Notes,
    ) -> None:
        plan = self._plan
        source = OpenRows(
            plan.source.system,
            plan.source.fragments,
            self._retry,
            self._last_row,
            encoding=plan.source.encoding,
        )
        read = steps(
            source,
            fragments,
            plan.reading,
            plan.required,
            plan.groups,
        )
        in_order = engine.results(read)
        # Steps come file by file, so that neighbours of one file are all there is of it.
        for fragment, own in groupby(in_order, key=lambda pair: pair[0].fragment):
            try:
                self._write_file(fragment, own, display)
            except DatasetError as error:
                self.problems[fragment.name] = str(error)
            if note := source.notes.get(fragment):
                inputs.print_remark(f"{fragment.name}: {note}")
            display.file_done(fragment.name)
            notes.file_done()

    def _write_file(
        self,
        fragment: Fragment,
        own: Iterator[tuple[Step, Future[pa.RecordBatch]]],
        display: Display,
    ) -> None:
        parts = self._parts_of(fragment)
        # It holds rows, which must not stay where the file cannot be read to its end.
        del self._parts[fragment.name]
        display.skip_rows(fragment.name, parts.rows)
        batches = _batches(own, display)
        if fragment.name in self._retry.names:
            batches = self._retry.merged(fragment, batches)
        for batch in batches:
            parts.add(batch)
        parts.join()

    def _last_row(self, fragment: Fragment) -> int:
        """Up to where an earlier attempt has judged the file."""
        return self._parts_of(fragment).last_row

    def _parts_of(self, fragment: Fragment) -> Parts:
        # Once, by whoever is first: the reader of its rows, which is ahead of who writes them.
        if fragment.name not in self._parts:
            parts = Parts(self._folder, fragment, self._schema)
            # Else rows that failed in an earlier retry would not be tried again.
            if fragment.name in self._retry.names:
                parts.forget()
            self._parts[fragment.name] = parts
        return self._parts[fragment.name]


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


def _ray(where: Where) -> Cluster:
    # Only here: the package is an extra, and takes seconds to import.
    try:
        from evaluators.batch.cluster import Cluster
    except ImportError as error:
        raise ParameterError(
            "The engine ray needs a package that is not installed. Install it: "
            f"{install_line('ray')}"
        ) from error
    return Cluster(where.ray_address, where.workers)
