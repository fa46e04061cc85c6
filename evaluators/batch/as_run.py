"""A finished batch as a run: its rows are read from its files into the store, once.

From then on every door takes it as a run, and people can label it. What was judged stands in the
folder of results, the texts in the files that came in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from evaluators.batch.columns import FAILED
from evaluators.batch.engine import steps
from evaluators.batch.folder import MANIFEST, Folder
from evaluators.batch.groups import Group, group_named
from evaluators.batch.kept import (
    changed,
    judged_files,
    judges_of,
    metrics_of,
    reading_of,
    results_of,
    source_of,
)
from evaluators.batch.pieces import ReadRow, read_piece
from evaluators.batch.rows import AT_ONCE, ResultRow, columns_in, evidence_in, stored_message
from evaluators.batch.sources import SETTINGS, Fragment, Source
from evaluators.catalogue import leads
from evaluators.config import config
from evaluators.errors import DatasetError, ParameterError
from evaluators.messages import STORED
from evaluators.records import (
    LabelEvidence,
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
"""Rows of a batch that opens as a run."""


def run_of(address: str, store: Store) -> Run:
    """The run of the batch whose results are in this folder; one that was opened is the same run.

    Raises `DatasetError` where the batch is not finished, or its results or the files that came in
    are gone or were changed, and `ParameterError` where it has more than `MOST_ROWS` rows.
    """
    folder, shown = Folder(address), printable(address)
    try:
        batch = _batch_in(folder)
        rows = results_of(batch).rows
        judged = _JudgedRows(folder, batch)
        if rows > MOST_ROWS:
            raise ParameterError(
                say(
                    "{folder} has {rows:,} rows, and a batch of at most {most:,} opens as a run. "
                    "The means of all are in its {manifest}.",
                    folder=shown,
                    rows=rows,
                    most=MOST_ROWS,
                    manifest=MANIFEST,
                )
            )
        return store.runs.get(judged.run_id) or judged.stored(store)
    # What is not as a batch of this version writes it.
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(
            say(
                "{folder} holds no finished batch that can be read. Give its command again, or "
                "name another folder.",
                folder=shown,
            )
        ) from error


def _batch_in(folder: Folder) -> FileBatch:
    settings, manifest = folder.read_json(SETTINGS) or {}, folder.read_json(MANIFEST) or {}
    written = folder.system.get_file_info(f"{folder.path}/{MANIFEST}").mtime
    return FileBatch(
        id=settings["id"],
        created=written.isoformat(timespec="microseconds"),
        title=PurePosixPath(folder.path).name,
        folder=str(folder.local or folder.address),
        settings=settings,
        reading=manifest["reading"],
        summary=manifest,
    )


class _JudgedRow(NamedTuple):
    """A row of results with its sample, which has nothing but an id where none could be read."""

    sample: Sample
    result: ResultRow


@dataclass(frozen=True)
class _JudgedRows:
    """All rows of a batch in the order of its files, read anew each time, a few at a time."""

    folder: Folder
    batch: FileBatch

    @cached_property
    def source(self) -> Source:
        return source_of(self.batch)

    @cached_property
    def files(self) -> Mapping[str, Fragment]:
        """The files that were judged, by name; those that came since are none of them."""
        return judged_files(self.batch, self.source, results_of(self.batch).finished)

    @property
    def run_id(self) -> str:
        """Another one once rows were judged again, or a file that came in has changed."""
        content = [WORKSPACE, self.batch.settings, self.batch.summary, self.files]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def stored(self, store: Store) -> Run:
        """The run with all of it, in the store from now on."""
        # Read once and before: others who write to the store wait only while rows are put there.
        with TemporaryFile() as samples, TemporaryFile() as results:
            run = self._run(fingerprint_of(self._written(samples, results)))
            for file in (samples, results):
                file.seek(0)
            store.runs.put(
                run,
                map(Sample.model_validate_json, samples),
                map(SampleResult.model_validate_json, results),
            )
        spent = results_of(self.batch).spent.items()
        models = tuple(AskedModel(id=name, **dict(bill)) for name, bill in spent)
        environment = Environment(ended=self.batch.created, models=models)
        store.environments.save(run.id, environment)
        return run

    def _run(self, fingerprint: str) -> Run:
        batch, data = self.batch, str(self.batch.settings["data"])
        return Run(
            id=self.run_id,
            workspace=WORKSPACE,
            created=batch.created,
            title=batch.title,
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
        for position, row in enumerate(self):
            samples.write(row.sample.model_dump_json().encode() + b"\n")
            for number, metric in enumerate(self._order):
                outcome = _outcome(row, metric)
                # Of all metrics together, so that one of them has it.
                outcome |= _usage(row.result.cells) if not number else {}
                result = SampleResult(position=position, metric=number, **outcome)
                results.write(result.model_dump_json(context=STORED).encode() + b"\n")
            yield row.sample

    @cached_property
    def _order(self) -> list[int]:
        """The metrics by their numbers in the batch; the one that leads comes first, as in runs."""
        metrics = metrics_of(self.batch)
        return sorted(range(len(metrics)), key=lambda number: not leads(metrics[number].name))

    @cached_property
    def _group(self) -> Group | None:
        """The first that results were summed up by: of too many different values none is."""
        groups = results_of(self.batch).groups
        return next((group_named(text) for text, means in groups.items() if means), None)

    def __iter__(self) -> Iterator[_JudgedRow]:
        reading = reading_of(self.batch)
        groups = [self._group] if self._group else []
        read = steps(self.source, self.files.values(), reading, (), groups)
        for fragment, own in groupby(read, key=lambda step: step.fragment):
            results = self._results_of(fragment.name)
            for step in own:
                for row in read_piece(step.piece, reading, config()) if step.piece else ():
                    result = next(results, None)
                    if result is None or result.number != row.number:
                        raise changed(fragment.name)
                    yield _JudgedRow(self._sample(row, result), result)
            if next(results, None):
                raise changed(fragment.name)

    def _results_of(self, name: str) -> Iterator[ResultRow]:
        for batch in self.folder.batches(name, most=AT_ONCE):
            columns = columns_in(batch.schema)
            for cells in batch.to_pylist():
                yield ResultRow(name, cells, columns)

    def _sample(self, row: ReadRow, result: ResultRow) -> Sample:
        if not isinstance(row.sample, Sample):
            return Sample(id=f"{result.file}, row {row.number}", question="")
        if self._group is None:
            return row.sample
        return row.sample.model_copy(update={"situation": result.cells[self._group.name] or ""})


def _usage(cells: Mapping[str, Any]) -> dict[str, Any]:
    """What the row took of judges."""
    tokens = {name: cells[name] for name in Usage.model_fields}
    return {"usage": tokens} | {name: cells[name] for name in ("calls", "cached", "cost")}


def _outcome(row: _JudgedRow, number: int) -> dict[str, Any]:
    """What the metric of this number, from 0, said of the row."""
    cells, metric = row.result.cells, row.result.metrics[number]
    said = stored_message(cells[metric.said])
    if cells[metric.status] == FAILED:
        return {
            "status": "failed",
            "error": said or cells[metric.error],
            "error_kind": cells[metric.error_kind] or "",
        }
    evidence = evidence_in(cells[metric.evidence])
    # Cut by rule, so that the files have them no second time.
    if isinstance(evidence, LabelEvidence) and row.sample.sentences is None:
        evidence = evidence.model_copy(update={"sentences": sentences_of(row.sample)})
    # A name that an earlier metric has too was given the number of this one.
    values = {name.removesuffix(f" ({number + 1})"): cells[name] for name in metric.values}
    details = strangers_json(cells[metric.details] or "{}")
    score = Score(values=values, reason=said, evidence=evidence, details=details)
    return {"status": "scored", "score": score}
