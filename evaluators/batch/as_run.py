"""A finished batch as a run: its rows are read from its files into the store, once.

From then on every door takes it as a run, and people can label it. What was judged stands in the
folder of results, the texts in the files that came in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Any

from pydantic import TypeAdapter

from evaluators.batch.columns import FAILED, MetricColumns, columns_in
from evaluators.batch.engine import steps
from evaluators.batch.folder import MANIFEST, Folder
from evaluators.batch.groups import Group, group_named
from evaluators.batch.kept import judges_of, metrics_of, reading_of, results_of
from evaluators.batch.pieces import ReadRow, read_piece
from evaluators.batch.results import BatchResults
from evaluators.batch.sources import SETTINGS, Fragment, Source, found
from evaluators.catalogue import leads
from evaluators.config import config
from evaluators.errors import DatasetError, ParameterError
from evaluators.messages import STORED, Text
from evaluators.records import (
    JudgeEvidence,
    LabelEvidence,
    RuleEvidence,
    Run,
    Sample,
    SampleResult,
    Score,
    Usage,
    fingerprint_of,
)
from evaluators.runs.environment import AskedModel, Environment
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.store import FileBatch, Store
from evaluators.text.language import say
from evaluators.text.printable import printable
from evaluators.text.strangers_json import strangers_json
from evaluators.trace.labelling import sentences_of

# Where the figures of a run are drawn, a row takes some 3 KB of memory.
MOST_ROWS = 100_000
"""Rows of a batch, or of a part of it, that open as a run."""

# A row's labels and a judge's words may be long: those of so many rows are in memory at once.
AT_ONCE = 64

_SAID: TypeAdapter[str] = TypeAdapter(Text)
_EVIDENCE: TypeAdapter[LabelEvidence | RuleEvidence | JudgeEvidence] = TypeAdapter(
    LabelEvidence | RuleEvidence | JudgeEvidence
)


def run_of(address: str, store: Store) -> Run:
    """The run of the batch whose results are in this folder; one that was opened is the same run.

    Raises `DatasetError` where the batch is not finished, or its results or the files that came in
    are gone or were changed, and `ParameterError` where it has more than `MOST_ROWS` rows.
    """
    folder = Folder(address)
    with _as_written(folder):
        batch = _batch_in(folder)
        rows = results_of(batch).rows
        if rows > MOST_ROWS:
            raise ParameterError(
                say(
                    "{folder} has {rows:,} rows, and a batch of at most {most:,} opens as a run. "
                    "The means of all are in its {manifest}, and the app opens a part of them.",
                    folder=printable(address),
                    rows=rows,
                    most=MOST_ROWS,
                    manifest=MANIFEST,
                )
            )
        return _JudgedRows(folder, batch).run(store)


def part_of(batch: FileBatch, store: Store, first: int = 1) -> Run:
    """The run of at most `MOST_ROWS` of the rows that are judged, from the `first` on.

    Raises `DatasetError` where they cannot be read any more.
    """
    folder, shown = Folder(batch.folder), printable(batch.folder)
    settings = folder.read_json(SETTINGS)
    if settings is None:
        raise DatasetError(
            say(
                "The folder {folder} is gone, or on a disk that is not there. Put it back, "
                "or give the same command again.",
                folder=shown,
            )
        )
    if settings.get("id") != batch.id:
        raise DatasetError(
            say("The folder {folder} holds the results of another batch now.", folder=shown)
        )
    with _as_written(folder):
        return _JudgedRows(folder, batch, first).run(store)


@contextmanager
def _as_written(folder: Folder) -> Iterator[None]:
    """Raises `DatasetError` for what is not as a batch of this version writes it."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(
            say(
                "{folder} holds no finished batch that can be read. Give its command again, or "
                "name another folder.",
                folder=printable(folder.address),
            )
        ) from error


def _batch_in(folder: Folder) -> FileBatch:
    settings, manifest = folder.read_json(SETTINGS) or {}, folder.read_json(MANIFEST) or {}
    written = folder.system.get_file_info(f"{folder.path}/{MANIFEST}").mtime
    return FileBatch(
        id=settings["id"],
        created=written.isoformat(timespec="microseconds"),
        title="",
        folder=str(folder.local or folder.address),
        settings=settings,
        reading=manifest["reading"],
        summary=manifest,
    )


