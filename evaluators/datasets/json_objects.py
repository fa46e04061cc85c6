"""The rows in one JSON object: under a key, by id, as columns, or in a layout of some program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluators.datasets.columns import inner_cells
from evaluators.datasets.names import ANSWER, COLUMNS, KNOWN, canonical, field_of
from evaluators.datasets.table import Part
from evaluators.datasets.traces import trace_of
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from evaluators.text.words import in_a_line, joined_sentences

KEY_DEPTH = 3
QUESTIONS = frozenset(KNOWN["question"]) - {"input", "prompt", "ask"}
"""A text so named makes an object a row, a list so named makes it a table of columns.

What was sent to a model is called so in settings as well.
"""

_LOOKED_AT = 5
"""Rows of a list whose fields tell which list is meant."""

_LLAMAINDEX = frozenset({"queries", "corpus", "relevant_docs"})
GOLD_OF_LLAMAINDEX = "corpus[relevant_docs]"


@dataclass(frozen=True)
class FoundRows:
    """Rows, the keys that lead to them, and how many fields of a sample they have."""

    path: tuple[str, ...]
    rows: list[Any]

    @property
    def fields(self) -> frozenset[str]:
        """The fields of a sample that the first rows have by the names of their columns."""
        fields: set[str] = set()
        for row in self.rows[:_LOOKED_AT]:
            if not isinstance(row, dict):
                continue
            for name, cell in (*row.items(), *inner_cells(row)):
                # Usage counts tokens under names such as prompt and completion
                if isinstance(cell, str | list | dict):
                    fields.add(field_of(name))
        return frozenset(COLUMNS) & fields

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.rows[0])

    @property
    def place(self) -> str:
        """The keys that lead to the rows, as they are shown."""
        return ".".join(self.path)[:60]

    def part(self, chosen: list[FoundRows]) -> Part:
        is_read = any(candidate is self for candidate in chosen)
        return Part(self.place, len(self.rows), len(self.names), is_read)


@dataclass(frozen=True)
class RowsOfObject:
    """The rows in an object, where they were found, and the lists among which can be chosen.

    `doubt` names the lists of which somebody should choose one, where it is not clear which is
    meant.
    """

    rows: list[Any]
    note: str = ""
    parts: tuple[Part, ...] = ()
    doubt: str = ""


def rows_in(value: dict[str, Any], name: str, part: str = "") -> RowsOfObject:
    """The rows in an object, or in its list of that name; without a list it is a row itself.

    So is a trace. Raises `DatasetError` where there is no such list.
    """
    if trace_of(value) or _is_row(value):
        return RowsOfObject([value])
    errors: list[DatasetError] = []
    candidates = list(_row_lists(value, (), KEY_DEPTH, errors))
    if not candidates and errors:
        raise errors[0]
    if not candidates:
        return RowsOfObject([value])
    chosen = _candidates_named(part, candidates, name) if part else _likeliest(candidates)
    doubt = ""
    same = [] if part else [each for each in candidates if _says_the_same(each, chosen[0])]
    if len(same) > 1:
        chosen = [_laid_together(same)]
        candidates = [each for each in candidates if each not in same] + chosen
    # Lists of the same rows are parts of one table, such as the levels of a benchmark
    if len({candidate.names for candidate in chosen}) > 1:
        doubt = _places(chosen)
        chosen = [max(chosen, key=lambda candidate: len(candidate.rows))]
    rows: list[Any] = []
    for candidate in chosen:
        rows += candidate.rows
    parts: tuple[Part, ...] = ()
    if len(candidates) > 1:
        parts = tuple(candidate.part(chosen) for candidate in candidates)
    return RowsOfObject(rows, _where_found(chosen, candidates, errors), parts, doubt)


def _says_the_same(one: FoundRows, other: FoundRows) -> bool:
    """Whether two lists hold the same questions and answers, as tools write one for each metric."""
    if one is other:
        return True
    # Rows that are wholly alike say nothing of metrics
    if one.rows == other.rows:
        return False
    texts = list(map(_question_and_answer, one.rows))
    return all(texts) and texts == list(map(_question_and_answer, other.rows))


def _question_and_answer(row: Any) -> tuple[str, ...]:
    """What was asked and answered in a row; empty where there are not both."""
    if not isinstance(row, dict):
        return ()
    said: dict[str, str] = {}
    for name, cell in row.items():
        field = "response" if canonical(name) in ANSWER else field_of(name)
        if field in ("question", "response") and isinstance(cell, str):
            said.setdefault(field, cell)
    return tuple(said[field] for field in sorted(said)) if len(said) == 2 else ()


def _laid_together(lists: list[FoundRows]) -> FoundRows:
    """One list of several that say the same; of cells that differ those of the first count."""
    first, *others = lists
    rows = [dict(row) for row in first.rows]
    for other in others:
        rows = [again | row for row, again in zip(rows, other.rows, strict=True)]
    return FoundRows((in_a_line(each.place for each in lists),), rows)


def _candidates_named(part: str, candidates: list[FoundRows], name: str) -> list[FoundRows]:
    named = [candidate for candidate in candidates if candidate.place == part]
    if not named:
        there = _places(candidates)
        raise DatasetError(
            say(
                "{name} has no list {part!r}. Choose one of: {there}.",
                name=name,
                part=part[:60],
                there=there,
            )
        )
    return named[:1]


def _places(candidates: list[FoundRows]) -> str:
    return ", ".join(candidate.place for candidate in candidates[:9])


def _where_found(
    chosen: list[FoundRows],
    candidates: list[FoundRows],
    errors: list[DatasetError],
) -> str:
    """Which lists were read, which were not, and what could not be."""
    places = _places(chosen)
    notes = [say("The rows were found under {lists}.", lists=places)] if places else []
    others = [candidate for candidate in candidates if candidate not in chosen]
    if others:
        counts = [f"{candidate.place} ({len(candidate.rows):,})" for candidate in others[:9]]
        words = mark("Other lists are not read: {lists}.")
        if len(others) > 9:
            words = mark("Other lists are not read: {lists} and {more:,} more.")
        notes.append(say(words, lists=", ".join(counts), more=len(others) - 9))
    if errors:
        notes.append(
            say(
                "{number:,} other parts cannot be read as rows. {problem}",
                number=len(errors),
                problem=str(errors[0]),
            )
        )
    return joined_sentences(notes)


def _likeliest(candidates: list[FoundRows]) -> list[FoundRows]:
    """Of several lists those whose rows have a question, or else the most fields.

    Of these the ones that lie least deep.
    """
    if len(candidates) < 2:
        return candidates
    # promptfoo and DeepEval keep lists of settings and scores beside the rows
    by_rank: dict[tuple[bool, int], list[FoundRows]] = {}
    for candidate in candidates:
        fields = candidate.fields
        rank = "question" in fields, len(fields)
        by_rank.setdefault(rank, []).append(candidate)
    best = by_rank[max(by_rank)]
    # TruLens and DeepEval repeat rows inside of what they were made of
    least = min(len(candidate.path) for candidate in best)
    return [candidate for candidate in best if len(candidate.path) == least]


def _row_lists(
    value: Any,
    path: tuple[str, ...],
    depth: int,
    errors: list[DatasetError],
) -> Iterator[FoundRows]:
    """All lists of rows in a value; why an object is not one goes to `errors`."""
    if isinstance(value, list):
        if value and isinstance(value[0], dict):
            yield FoundRows(path, value)
        return
    if not isinstance(value, dict) or not value:
        return
    try:
        rows = _rows_of_object(value)
    # Columns of different lengths in one part say nothing against the rows in another
    except DatasetError as error:
        errors.append(error)
        return
    if rows:
        yield FoundRows(path, rows)
    elif depth:
        for key, item in value.items():
            yield from _row_lists(item, (*path, key), depth - 1, errors)


def _rows_of_object(value: dict[str, Any]) -> list[Any]:
    """The rows that an object is as a whole; empty where they lie deeper."""
    if all(map(_is_row, value.values())):
        # The key names the row, unless the row has an id of its own
        return [{"id": name} | row for name, row in value.items()]
    rows = _split_rows(value) or _llamaindex_rows(value) or _answered_questions(value)
    if rows:
        return rows
    columns = _columns_of_lists(value) or _columns_by_id(value)
    return _rows_of(columns) if columns else []


def _is_row(value: Any) -> bool:
    """Whether it is an object with a text that is named as a question is."""
    if not isinstance(value, dict):
        return False
    questions = [text for name, text in value.items() if canonical(name) in QUESTIONS]
    return any(isinstance(text, str) for text in questions)


def _split_rows(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows beside the names of their columns, as pandas writes them with orient="split"."""
    names = value.get("columns")
    rows = value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return []
    if not all(isinstance(name, str) for name in names):
        return []
    # Lists of other lengths are what somebody called "data"
    if not all(isinstance(row, list) for row in rows):
        return []
    if any(len(row) != len(names) for row in rows):
        return []
    return [dict(zip(names, row, strict=True)) for row in rows]


