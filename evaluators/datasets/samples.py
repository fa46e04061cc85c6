"""From a row to a sample, or to a row of a test bed; or what is wrong, with the remedy."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from evaluators.datasets import document_texts, ragbench, rgb
from evaluators.datasets.cells import as_object, object_in, only_text, text_of_truth, unpack
from evaluators.datasets.columns import inner
from evaluators.datasets.given_scores import scores_of
from evaluators.datasets.guess import Guess, Shape
from evaluators.datasets.names import COLUMNS, is_plural, last_part
from evaluators.datasets.separators import FLAT, Separator, Separators, parted
from evaluators.datasets.table import RAW_SHOWN, Cells, Problem, Row, UnusableRowError
from evaluators.errors import DatasetError
from evaluators.records import Ability, Labels, Nugget, RGBTask, Sample
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.spreadsheet import unsafe

MOST_TEXTS = 1000
"""Documents of a row, and accepted answers: each answer is looked for in the response, each
document in the others.
"""

Item = Sample | rgb.BedRow
Maker = Callable[[dict[str, Any]], Item]


MISSING = frozenset({"nan", "NaN", "None", "null", "NULL", "<NA>"})
"""How Python, pandas, JSON and SQL write that there is nothing, alone in a cell of text."""
MAY_BE_WRITTEN_AS_MISSING = frozenset(COLUMNS)
"""The fields in which such a text is taken for an empty cell; a group may be called None."""


def read_rows(rows: Sequence[Row], make: Maker) -> tuple[list[tuple[int, Item]], list[Problem]]:
    """What the rows become, each with its number, and those that cannot be used."""
    items: list[tuple[int, Item]] = []
    problems: list[Problem] = []
    for row in rows:
        item = read_row(row, make)
        if isinstance(item, Problem):
            problems.append(item)
        else:
            items.append((row[0], item))
    return items, problems


def read_row(row: Row, make: Maker) -> Item | Problem:
    """What one row becomes, or why it cannot be used."""
    number, cells = row
    try:
        clean = _clean(cells)
        # A blank id names nothing, and 0 is one
        if clean.get("id", "") == "":
            clean["id"] = number
        return make(clean)
    except (ValidationError, KeyError, RecursionError, DatasetError) as error:
        message, kind = _problem(error)
        return Problem(number, message, _beginning(cells), kind)


def maker(guess: Guess, form: str, separators: Separators) -> Maker:
    """What makes a sample, or a row of a test bed, of a row of this shape.

    `separators` part the documents of a cell, for each column that has some.
    """
    makers: dict[Shape, Maker] = {
        Shape.BED: _bed_row,
        Shape.ANSWERS: _recorded_answer,
        Shape.RAGBENCH: _ragbench_sample,
        Shape.LABELS: _exported_labels,
        Shape.RESULTS: lambda row: _exported_result(row, guess.columns),
        Shape.VALUES: lambda row: _exported_values(row, guess.columns),
        # With where its documents are from, its conversation, and what others scored
        Shape.TRACES: lambda row: _with_what_came(_plain_sample(row, guess.columns, {}), row),
    }
    blank = guess.columns.get("response") if form in FLAT else None
    texts = {guess.columns[field]: field for field in MAY_BE_WRITTEN_AS_MISSING & {*guess.columns}}
    dotted = [column for column in guess.columns.values() if "." in column]

    def plain(row: dict[str, Any]) -> Sample:
        if any(_is_missing(row.get(column)) for column in texts):
            row = _without_missing(row, texts)
        # Where cells hold no null, a blank one is how a response is absent
        if blank is not None and row.get(blank) == "":
            row = {name: row[name] for name in row if name != blank}
        inside = {column: inner(row, column) for column in dotted if column not in row}
        return _plain_sample(inside | row, guess.columns, separators)

    make = makers.get(guess.shape, plain)

    def with_scores(row: dict[str, Any]) -> Item:
        item = make(row)
        scores = scores_of(row, guess.scores)
        return item.model_copy(update={"scores": scores}) if scores else item

    return with_scores if guess.scores else make


def _is_missing(value: Any) -> bool:
    return isinstance(value, str) and value.strip() in MISSING


def _without_missing(row: Cells, fields: Mapping[str, str]) -> dict[str, Any]:
    """The row without the cells of these columns that only say that there is nothing."""
    filled = dict(row)
    for column, field in fields.items():
        if _is_missing(row.get(column)):
            # A question is said to be empty, the rest to be absent.
            filled.pop(column)
            if field == "question":
                filled[column] = ""
    return filled


def _beginning(cells: Cells) -> str:
    try:
        return json.dumps(cells, ensure_ascii=False, default=str)[:RAW_SHOWN]
    except (ValueError, TypeError, RecursionError):
        return ""


def _problem(error: Exception) -> tuple[str, str]:
    """What is said of an error, and the kind of problem that it shares with other rows."""
    if isinstance(error, RecursionError):
        return say("nested too deeply. Flatten it."), "too deep"
    if isinstance(error, KeyError):
        error = _missing(error.args[0])
    if isinstance(error, UnusableRowError):
        return str(error), error.problem
    if not isinstance(error, ValidationError):
        return str(error), str(error)
    first = error.errors()[0]
    field = first["loc"][0] if first["loc"] else error.title.lower()
    field = "group" if field == "situation" else field
    reason = first["msg"].replace("tuple", "list")
    message = say(
        "{field} is not usable ({reason}). Correct it or remove the row.",
        field=say(str(field)),
        reason=reason,
    )
    return message, f"{field} {first['type']}"


# Shapes


def _plain_sample(
    row: Cells,
    columns: Mapping[str, str],
    separators: Separators,
) -> Sample:
    question = _question(row, columns.get("question"))
    response = _text_in(row, columns.get("response"))
    if "question" not in columns and "response" in columns and response is None:
        column = columns["response"]
        message = say("{column} is missing, and there is no question. Add one.", column=column)
        raise UnusableRowError(message, f"{column} missing")
    # A column may have the empty text for its name, so that nothing else stands for "no column"
    labels = row.get(columns["labels"]) if "labels" in columns else None
    nuggets = row.get(columns["nuggets"]) if "nuggets" in columns else None
    truth = None
    if "ground_truth" in columns:
        column = columns["ground_truth"]
        truth = _spellings_in(row.get(column), separators.get(column))
    return Sample(
        id=_text_in(row, columns.get("id", "id")) or str(row["id"]),
        question=question,
        response=response,
        retrieved_documents=_documents_in(row, columns.get("retrieved_documents"), separators),
        ground_truth=_accepted(truth),
        generator=_text_in(row, columns.get("generator")) or "",
        situation=_text_in(row, columns.get("group")) or "",
        labels=Labels.model_validate(object_in(labels) or labels) if labels else None,
        gold_documents=_documents_in(row, columns.get("gold_documents"), separators),
        nuggets=_nuggets(nuggets) if nuggets else (),
    )


def _recorded_answer(row: Cells) -> Sample:
    answer = _text_in(row, "prediction")
    if answer is None:
        raise _missing("prediction")
    truth = _first_filled(row, "ground_truth") or ""
    checked = {
        "query": _question(row, "query"),
        "prediction": answer,
        "noise_rate": _noise(row, "noise_rate"),
        "docs": _documents_in(row, _first_filled(row, "retrieved_documents")),
        "ans": _accepted(row.get(truth)),
        "fakeanswer": _accepted(row.get("fakeanswer")),
    }
    sample = rgb.recorded_answer({**row, **checked})
    gold = _documents_in(row, _first_filled(row, "gold_documents"))
    return sample.model_copy(update={"gold_documents": gold})


def _noise(row: Cells, column: str) -> float | None:
    """The noise rate of an answer; CSV holds it as text."""
    value = row.get(column)
    if value in (None, ""):
        return None
    try:
        noise = float(value)
    except (TypeError, ValueError, OverflowError):
        # Outside of the range, so that one message tells of both
        noise = -1
    if not 0 <= noise <= 1:
        message = say(
            "{column} is {value}. Give a share from 0 to 1.", column=column, value=str(value)[:40]
        )
        raise UnusableRowError(message, f"{column} no share")
    return noise


def _ragbench_sample(row: dict[str, Any]) -> Sample:
    # RAGBench as CSV holds its lists as text
    lists = {name: unpack(row[name]) for name in ragbench.LISTS if name in row}
    try:
        return ragbench.sample(row | lists)
    except (ValidationError, DatasetError):
        raise
    except (TypeError, ValueError, AttributeError) as error:
        message = say(
            "not in the shape of a RAGBench row. Take the columns as they were published."
        )
        raise UnusableRowError(message, "not RAGBench") from error


def _exported_result(row: Cells, columns: Mapping[str, str]) -> Sample:
    """A line of a run's results, with the task of RGB where it was judged for one."""
    sample = _with_what_came(_plain_sample(row, columns, {}), row)
    if row.get("ability") not in list(Ability):
        return sample
    task = RGBTask(
        ability=Ability(row["ability"]),
        noise=_noise(row, "noise"),
        effective_noise=_noise(row, "effective_noise"),
        counterfactual=_accepted(row.get("counterfactual")),
    )
    return sample.model_copy(update={"rgb": task})


