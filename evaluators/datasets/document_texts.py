"""Documents as retrievers write them: texts, objects, pairs, lists, several in one cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.datasets.cells import unpack
from evaluators.datasets.names import TEXT_KEYS
from evaluators.datasets.separators import Separator, parted

MOST_LEVELS = 3
"""How deep the text of a document is looked for in objects."""

_TEXT_ENDINGS = ("_text", "_content", "_passage", "_snippet", "_chunk", "_summary", "_body")
_INSIDE = ("node", "document", "doc", "chunk", "passage", "content", "payload")
"""Objects in which retrievers wrap a document, beside its score."""
_TITLES = ("title", "name", "heading")
_NO_TEXT = re.compile(r"(^|_)(id|ids|uuid|url|uri|link|path|file|filename|hash|source|date|type)$")
_MARKUP = re.compile(r"\s*<(!doctype|html|head|body|div|\?xml)", re.IGNORECASE)


def documents(cell: Any, separator: Separator = Separator.NONE) -> list[Any]:
    """The documents in a cell; what is not a text could not be read as one.

    Text is cut at `separator`, where there is one (see `separator_of`).
    """
    value = _unpacked(cell)
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    if isinstance(value, str):
        return parted(value, separator)
    if isinstance(value, dict):
        return _of_object(value)
    if _is_titled(value):
        return [_titled(*value)]
    return [document_text(item) for item in value] if isinstance(value, list) else [value]


def document_text(item: Any, levels: int = MOST_LEVELS) -> Any:
    """The text of one document; the item itself where none can be found in it."""
    if isinstance(item, list):
        return _of_pair(item, levels)
    if not isinstance(item, dict) or not levels:
        return item
    text = _named_text(item)
    if text is None:
        inside = (item[key] for key in _INSIDE if isinstance(item.get(key), dict | list))
        found = (document_text(value, levels - 1) for value in inside)
        text = next((value for value in found if isinstance(value, str)), None)
    return _longest_text(item) if text is None else text


def _unpacked(cell: Any) -> Any:
    """The list or object that a text holds; anything else as it is."""
    if isinstance(cell, str) and re.match(r'\s*\{\s*"', cell):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return unpack(cell)


def _of_object(value: Mapping[str, Any]) -> list[Any]:
    """The documents in an object: of its lists, one for each key, or the object itself as one."""
    if _named_text(value) is not None:
        return [document_text(value)]
    cells = list(value.values())
    has_text = any(isinstance(cell, str) for cell in cells)
    if any(isinstance(cell, list) for cell in cells) and not has_text:
        return _of_parallel_lists(value)
    are_numbered = all(any(map(str.isdecimal, key)) for key in value)
    if cells and all(isinstance(cell, dict) for cell in cells):
        return [document_text(cell) for cell in cells]
    if are_numbered and all(isinstance(cell, str) for cell in cells):
        return cells
    return [document_text(value)]


def _of_parallel_lists(value: Mapping[str, Any]) -> list[Any]:
    """The documents of lists that stand side by side, as MS MARCO ("passage_text", "url") and
    HotpotQA ("title", "sentences") publish them, or of the one list of objects.
    """
    objects = [cell for cell in value.values() if _is_list_of(cell, dict)]
    if len(objects) == 1:
        return [document_text(item) for item in objects[0]]
    titles: list[Any] = next(
        (value[key] for key in _TITLES if isinstance(value.get(key), list)), []
    )
    sentences = [cell for cell in value.values() if _is_list_of(cell, list)]
    if sentences and len(titles) == len(sentences[0]):
        return [_titled(*pair) for pair in zip(titles, sentences[0], strict=True)]
    key = text_list_of(value)
    return list(value[key]) if key else [dict(value)]


def text_list_of(value: Mapping[str, Any]) -> str:
    """The key of the documents among lists that stand side by side; empty where there is none."""
    if not value or not all(isinstance(cell, list) for cell in value.values()):
        return ""
    texts = {key: cell for key, cell in value.items() if _is_list_of(cell, str)}
    named = [key for key in texts if not _NO_TEXT.search(key.casefold()) and key not in _TITLES]
    lengths = {key: sum(map(len, texts[key])) / len(texts[key]) for key in named}
    return max(lengths, key=lambda key: lengths[key], default="")


def _of_pair(item: list[Any], levels: int) -> Any:
    """A document with its score, or a title with its sentences; no other list is a document."""
    if _is_titled(item):
        return _titled(*item)
    is_scored = len(item) == 2 and isinstance(item[1], int | float)
    return document_text(item[0], levels - 1) if is_scored and levels else item


def _is_titled(value: Any) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
    return is_pair and _is_list_of(value[1], str)


def _titled(title: Any, sentences: Iterable[Any]) -> str:
    return f"{title}\n{' '.join(str(sentence).strip() for sentence in sentences)}"


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, kind) for item in value)


def _named_text(item: Mapping[str, Any]) -> str | None:
    """The text under a key that is named for it, also at the end of a path ("document.content")."""
    for key in TEXT_KEYS:
        if isinstance(item.get(key), str):
            return str(item[key])
    ends = {str(key).rpartition(".")[2]: text for key, text in item.items() if "." in str(key)}
    for key in TEXT_KEYS:
        if isinstance(ends.get(key), str):
            return str(ends[key])
    named = (text for key, text in item.items() if str(key).casefold().endswith(_TEXT_ENDINGS))
    return next((text for text in named if isinstance(text, str) and not _MARKUP.match(text)), None)


def _longest_text(item: dict[str, Any]) -> Any:
    """The longest text in an object of unknown keys, its title before it; the object itself where
    it holds no text.

    Markup of a whole page comes last: a snippet of its text beside it is what was read.
    """
    texts = {
        key: text
        for key, text in item.items()
        if isinstance(text, str) and text.strip() and not _NO_TEXT.search(str(key).casefold())
    }
    if not texts:
        return item
    best = max(texts, key=lambda key: (not _MARKUP.match(texts[key]), len(texts[key])))
    title = next((texts[key] for key in _TITLES if key in texts and key != best), "")
    return f"{title}\n{texts[best]}" if title else texts[best]
