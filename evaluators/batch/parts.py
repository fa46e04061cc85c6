"""The results of a file while it is judged, in parts: whoever is killed goes on inside the file.

A part is written whole or not at all, and notes of which file it is and which rows come before it.
At the end of the file all are joined into the one file of results.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, count

import pyarrow as pa

from evaluators.batch.folder import GROUP_ROWS, PARTS, Folder, noted
from evaluators.batch.sources import Fragment
from evaluators.errors import DatasetError
from evaluators.text.strangers_json import strangers_json

OF_ROWS = b"plumbline.rows"
"""The note in a part of the last row before it and of its own last row."""


class Parts:
    """The parts of one file's results; those that an earlier attempt has left are gone on from.

    `last_row` is the number of the last row in them, 0 without any, and `rows` how many they hold.
    """

    def __init__(self, folder: Folder, fragment: Fragment, schema: pa.Schema) -> None:
        self.last_row = 0
        self.rows = 0
        self._folder = folder
        self._fragment = fragment
        self._schema = noted(schema, fragment)
        self._held: list[pa.RecordBatch] = []
        self._names: list[str] = []
        for name in self._every_name():
            if not self._goes_on(name):
                break
            self._names.append(name)

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes the next rows; raises `WriteError` where a part cannot be written."""
        self._held.append(batch)
        # A row group each: so joining them takes no more memory than writing one.
        if sum(held.num_rows for held in self._held) >= GROUP_ROWS:
            self._write()

    def join(self) -> None:
        """Makes the file of results, and takes the parts away.

        Raises `DatasetError` where a part is damaged; those before it are kept.
        """
        with self._folder.new_file(self._folder.output(self._fragment.name), self._schema) as file:
            # One batch after the other: all of a file's would fill the memory.
            for batch in chain(self._joined(), self._held):
                file.add(batch)
        if self._names:
            self._folder.remove_folder(self._place)

    def forget(self) -> None:
        """Begins the file anew."""
        self.last_row = self.rows = 0
        self._names = []

    @property
    def _place(self) -> str:
        return f"{PARTS}/{self._folder.output(self._fragment.name)}"

    def _every_name(self) -> Iterator[str]:
        return (f"{self._place}/{number:05}.parquet" for number in count(1))

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
        name = f"{self._place}/{len(self._names) + 1:05}.parquet"
        with self._folder.new_file(name, schema) as file:
            for batch in self._held:
                file.add(batch)
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
