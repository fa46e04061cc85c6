"""From the bytes of a file to numbered rows.

Which format it is, its content says first and its name second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evaluators.config import config
from evaluators.datasets.apart import is_apart, table_apart
from evaluators.datasets.cells import lists_in_time
from evaluators.datasets.columns import first_rows
from evaluators.datasets.layout import layout_of
from evaluators.datasets.nested import unfolded
from evaluators.datasets.table import Cells, Collector, Problem, PythonLists, Row, Table
from evaluators.datasets.text_tables import text_table
from evaluators.datasets.trace_files.requests import with_requests
from evaluators.datasets.traces import check_no_trace
from evaluators.errors import DatasetError
from evaluators.text.language import ENGLISH, mark, say, speaking

__all__ = ["Problem", "Row", "Table", "read", "read_first"]

_OWN_FILES = {
    frozenset({"row", "reason", "content"}): (
        mark(
            "{name} is a list of rows that could not be used. Correct them in the file that they "
            "are from."
        )
    ),
    frozenset(
        {"table", "id", "workspace", "created", "fingerprint", "body", "stopped", "baseline_of"}
    ): mark("{name} is a run as Plumbline stores it. Choose the run's results as JSON lines."),
}
"""By the columns of their first row: files that Plumbline writes and that hold no samples.

They have exactly these: files of others may have them beside columns of samples.
"""

_OTHERS = {
    b"%PDF": mark("a PDF file"),
    b"\xd0\xcf\x11\xe0": mark("an old Excel file"),
    b"\x89PNG": mark("a picture"),
    b"\xff\xd8\xff": mark("a picture"),
    b"ARROW1": mark("an Arrow file"),
    b"\xff\xff\xff\xff": mark("an Arrow file"),
    b"BZh": mark("packed with bzip2"),
    b"\xfd7zXZ": mark("packed with xz"),
    b"(\xb5/\xfd": mark("packed with zstd"),
    b"7z\xbc\xaf": mark("packed with 7-Zip"),
    b"SQLite format 3": mark("an SQLite database"),
}
"""How files begin that hold no rows in a format that is read, or are packed."""


# What is read is kept, and its problems go into files: they are translated where they are shown.
@speaking(ENGLISH)
def read(
    name: str,
    data: bytes,
    part: str = "",
    encoding: str = "",
    lists: PythonLists | None = None,
) -> Table:
    """The rows of a CSV, JSON, JSON Lines, Parquet or XLSX file; the text formats may be packed
    with gzip.

    `part` names the list of a JSON file or the sheet of a workbook that is wanted, `encoding` that
    of a text, such as "windows-1251"; else it is guessed where it is not UTF-8. `lists` are those
    of the same file, where it was read before. Rows that cannot be used are left out and told as
    problems. Raises `DatasetError` where none can be used, where there is no such part, or where
    the file is beyond a limit of the configuration.
    """
    _check_size(name, data)
    return _prepared_table(data, Collector(name, config(), part=part), encoding, lists)


@speaking(ENGLISH)
def read_first(name: str, data: bytes, count: int) -> Table:
    """The first `count` rows of a file that Plumbline fetched itself.

    It may be larger than an upload.
    """
    return _prepared_table(data, Collector(name, config(), count))


@speaking(ENGLISH)
def read_own(name: str, data: bytes, part: str = "", encoding: str = "") -> Table:
    """The rows of a text that comes with Plumbline, or that this process made of what it holds.

    It needs no child. The rest is as in `read`.
    """
    _check_size(name, data)
    rows = Collector(name, config(), part=part)
    return _prepared(text_table(data, rows, encoding), rows)


def _prepared_table(
    data: bytes,
    rows: Collector,
    encoding: str = "",
    lists: PythonLists | None = None,
) -> Table:
    _check_kind(rows.name, data)
    if is_apart(data):
        stored = table_apart(data, rows, encoding)
    else:
        stored = text_table(data, rows, encoding)
    return _prepared(replace(stored, lists=lists or stored.lists), rows)


@lists_in_time
def _prepared(stored: Table, rows: Collector) -> Table:
    if rows.part and not stored.parts:
        raise DatasetError(
            say("{name} holds one table only. Do not choose one of its tables.", name=rows.name)
        )
    # Before its messages and lists are read: a step of an application has some too
    stored = with_requests(rows.name, stored)
    if stored.program:
        return stored
    table = unfolded(stored, rows.name)
    check_samples(rows.name, first_rows(table))
    return layout_of(table).applied(table)


def check_samples(name: str, first: Sequence[Cells]) -> None:
    """Raises `DatasetError` for a file whose first rows are no samples: a trace, or what Plumbline
    itself writes.
    """
    for columns, words in _OWN_FILES.items():
        if first and columns == first[0].keys():
            raise DatasetError(say(words, name=name))
    check_no_trace(name, first)


def _check_size(name: str, data: bytes) -> None:
    limits = config()
    if len(data) > limits.upload_bytes:
        size, limit = len(data) / 2**20, limits.upload_bytes / 2**20
        raise DatasetError(
            say(
                "{name} has {size:,.0f} MB; the limit is {limit:,.0f} MB. Split it or "
                "leave out columns.",
                name=name,
                size=size,
                limit=limit,
            )
        )


def _check_kind(name: str, data: bytes) -> None:
    kind = next((what for start, what in _OTHERS.items() if data.startswith(start)), "")
    if kind and name.lower().endswith(".xlsx"):
        # Excel wraps a workbook with a password in its old format
        kind = mark("an XLSX file with a password")
    if kind:
        raise DatasetError(
            say(
                "{name} is {kind}. Save the data as CSV, JSON, JSON Lines, XLSX or Parquet.",
                name=name,
                kind=say(kind),
            )
        )
