"""The files of a batch: found by a path, a pattern or an address, read piece by piece."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from evaluators.batch.pieces import Piece
from evaluators.config import config
from evaluators.datasets.csv_text import delimiter_between, header_of, records_in
from evaluators.datasets.encoding import lines_of, text_of
from evaluators.datasets.json_text import stripped_line
from evaluators.datasets.table import Collector
from evaluators.errors import DatasetError
from evaluators.text.printable import printable

# Some 0.3 s of work for the heuristic: little is lost with a worker, and little spent on sending.
MOST_ROWS = 200
"""Rows of a piece."""
MOST_CHARACTERS = 2**20
"""Characters of a piece, as far as its rows are shorter: what is in flight stays small."""
HEAD = 2**16
"""Bytes by which encoding and delimiter of a text are told."""

SETTINGS = "_batch.json"
"""Written first into a folder of results: what they are of."""
GOOGLE_SECONDS = 30
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


class Fragment(NamedTuple):
    """One file of a batch; `name` is its path below the folder that they all lie in."""

    name: str
    path: str
    size: int
    modified: str

    @property
    def format(self) -> str:
        """Its format by the ending of its name; empty for a file of another kind."""
        unpacked = _PACKED.sub("", self.name)
        _, ending = os.path.splitext(unpacked)
        return _FORMATS.get(ending.lower(), "")


@dataclass(frozen=True)
class Source:
    """The files that a path, a pattern or an address means, in the order of their names.

    `passed_over` are the names of those of another kind.
    """

    system: fs.FileSystem
    fragments: tuple[Fragment, ...]
    passed_over: tuple[str, ...] = field(default=(), kw_only=True)

    def columns(self, fragment: Fragment) -> list[str] | None:
        """The columns that the whole file has; `None` where each row has its own, or none is."""
        if fragment.format == "Parquet":
            with self.system.open_input_file(fragment.path) as file:
                return list(pq.ParquetFile(file).schema_arrow.names)
        if fragment.format == "CSV":
            first = next(self.pieces(fragment), None)
            return list(first.names) if first else None
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
        if fragment.format == "Parquet":
            yield from _of_parquet(self.system, fragment, wanted, after)
            return
        with _text(self.system, fragment) as text:
            if fragment.format == "CSV":
                yield from _of_csv(text, fragment, after)
            else:
                yield from _of_json_lines(text, after)


def found(address: str) -> Source:
    """The files at an address; raises `DatasetError` where there is none."""
    shown = printable(address)
    base, pattern = _split(address)
    try:
        system, path = located(base)
        fragments = _listed(system, path, pattern)
    except (OSError, pa.ArrowException, ImportError, ValueError) as error:
        raise DatasetError(f"{shown} cannot be read: {_first_line(error)}") from error
    if not fragments:
        raise DatasetError(f"{shown}: there is no file. Name a file, a folder or a pattern.")
    usable = [fragment for fragment in fragments if fragment.format]
    if not usable:
        raise DatasetError(
            f"{shown}: {printable(fragments[0].name)} is neither Parquet, JSON Lines nor CSV by "
            "its name. Save it as one of these."
        )
    passed_over = sorted(fragment.name for fragment in fragments if not fragment.format)
    return Source(system, tuple(sorted(usable)), passed_over=tuple(passed_over))


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


def _split(address: str) -> tuple[str, str]:
    """The folder before the first sign of a pattern, and the pattern; empty without one."""
    # A file may have such a sign in its name.
    if not _PATTERN.search(address) or os.path.exists(address):
        return address, ""
    base = _PATTERN.split(address, maxsplit=1)[0]
    folder = base[: base.rfind("/") + 1]
    return folder or ".", address[len(folder) :]


def _listed(system: fs.FileSystem, path: str, pattern: str) -> list[Fragment]:
    info = system.get_file_info(path)
    if info.type == fs.FileType.File:
        return [_fragment(info, info.base_name)]
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
    return _each_once(fragments) if isinstance(system, fs.LocalFileSystem) else fragments


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


def _first_line(error: Exception) -> str:
    first, _, _ = str(error).partition("\n")
    return printable(first)[:300] or type(error).__name__


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
        columns = None if wanted is None else [name for name in names if name in set(wanted)]
        bytes_of_all = sum(
            file.metadata.row_group(at).total_byte_size for at in range(file.num_row_groups)
        )
        rows = max(1, file.metadata.num_rows)
        bytes_of_a_row = max(1, bytes_of_all // rows)
        count = min(MOST_ROWS, max(1, MOST_CHARACTERS // bytes_of_a_row))
        groups, first = _row_groups(file, after)
        for batch in file.iter_batches(count, groups, columns, use_threads=False):
            end = first + batch.num_rows
            if end > after + 1:
                first = max(first, after + 1)
                yield Piece(first, batch.slice(batch.num_rows - (end - first)))
            first = end


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


def _text(system: fs.FileSystem, fragment: Fragment) -> io.TextIOWrapper:
    """The file as text, unpacked; bytes that fit no character become half characters."""
    with system.open_input_stream(fragment.path) as stream:
        head = stream.read(HEAD)
    # Only whole lines: a character that is cut would look like damage.
    end = head.rfind(b"\n") + 1
    # In UTF-16 a line may end in the middle of a pair of bytes.
    if end % 2 and head[end : end + 1] == b"\0":
        end += 1
    whole = head[:end] or head
    encoding = text_of("It", whole, config()).encoding if whole.strip() else "utf-8"
    if encoding.startswith("utf-8"):
        # The mark that Excel puts in front would else belong to the first column's name.
        encoding = "utf-8-sig"
    # pyarrow unpacks it by the ending of its path.
    opened = system.open_input_stream(fragment.path)
    errors = "strict" if encoding.startswith("utf-16") else "surrogateescape"
    binary = io.BufferedReader(opened, HEAD)
    return io.TextIOWrapper(binary, encoding=encoding, errors=errors, newline="")


def _longest_row() -> int:
    return Collector("", config()).longest_row


def _of_json_lines(text: io.TextIOWrapper, after: int) -> Iterator[Piece]:
    lines: list[tuple[int, str]] = []
    size = 0
    for number, line in enumerate(lines_of(text, _longest_row()), start=1):
        if number == 1 and line.lstrip("\ufeff \t").startswith("["):
            raise DatasetError(
                "It is one JSON array, which cannot be read row by row. Save it as JSON Lines, "
                "one object a line."
            )
        if number <= after:
            continue
        stripped = stripped_line(line)
        if not stripped:
            continue
        lines.append((number, stripped))
        size += len(stripped)
        if len(lines) == MOST_ROWS or size >= MOST_CHARACTERS:
            yield Piece(lines=tuple(lines))
            lines, size = [], 0
    if lines:
        yield Piece(lines=tuple(lines))


def _of_csv(text: io.TextIOWrapper, fragment: Fragment, after: int) -> Iterator[Piece]:
    # The csv module refuses fields of more than 128 KB by itself.
    csv.field_size_limit(config().cell_bytes)
    lines = lines_of(text, _longest_row())
    first_line = next(filter(str.strip, lines), "")
    delimiter = delimiter_between(first_line)
    names: tuple[str, ...] = ()
    records: list[Any] = []
    size = 0
    every_line = chain([first_line], lines)
    for number, record in enumerate(records_in(every_line, delimiter)):
        if not names:
            names = tuple(header_of(record, fragment.name))
            continue
        if number <= after:
            continue
        records.append((number, record))
        size += sum(map(len, record.cells))
        if len(records) == MOST_ROWS or size >= MOST_CHARACTERS:
            yield Piece(records=tuple(records), names=names)
            records, size = [], 0
    if records or names:
        yield Piece(records=tuple(records), names=names)