def _llamaindex_rows(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Questions with the passages that answer them, as LlamaIndex keeps them for a retriever."""
    if not value.keys() >= _LLAMAINDEX:
        return []
    queries = value["queries"]
    corpus = value["corpus"]
    relevant = value["relevant_docs"]
    if not all(isinstance(part, dict) for part in (queries, corpus, relevant)):
        return []
    rows: list[dict[str, Any]] = []
    for key, question in queries.items():
        ids = relevant.get(key) or ()
        # Users shorten the corpus and leave the ids of what they removed
        gold = [corpus[own_id] for own_id in ids if own_id in corpus]
        rows.append({"id": key, "queries": question, GOLD_OF_LLAMAINDEX: gold})
    return rows


def _answered_questions(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of an object whose keys are questions and whose values are their answers."""
    asking = [key for key in value if key.rstrip().endswith(("?", "？", "؟"))]
    # Names of settings are single words
    worded = [key for key in value if len(key.split()) > 2]
    if 2 * len(asking) <= len(value) and len(worded) < max(2, len(value)):
        return []
    answers = list(value.values())
    if all(isinstance(answer, dict) for answer in answers):
        return [{"question": question} | cells for question, cells in value.items()]
    if not all(isinstance(answer, str | list) for answer in answers):
        return []
    rows: list[dict[str, Any]] = []
    for question, answer in value.items():
        rows.append({"question": question, "answer": answer})
    return rows


def _columns_of_lists(value: dict[str, Any]) -> dict[str, list[Any]]:
    """The columns of an object of lists, or of objects numbered alike as pandas writes them.

    Empty where it is neither.
    """
    cells = list(value.values())
    if not all(cells):
        return {}
    if all(isinstance(cell, dict) for cell in cells):
        keys = cells[0].keys()
        # Under other keys these are objects of the same kind, such as one for each model
        is_numbered = all(key.isdecimal() for key in keys)
        if not is_numbered or any(cell.keys() != keys for cell in cells):
            return {}
        return {name: list(cell.values()) for name, cell in value.items()}
    if not all(isinstance(cell, list) for cell in cells):
        return {}
    if any(canonical(name) in QUESTIONS for name in value):
        return value
    # Lists of objects are rows themselves, which are looked for one level down
    has_objects = any(isinstance(cell[0], dict) for cell in cells)
    return {} if has_objects else value


def _columns_by_id(value: dict[str, Any]) -> dict[str, list[Any]]:
    """The columns of objects of texts under the same ids, one of them of questions.

    Empty where there are none.
    """
    columns: dict[str, dict[str, Any]] = {}
    for name, texts in value.items():
        if isinstance(texts, dict) and texts:
            columns[name] = texts
    has_questions = any(field_of(name) == "question" for name in columns)
    if len(columns) < 2 or not has_questions:
        return {}
    first = next(iter(columns.values()))
    by_id: dict[str, list[Any]] = {"id": list(first)}
    for name, texts in columns.items():
        if texts.keys() != first.keys():
            return {}
        if any(isinstance(text, dict) for text in texts.values()):
            return {}
        by_id[name] = list(texts.values())
    return by_id


def _rows_of(columns: dict[str, list[Any]]) -> list[Any]:
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        first_lengths = list(lengths.items())[:8]
        shown = ", ".join(f"{name[:30]} {length}" for name, length in first_lengths)
        raise DatasetError(
            say(
                "The columns have different lengths ({shown}). Give each row a value or null.",
                shown=shown,
            )
        )
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, cells, strict=True)) for cells in rows]