Results = tuple[Mapping[str, Any], Sequence[MetricColumns]]
"""The cells of a row of results, and the columns of each metric among them."""


@dataclass(frozen=True)
class _JudgedRows:
    """Rows of a batch in the order of its files, from the `first` on, as many as a run has.

    They are read anew each time, a few at a time.
    """

    folder: Folder
    batch: FileBatch
    first: int = 1

    @cached_property
    def source(self) -> Source:
        settings = self.batch.settings
        return found(str(settings["data"]), str(settings.get("encoding", "")))

    @cached_property
    def results(self) -> BatchResults:
        return results_of(self.batch)

    @cached_property
    def files(self) -> Mapping[str, Fragment]:
        """The files that were judged, by name; those that came since are none of them."""
        there = {fragment.name: fragment for fragment in self.source.fragments}
        for name in self.results.finished:
            if name not in there or not self.folder.is_finished(there[name]):
                raise _changed(name)
        return {name: there[name] for name in self.results.finished}

    @cached_property
    def wanted(self) -> Mapping[str, range]:
        """The rows of each file that are among these, counted from 0."""
        wanted = {}
        start = self.first - 1
        end = start + MOST_ROWS
        for name in self.results.finished:
            rows = self.results.by_file[name].rows
            if start < rows and end > 0:
                wanted[name] = range(max(0, start), min(rows, end))
            start, end = start - rows, end - rows
        return wanted

    @property
    def is_whole(self) -> bool:
        return self.results.rows <= MOST_ROWS

    def run(self, store: Store) -> Run:
        """The run, in the store from now on.

        It is another one once rows were judged again, or a file that came in has changed.
        """
        content = [WORKSPACE, self.batch.id, self.results.manifest(), self.files, self.first]
        run_id = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
        return store.runs.get(run_id) or self._stored(run_id, store)

    def _stored(self, run_id: str, store: Store) -> Run:
        # Read once and before: others who write to the store wait only while rows are put there.
        with TemporaryFile() as samples, TemporaryFile() as results:
            run = self._run(run_id, fingerprint_of(self._written(samples, results)))
            for file in (samples, results):
                file.seek(0)
            store.runs.put(
                run,
                map(Sample.model_validate_json, samples),
                map(SampleResult.model_validate_json, results),
            )
        # Of a part nobody knows what it took alone.
        spent = self.results.spent.items() if self.is_whole else ()
        models = tuple(AskedModel(id=name, **dict(bill)) for name, bill in spent)
        environment = Environment(ended=self.batch.created, models=models)
        store.environments.save(run.id, environment)
        return run

    def _run(self, run_id: str, fingerprint: str) -> Run:
        batch, data = self.batch, str(self.batch.settings["data"])
        title = PurePosixPath(self.folder.path).name
        if not self.is_whole:
            last = self.first - 1 + sum(map(len, self.wanted.values()))
            title = f"{title} {self.first:,}–{last:,}"
        return Run(
            id=run_id,
            workspace=WORKSPACE,
            created=batch.created,
            title=title,
            is_title_suggested=True,
            dataset_name=PurePosixPath(data).name or data,
            fingerprint=fingerprint,
            evaluators=tuple(metrics_of(batch)[number] for number in self._order),
            judges=tuple(judges_of(batch)),
            origin={
                "file": data,
                "batch": batch.folder,
                "columns": batch.settings["columns"],
                "encoding": batch.settings.get("encoding", ""),
                "group": self._group.text if self._group else "",
            },
        )

    def _written(self, samples: IO[bytes], results: IO[bytes]) -> Iterator[Sample]:
        """The samples, while they and their results are written down, a line of JSON each."""
        for position, (sample, (cells, metrics)) in enumerate(self):
            samples.write(sample.model_dump_json().encode() + b"\n")
            # What it took of judges; of all metrics together, so that one of them has it.
            paid = {name: cells[name] for name in ("calls", "cached", "cost")}
            paid["usage"] = {name: cells[name] for name in Usage.model_fields}
            for number, metric in enumerate(self._order):
                outcome = _outcome(sample, cells, metrics[metric], metric + 1)
                result = SampleResult(position=position, metric=number, **outcome, **paid)
                results.write(result.model_dump_json(context=STORED).encode() + b"\n")
                paid = {}
            yield sample

    @cached_property
    def _order(self) -> list[int]:
        """The metrics by their numbers in the batch; the one that leads comes first, as in runs."""
        metrics = metrics_of(self.batch)
        return sorted(range(len(metrics)), key=lambda number: not leads(metrics[number].name))

    @cached_property
    def _group(self) -> Group | None:
        """The first that results were summed up by: of too many different values none is."""
        groups = self.results.groups
        return next((group_named(text) for text, means in groups.items() if means), None)

    def __iter__(self) -> Iterator[tuple[Sample, Results]]:
        """Each sample, which has nothing but an id where none could be read, with its results."""
        reading = reading_of(self.batch)
        groups = [self._group] if self._group else []
        for name, wanted in self.wanted.items():
            results = self._results_of(name, wanted)
            passed = 0
            for step in steps(self.source, [self.files[name]], reading, (), groups):
                count = len(step.piece.numbers()) if step.piece else 0
                # Rows before those that are wanted need not be parsed.
                if step.piece and passed + count > wanted.start:
                    rows = read_piece(step.piece, reading, config())
                    for row in islice(rows, max(0, wanted.start - passed), wanted.stop - passed):
                        cells, metrics = next(results, ({}, ()))
                        if cells.get("row") != row.number:
                            raise _changed(name)
                        yield self._sample(name, row, cells), (cells, metrics)
                passed += count
                if passed >= wanted.stop:
                    break
            if next(results, None):
                raise _changed(name)

    def _results_of(self, name: str, wanted: range) -> Iterator[Results]:
        """Those of each row that is wanted."""
        passed = 0
        for batch in self.folder.batches(name, most=AT_ONCE):
            start, stop = wanted.start - passed, wanted.stop - passed
            own = range(batch.num_rows)[max(0, start) : max(0, stop)]
            metrics = columns_in(batch.schema)
            for cells in batch.slice(own.start, len(own)).to_pylist():
                yield cells, metrics
            passed += batch.num_rows

    def _sample(self, file: str, row: ReadRow, cells: Mapping[str, Any]) -> Sample:
        if not isinstance(row.sample, Sample):
            return Sample(id=f"{file}, row {row.number}", question="")
        if self._group is None:
            return row.sample
        return row.sample.model_copy(update={"situation": cells[self._group.name] or ""})


