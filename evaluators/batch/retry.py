"""Rows that failed, tried again: only these are read and judged, all others stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from evaluators.batch.columns import MetricColumns, has_failed
from evaluators.batch.folder import Folder
from evaluators.batch.pieces import Piece
from evaluators.batch.sources import Fragment, Source


@dataclass(frozen=True)
class Retry:
    """The finished files in a folder with rows that one of the metrics failed on."""

    folder: Folder
    columns: Sequence[MetricColumns]
    names: frozenset[str]

    @classmethod
    def of(
        cls,
        folder: Folder,
        columns: Sequence[MetricColumns],
        finished: Iterable[Fragment],
    ) -> Retry:
        """Those of the finished files that have such rows."""
        every = cls(folder, columns, frozenset())
        names = {fragment.name for fragment in finished if any(every._failed(fragment))}
        return cls(folder, columns, frozenset(names))

    def numbers(self, fragment: Fragment) -> frozenset[int]:
        """The rows of the file that failed, by their numbers."""
        numbers: set[int] = set()
        for own in self._failed(fragment):
            numbers.update(own)
        return frozenset(numbers)

    def merged(
        self,
        fragment: Fragment,
        batches: Iterator[pa.RecordBatch],
    ) -> Iterator[pa.RecordBatch]:
        """The results of the whole file: of failed rows the new ones, of all others the old."""
        new = _InOrder(batches)
        for old in self.folder.batches(fragment.name):
            fresh = new.up_to(old.column("row")[-1].as_py())
            if fresh is None:
                yield old
                continue
            is_old = pc.invert(pc.is_in(old.column("row"), fresh.column("row").combine_chunks()))
            kept = pa.Table.from_batches([old.filter(is_old)]).cast(fresh.schema)
            both = pa.concat_tables([kept, fresh]).sort_by("row").combine_chunks()
            yield from both.to_batches()

    def _failed(self, fragment: Fragment) -> Iterator[list[int]]:
        """The numbers of failed rows, as many at a time as are stored together; none is empty."""
        status = [metric.status for metric in self.columns]
        for batch in self.folder.batches(fragment.name, ["row", *status]):
            failed = batch.filter(has_failed(batch.select(status)))
            if failed.num_rows:
                yield failed.column("row").to_pylist()


@dataclass(frozen=True)
class OpenRows(Source):
    """The same files, of which only those rows are read that are still to be judged.

    `last_row` is up to where a file is judged; of one that is tried again only failed rows are
    read.
    """

    retry: Retry
    last_row: Callable[[Fragment], int]

    def pieces(
        self,
        fragment: Fragment,
        wanted: Iterable[str] | None = None,
        after: int = 0,
    ) -> Iterator[Piece]:
        every = super().pieces(fragment, wanted, max(after, self.last_row(fragment)))
        if fragment.name not in self.retry.names:
            yield from every
            return
        numbers = self.retry.numbers(fragment)
        for piece in every:
            yield from piece.only(numbers)


class _InOrder:
    """Batches whose rows are in order, taken up to a row."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._held: list[pa.RecordBatch] = []

    def up_to(self, number: int) -> pa.Table | None:
        """The rows up to that number that were not taken yet; `None` where there is none."""
        while not self._held or self._held[-1].column("row")[-1].as_py() <= number:
            batch = next(self._batches, None)
            if batch is None:
                break
            self._held.append(batch)
        if not self._held:
            return None
        table = pa.Table.from_batches(self._held)
        is_taken = pc.less_equal(table.column("row"), number)
        self._held = table.filter(pc.invert(is_taken)).to_batches()
        taken = table.filter(is_taken)
        return taken if taken.num_rows else None
