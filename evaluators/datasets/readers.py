"""From the bytes of a file to numbered rows: which format it is, by its content first and by its
name second.
"""

from __future__ import annotations

import re

from evaluators.config import config
from evaluators.datasets.binary import PARQUET, ZIP, binary_table
from evaluators.datasets.csv_text import csv_table
from evaluators.datasets.encoding import text_of
from evaluators.datasets.json_text import json_table
from evaluators.datasets.numbered import with_lists
from evaluators.datasets.table import Collector, Problem, Row, Table
from evaluators.errors import DatasetError

__all__ = ["Problem", "Row", "Table", "read", "read_first"]

OTHERS = {b"%PDF": "a PDF file", b"\xd0\xcf\x11\xe0": "an old Excel file", b"\x89PNG": "a picture"}


def read(name: str, data: bytes) -> Table:
    """The rows of a CSV, JSON, JSON Lines, Parquet or XLSX file; the text formats may be packed
    with gzip.

    Rows that cannot be used are left out and told as problems. Raises `DatasetError` where none can
    be used, or where the file is beyond a limit of the configuration.
    """
    limits = config()
    if len(data) > limits.upload_bytes:
        size, limit = len(data) / 2**20, limits.upload_bytes / 2**20
        raise DatasetError(
            f"{name} has {size:,.0f} MB; the limit is {limit:,.0f} MB. Split it or leave "
            "out columns."
        )
    return _table(data, Collector(name, limits))


def read_first(name: str, data: bytes, count: int) -> Table:
    """The first `count` rows of a file that Plumbline fetched itself, which may be larger than an
    upload.
    """
    return _table(data, Collector(name, config(), count))


def _table(data: bytes, rows: Collector) -> Table:
    _check_kind(rows.name, data)
    if data.startswith((PARQUET, ZIP)):
        return with_lists(binary_table(data, rows))
    text = text_of(rows.name, data, rows.limits)
    is_json = _is_json(rows.name, next(text.pieces(), ""))
    return with_lists(json_table(text, rows) if is_json else csv_table(text, rows))


def _check_kind(name: str, data: bytes) -> None:
    for start, what in OTHERS.items():
        if data.startswith(start):
            raise DatasetError(
                f"{name} is {what}. Save the data as CSV, JSON, JSON Lines, XLSX or Parquet."
            )


def _is_json(name: str, start: str) -> bool:
    """Whether a text begins as JSON does; the name decides where it does not, or where it could be
    a column name.
    """
    suffix = "." + name.lower().removesuffix(".gz").rpartition(".")[2]
    begins = start.lstrip("\ufeff \t\r\n")[:200]
    if suffix in (".csv", ".tsv"):
        return bool(re.match(r'\[?\s*\{\s*"', begins))
    return suffix in (".json", ".jsonl", ".ndjson") or begins.startswith(("{", "["))
