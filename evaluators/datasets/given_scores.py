"""Scores that another tool or a person gave beside an answer, and the columns that hold them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from evaluators.datasets.cells import is_missing
from evaluators.datasets.columns import Rows, inner
from evaluators.datasets.guess import Shape
from evaluators.datasets.names import SCORES, folded

MOST_COLUMNS = 100
LONGEST_NAME = 200
LONGEST_SCORE = 60
"""Characters of a verdict in words, such as "factual"; what is longer is a reason."""

_BASELINES = {"gpt3_": "GPT-3.5", "gpt35_": "GPT-3.5", "ragas_": "RAGAS", "trulens_": "TruLens"}
"""RAGBench's published judges by the beginning of their columns; its other scores are labels."""
_ALSO_SCORES = re.compile(
    "(^|_)(label|verdict|grade|correct|correctness|judgement|judgment|feedback|quality|supported"
    "|pass|passed|标签|判定)(_|$)"
)
_BESIDE_SCORES = re.compile(
    "reason|rationale|expla|critique|comment|threshold|span|evidence|(^|_)(ids?|keys?|model)(_|$)"
)
"""Stands in the names of columns that say why a score was given, by whom, or from where on."""
_WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct", "是", "正确"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect", "否", "错误"), 0.0),
}
_NOTHING = ("", "nan", "none", "null", "<na>", "n/a")
_OF_COLUMNS = (Shape.RAGBENCH, Shape.RAGAS, Shape.ADALFLOW, Shape.PLAIN)
"""Shapes whose further columns are other people's; Plumbline's own are read as they stand."""


def baseline_of(column: str) -> str:
    """Which of RAGBench's published judges gave the scores of a column; empty for others."""
    name = folded(column)
    return next((judge for start, judge in _BASELINES.items() if name.startswith(start)), "")


def score_columns(
    shape: Shape, columns: Sequence[str], rows: Rows, fields: Mapping[str, str]
) -> tuple[str, ...]:
    """The columns that hold scores by name and content, of those from which no field is read."""
    if shape not in _OF_COLUMNS:
        return ()
    found = []
    for column in columns:
        if column in fields.values() or len(column) > LONGEST_NAME:
            continue
        name = folded(column)
        if shape is Shape.RAGBENCH:
            is_named_so = bool(baseline_of(name))
        else:
            is_named_so = bool(SCORES.search(name) or _ALSO_SCORES.search(name))
        cells = [row[column] for row in rows if row.get(column) not in (None, "")]
        is_short = all(score_in(cell) is not None for cell in cells if not is_missing(cell))
        if is_named_so and not _BESIDE_SCORES.search(name) and is_short:
            found.append(column)
    return tuple(found[:MOST_COLUMNS])


def scores_of(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, float | str]:
    """The scores in these columns of a row; an empty cell is none."""
    return dict(_filled(row, columns))


def _filled(row: Mapping[str, Any], columns: Sequence[str]) -> Iterator[tuple[str, float | str]]:
    for column in columns:
        score = score_in(row[column] if column in row else inner(row, column))
        if score is not None:
            yield column, score


def score_in(cell: Any) -> float | str | None:
    """The score of a cell: a number, also where it is a text or a yes or no, or a word."""
    # A number may be larger than any float.
    with suppress(ValueError, OverflowError):
        if isinstance(cell, int | float | str) and math.isfinite(number := float(cell)):
            return number
    word = cell.strip() if isinstance(cell, str) and len(cell) <= LONGEST_SCORE else ""
    return None if word.casefold() in _NOTHING else _WORDS.get(word.casefold(), word)
