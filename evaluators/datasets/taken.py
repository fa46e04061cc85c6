"""What became what: which column each field of a sample was read from, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluators.datasets.names import FIELDS, field_in_words
from evaluators.datasets.rgb import TestBed
from evaluators.records import Dataset
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say

NAME_SHOWN = 60


def what_became_what(columns: Mapping[str, str], data: Dataset | TestBed | None) -> str:
    """Such as "question ← question · documents ← document (1 a row, 92 characters on average)".

    Empty where no column is read. Documents that are far too short, or one a row where there should
    be several, are seen here before anything is judged.
    """
    parts = []
    for field in FIELDS:
        # An id is wrong in nothing that is judged
        if field not in columns or field == "id":
            continue
        words = f"{field_in_words(field)} ← {without_surrogates(columns[field])[:NAME_SHOWN]}"
        size = _size_in_words(field, data) if isinstance(data, Dataset) else ""
        parts.append(say("{words} ({size})", words=words, size=size) if size else words)
    return " · ".join(parts)


def _size_in_words(field: str, data: Dataset) -> str:
    """How many documents the rows have that have any, and how long they are."""
    if field == "retrieved_documents":
        return _documents_size([sample.retrieved_documents for sample in data.samples])
    if field == "gold_documents":
        return _documents_size([sample.gold_documents for sample in data.samples])
    # What the record has always called the group of a sample
    attribute = "situation" if field == "group" else field
    values = [getattr(sample, attribute) for sample in data.samples]
    filled = [value for value in values if value not in (None, "", ())]
    if len(filled) == len(values):
        return ""
    return say("{filled:,} of {rows:,} rows", filled=len(filled), rows=len(values))


def _documents_size(rows: Sequence[Sequence[str]]) -> str:
    filled = [documents for documents in rows if documents]
    if not filled:
        return say("none")
    count = sum(map(len, filled))
    each = f"{count / len(filled):.1f}".removesuffix(".0")
    characters = sum(len(text) for documents in filled for text in documents)
    words = mark("{each} a row, {characters:,.0f} characters on average")
    if len(filled) < len(rows):
        words = mark(
            "{each} a row in {filled:,} of {rows:,} rows, {characters:,.0f} characters on average"
        )
    return say(
        words,
        each=each,
        filled=len(filled),
        rows=len(rows),
        characters=characters / count,
    )
