"""The results of a file while it is judged, in parts: whoever is killed goes on inside the file.

A part is written whole or not at all, and notes of which file it is and which rows come before it.
At the end of the file all are joined into the one file of results.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from itertools import chain, count, takewhile

import pyarrow as pa

from evaluators.batch.folder import GROUP_ROWS, PARTS, Folder, noted
from evaluators.batch.pieces import Piece
from evaluators.batch.retry import merged
from evaluators.batch.sources import Fragment, Source
from evaluators.errors import DatasetError
from evaluators.text.strangers_json import strangers_json

OF_ROWS = b"plumbline.rows"
"""The note in a part of the last row before it and of its own last row."""


class Parts:
    """The parts of one file's results; those that an earlier attempt has left are gone on from.

    `last_row` is the number of the last row in them, 0 without any, and `rows` how many they hold.
    Of a finished file its rows in `again`, if there are any, are judged again.
    """

    def __init__(
        self,
        folder: Folder,
        fragment: Fragment,
        schema: pa.Schema,
        again: Container[int] | None = None,
    ) -> None:
        self.last_row = 0
        self.rows = 0
        self._again = again
        self._folder = folder
        self._fragment = fragment
        self._rows = schema
        self._schema = noted(schema, fragment)
        self._held: list[pa.RecordBatch] = []
        # Else rows that failed in an earlier retry would not be tried again.
        names = map(self._name, count(1)) if again is None else ()
        self._names = [*takewhile(self._goes_on, names)]

    def left(self, source: Source, wanted: Iterable[str] | None) -> Iterator[Piece]:
        """The rows of the file that are still to be judged, in pieces."""
        for piece in source.pieces(self._fragment, wanted, self.last_row):
            yield from [piece] if self._again is None else piece.only(self._again)

    def write(self, batches: Iterator[pa.RecordBatch]) -> None:
        """Takes the rows that were left and makes the file of results of all.

        Raises `WriteError` where it cannot be written, and `DatasetError` where a part is damaged:
        those before it are kept.
        """
        if self._again is not None:
            batches = merged(self._folder.batches(self._fragment.name), batches, self._rows)
        for batch in batches:
            self._held.append(batch)
            # A row group each: so joining them takes no more memory than writing one.
            if sum(held.num_rows for held in self._held) >= GROUP_ROWS:
                self._write()
        # One batch after the other: all of a file's would fill the memory.
        every = chain(self._joined(), self._held)
        self._folder.write(self._folder.output(self._fragment.name), self._schema, every)
        if self._names:
            self._folder.remove_folder(self._place)

    @property
    def _place(self) -> str:
        return f"{PARTS}/{self._folder.output(self._fragment.name)}"

    def _name(self, number: int) -> str:
        return f"{self._place}/{number:05}.parquet"

    def _goes_on(self, name: str) -> bool:
        """Whether the part is of the file as it is now, and goes on where the last one ended."""
        # Missing or damaged: from there on rows are judged again.
        damages = (DatasetError, KeyError, TypeError, ValueError)
        with suppress(*damages), self._folder.results(name) as file:
            notes = file.schema_arrow.metadata or {}
            expected = self._schema.metadata
            is_ours = all(notes.get(key) == note for key, note in expected.items())
            if is_ours and file.schema_arrow.equals(self._schema):
                before, last = strangers_json(notes[OF_ROWS])
                # One of an attempt before the last may follow whose rows are there already.
                if before == self.last_row:
                    self.last_row = last
                    self.rows += file.metadata.num_rows
                    return True
        return False

    def _write(self) -> None:
        last = self._held[-1].column("row")[-1].as_py()
        note = json.dumps([self.last_row, last]).encode()
        schema = self._schema.with_metadata({**self._schema.metadata, OF_ROWS: note})
        name = self._name(len(self._names) + 1)
        self._folder.write(name, schema, self._held)
        self._names.append(name)
        self._held = []
        self.last_row = last

    def _joined(self) -> Iterator[pa.RecordBatch]:
        for name in self._names:
            try:
                yield from self._folder.batches(name)
            except DatasetError as error:
                self._folder.remove(name)
                raise DatasetError(
                    f"A part of its results was damaged ({name}). Give the same command again: "
                    "rows from there on are judged anew."
                ) from error
