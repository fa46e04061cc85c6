"""Batches over files: where each one's results lie, and what they came to; never the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.records import Record


class FileBatch(Record):
    """A batch over files, known by the `folder` of its results.

    `settings` are those that all its results have in common, `reading` is how its files are read,
    `summary` what its manifest holds once it is whole. `created` is a time in UTC.
    """

    id: str
    created: str
    title: str
    folder: str
    settings: Mapping[str, Any]
    reading: Mapping[str, Any]
    summary: Mapping[str, Any]
