"""What a column holds: texts, lists, numbers, ids; and whether a field can be read from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from evaluators.datasets.cells import as_object, object_in, only_text, text_of_truth, unpack
from evaluators.datasets.columns import Rows
from evaluators.datasets.document_texts import documents
from evaluators.datasets.names import COLUMNS, TEXT_FIELDS, canonical, is_plural, last_part
from evaluators.datasets.references import (
    SENTENCE_END,
    is_address_or_file,
    is_reference,
    is_title,
)
from evaluators.datasets.separators import Separator
from evaluators.errors import DatasetError
from evaluators.records import Labels
from evaluators.surrogates import without_surrogates
from evaluators.text.language import say

LONG_TEXT = 200
"""Characters from which a column's texts on average may be documents."""

SHORT_TEXT = 60
"""Characters up to which a text without a full stop may be the title of a document."""

FEW_VERDICTS = 2
"""Cells from which nothing but zeros and ones are verdicts; a single one may be an answer."""

FEW_DOCUMENTS = 4
"""Documents up to which nothing is said of their length: an example of one's own has as many."""

SHORT_DOCUMENT = 30
"""Bytes below which documents on average may be titles or ids: a Chinese character has three."""

MOST_LOOKED_AT = 500_000
"""Characters of a column that are looked at: lists in Python's writing take long to read."""

_CONVERSATION = re.compile(
    r"\s*\[\s*\{.{0,300}?['\"](role|from|type|speaker|content)['\"]", re.DOTALL
)
_NUMBER = re.compile(r"\s*[-+]?[\d.,]+(?:e[-+]?\d+)?\s*", re.IGNORECASE)
_VERDICTS = frozenset({"0", "1", "-1", "0.0", "1.0"})


@dataclass(frozen=True)
class Content:
    """Mean length of a column's texts, and shares of its cells.

    The shares are of lists, texts that ask, texts of several words, and different ones.
    """

    length: float = 0
    lists: float = 0
    asking: float = 0
    worded: float = 0
    different: float = 0

    @classmethod
    def of(cls, column: str, rows: Rows) -> Content:
        cells = filled_cells(column, rows)
        if not cells:
            return cls()
        texts = [cell for cell in cells if is_worded(cell)]
        lists = sum(map(is_list, cells))
        asking = worded = 0
        for text in texts:
            asking += text.rstrip().endswith(("?", "？"))
            # Chinese has no spaces between its words
            worded += not text.isascii() or len(text.split()) > 2
        count = max(1, len(texts))
        return cls(
            length=sum(map(len, texts)) / count,
            lists=lists / len(cells),
            asking=asking / len(cells),
            worded=worded / len(cells),
            different=len(set(texts)) / count,
        )


def filled_cells(column: str, rows: Rows) -> list[Any]:
    """The first cells of a column that hold anything."""
    cells: list[Any] = []
    size = 0
    for row in rows:
        cell = row.get(column)
        # Only NaN differs from itself; pandas keeps it for an empty cell
        if cell is None or cell == "" or cell != cell:
            continue
        cells.append(cell)
        size += len(str(cell))
        if size > MOST_LOOKED_AT:
            break
    return cells


def can_be(field: str, column: str, rows: Rows) -> bool:
    """Whether most of the column's first cells can be read as this field, and mean it.

    One odd cell under a usual name is a mistake in a row, not another kind of column.
    """
    cells = _cells_of_field(field, column, rows)
    # A column "label" mostly holds grades, such as "correct"
    if holds := {"labels": _is_labels, "nuggets": _unpacked_list}.get(field):
        return any(map(holds, cells))
    is_usual = column in COLUMNS.get(field, ())
    if len(cells) < 2 and is_usual:
        if field.endswith("_documents"):
            return not are_names(column, cells)
        return not any(map(_is_conversation, cells))
    if not cells:
        # Blank cells are still to be filled in; nulls are what a program does not know
        return any(row.get(column) == "" for row in rows)
    if field.endswith("_documents"):
        return _share(_are_documents, cells) and not are_names(column, cells)
    if field == "ground_truth":
        return _share(_is_truth, cells) and not _are_verdicts(cells) and not _are_places(cells)
    if field in ("question", "response") and _are_verdicts(cells):
        return False
    if field in ("question", "response") and not is_usual:
        # "prompt" and "completion" also count the tokens of a call
        are_numbers = all(isinstance(cell, int | float) for cell in cells)
        return _share(_is_text, cells) and not are_numbers
    return field not in TEXT_FIELDS or _share(_is_text, cells)


