"""Rows that failed, tried again: only these are read and judged, all others stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from evaluators.batch.columns import MetricColumns, has_failed
from evaluators.batch.folder import Folder


def failed_rows(folder: Folder, name: str, columns: Sequence[MetricColumns]) -> Iterator[int]:
    """The numbers of the rows of a finished file that one of the metrics failed on."""
    status = [metric.status for metric in columns]
    for batch in folder.batches(name, ["row", *status]):
        yield from batch.filter(has_failed(batch.select(status))).column("row").to_pylist()


def merged(
    old_batches: Iterable[pa.RecordBatch],
    batches: Iterator[pa.RecordBatch],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    """The results of the whole file: of failed rows the new ones, of all others the old."""
    new: list[pa.RecordBatch] = []
    for old in old_batches:
        rows = old.column("row")
        last = rows[-1].as_py()
        while not new or new[-1].column("row")[-1].as_py() <= last:
            batch = next(batches, None)
            if batch is None:
                break
            new.append(batch)
        table = pa.Table.from_batches(new, schema)
        is_due = pc.less_equal(table["row"], last)
        due = table.filter(is_due)
        new = table.filter(pc.invert(is_due)).to_batches()
        is_kept = pc.invert(pc.is_in(rows, due["row"].combine_chunks()))
        kept = pa.Table.from_batches([old.filter(is_kept)]).cast(schema)
        both = pa.concat_tables([kept, due]).sort_by("row").combine_chunks()
        yield from both.to_batches()
