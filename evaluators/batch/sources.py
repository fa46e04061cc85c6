"""The files of a batch: found by a path, a pattern or an address, read piece by piece."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, dropwhile
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from evaluators.batch.pieces import NumberedEntry, Piece, table_of
from evaluators.config import config
from evaluators.datasets.columns import first_rows, names_of
from evaluators.datasets.csv_text import Record, csv_text
from evaluators.datasets.encoding import lines_of, text_stream
from evaluators.datasets.json_text import numbered_lines
from evaluators.datasets.readers import read
from evaluators.datasets.table import Collector, Table
from evaluators.datasets.trace_files.requests import program_of
from evaluators.errors import DatasetError
from evaluators.groups import in_groups
from evaluators.sandbox.script import decoded
from evaluators.text.printable import first_line, printable

# Some 0.3 s of work for the heuristic: little is lost with a worker, and little spent on sending.
MOST_ROWS = 200
"""Rows of a piece."""
MOST_CHARACTERS = 2**20
"""Characters of a piece, as far as its rows are shorter: what is in flight stays small."""
ROWS_READ = 20
"""Rows of a table that are decoded at a time: only then is it known what they weigh."""

SETTINGS = "_batch.json"
"""Written first into a folder of results: what they are of."""
GOOGLE_SECONDS = 10
"""So long an address of Google's is tried; by itself pyarrow goes on for a quarter of an hour."""

