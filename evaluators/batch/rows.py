"""Rows of results straight from their files: some at a time, whatever the files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from evaluators.batch.columns import MetricColumns, has_failed
from evaluators.batch.folder import Folder
from evaluators.batch.results import FileRows
from evaluators.batch.sources import SETTINGS
from evaluators.errors import DatasetError
from evaluators.messages import Text
from evaluators.records import JudgeEvidence, LabelEvidence, RuleEvidence
from evaluators.runs.store import FileBatch
from evaluators.text.language import say
from evaluators.text.printable import printable

# A row's labels and a judge's words may be long: those of so many rows are in memory at once.
AT_ONCE = 64


Evidence = LabelEvidence | RuleEvidence | JudgeEvidence
_EVIDENCE: TypeAdapter[Evidence] = TypeAdapter(Evidence)
_SAID: TypeAdapter[str] = TypeAdapter(Text)


class ResultRow(NamedTuple):
    """A row of results: the file that it came in with, its cells, and the columns of metrics."""

    file: str
    cells: Mapping[str, Any]
    metrics: tuple[MetricColumns, ...]

    @property
    def number(self) -> int:
        """Which row of its file it is, of JSON Lines the line."""
        return int(self.cells["row"])


class ResultRows:
    """The rows in the folder of a batch, in the order of its files.

    Raises `DatasetError` where the folder is gone or holds another batch, and wherever a file
    cannot be read.
    """

    def __init__(self, batch: FileBatch, by_file: Mapping[str, FileRows]) -> None:
        self._folder = Folder(batch.folder)
        self._by_file = by_file
        stored = self._folder.read_json(SETTINGS)
        shown = printable(batch.folder)
        if stored is None:
            raise DatasetError(
                say(
                    "The folder {folder} is gone, or on a disk that is not there. Put it back, "
                    "or give the same command again.",
                    folder=shown,
                )
            )
        if stored.get("id") != batch.id:
            raise DatasetError(
                say("The folder {folder} holds the results of another batch now.", folder=shown)
            )

    def page(self, first: int, count: int, *, only_failed: bool = False) -> list[ResultRow]:
        """So many rows from the `first` on, counted from 0, without their evidence.

        `only_failed` are those that a metric failed on, which are counted among themselves.
        """
        rows: list[ResultRow] = []
        for name, own in self._by_file.items():
            among = own.failed if only_failed else own.rows
            wanted = range(first, min(first + count, among))
            first = max(0, first - among)
            count -= len(wanted)
            if wanted:
                rows += self._of_file(name, wanted, only_failed=only_failed)
            if not count:
                break
        return rows

    def row(self, name: str, number: int) -> ResultRow | None:
        """One row with all that is stored of it; `None` where there is no such row."""
        if name not in self._by_file:
            return None
        with self._opened(name) as file:
            places = _places(file, ["row"], lambda batch: pc.equal(batch.column("row"), number))
            for cells in _taken(file, [*islice(places, 1)], file.schema_arrow.names):
                return ResultRow(name, cells, columns_in(file.schema_arrow))
        return None

    def _of_file(self, name: str, wanted: range, *, only_failed: bool) -> list[ResultRow]:
        with self._opened(name) as file:
            columns = columns_in(file.schema_arrow)
            places: Sequence[int] = wanted
            if only_failed:
                status = [metric.status for metric in columns]
                failed = _places(file, status, has_failed)
                places = [*islice(failed, wanted.start, wanted.stop)]
            evidence = {metric.evidence for metric in columns}
            names = [column for column in file.schema_arrow.names if column not in evidence]
            rows = [ResultRow(name, cells, columns) for cells in _taken(file, places, names)]
        if len(rows) < len(wanted):
            raise DatasetError(
                say(
                    "The results of {file} have changed since they were summed up. Give the "
                    "same command again.",
                    file=printable(name),
                )
            )
        return rows

    @contextmanager
    def _opened(self, name: str) -> Iterator[pq.ParquetFile]:
        with self._folder.results(name) as file:
            if "row" not in file.schema_arrow.names or not columns_in(file.schema_arrow):
                raise pa.ArrowInvalid(say("it holds no results"))
            yield file


def evidence_in(cell: str | None) -> Evidence | None:
    """What a metric went by, as it stands in a row; `None` also for what cannot be read."""
    with suppress(ValueError):
        return _EVIDENCE.validate_json(cell or "")
    return None


def said_in(row: ResultRow, metric: MetricColumns) -> str:
    """Why a value is not there, or is what it is, to be said in the language of whoever reads."""
    said = stored_message(row.cells.get(metric.said))
    return said or str(row.cells[metric.error] or row.cells[metric.reason] or "")


def stored_message(cell: str | None) -> str:
    """The message of a cell; empty where there is none that can be read."""
    with suppress(ValueError):
        return _SAID.validate_json(cell or "")
    return ""


def columns_in(schema: pa.Schema) -> tuple[MetricColumns, ...]:
    """The columns of each metric, read from the schema: a metric of one's own may be gone."""
    columns: list[MetricColumns] = []
    for field in schema:
        metric = MetricColumns(field.name.removesuffix("_status"), {})
        has_status = pa.types.is_string(field.type) and field.name == metric.status
        if has_status and {metric.reason, metric.error, metric.evidence} <= {*schema.names}:
            columns.append(metric)
        elif columns and pa.types.is_floating(field.type) and field.name != "cost":
            columns[-1].values[field.name] = field.name
    return tuple(columns)


def _places(
    file: pq.ParquetFile,
    columns: Sequence[str],
    is_wanted: Callable[[pa.RecordBatch], pa.Array],
) -> Iterator[int]:
    """Where the rows are that are wanted by these of their columns."""
    start = 0
    for batch in file.iter_batches(columns=columns, use_threads=False):
        yield from (np.flatnonzero(is_wanted(batch)) + start).tolist()
        start += batch.num_rows


def _taken(
    file: pq.ParquetFile,
    places: Sequence[int],
    columns: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """The rows at these places of the file, counted from 0, in its order."""
    start = 0
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if any(start <= place < start + rows for place in places):
            at = start
            for batch in file.iter_batches(AT_ONCE, [group], columns, use_threads=False):
                end = at + batch.num_rows
                own = [place - at for place in places if at <= place < end]
                yield from batch.take(pa.array(own, pa.int64())).to_pylist()
                at = end
        start += rows