def _with_what_came(sample: Sample, row: Cells) -> Sample:
    """The sample with what a trace brought beside it; other programs may mean else by the names."""
    kinds = {"sources": list, "conversation": str, "earlier_turns": list, "scores": dict}
    own = {name: row[name] for name in kinds if isinstance(row.get(name), kinds[name])}
    own = {name: value for name, value in own.items() if value}
    return Sample.model_validate(sample.model_dump() | own) if own else sample


def _exported_labels(row: Cells) -> Sample:
    """A line of the app's own labels, the corrected ones before those that counted."""
    # Its CSV holds the object as text
    labels = as_object(row.get("labels"))
    if not isinstance(labels, dict):
        message = say("labels is not an object. Take the file as it was downloaded.")
        raise UnusableRowError(message, "labels not an object")
    labeller = str(row.get("labels_by"))
    counted = labels.get("corrected", labels.get(labeller))
    return Sample(
        id=_text_in(row, "id") or "",
        question=_question(row, "question"),
        labels=Labels.model_validate(counted) if counted is not None else None,
    )


def _exported_values(row: Cells, columns: Mapping[str, str]) -> Sample:
    """A line of a run's table, without the marks that keep a spreadsheet from taking formulas."""
    cells = dict(row)
    for name, cell in row.items():
        if isinstance(cell, str):
            cells[name] = unsafe(cell)
    return _plain_sample(cells, columns, {})


