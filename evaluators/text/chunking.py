"""Units that sentences are compared within: windows of words, sentences, or whole documents.

Positions count words; a span is (start, end) with the end left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from evaluators.errors import ParameterError

ChunkingStrategy = Literal["dense", "sentence", "document"]
Span = tuple[int, int]


def spans(lengths: Sequence[int]) -> list[Span]:
    """Where texts of these lengths lie when they stand one after the other."""
    ends = list(accumulate(lengths))
    return list(zip([0, *ends], ends, strict=False))


def windows(length: int, chunk_size: int, chunk_overlap: int) -> list[Span]:
    """Windows of `chunk_size` words over `length` words, the last of which may be shorter.

    Each shares `chunk_overlap` words with the one before. The last ends with the text. Raises
    `ParameterError` as `check_overlap` does.
    """
    check_overlap(chunk_size, chunk_overlap)
    step = chunk_size - chunk_overlap
    # Where only the overlap would be left, the window before has reached the end already.
    starts = range(0, max(length - chunk_overlap, 1), step)
    return [(start, min(start + chunk_size, length)) for start in starts]


def units(
    strategy: ChunkingStrategy,
    sentences: Sequence[Span],
    chunk_size: int,
    chunk_overlap: int,
) -> list[Span]:
    """The units of one document whose sentences are these spans.

    Size and overlap matter to "dense" only.
    """
    if strategy == "sentence" or not sentences:
        return list(sentences)
    start, end = sentences[0][0], sentences[-1][1]
    if strategy == "document":
        return [(start, end)]
    return [
        (start + first, start + last)
        for first, last in windows(end - start, chunk_size, chunk_overlap)
    ]


def check_overlap(chunk_size: int, chunk_overlap: int) -> None:
    """Raises `ParameterError` unless windows of this size can move on."""
    if not 0 <= chunk_overlap < chunk_size:
        raise ParameterError(
            f"chunk_overlap is {chunk_overlap} words and chunk_size {chunk_size}. "
            "Choose an overlap from 0 to one word less than the size."
        )
