"""The folder of results: a file for each file that came in, written whole or not at all.

A file is written under a temporary name and renamed when it is whole, so that whatever ends the
process leaves no half one; the manifest comes last, and says that all are there.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from evaluators.batch.sources import SETTINGS, Fragment, located
from evaluators.errors import DatasetError, ParameterError, PlumblineError
from evaluators.groups import in_groups
from evaluators.runs.lock import FileRunLock
from evaluators.text.language import say
from evaluators.text.printable import first_line, printable
from evaluators.text.strangers_json import strangers_json

MANIFEST = "_manifest.json"
"""Written last."""
PARTS = ".parts"
"""Results of files that are not judged to their end."""
OF_INPUT = b"plumbline.input"
"""The note in a file of results of what it was made from."""

# Rows that a query can skip together: fewer make files large, more take memory while written.
GROUP_ROWS = 5000

MOST_OF_A_NOTE = 64 * 2**20
"""Bytes: a link in its place may lead anywhere."""
LONGEST_NAME = 255
"""Bytes of a file's name that the file systems of Linux, macOS and Windows take."""


class WriteError(PlumblineError):
    """The folder of results cannot be written on."""

    kind = "store"


class Folder:
    """A folder of results, on this machine or at an address."""

    def __init__(self, address: str) -> None:
        # It would mean the working folder.
        if not address:
            raise ParameterError("No folder of results is named. Name an empty one.")
        self.address = address
        try:
            self.system, self.path = located(address)
        # The library of an address may raise anything at all.
        except Exception as error:
            raise ParameterError(f"{printable(address)} cannot be written: {error}") from error
        self._lock = FileRunLock(self.local, "_batch")

    @property
    def local(self) -> Path | None:
        """The folder where it is on this machine, else `None`."""
        is_local = isinstance(self.system, fs.LocalFileSystem)
        return Path(self.path) if is_local else None

    @property
    def is_held(self) -> bool:
        """Whether a process of this machine works on the folder."""
        # A folder that may only be read cannot be worked on either.
        with suppress(OSError):
            return self._lock.is_held
        return False

    @contextmanager
    def held(self, settings: Mapping[str, Any]) -> Iterator[str]:
        """The folder for this process alone, made where it is missing; gives the batch's id.

        Raises `ParameterError` where it holds something else, `RunElsewhereError` where another
        process works on it.
        """
        with writing(self.address):
            if self.system.get_file_info(self.path).type == fs.FileType.File:
                raise ParameterError(f"{printable(self.address)} is a file. Name a folder.")
            self.system.create_dir(self.path, recursive=True)
        # Before anything is written: a folder that is refused stays as it is.
        self._begun(settings)
        with writing(self.address):
            self._lock.acquire()
        try:
            # Again, as another process may have begun meanwhile.
            batch = self._begun(settings)
            if not batch:
                batch = uuid.uuid4().hex
                self.write_json(SETTINGS, {"id": batch, **settings})
            yield batch
        finally:
            self._lock.release()

    def _begun(self, settings: Mapping[str, Any]) -> str:
        """The id of the batch of these settings, if it has begun; raises where something else is
        in the folder.
        """
        stored = self.read_json(SETTINGS)
        if stored is None:
            inside = self.system.get_file_info(fs.FileSelector(self.path))
            # A note that was being written when the process was killed begins with a dot.
            ours = (".", "_batch.lock")
            others = [info for info in inside if not info.base_name.startswith(ours)]
            if others:
                first = printable(others[0].base_name)
                raise ParameterError(
                    f"{printable(self.address)} holds other files ({first}). Name an empty folder."
                )
            return ""
        # Values of other metrics or columns would be summed up with these.
        batch = str(stored.pop("id", ""))
        if not batch or stored != settings:
            changed = [name for name in settings if stored.get(name) != settings[name]]
            raise ParameterError(
                f"{printable(self.address)} holds the results of another batch: it differs in "
                f"{', '.join(changed) or 'its version'}. Name another folder."
            )
        return batch

    # Files of results

    def output(self, name: str) -> str:
        """The path, in the folder, of the results of the file of that name."""
        ending = "" if name.lower().endswith(".parquet") else ".parquet"
        return f"{name}{ending}"

    def of_no_file(self, fragments: Sequence[Fragment]) -> list[str]:
        """Files of results whose own file is gone: whoever reads the whole folder counts them."""
        base = self.path.rstrip("/") + "/"
        # Somebody may have taken it away meanwhile; what is wanting then is told elsewhere.
        selector = fs.FileSelector(self.path, allow_not_found=True, recursive=True)
        every = self.system.get_file_info(selector)
        names = [info.path.removeprefix(base) for info in every if info.type == fs.FileType.File]
        expected = {self.output(fragment.name) for fragment in fragments}
        # A hidden one is being written.
        shown = [
            name for name in names if not any(part.startswith(".") for part in name.split("/"))
        ]
        return sorted(name for name in shown if name.endswith(".parquet") and name not in expected)

    def is_finished(self, fragment: Fragment) -> bool:
        """Whether the results of the file are there, and the file is as it was then."""
        path = f"{self.path}/{self.output(fragment.name)}"
        # Missing or damaged: then it is judged again.
        with suppress(OSError, pa.ArrowException):
            with self.system.open_input_file(path) as file:
                metadata = pq.read_metadata(file).metadata or {}
            return metadata.get(OF_INPUT) == _note_of(fragment)
        return False

    def write(self, output: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Makes a file of results; it is there once it is whole."""
        path = f"{self.path}/{output}"
        parent, _, name = path.rpartition("/")
        temporary = f"{parent}/{_temporary(name)}"
        with writing(self.address):
            self.system.create_dir(parent, recursive=True)
            stream = self.system.open_output_stream(temporary, compression=None)
            writer = pq.ParquetWriter(stream, schema, compression="zstd", write_page_checksum=True)
        try:
            with writing(self.address):
                for group in in_groups(batches, len, GROUP_ROWS, GROUP_ROWS):
                    table = pa.Table.from_batches(group).cast(schema)
                    writer.write_table(table, row_group_size=GROUP_ROWS)
                writer.close()
                stream.close()
                self.system.move(temporary, path)
        except BaseException:
            # Whatever it was: what is not whole must not take up room.
            for close in (writer.close, stream.close, partial(self.system.delete_file, temporary)):
                with suppress(OSError, pa.ArrowException):
                    close()
            # Else it would be closed once more when it is collected, and complain.
            writer.is_open = False
            raise

    @contextmanager
    def results(self, name: str) -> Iterator[pq.ParquetFile]:
        """The results of the file of that name; raises `DatasetError` where they cannot be read."""
        output = self.output(name)
        try:
            with self.system.open_input_file(f"{self.path}/{output}") as opened:
                # Not read ahead: a column's pages would be in memory twice.
                yield pq.ParquetFile(opened, pre_buffer=False, page_checksum_verification=True)
        except FileNotFoundError as error:
            raise DatasetError(
                say(
                    "{file} is gone from the folder. Give the same command again: its rows are "
                    "judged anew.",
                    file=printable(output),
                )
            ) from error
        except (OSError, pa.ArrowException) as error:
            raise DatasetError(
                say(
                    "{file} is damaged ({why}). Delete it and give the same command again: its "
                    "rows are judged anew.",
                    file=printable(output),
                    why=first_line(error),
                )
            ) from error

    def batches(
        self,
        name: str,
        columns: Sequence[str] | None = None,
        most: int = GROUP_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """The results of a file, as many rows at a time as were written together; none is empty."""
        with self.results(name) as file:
            for batch in file.iter_batches(most, columns=columns, use_threads=False):
                if batch.num_rows:
                    yield batch

    # Notes beside them

    def read_json(self, name: str) -> dict[str, Any] | None:
        """A note in the folder; `None` where there is none."""
        try:
            with self.system.open_input_stream(f"{self.path}/{name}", compression=None) as file:
                text = file.read(MOST_OF_A_NOTE + 1)
            if len(text) > MOST_OF_A_NOTE:
                raise ValueError("it is too large")
            content = strangers_json(text)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, pa.ArrowException) as error:
            raise DatasetError(
                f"{printable(self.address)}/{name} cannot be read. Name another folder."
            ) from error
        return content if isinstance(content, dict) else {}

    def write_json(self, name: str, content: Mapping[str, Any]) -> None:
        temporary = f"{self.path}/{_temporary(name)}"
        text = json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True)
        with writing(self.address):
            with self.system.open_output_stream(temporary, compression=None) as file:
                # A path may hold half characters, which UTF-8 refuses.
                file.write(text.encode(errors="replace"))
            self.system.move(temporary, f"{self.path}/{name}")

    def remove(self, name: str) -> None:
        """Takes a note away, if it is there."""
        path = f"{self.path}/{name}"
        with writing(self.address):
            if self.system.get_file_info(path).type != fs.FileType.NotFound:
                self.system.delete_file(path)

    def remove_folder(self, name: str) -> None:
        """Takes a folder away with all that is in it, if it is there."""
        path = f"{self.path}/{name}"
        with writing(self.address):
            if self.system.get_file_info(path).type != fs.FileType.NotFound:
                self.system.delete_dir(path)


@contextmanager
def writing(address: str) -> Iterator[None]:
    """Says in a sentence why a folder cannot be written."""
    try:
        yield
    # A name with half a character cannot be written.
    except (OSError, UnicodeError, pa.ArrowException) as error:
        what = printable(getattr(error, "strerror", None) or first_line(error))[:200]
        raise WriteError(
            f"{printable(address)} cannot be written ({what}). Make room, or "
            "check its rights, and give the same command again: what is finished is kept."
        ) from error


def noted(schema: pa.Schema, fragment: Fragment) -> pa.Schema:
    """The schema with the note of which file the results are."""
    return schema.with_metadata({OF_INPUT: _note_of(fragment)})


def _note_of(fragment: Fragment) -> bytes:
    note = [fragment.name, fragment.size, fragment.modified]
    return json.dumps(note).encode()


def _temporary(name: str) -> str:
    """What a file is called while it is written."""
    # Readers of folders, ours among them, pass over names that begin with a dot.
    return f".{name}.part"


def check_outputs(folder: Folder, fragments: Sequence[Fragment]) -> None:
    """Raises `ParameterError` where a file's results would have no place of their own."""
    inputs: dict[str, str] = {}
    folders: dict[str, str] = {}
    for fragment in fragments:
        output = PurePosixPath(folder.output(fragment.name))
        if len(_temporary(output.name).encode(errors="replace")) > LONGEST_NAME:
            raise ParameterError(
                f"{printable(fragment.name)} has too long a name for a file of results. Shorten it."
            )
        other = inputs.setdefault(str(output), fragment.name)
        if other != fragment.name:
            raise _no_place(other, fragment.name)
        folders |= {str(parent): fragment.name for parent in output.parents}
    for place in inputs.keys() & folders.keys():
        raise _no_place(inputs[place], folders[place])


def _no_place(name: str, other: str) -> ParameterError:
    return ParameterError(
        f"{printable(name)} and {printable(other)} would have one file of results. Rename one, or "
        "evaluate them apart."
    )
