"""Which kind of file this is, and which of its columns means what; confidence tells doubt."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluators.config import ROOT
from evaluators.datasets.cells import lists_in_time
from evaluators.datasets.columns import Rows, first_rows, inner_cells, names_of
from evaluators.datasets.content import can_be, doubt_about_length
from evaluators.datasets.given_scores import baseline_of, score_columns
from evaluators.datasets.guess import Guess, Shape
from evaluators.datasets.names import canonical
from evaluators.datasets.plain import by_name, plain_guess
from evaluators.datasets.separators import (
    doubt_about,
    doubt_about_answers,
    separator_of,
    separator_of_answers,
)
from evaluators.datasets.table import Table
from evaluators.datasets.versions import versions_in
from evaluators.records import Record
from evaluators.text.language import ENGLISH, mark, say, speaking
from evaluators.text.normalise import is_chinese
from evaluators.text.words import in_a_line

PROMPTFOO = mark("It is a result file of promptfoo: one row for each prompt and test.")

_OF_COLUMNS = (Shape.PLAIN, Shape.RAGAS, Shape.ADALFLOW)
"""Shapes of any further columns."""

_READ_AS_THEY_ARE = (
    Shape.BED,
    Shape.RAGBENCH,
    Shape.RESULTS,
    Shape.VALUES,
    Shape.LABELS,
    Shape.TRACES,
)
"""Shapes whose columns are so particular that their cells need no second look."""


@speaking(ENGLISH)
@lists_in_time
def recognise(table: Table) -> Guess:
    """The shape of a table by the names of its columns, or else by what they hold."""
    columns = names_of(table)
    # A column of the file has the name before a field in an object does
    rows = [{**dict(inner_cells(row)), **row} for row in first_rows(table)]
    guess = _traces(table) or _known_shape(columns, rows) or plain_guess(columns, rows)
    guess = replace(guess, scores=score_columns(guess.shape, columns, rows, guess.columns))
    if table.doubt:
        words = say("It holds lists of different rows ({lists}).", lists=table.doubt)
        guess = guess.doubted(words)
    if table.encoding and not table.encoding.is_sure:
        guess = guess.doubted(table.encoding.doubt)
    if guess.shape in _READ_AS_THEY_ARE:
        return guess
    guess = _with_versions(guess, table, columns)
    truth = guess.columns.get("ground_truth")
    if truth is not None:
        doubt = doubt_about_answers(truth, separator_of_answers(truth, rows))
        guess = guess.doubted(doubt) if doubt else guess
    column = guess.columns.get("retrieved_documents")
    if column is None:
        return guess
    separator = separator_of(column, columns, rows, table.format)
    doubts = (doubt_about(column, separator, rows), doubt_about_length(column, separator, rows))
    for doubt in filter(None, doubts):
        guess = guess.doubted(doubt)
    return guess


def _with_versions(guess: Guess, table: Table, columns: Sequence[str]) -> Guess:
    """The guess with the column by which its answers can be compared as their group."""
    if guess.shape not in _OF_COLUMNS or "group" in guess.columns:
        return guess
    versions = versions_in(table, columns, guess.columns)
    if not versions:
        return guess
    return replace(guess, columns={**guess.columns, "group": versions[0]}, versions=versions)


def _traces(table: Table) -> Guess | None:
    """One row for each trace, whose columns are named as the fields."""
    if not table.program:
        return None
    fields = ("question", "response", "retrieved_documents", "id")
    title = say("Traces ({program})", program=say(table.program))
    return Guess(Shape.TRACES, title, 1.0, {field: field for field in fields})


class _Known(Record):
    """A kind of file as `data/shapes.toml` declares it."""

    kind: str
    title: str = ""
    needs: str
    any_of: str = ""
    baselines: bool = False
    without: str = ""
    only: bool = False
    states: str = ""
    fields: str
    confidence: float = 1.0
    why: str = ""
    remark: str = ""

    def guess(self, columns: Sequence[str], rows: Rows) -> Guess | None:
        """The columns of the fields; `None` where the file is of another kind."""
        have, needs = {*columns}, {*self.needs.split()}
        is_so = (
            needs <= have,
            not self.any_of or have & {*self.any_of.split()},
            not self.baselines or any(map(baseline_of, columns)),
            not have & {*self.without.split()},
            not self.only or have == needs,
            not self.states or all(row.get(self.states) in _STATES for row in rows),
        )
        if not all(is_so):
            return None
        named = [field.partition("=") for field in self.fields.split()]
        fields = {field: column or field for field, _, column in named}
        there = {field: column for field, column in fields.items() if column in have}
        shape = Shape[self.kind]
        title = _title_of_bed(rows) if shape is Shape.BED else say(self.title)
        why, remark = (say(words) if words else "" for words in (self.why, self.remark))
        return Guess(shape, title, self.confidence, there, why, remark)


_STATES = ("scored", "failed", "open")
_FILE = ROOT / "data" / "shapes.toml"
_KNOWN = [
    _Known.model_validate(entry)
    for entry in tomllib.loads(_FILE.read_text(encoding="utf-8"))["shape"]
]


def _known_shape(columns: Sequence[str], rows: Rows) -> Guess | None:
    """The first known shape whose columns are there and can be read."""
    recognisers = (*(known.guess for known in _KNOWN), _adalflow, _promptfoo)
    for guess in filter(None, (recognise(columns, rows) for recognise in recognisers)):
        if guess.shape in _READ_AS_THEY_ARE:
            return guess
        # Other programs have columns of these names that hold objects
        named = guess.columns.items()
        if all(can_be(field, column, rows) for field, column in named):
            return guess
    return None


def _title_of_bed(rows: Rows) -> str:
    abilities = dict.fromkeys(map(_tested_by, rows))
    chinese = sum(is_chinese(str(row.get("query"))) for row in rows)
    language = mark("Chinese") if chinese * 2 > len(rows) else mark("English")
    return say(
        "RGB data set: {abilities} ({language})",
        abilities=in_a_line(map(say, abilities)),
        language=say(language),
    )


def _tested_by(row: Mapping[str, Any]) -> str:
    if row.get("positive_wrong") not in (None, "", []):
        return mark("counterfactual robustness")
    first = row.get("positive")
    if isinstance(first, list) and first:
        first = first[0]
    # CSV holds the lists as text
    is_nested_text = re.match(r"\s*\[\s*\[", str(first)[:20]) is not None
    is_nested = isinstance(first, list) or is_nested_text
    return mark("information integration") if is_nested else mark("noise robustness and rejection")


def _adalflow(columns: Sequence[str], rows: Rows) -> Guess | None:
    """Columns named as the arguments of AdalFlow's evaluators."""
    names = set(map(canonical, columns))
    of_answers = {"pred_answer", "gt_answer"}
    of_contexts = {"retrieved_context", "gt_context"}
    if not (of_answers <= names or of_contexts <= names):
        return None
    return Guess(Shape.ADALFLOW, str(Shape.ADALFLOW), 0.9, by_name(columns, rows))


def _promptfoo(columns: Sequence[str], rows: Rows) -> Guess | None:
    """A person says which column the question is: its variables have any names."""
    if not {"promptIdx", "testIdx"} <= set(columns):
        return None
    guess = plain_guess(columns, rows)
    question, response = (guess.columns.get(field, "") for field in ("question", "response"))
    if question.startswith("vars.") and response == "response.output":
        return guess
    return guess.doubted(PROMPTFOO)