def _cells_of_field(field: str, column: str, rows: Rows) -> list[Any]:
    """The first cells of a column; where it is named for many, the text in a list of one."""
    cells = filled_cells(column, rows)
    if field in TEXT_FIELDS and is_plural(last_part(column)):
        return [only_text(cell) for cell in cells]
    return cells


def are_names(column: str, cells: Sequence[Any]) -> bool:
    """Whether a column of documents holds ids, file names, addresses or mere titles."""
    filled_lists = list(filter(None, map(_texts_of, cells)))
    if not filled_lists:
        # Numbers of documents; a number alone is a score
        return len(cells) > 1 and all(map(_is_list_of_numbers, cells))
    lists_of_names = 0
    for texts in filled_lists:
        lists_of_names += 2 * sum(map(is_reference, texts)) > len(texts)
    if 2 * lists_of_names > len(filled_lists):
        return True
    texts = list(chain.from_iterable(filled_lists))
    # One short text may be anything
    if len(texts) > 1 and 2 * sum(map(is_title, texts)) > len(texts):
        return True
    usual_names = (*COLUMNS["retrieved_documents"], *COLUMNS["gold_documents"])
    mean_length = sum(map(len, texts)) / len(texts)
    # Short facts under a usual name or in lists are documents; one short text a row may be a title
    if column in usual_names or mean_length >= SHORT_TEXT:
        return False
    if any(not isinstance(cell, str) or cell.lstrip().startswith("[") for cell in cells):
        return False
    # "source" is the text in FaithBench, and where it is from in most other files
    if canonical(last_part(column)).startswith("source"):
        return True
    if len(texts) == 1:
        return False
    titles = [text for text in texts if " " in text and not SENTENCE_END.search(text)]
    return 2 * len(titles) > len(texts)


def are_files(cells: Sequence[Any]) -> bool:
    """Whether most cells name files or addresses and nothing else, alone or in lists."""
    texts = list(chain.from_iterable(map(_texts_of, cells)))
    return 2 * sum(map(is_address_or_file, texts)) > len(texts)


def _is_list_of_numbers(cell: Any) -> bool:
    value = _unpacked_list(cell)
    return bool(value) and all(map(is_number, value))


def doubt_about_length(column: str, separator: Separator, rows: Rows) -> str:
    """Why a person should look whether these are documents; empty where they are long enough."""
    texts: list[str] = []
    for cell in filled_cells(column, rows):
        texts += _texts_of(cell, separator)
    if len(texts) <= FEW_DOCUMENTS:
        return ""
    mean = sum(len(text.encode(errors="replace")) for text in texts) / len(texts)
    sentences = [text for text in texts if SENTENCE_END.search(text)]
    if mean >= SHORT_DOCUMENT or 2 * len(sentences) > len(texts):
        return ""
    return say(
        "The documents in {column} have {length:.0f} characters on average, so they may be "
        "titles or ids and not texts.",
        column=without_surrogates(column)[:30],
        length=sum(map(len, texts)) / len(texts),
    )


def may_be_documents(column: str, rows: Rows, *, is_named: bool = False) -> bool:
    """Whether a column holds lists of texts, or long texts, that no other field is read from.

    They may be short where the column `is_named` as documents are.
    """
    cells = filled_cells(column, rows)
    content = Content.of(column, rows)
    texts = [cell for cell in cells if isinstance(cell, str)]
    # What a program wrote of itself, such as a configuration
    if any(text.lstrip().startswith("{") for text in texts):
        return False
    long = SHORT_DOCUMENT if is_named else LONG_TEXT
    if content.length >= long and content.worded > 0.5:
        return True
    of_objects = 0
    for cell in cells:
        value = _unpacked_list(cell)
        if value:
            of_objects += all(isinstance(item, dict) for item in value)
    are_lists = content.lists > 0.5 or 2 * of_objects >= len(cells)
    if not cells or not are_lists:
        return False
    entries: list[str] = []
    for cell in cells:
        entries += _texts_of(cell)
    # Lists of tags, ids and file names are shorter
    least = SHORT_DOCUMENT if is_named else SHORT_TEXT
    are_long = sum(map(len, entries)) >= least * len(entries)
    return bool(entries) and are_long and _share(_are_documents, cells)