_FORMATS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".jsonl": "JSON Lines",
    ".ndjson": "JSON Lines",
    ".json": "JSON Lines",
    ".csv": "CSV",
    ".tsv": "CSV",
}
_PACKED = re.compile(r"\.(gz|bz2|zst|lz4)$", re.IGNORECASE)
_PATTERN = re.compile(r"[*?]")
_PATTERN_OF_ADDRESS = re.compile(r"\*")
"""In an address a question mark begins its query."""
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How Hive and Spark name the folder of rows whose column is empty."""


_BEGINS_AS_TRACE = re.compile(
    r'"(trace_?id|observations|resource_?(spans|logs)|batches|run_type|dotted_order|(parent_)?span_?id'
    r'|parent_?observation_?id|op_name|project_?id|bookmarked|parentId|context\.span_id)"',
    re.IGNORECASE,
)
"""What stands in the first steps of a trace that is one JSON value."""


class _OneValueError(DatasetError):
    """A file that is one JSON array or object, of which no row can be read alone."""


class Fragment(NamedTuple):
    """One file of a batch; `name` is its path below the folder that they all lie in."""

    name: str
    path: str
    size: int
    modified: str

    @property
    def partition(self) -> tuple[tuple[str, str | None], ...]:
        """The columns that its folders tell, as Hive and Spark name them: `date=2026-01-05/`."""
        columns = {}
        for folder in self.name.split("/")[:-1]:
            column, equals, value = folder.partition("=")
            if column and equals:
                columns[unquote(column)] = None if value == _NO_VALUE else unquote(value)
        return tuple(columns.items())

    @property
    def format(self) -> str:
        """Its format by the ending of its name; empty for a file of another kind."""
        unpacked = _PACKED.sub("", self.name)
        _, ending = os.path.splitext(unpacked)
        return _FORMATS.get(ending.lower(), "")


@dataclass(frozen=True)
class Source:
    """The files that a path, a pattern or an address means, in the order of their names.

    `passed_over` are the names of those of another kind; `encoding` is how texts are written, where
    somebody names it.
    """

    system: fs.FileSystem
    fragments: tuple[Fragment, ...]
    passed_over: tuple[str, ...] = field(default=(), kw_only=True)
    encoding: str = field(default="", kw_only=True)
    notes: dict[Fragment, str] = field(default_factory=dict, kw_only=True, compare=False)
    """What became of the traces in a file, as far as files were read."""
    _traces: dict[Fragment, Table | None] = field(
        default_factory=dict, kw_only=True, repr=False, compare=False
    )

    def columns(self, fragment: Fragment) -> list[str] | None:
        """The columns that the whole file has; `None` where each row has its own, or none is."""
        told = [column for column, _ in fragment.partition]
        if table := self.traces(fragment):
            return [*names_of(table), *told]
        if fragment.format == "Parquet":
            with self.system.open_input_file(fragment.path) as file:
                return [*pq.ParquetFile(file).schema_arrow.names, *told]
        if fragment.format == "CSV":
            with self._text(fragment) as text:
                names = csv_text(_lines(text), fragment.name).names
            return [*names, *told] if names else None
        return None

    def pieces(
        self,
        fragment: Fragment,
        wanted: Iterable[str] | None = None,
        after: int = 0,
    ) -> Iterator[Piece]:
        """The rows of a file in pieces; `wanted` are the columns of a table that are needed.

        Rows up to the number `after` are passed over. Raises `DatasetError`, `OSError` or
        `pyarrow.ArrowException` where it cannot be read on.
        """
        if table := self.traces(fragment):
            found = _pieces(((number, json.dumps(row)) for number, row in table.rows), after)
        else:
            found = self._of_rows(fragment, wanted, after)
        for piece in found:
            yield piece._replace(partition=fragment.partition)

    def traces(self, fragment: Fragment) -> Table | None:
        """A file of steps as a table with a row for each trace; `None` for any other.

        Steps of one trace may stand anywhere, so that the whole file is read, within the limits of
        an upload. Raises `DatasetError` where no trace can be used.
        """
        if fragment not in self._traces:
            table = None
            if self._holds_steps(fragment):
                with self.system.open_input_stream(fragment.path, compression=None) as opened:
                    data = opened.read(config().upload_bytes + 1)
                table = read(fragment.name.rpartition("/")[2], data, encoding=self.encoding)
            if table and not table.program:
                table = None
            # Of one file it is in memory at a time
            self._traces.clear()
            self._traces[fragment] = table
            self.notes[fragment] = table.note if table else ""
        return self._traces[fragment]

    def _holds_steps(self, fragment: Fragment) -> bool:
        """Whether its first rows are steps; of one JSON value it may be, by how it begins."""
        with suppress(_OneValueError):
            first = next(self._of_rows(fragment, None, 0), None)
            table = table_of(first, config()) if first else None
            if table is None or table.rows or fragment.format != "JSON Lines":
                return bool(table and program_of(first_rows(table)))
        with self._text(fragment) as text:
            return _BEGINS_AS_TRACE.search(text.read(MOST_CHARACTERS)) is not None

    def _of_rows(
        self,
        fragment: Fragment,
        wanted: Iterable[str] | None,
        after: int,
    ) -> Iterator[Piece]:
        if fragment.format == "Parquet":
            yield from _of_parquet(self.system, fragment, wanted, after)
            return
        with self._text(fragment) as text:
            yield from _of_text(text, fragment, after)

    @contextmanager
    def _text(self, fragment: Fragment) -> Iterator[io.TextIOWrapper]:
        """A file as text, unpacked; bytes that fit no character become half characters."""
        is_packed = _PACKED.search(fragment.name)
        # By its name: behind its path may be a query.
        packing = pa.Codec.detect(fragment.name.lower()).name if is_packed else None
        with self.system.open_input_stream(fragment.path, packing) as opened:
            yield text_stream(io.BufferedReader(opened), config(), self.encoding)


def found(address: str, encoding: str = "") -> Source:
    """The files at an address, texts in this encoding; raises `DatasetError` without any."""
    # It would mean the working folder, with all below it.
    if not address:
        raise DatasetError("No data are named. Name a file, a folder or a pattern.")
    shown = printable(address)
    base, pattern = folder_and_pattern(address)
    try:
        system, path = located(base)
        fragments = _listed(system, path, pattern)
    except UnicodeDecodeError as error:
        name = printable(error.object.decode(errors="replace"))
        raise DatasetError(f"{name} has a name that is not UTF-8. Rename it.") from error
    except DatasetError:
        raise
    # The library of an address may raise anything at all, jupyter:// a TypeError.
    except Exception as error:
        raise DatasetError(f"{shown} cannot be read: {first_line(error)}") from error
    if not fragments:
        raise DatasetError(f"{shown}: there is no file. Name a file, a folder or a pattern.")
    usable = [fragment for fragment in fragments if fragment.format]
    if not usable:
        raise DatasetError(
            f"{shown}: {printable(fragments[0].name)} is neither Parquet, JSON Lines nor CSV by "
            "its name. Save it as one of these."
        )
    passed_over = sorted(fragment.name for fragment in fragments if not fragment.format)
    return Source(system, tuple(sorted(usable)), passed_over=tuple(passed_over), encoding=encoding)


def located(address: str) -> tuple[fs.FileSystem, str]:
    """The file system and the path in it, by pyarrow or else by fsspec."""
    if "://" not in address:
        return fs.LocalFileSystem(), os.path.abspath(address)
    try:
        return fs.FileSystem.from_uri(given_up_in_time(address))  # type: ignore[no-any-return]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # An address that only fsspec knows, such as hf:// or https://.
        from fsspec.core import url_to_fs

        system, path = url_to_fs(address)
        return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def given_up_in_time(address: str) -> str:
    """The address; of one of Google's with how long it is tried, unless that stands there."""
    if not address.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in address:
        return address
    separator = "&" if "?" in address else "?"
    return f"{address}{separator}retry_limit_seconds={GOOGLE_SECONDS}"