def _changed(name: str) -> DatasetError:
    return DatasetError(
        say(
            "{file} is gone, or has changed since it was judged, or its results have. Give the "
            "same command again: its rows are judged anew.",
            file=printable(name),
        )
    )


def _outcome(
    sample: Sample, cells: Mapping[str, Any], metric: MetricColumns, number: int
) -> dict[str, Any]:
    """What the metric of this number, from 1, said of the sample."""
    said, evidence = "", None
    # What cannot be read is as if it were not there.
    with suppress(ValueError):
        said = _SAID.validate_json(cells[metric.said] or "")
    if cells[metric.status] == FAILED:
        return {
            "status": "failed",
            "error": said or cells[metric.error],
            "error_kind": cells[metric.error_kind] or "",
        }
    with suppress(ValueError):
        evidence = _EVIDENCE.validate_json(cells[metric.evidence] or "")
    # Cut by rule, so that the files have them no second time.
    if isinstance(evidence, LabelEvidence) and sample.sentences is None:
        evidence = evidence.model_copy(update={"sentences": sentences_of(sample)})
    # A name that an earlier metric has too was given the number of this one.
    values = {name.removesuffix(f" ({number})"): cells[name] for name in metric.values}
    details = strangers_json(cells[metric.details] or "{}")
    score = Score(values=values, reason=said, evidence=evidence, details=details)
    return {"status": "scored", "score": score}
