"""The rows in one JSON object: under a key, by id, as columns, or in a layout of some program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluators.datasets.columns import inner_cells
from evaluators.datasets.names import field_of
from evaluators.datasets.traces import check_no_trace
from evaluators.errors import DatasetError

KEY_DEPTH = 3
QUESTIONS = frozenset({"question", "query", "user_input", "问题"})
"""A text so named makes an object a row, a list so named makes it a table of columns."""

_LOOKED_AT = 5
"""Rows of a list whose fields tell which list is meant."""

_TOLD = ("question", "response", "retrieved_documents", "gold_documents", "ground_truth")
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
        rows = [row for row in self.rows[:_LOOKED_AT] if isinstance(row, dict)]
        cells = [cell for row in rows for cell in (*row.items(), *inner_cells(row))]
        # Usage counts tokens under names such as prompt and completion
        names = {name for name, cell in cells if isinstance(cell, str | list | dict)}
        return frozenset(filter(None, map(field_of, names))) & frozenset(_TOLD)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.rows[0])


def rows_in(value: dict[str, Any], name: str) -> tuple[list[Any], str]:
    """The rows in an object, and where they were found; an object that holds none is a row itself.

    Raises `DatasetError` for a trace, and where two lists may be meant.
    """
    check_no_trace(name, [value])
    if _is_row(value):
        return [value], ""
    errors: list[DatasetError] = []
    candidates = list(_row_lists(value, (), KEY_DEPTH, errors))
    if not candidates and errors:
        raise errors[0]
    chosen = _likeliest(candidates)
    places = ", ".join(".".join(candidate.path)[:60] for candidate in chosen[:9])
    if len({candidate.names for candidate in chosen}) > 1:
        raise DatasetError(
            f"{name} holds lists of different rows ({places}). Keep the one that is meant."
        )
    if not chosen:
        return [value], ""
    notes = [f"The rows were found under {places}."] if places else []
    others = [candidate for candidate in candidates if candidate not in chosen]
    if others:
        names = ", ".join(
            f"{'.'.join(candidate.path)[:60]} ({len(candidate.rows):,})" for candidate in others[:9]
        )
        more = f" and {len(others) - 9:,} more" if len(others) > 9 else ""
        notes.append(f"Other lists are not read: {names}{more}.")
    if errors:
        notes.append(f"{len(errors):,} other parts cannot be read as rows. {errors[0]}")
    return [row for candidate in chosen for row in candidate.rows], " ".join(notes)


def _likeliest(candidates: list[FoundRows]) -> list[FoundRows]:
    """Of several lists those whose rows have a question, or else the most fields; of these the ones
    that lie least deep.
    """
    if len(candidates) < 2:
        return candidates
    most = max(("question" in candidate.fields, len(candidate.fields)) for candidate in candidates)
    best = [
        candidate
        for candidate in candidates
        if ("question" in candidate.fields, len(candidate.fields)) == most
    ]
    least = min(len(candidate.path) for candidate in best)
    return [candidate for candidate in best if len(candidate.path) == least]


def _row_lists(
    value: Any, path: tuple[str, ...], depth: int, errors: list[DatasetError]
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
        return [{"id": name} | row for name, row in value.items()]
    if rows := _split_rows(value) or _llamaindex_rows(value) or _answered_questions(value):
        return rows
    columns = _columns_of_lists(value) or _columns_by_id(value)
    return _rows_of(columns) if columns else []


def _is_row(value: Any) -> bool:
    """Whether it is an object with a text that is named as a question is."""
    return isinstance(value, dict) and any(
        name.lower() in QUESTIONS and isinstance(value[name], str) for name in value
    )


def _split_rows(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows beside the names of their columns, as pandas writes them with orient="split"; empty
    where it is neither.
    """
    names, rows = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return []
    if not all(isinstance(name, str) for name in names):
        return []
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return []
    return [dict(zip(names, row, strict=True)) for row in rows]


def _llamaindex_rows(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Questions with the passages that answer them, as LlamaIndex keeps them for a retriever."""
    if not value.keys() >= _LLAMAINDEX:
        return []
    queries, corpus, relevant = value["queries"], value["corpus"], value["relevant_docs"]
    if not all(isinstance(part, dict) for part in (queries, corpus, relevant)):
        return []
    return [
        {
            "id": key,
            "queries": question,
            GOLD_OF_LLAMAINDEX: [corpus[doc] for doc in relevant.get(key) or () if doc in corpus],
        }
        for key, question in queries.items()
    ]


def _answered_questions(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of an object whose keys are questions and whose values are their answers."""
    asking = sum(key.rstrip().endswith(("?", "？")) for key in value)
    if 2 * asking <= len(value):
        return []
    if all(isinstance(answer, dict) for answer in value.values()):
        return [{"question": question} | cells for question, cells in value.items()]
    if not all(isinstance(answer, str) for answer in value.values()):
        return []
    return [{"question": question, "answer": answer} for question, answer in value.items()]


def _columns_of_lists(value: dict[str, Any]) -> dict[str, list[Any]]:
    """An object of lists, or of objects numbered alike as pandas writes them, as columns; empty
    where it is neither.
    """
    cells = list(value.values())
    if all(isinstance(cell, dict) and cell and cell.keys() == cells[0].keys() for cell in cells):
        numbered = all(key.isdecimal() for key in cells[0])
        return {name: list(cell.values()) for name, cell in value.items()} if numbered else {}
    if not all(isinstance(cell, list) and cell for cell in cells):
        return {}
    has_question = any(name.lower() in QUESTIONS for name in value)
    return value if has_question or not any(isinstance(cell[0], dict) for cell in cells) else {}


def _columns_by_id(value: dict[str, Any]) -> dict[str, list[Any]]:
    """Objects of texts under the same ids as columns, one of them of questions; empty where there
    are none.
    """
    columns = {name: cell for name, cell in value.items() if isinstance(cell, dict) and cell}
    if len(columns) < 2 or not any(field_of(name) == "question" for name in columns):
        return {}
    first = next(iter(columns.values()))
    if any(cell.keys() != first.keys() for cell in columns.values()):
        return {}
    if any(isinstance(item, dict) for cell in columns.values() for item in cell.values()):
        return {}
    return {"id": list(first)} | {name: list(cell.values()) for name, cell in columns.items()}


def _rows_of(columns: dict[str, list[Any]]) -> list[Any]:
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name[:30]} {length}" for name, length in list(lengths.items())[:8])
        raise DatasetError(
            f"The columns have different lengths ({shown}). Give each row a value or null."
        )
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