def _unpacked_list(cell: Any) -> list[Any]:
    """The list that a cell is or holds as text; empty where it is none or too long to be read."""
    try:
        value = unpack(cell)
    except DatasetError:
        return []
    return value if isinstance(value, list) else []


def is_list(cell: object) -> bool:
    """Whether the cell is a list of texts, or the text of one."""
    if isinstance(cell, list):
        return any(isinstance(item, str | list) for item in cell)
    return isinstance(cell, str) and re.match(r"\s*\[\s*[\[\"']", cell) is not None


def is_worded(cell: object) -> bool:
    """Whether the cell is a text that is neither a number nor a list."""
    if not isinstance(cell, str) or not cell:
        return False
    return not is_number(cell) and not is_list(cell)


def is_number(cell: object) -> bool:
    """Whether the cell is a number, or the text of one."""
    if isinstance(cell, int | float):
        return True
    return isinstance(cell, str) and _NUMBER.fullmatch(cell[:50]) is not None


def is_score(cell: object) -> bool:
    """Whether the cell is a number or a list of numbers."""
    is_list_text = isinstance(cell, str) and cell[:1] == "["
    value = as_object(cell) if is_list_text else cell
    numbers = value if isinstance(value, list) else [value]
    return all(map(is_number, numbers))


def _share(holds: Callable[[Any], bool], cells: Sequence[Any]) -> bool:
    # Half is enough: files of people have odd rows, and each of them is told by itself
    return 2 * sum(map(holds, cells)) >= len(cells)


def _texts_of(cell: Any, separator: Separator = Separator.NONE) -> list[str]:
    try:
        texts = documents(cell, separator)
    # Too long to be read, which its own row will say
    except DatasetError:
        return []
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _are_documents(cell: Any) -> bool:
    try:
        texts = documents(cell)
    except DatasetError:
        # Too long to be read here, which the row itself will say
        return True
    return all(isinstance(text, str) and not is_number(text) for text in texts)


def _is_text(cell: Any) -> bool:
    """Whether the cell is a text or a number; a list of objects as text is a conversation."""
    if isinstance(cell, list):
        # MT-RAG writes one text as a list of one object
        first = cell[0] if len(cell) == 1 else None
        return isinstance(first, dict) and isinstance(first.get("text"), str)
    if isinstance(cell, dict):
        return False
    return not _is_conversation(cell)


def _is_conversation(cell: Any) -> bool:
    return isinstance(cell, str) and _CONVERSATION.match(cell) is not None


def _is_truth(cell: Any) -> bool:
    # Lists in Python's writing take long to read, and true answers are short
    is_readable = isinstance(cell, str) and len(cell) < LONG_TEXT * 100
    value = unpack(cell) if is_readable else cell
    if isinstance(value, dict):
        return isinstance(value.get("text"), list | str)
    items = value if isinstance(value, list) else [value]
    for item in items:
        # TriviaQA and MT-RAG keep a true answer as an object with a text
        text = text_of_truth(item) if isinstance(item, dict) else item
        if not isinstance(text, str) and not isinstance(item, int | float | list):
            return False
    return True


def _are_places(cells: Sequence[Any]) -> bool:
    """Whether a column of truths says where an answer is found: addresses and files."""
    places = [cell for cell in cells if isinstance(cell, str) and is_address_or_file(cell)]
    return 2 * len(places) > len(cells)


def _are_verdicts(cells: Sequence[Any]) -> bool:
    """Whether a column of truths holds verdicts, such as 0 and 1."""
    if len(cells) < FEW_VERDICTS:
        return False
    return all(isinstance(cell, bool) or str(cell) in _VERDICTS for cell in cells)


def _is_labels(cell: Any) -> bool:
    value = object_in(cell)
    if not isinstance(value, dict) or not value:
        return False
    return value.keys() <= Labels.model_fields.keys()