def _bed_row(row: Cells) -> rgb.BedRow:
    cells: dict[str, Any] = {}
    for name in rgb.BedRow.model_fields:
        if row.get(name) not in (None, ""):
            cells[name] = unpack(row[name])
    for name in ("answer", "fakeanswer"):
        if name in cells:
            cells[name] = _accepted(cells[name])
    cells["id"] = str(row["id"])
    cells["query"] = _question(row, "query")
    return rgb.BedRow.model_validate(cells)


# Fields


def _missing(column: str) -> UnusableRowError:
    return UnusableRowError(say("{column} is missing. Add it.", column=column), f"{column} missing")


def _check_count(count: int, words: str, kind: str, **blanks: object) -> None:
    """Raises `UnusableRowError` in these words for more texts than a row may have."""
    if count > MOST_TEXTS:
        message = say(words, count=count, limit=MOST_TEXTS, **blanks)
        raise UnusableRowError(message, kind)


def _question(row: Cells, column: str | None) -> str:
    """The question; empty only where the file has none at all."""
    if column is None:
        return ""
    question = _text_in(row, column)
    if question is None:
        raise _missing(column)
    if not question.strip():
        message = say("the question is empty. Fill it in or remove the row.")
        raise UnusableRowError(message, "question empty")
    return question


def _text_in(row: Cells, column: str | None) -> str | None:
    """The text in a column; numbers become text, `None` stands for absence."""
    value = row.get(column) if column is not None else None
    if isinstance(value, list) and len(value) == 1:
        only = value[0]
        # MT-RAG writes its one question and its one answer so
        if isinstance(only, dict):
            value = only.get("text", value)
        elif column and is_plural(last_part(column)):
            value = only_text(value)
    if value is None:
        return None
    if isinstance(value, list | dict):
        words, kind = mark("{column} is an object. Make it text."), "an object"
        if isinstance(value, list):
            words, kind = mark("{column} is a list. Make it text."), "a list"
        raise UnusableRowError(say(words, column=column), f"{column} {kind}")
    return str(value)


