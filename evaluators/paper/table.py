"""A table for a paper: what it says in words, and the numbers behind it for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluators.runs.aggregate import Mean
from evaluators.text.scale import NO_VALUE, POINTS, SCORE
from evaluators.text.words import signed

CHECKED = "Checked"
"""The heading of what a mean stands on, answers checked of those asked for."""


class PaperTable(NamedTuple):
    """`rows` are the printed cells below the `headings`, `keys` of which name what a row is of.

    `records` are the same numbers in full, a line each, with their columns by name.
    """

    name: str
    caption: str
    headings: Sequence[str]
    keys: int
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, object]]


class PaperLine(NamedTuple):
    """One mean: what it is of, by heading, and the column that it stands in.

    `facts` are the columns that a program gets beside its numbers.
    """

    keys: Mapping[str, str]
    column: str
    mean: Mean
    facts: Mapping[str, object]
    in_percent: bool = False


def table_of_lines(name: str, caption: str, lines: Sequence[PaperLine]) -> PaperTable:
    """The lines with equal keys as one row, a column for each of theirs, and what they stand on.

    Where the means of a row do not stand on equally many answers, each says so itself.
    """
    columns = list(dict.fromkeys(line.column for line in lines))
    by_row: list[tuple[tuple[str, ...], dict[str, PaperLine]]] = []
    for line in lines:
        keys = tuple(line.keys.values())
        same = [own for others, own in by_row if others == keys and line.column not in own]
        if not same:
            # Names of strangers may be alike: then there are two rows, and nothing is lost.
            same = [{}]
            by_row.append((keys, same[0]))
        same[0][line.column] = line
    rows = []
    for keys, own in by_row:
        coverages = {line.mean.checked for line in own.values()}
        coverage = coverages.pop() if len(coverages) == 1 else ""
        # Where all agree the coverage is said once, in a column of its own.
        cells = [_mean_cell(own.get(column), has_coverage=not coverage) for column in columns]
        rows.append((*keys, *cells, coverage))
    headings = [*(lines[0].keys if lines else ()), *columns, CHECKED]
    if not any(row[-1] for row in rows):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    keys_of_row = len(lines[0].keys) if lines else 0
    records = [{**line.facts, **_mean_columns(line.mean)} for line in lines]
    return PaperTable(name, caption, headings, keys_of_row, _once(rows, keys_of_row), records)


def _mean_columns(mean: Mean) -> dict[str, object]:
    """The columns of a mean; of repeated prompts also how far their answers differ."""
    figures = mean.model_dump(exclude={"within", "other_rules"})
    if mean.other_rules:
        figures[f"mean_by_{mean.other_rules.rules}"] = mean.other_rules.mean
    if mean.within:
        figures["repeats_agree"] = mean.within.agree
        figures["repeats_deviation"] = mean.within.deviation
    return figures


def _mean_cell(line: PaperLine | None, *, has_coverage: bool) -> str:
    if line is None:
        return ""
    words = estimate_in_words(line.mean, in_percent=line.in_percent)
    return f"{words} ({line.mean.checked})" if has_coverage else words


def estimate_in_words(mean: Mean, *, in_percent: bool = False) -> str:
    """The mean with its interval: "0.82 [0.75, 0.88]", in percent "81.5 [75.2, 87.9]".

    "–" where nothing was judged.
    """
    return numbers(mean.mean, mean.low, mean.high, in_percent=in_percent)


def numbers(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    in_percent: bool = False,
    is_signed: bool = False,
) -> str:
    # Brackets, not ±: the intervals of rates are not symmetric.
    if value is None:
        return NO_VALUE
    scale = POINTS if in_percent else SCORE
    shown = scale.number(value)
    if is_signed:
        shown = signed(scale.factor * value, digits=scale.digits)
    if low is None or high is None:
        return _minus(shown)
    return _minus(f"{shown} [{scale.number(low)}, {scale.number(high)}]")


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _once(rows: Sequence[tuple[str, ...]], keys: int) -> list[tuple[str, ...]]:
    """The rows without a first cell that says the same as the one above it."""
    shown = []
    above = None
    for row in rows:
        is_repeated = keys > 1 and row[0] == above
        shown.append(("", *row[1:]) if is_repeated else row)
        above = row[0]
    return shown
