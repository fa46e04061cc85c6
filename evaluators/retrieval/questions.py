"""Questions to retrieve for: a list with one a line, or a table with one in each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evaluators.config import config
from evaluators.datasets.apart import plain_text
from evaluators.datasets.cells import lines
from evaluators.datasets.columns import names_of
from evaluators.datasets.encoding_guess import EncodingGuess
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_table
from evaluators.datasets.readers import read
from evaluators.datasets.rgb import TestBed
from evaluators.datasets.shapes import recognise
from evaluators.datasets.table import Problem, Table, told
from evaluators.errors import DatasetError
from evaluators.records import Sample
from evaluators.text.language import say

KEPT = ("id", "question", "response", "ground_truth", "gold_documents", "generator", "group")
"""What comes along from a table; its own documents were not retrieved for these questions."""

MOST_TEXT = 20_000_000
"""Characters of a list of questions that are read."""
LINES_OF_A_QUESTION = 10
"""Lines, most of them blank, that a question has at most."""
_LISTS = ("txt", "text", "md")
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Where `str.splitlines` parts a text."""


class Questions(NamedTuple):
    """Samples with questions, and the rows that hold none, each with the reason."""

    samples: tuple[Sample, ...]
    problems: tuple[Problem, ...] = ()


def questions(name: str, data: bytes) -> Questions:
    """The questions in a file; raises `DatasetError` where there is none."""
    suffix = name.lower().removesuffix(".gz").rpartition(".")[2]
    if suffix in _LISTS:
        written = plain_text(name, data, MOST_TEXT)
        _check_encoding(name, written.guess)
        text = written.start
        # As a list each line takes some fifty bytes more: of a packed file there may be millions.
        _check_count(name, sum(map(text.count, _LINE_ENDS)) / LINES_OF_A_QUESTION)
        entries = lines(text)
        # A single line may have a number of its own.
        if len(entries) <= 1:
            entries = [line.strip() for line in text.splitlines()]
        return Questions(_samples_of_list(name, entries))
    table = read(name, data)
    _check_encoding(name, table.encoding)
    names = names_of(table)
    # One column without a title: what stands in the place of its name is the first question.
    if len(names) == 1 and names[0].rstrip().endswith(("?", "？")):
        entries = [names[0]]
        for _, row in table.rows:
            if names[0] in row:
                entries.append(str(row[names[0]]))
        return Questions(_samples_of_list(name, entries))
    return _in_table(name, table, names)


def _check_encoding(name: str, guess: EncodingGuess | None) -> None:
    """Raises `DatasetError` where it is not clear what the letters are."""
    if guess and not guess.is_sure:
        raise DatasetError(say("{name}: {doubt} Save it as UTF-8.", name=name, doubt=guess.doubt))


def _samples_of_list(name: str, texts: Iterable[str]) -> tuple[Sample, ...]:
    # The byte order mark that Windows puts at the start of a file is not a part of a question.
    stripped = [text.strip("\ufeff \t") for text in texts]
    lines_with_text = [text for text in stripped if text]
    if not lines_with_text:
        raise DatasetError(say("{name} holds no questions. Write one on each line.", name=name))
    _check_count(name, len(lines_with_text))
    samples = []
    for number, text in enumerate(lines_with_text, start=1):
        samples.append(Sample(id=str(number), question=text))
    return tuple(samples)


def _check_count(name: str, questions: float) -> None:
    limit = config().rows_per_dataset
    if questions > limit:
        raise DatasetError(
            say(
                "{name} has more than {limit:,} questions, the limit. Split it.",
                name=name,
                limit=limit,
            )
        )


def _in_table(name: str, table: Table, names: Sequence[str]) -> Questions:
    guess = recognise(table)
    recognised = guess.columns.items()
    kept = {field: column for field, column in recognised if field in KEPT}
    if guess.shape is Shape.BED:
        # With its id a row would be opened as one of a test bed.
        kept.pop("id")
    if len(names) == 1:
        kept = {"question": names[0]}
    if "question" not in kept:
        # As many as a person reads in a message.
        there = ", ".join(column[:30] for column in names[:12])
        raise DatasetError(
            say(
                "{name} has no column question (it has: {there}). Rename or add one.",
                name=name,
                there=there,
            )
        )
    loaded = open_table(name, table, kept)
    if loaded.data is None or isinstance(loaded.data, TestBed):
        raise DatasetError(
            say(
                "{name} holds no question that can be used. {problems}",
                name=name,
                problems=told(list(loaded.problems)),
            )
        )
    return Questions(loaded.data.samples, loaded.problems)