def _documents_in(
    row: Cells,
    column: str | None,
    separators: Separators | None = None,
) -> tuple[str, ...]:
    """The documents as texts."""
    if column is None:
        return ()
    separator = (separators or {}).get(column, Separator.NONE)
    texts = document_texts.documents(row.get(column), separator)
    words = mark("it has {count:,} documents in {column}; the limit is {limit:,}. Leave some out.")
    _check_count(len(texts), words, f"many documents in {column}", column=column)
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            message = say(
                "document {number:d} in {column} is {value}. Make it text.",
                number=number,
                column=column,
                # As the file has it: null, not None.
                value=json.dumps(text, ensure_ascii=False, default=str)[:40],
            )
            raise UnusableRowError(message, f"document in {column} not text")
    return tuple("" if _is_missing(text) else text for text in texts)


def _accepted(cell: Any) -> Any:
    """Accepted answers, for the record to check."""
    if cell in (None, ""):
        return None
    answers = _spellings(unpack(cell))
    if isinstance(answers, list):
        count = sum(len(group) if isinstance(group, list) else 1 for group in answers)
        words = mark("it has {count:,} accepted answers; the limit is {limit:,}. Leave some out.")
        _check_count(count, words, "many accepted answers")
    return answers


def _nuggets(cell: Any) -> tuple[Nugget, ...]:
    """Facts as texts, or as objects with whether they are vital, as yes or no or as TREC has it."""
    entries = unpack(cell)
    nuggets = []
    for entry in entries if isinstance(entries, list) else [entries]:
        own = entry if isinstance(entry, dict) else {"text": entry}
        vital = own.get("vital", own.get("importance", "vital") == "vital")
        nuggets.append(Nugget.model_validate({"text": own.get("text"), "vital": vital}))
    words = mark("it has {count:,} facts; the limit is {limit:,}. Leave some out.")
    _check_count(len(nuggets), words, "many facts")
    return tuple(nuggets)


def _spellings_in(cell: Any, separator: Separator | None) -> Any:
    """The accepted answers that stand in one text as spellings of one; anything else as it is."""
    if not separator or not isinstance(cell, str) or not isinstance(unpack(cell), str):
        return cell
    answers = parted(cell, separator)
    return [answers] if len(answers) > 1 else cell


def _first_filled(row: Cells, field: str) -> str | None:
    """The first of the field's usual names that the row has."""
    for name in COLUMNS[field]:
        if row.get(name) not in (None, ""):
            return name
    return None


def _spellings(value: Any) -> Any:
    """Accepted answers with numbers as text, at any depth.

    SQuAD has texts beside the places where they stand: those of one object are kept as they are,
    and objects of a list are spellings of one answer, of which the published score takes the best.
    """
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict) and isinstance(value.get("text"), list | str):
        return _spellings(value["text"])
    if not isinstance(value, list):
        return value
    texts = [text_of_truth(item) if isinstance(item, dict) else None for item in value]
    are_objects = bool(texts) and all(isinstance(text, str) for text in texts)
    if not are_objects:
        return [_spellings(item) for item in value]
    spellings = list(dict.fromkeys(texts))
    if len(spellings) == 1:
        return spellings[0]
    # A list in the list is one answer in any of its spellings; side by side all are required
    return [spellings]


def _clean(row: Cells) -> dict[str, Any]:
    """The row without its empty cells and half characters."""
    # Only NaN differs from itself; pandas keeps it for an empty cell
    cells = row.items()
    filled = {name: value for name, value in cells if value is not None and value == value}
    # Half characters cannot be stored as UTF-8. Most rows have none, and one attempt is faster
    # than a look at every text.
    try:
        json.dumps(filled, ensure_ascii=False).encode()
    except (ValueError, TypeError):
        return {name: _repaired(value) for name, value in filled.items()}
    return filled


def _repaired(value: Any) -> Any:
    """The value with a replacement character for each half of a surrogate pair, at any depth."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    if isinstance(value, dict):
        return {name: _repaired(item) for name, item in value.items()}
    return value