def folder_and_pattern(address: str) -> tuple[str, str]:
    """The folder before the first sign of a pattern, and the pattern; empty without one.

    The query of an address, such as `?region=eu-west-1`, stays with the folder.
    """
    sign, path, query = _PATTERN, address, ""
    if "://" in address:
        sign = _PATTERN_OF_ADDRESS
        path, mark, query = address.partition("?")
        query = mark + query
    # A file may have such a sign in its name.
    if not sign.search(path) or os.path.exists(address):
        return address, ""
    base = sign.split(path, maxsplit=1)[0]
    folder = base[: base.rfind("/") + 1]
    return (folder or ".") + query, path[len(folder) :]


def _listed(system: fs.FileSystem, path: str, pattern: str) -> list[Fragment]:
    info = system.get_file_info(path)
    if info.type == fs.FileType.File:
        # What pyarrow opens by itself has no query left; one may hold a key, and names no file.
        is_address = isinstance(system, fs.PyFileSystem)
        name = os.path.basename(info.path.partition("?")[0]) if is_address else info.base_name
        return [_fragment(info, name)]
    if info.type != fs.FileType.Directory:
        return []
    is_deep = not pattern or "/" in pattern or "**" in pattern
    base = path.rstrip("/") + "/"
    every = system.get_file_info(fs.FileSelector(path, recursive=is_deep))
    names = {info.path.removeprefix(base): info for info in every}
    # Results may be written below the files that they are of, and are none of them.
    marked = [name.removesuffix(SETTINGS) for name in names if name.endswith(f"/{SETTINGS}")]
    fragments = []
    for name, info in names.items():
        is_wanted = not pattern or re.fullmatch(_as_expression(pattern), name)
        # What Spark and we ourselves put beside data begins so: _SUCCESS, .crc, _manifest.json.
        is_hidden = any(part.startswith((".", "_")) for part in name.split("/"))
        is_left_out = is_hidden or name.startswith(tuple(marked))
        if info.type == fs.FileType.File and is_wanted and not is_left_out:
            fragments.append(_fragment(info, name))
    if not isinstance(system, fs.LocalFileSystem):
        return fragments
    _check_links(path, fragments)
    return _each_once(fragments)


def _check_links(folder: str, fragments: Iterable[Fragment]) -> None:
    """Raises `DatasetError` where a link in a folder leads out of it.

    In a folder of somebody else's it could lead to any file here, whose text would be shown, or
    sent to a judge. A file that is named itself may be such a link.
    """
    inside = os.path.join(os.path.realpath(folder), "")
    for fragment in fragments:
        place = os.path.realpath(fragment.path)
        if not place.startswith(inside):
            raise DatasetError(
                f"{printable(fragment.name)} is a link out of the folder, to {printable(place)}. "
                "Name that file itself, or put a copy in the place of the link."
            )


def _each_once(fragments: Iterable[Fragment]) -> list[Fragment]:
    """Each file by its shortest name: a link may lead to a folder that it lies in."""
    by_place: dict[str, Fragment] = {}
    for fragment in sorted(fragments, key=lambda fragment: (len(fragment.name), fragment.name)):
        by_place.setdefault(os.path.realpath(fragment.path), fragment)
    return list(by_place.values())


def _as_expression(pattern: str) -> str:
    """A pattern of a shell as a regular expression; ** goes through folders."""
    parts = []
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern):
        match part:
            case "**/":
                parts.append("(?:.*/)?")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case _:
                parts.append(re.escape(part))
    return "".join(parts)


def _fragment(info: Any, name: str) -> Fragment:
    modified = info.mtime.isoformat() if info.mtime else ""
    return Fragment(name, info.path, info.size or 0, modified)


# Parquet


