"""What a table seems to be: its shape, and the column of each field."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from evaluators.text.language import mark
from evaluators.text.words import joined_sentences

SURE = 0.5
"""A guess with less confidence needs a person's confirmation."""

DOUBTFUL = 0.4
"""The most confidence of a guess about which a person is asked."""


class Shape(StrEnum):
    """The kinds of file that are known by their columns."""

    BED = mark("RGB data set")
    ANSWERS = mark("RGB answers")
    RAGBENCH = mark("RAGBench rows")
    RAGAS = mark("RAGAS table")
    ADALFLOW = mark("AdalFlow lists")
    RESULTS = mark("Plumbline results")
    VALUES = mark("Plumbline table of values")
    LABELS = mark("Plumbline labels")
    TRACES = mark("Traces")
    PLAIN = mark("Plain table")


@dataclass(frozen=True)
class Guess:
    """What a table seems to be; `columns` names the file's column for each field, `confidence` is
    from 0 to 1.

    Where somebody said what parts the documents of a cell, `columns` has it as "separator".
    `remark` is what is said of one without documents, such as an export that cannot be judged
    again, even where nobody is asked. `versions` are the columns by which
    answers to the same questions can be compared, the likeliest first; `scores` are those that hold
    what others said of the answers.
    """

    shape: Shape
    title: str
    confidence: float
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    why: str = ""
    remark: str = ""
    versions: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        return self.confidence >= SURE

    @property
    def note(self) -> str:
        """What is to be said: with documents nothing is."""
        return "" if "retrieved_documents" in self.columns else self.remark

    def doubted(self, why: str) -> Guess:
        """The same with one more reason to ask."""
        words = joined_sentences([why, self.why])
        return dataclasses.replace(self, confidence=min(self.confidence, DOUBTFUL), why=words)
