"""Which kind of file this is, and which of its columns means what; confidence tells doubt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluators.datasets.columns import Rows, first_rows, inner_cells, names_of
from evaluators.datasets.content import can_be, doubt_about_length
from evaluators.datasets.given_scores import BASELINES, score_columns
from evaluators.datasets.guess import DOUBTFUL, Guess, Shape
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
from evaluators.text.language import ENGLISH, mark, say, speaking
from evaluators.text.normalise import is_chinese
from evaluators.text.words import in_a_line

PROMPTFOO = mark("It is a result file of promptfoo: one row for each prompt and test.")
LLAMAINDEX_RESPONSES = mark(
    "responses may be the answers to judge or, as LlamaIndex has it, true ones."
)

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


def _known_shape(columns: Sequence[str], rows: Rows) -> Guess | None:
    """The first known shape whose columns are there and can be read."""
    for recogniser in _RECOGNISERS:
        guess = recogniser(columns, rows)
        if guess is None:
            continue
        if guess.shape in _READ_AS_THEY_ARE:
            return guess
        # Other programs have columns of these names that hold objects
        named = guess.columns.items()
        if all(can_be(field, column, rows) for field, column in named):
            return guess
    return None


def _test_bed(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"query", "positive", "negative"} <= set(columns):
        return None
    abilities = dict.fromkeys(map(_tested_by, rows))
    chinese = sum(is_chinese(str(row.get("query"))) for row in rows)
    language = mark("Chinese") if chinese * 2 > len(rows) else mark("English")
    title = say(
        "RGB data set: {abilities} ({language})",
        abilities=in_a_line(map(say, abilities)),
        language=say(language),
    )
    fields = _present(columns, question="query", ground_truth="answer", id="id")
    return Guess(Shape.BED, title, 1.0, fields)


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


def _recorded_answers(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"query", "prediction"} <= set(columns):
        return None
    fields = _present(
        columns,
        question="query",
        response="prediction",
        retrieved_documents="docs",
        ground_truth="ans",
        id="id",
    )
    return Guess(Shape.ANSWERS, say("RGB answers: recorded answers"), 1.0, fields)


def _ragbench(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"documents_sentences", "all_relevant_sentence_keys"} <= set(columns):
        return None
    has_baselines = any(map(BASELINES.match, columns))
    title = say("RAGBench rows with labels")
    if has_baselines:
        title = say("RAGBench rows with labels and baselines")
    fields = _present(
        columns,
        question="question",
        response="response",
        retrieved_documents="documents",
        id="id",
        generator="generation_model_name",
    )
    return Guess(Shape.RAGBENCH, title, 1.0, fields)


_STATES = {"scored", "failed", "open"}


def _results_export(columns: Sequence[str], rows: Rows) -> Guess | None:
    """The JSON lines of a run, which hold all that was judged, or its table from Python."""
    if not {"id", "question", "response", "status"} <= set(columns):
        return None
    is_whole = {"metrics", "retrieved_documents"} <= set(columns)
    # `Results.to_pandas` has no texts; other programs have such columns too, but not these words
    states = {row.get("status") for row in rows}
    is_table = "error" in columns and "retrieved_documents" not in columns
    if not is_whole and not (is_table and states <= _STATES):
        return None
    same = ("id", "question", "response", "retrieved_documents", "ground_truth", "gold_documents")
    named = {name: name for name in (*same, "group", "labels", "nuggets")}
    fields = _present(columns, **named, generator="model")
    return Guess(Shape.RESULTS, say("Plumbline results (an export)"), 1.0, fields)


def _labels_export(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"sample", "id", "question", "labels_by", "labels", "corrections"} <= set(columns):
        return None
    fields = {"question": "question", "id": "id", "labels": "labels"}
    return Guess(Shape.LABELS, say("Plumbline labels (an export)"), 1.0, fields)


def _values_export(columns: Sequence[str], rows: Rows) -> Guess | None:
    have = set(columns)
    # "state" is how version 0.1.0 called the column
    status = next((name for name in ("status", "state") if name in have), None)
    if status is None or not {"sample", "id", "question"} <= have:
        return None
    # Other programs have such columns too, but not these words; nor who labelled what
    has_labels = {"labels_by", "corrections"} <= have
    if not has_labels and not {row.get(status) for row in rows} <= _STATES:
        return None
    same = {name: name for name in ("question", "response", "id", "group")}
    fields = _present(columns, **same, generator="model")
    return Guess(Shape.VALUES, say("Plumbline table of values (an export)"), 1.0, fields)


def _ragas(columns: Sequence[str], rows: Rows) -> Guess | None:
    """The second generation by `user_input`, the first by an answer, contexts and ground truth."""
    have = set(columns)
    others = {"response", "retrieved_contexts", "reference", "reference_contexts"}
    if "user_input" in have and have & others:
        second = _present(
            columns,
            question="user_input",
            response="response",
            retrieved_documents="retrieved_contexts",
            ground_truth="reference",
            gold_documents="reference_contexts",
        )
        return Guess(Shape.RAGAS, say("RAGAS table (user_input)"), 0.95, second)
    truth = next((name for name in ("ground_truth", "ground_truths") if name in have), None)
    # Beside a response, "answer" is the true one
    if truth is None or not {"question", "answer", "contexts"} <= have or "response" in have:
        return None
    first = _present(
        columns,
        question="question",
        response="answer",
        retrieved_documents="contexts",
        ground_truth=truth,
        id="id",
    )
    return Guess(Shape.RAGAS, say("RAGAS table (question, answer)"), 0.95, first)


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


def _query_responses(columns: Sequence[str], rows: Rows) -> Guess | None:
    """LlamaIndex's `QueryResponseDataset`, whose responses are those that are expected."""
    if set(columns) != {"id", "queries", "responses"}:
        return None
    fields = {"question": "queries", "ground_truth": "responses", "id": "id"}
    return Guess(Shape.PLAIN, str(Shape.PLAIN), DOUBTFUL, fields, LLAMAINDEX_RESPONSES)


def _present(columns: Sequence[str], **wanted: str) -> dict[str, str]:
    return {field: column for field, column in wanted.items() if column in columns}


_RECOGNISERS: tuple[Callable[[Sequence[str], Rows], Guess | None], ...] = (
    _test_bed, _recorded_answers, _ragbench, _labels_export, _values_export, _results_export,
    _ragas, _adalflow, _promptfoo, _query_responses,
)  # fmt: skip
"""The most particular first: a test bed has columns that would make a plain table too."""