def _of_parquet(
    system: fs.FileSystem,
    fragment: Fragment,
    wanted: Iterable[str] | None,
    after: int,
) -> Iterator[Piece]:
    with system.open_input_file(fragment.path) as opened:
        # Not read ahead: a column's pages would be in memory twice.
        file = pq.ParquetFile(opened, pre_buffer=False)
        names = file.schema_arrow.names
        columns = None
        if wanted is not None:
            # A table without columns would have no rows.
            columns = [name for name in names if name in set(wanted)] or names
        bytes_of_all = sum(
            file.metadata.row_group(at).total_byte_size for at in range(file.num_row_groups)
        )
        rows = max(1, file.metadata.num_rows)
        # A first guess: a text that many rows repeat counts here once.
        bytes_of_a_row = max(1, bytes_of_all // rows)
        count = min(ROWS_READ, MOST_ROWS, max(1, MOST_CHARACTERS // bytes_of_a_row))
        groups, first = _row_groups(file, after)
        batches = file.iter_batches(count, groups, columns, use_threads=False)
        parts = _light_parts(batches, after + 1 - first)
        first = max(first, after + 1)
        for group in in_groups(parts, attrgetter("nbytes"), MOST_ROWS // count, MOST_CHARACTERS):
            table = pa.concat_batches(group)
            yield Piece(first, table)
            first += table.num_rows


def _light_parts(batches: Iterable[pa.RecordBatch], passed: int) -> Iterator[pa.RecordBatch]:
    """The rows but so many at the beginning, in parts that are light enough for a piece."""
    for batch in batches:
        left_out = min(passed, batch.num_rows)
        passed -= left_out
        if left_out < batch.num_rows:
            rows = batch.slice(left_out)
            columns = map(decoded, rows.columns)
            yield from _halved(pa.RecordBatch.from_arrays([*columns], names=rows.schema.names))


def _halved(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch, halved until each part is light enough or a single row."""
    if batch.num_rows == 1 or batch.nbytes <= MOST_CHARACTERS:
        yield batch
        return
    half = batch.num_rows // 2
    yield from _halved(batch.slice(0, half))
    yield from _halved(batch.slice(half))


def _row_groups(file: pq.ParquetFile, after: int) -> tuple[list[int], int]:
    """The row groups that are not passed over as a whole, and the number of their first row."""
    passed = 0
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if passed + rows > after:
            return list(range(group, file.num_row_groups)), passed + 1
        passed += rows
    return [], passed + 1


# Texts


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    return lines_of(text, Collector("", config()).longest_row)


def _of_text(text: io.TextIOWrapper, fragment: Fragment, after: int) -> Iterator[Piece]:
    names: tuple[str, ...] = ()
    entries: Iterator[NumberedEntry]
    if fragment.format == "CSV":
        read = csv_text(_lines(text), fragment.name)
        names = tuple(read.names)
        entries = _closed(read.records)
    else:
        entries = numbered_lines(_one_a_line(_lines(text)))
    yield from _pieces(entries, after, names)


def _pieces(
    entries: Iterable[NumberedEntry], after: int, names: tuple[str, ...] = ()
) -> Iterator[Piece]:
    left = dropwhile(lambda entry: entry[0] <= after, entries)
    for group in in_groups(left, _characters, MOST_ROWS, MOST_CHARACTERS):
        yield Piece(entries=tuple(group), names=names)


def _characters(numbered: NumberedEntry) -> int:
    _, entry = numbered
    return sum(map(len, entry.cells)) if isinstance(entry, Record) else len(entry)


def _one_a_line(lines: Iterator[str]) -> Iterator[str]:
    """The lines; raises `DatasetError` where they are one array, or one object on several lines."""
    first = next(lines, "")
    start = first.strip("\ufeff \t\r\n")
    if start.startswith("[") or start == "{":
        kind = "array" if start.startswith("[") else "object"
        raise _OneValueError(
            f"It is one JSON {kind}, which cannot be read row by row. Save it as JSON Lines, "
            "one object a line."
        )
    return chain([first], lines)


def _closed(records: Iterator[Record]) -> Iterator[tuple[int, Record]]:
    """The records with their numbers; raises `DatasetError` where a quotation mark stays open."""
    for number, record in enumerate(records, start=1):
        # Nobody knows how many rows come after it.
        if record.is_open:
            raise DatasetError(f"Row {number}: {record.problem}")
        yield number, record
