"""Documents as retrievers write them: texts, objects, pairs, lists, several in one cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.datasets.cells import is_missing, object_in, unpack
from evaluators.datasets.names import TEXT_KEYS
from evaluators.datasets.separators import Separator, parted

MOST_LEVELS = 3
"""How deep the text of a document is looked for in objects."""

# "paragraph_text" (MuSiQue), "evidence_text" (FinanceBench), "page_snippet" (CRAG)
_TEXT_ENDINGS = ("_text", "_content", "_passage", "_snippet", "_chunk", "_summary", "_body")
WRAPPERS = ("node", "document", "doc", "chunk", "passage", "content", "payload")
"""Objects in which retrievers wrap a document, beside its score."""
_TITLES = ("title", "name", "heading")
# Where a document is from may be longer than what it says
_NO_TEXT = re.compile(r"(^|_)(id|ids|uuid|url|uri|link|path|file|filename|hash|source|date|type)$")
_MARKUP = re.compile(r"\s*<(!doctype|html|head|body|div|\?xml)", re.IGNORECASE)


def documents(cell: Any, separator: Separator = Separator.NONE) -> list[Any]:
    """The documents in a cell; what is not a text could not be read as one.

    Text is cut at `separator`, where there is one (see `separator_of`).
    """
    value = _unpacked(cell)
    if value is None:
        return []
    if isinstance(value, str):
        return parted(value, separator) if value.strip() else []
    if isinstance(value, dict):
        return _of_object(value)
    # A lone number, which the row tells as a document that is not a text
    if not isinstance(value, list):
        return [value]
    # Before the entries of a list: HotpotQA writes one document as a list of two
    if _is_titled(value):
        return [_titled(*value)]
    return [document_text(item) for item in value]


def document_text(item: Any, levels: int = MOST_LEVELS) -> Any:
    """The text of one document; the item itself where none can be found in it."""
    if isinstance(item, list):
        return _of_pair(item, levels)
    if not isinstance(item, dict) or not levels:
        return item
    text = _named_text(item)
    if text is not None:
        return text
    # LlamaIndex writes {"node": {"text": …}, "score": …}
    for key in WRAPPERS:
        inside = item.get(key)
        if not isinstance(inside, dict | list):
            continue
        text = document_text(inside, levels - 1)
        if isinstance(text, str):
            return text
    return _longest_text(item)


def _unpacked(cell: Any) -> Any:
    """The list or object that a text holds; anything else as it is."""
    within = object_in(cell)
    return unpack(cell) if within is None else within


def _of_object(value: Mapping[str, Any]) -> list[Any]:
    """The documents in an object: of its lists, one for each key, or the object itself as one."""
    if _named_text(value) is not None:
        return [document_text(value)]
    cells = list(value.values())
    has_text = any(isinstance(cell, str) for cell in cells)
    has_list = any(isinstance(cell, list) for cell in cells)
    if has_list and not has_text:
        return _of_parallel_lists(value)
    are_objects = all(isinstance(cell, dict) for cell in cells)
    if cells and are_objects:
        # promptflow writes {"[doc1]": {"title": …, "content": …}}
        return [document_text(cell) for cell in cells]
    # Texts under "doc0" or "paris.txt" are documents; beside a title or an address they are fields
    are_numbered = all(any(map(str.isdecimal, key)) for key in value)
    names_fields = any(key in _TITLES or _NO_TEXT.search(key.casefold()) for key in value)
    are_texts = all(isinstance(cell, str) or is_missing(cell) for cell in cells)
    if are_texts and (are_numbered or not names_fields):
        return cells
    return [document_text(value)]


def _of_parallel_lists(value: Mapping[str, Any]) -> list[Any]:
    """The documents of lists that stand side by side, or of the one list of objects.

    MS MARCO ("passage_text", "url") and HotpotQA ("title", "sentences") publish such lists.
    """
    lists_of_objects = [cell for cell in value.values() if _is_list_of(cell, dict)]
    if len(lists_of_objects) == 1:
        return [document_text(item) for item in lists_of_objects[0]]
    lists_of_titles = [value[key] for key in _TITLES if isinstance(value.get(key), list)]
    lists_of_sentences = [cell for cell in value.values() if _is_list_of(cell, list)]
    if lists_of_titles and lists_of_sentences:
        titles = lists_of_titles[0]
        sentences = lists_of_sentences[0]
        if len(titles) == len(sentences):
            return list(map(_titled, titles, sentences))
    key = text_list_of(value)
    if key:
        return list(value[key])
    return [dict(value)]


def text_list_of(value: Mapping[str, Any]) -> str:
    """The key of the documents among lists that stand side by side; empty where there is none."""
    if not all(isinstance(cell, list) for cell in value.values()):
        return ""
    lengths: dict[str, float] = {}
    for key, texts in value.items():
        is_beside_text = key in _TITLES or _NO_TEXT.search(key.casefold())
        if is_beside_text or not _is_list_of(texts, str):
            continue
        lengths[key] = sum(map(len, texts)) / len(texts)
    # Of several lists of texts the one with the longest holds the documents
    return max(lengths, key=lambda key: lengths[key], default="")


def _of_pair(item: list[Any], levels: int) -> Any:
    """A document with its score, or a title with its sentences; no other list is a document."""
    if _is_titled(item):
        return _titled(*item)
    # LangChain's similarity searches return pairs of a document and its score
    if len(item) != 2 or not levels:
        return item
    document, score = item
    if not isinstance(score, int | float):
        return item
    return document_text(document, levels - 1)


def _is_titled(value: Any) -> bool:
    """Whether a list is a title and its sentences, as HotpotQA writes a document."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    title, sentences = value
    return isinstance(title, str) and _is_list_of(sentences, str)


def _titled(title: Any, sentences: Iterable[Any]) -> str:
    text = " ".join(str(sentence).strip() for sentence in sentences)
    return f"{title}\n{text}"


def _is_list_of(value: Any, kind: type) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, kind) for item in value)


def _named_text(item: Mapping[str, Any]) -> str | None:
    """The text under a key that is named for it, also at the end of a path ("document.content")."""
    for key in TEXT_KEYS:
        if isinstance(item.get(key), str):
            return str(item[key])
    # OpenInference flattens its objects to keys such as "document.content"
    ends: dict[str, Any] = {}
    for key, text in item.items():
        _, dot, end = str(key).rpartition(".")
        if dot:
            ends[end] = text
    for key in TEXT_KEYS:
        if isinstance(ends.get(key), str):
            return str(ends[key])
    for key, text in item.items():
        is_named = str(key).casefold().endswith(_TEXT_ENDINGS)
        # CRAG has the markup of a whole page beside a snippet of its text
        if is_named and isinstance(text, str) and not _MARKUP.match(text):
            return text
    return None


def _longest_text(item: dict[str, Any]) -> Any:
    """The longest text in an object of unknown keys, its title before it.

    The object itself where it holds no text. Markup of a whole page comes last: a snippet of its
    text beside it is what was read.
    """
    # Its title alone is not what it says.
    if any(key in item and is_missing(item[key]) for key in TEXT_KEYS):
        return item
    texts: dict[str, str] = {}
    for key, text in item.items():
        is_about_text = _NO_TEXT.search(str(key).casefold())
        if isinstance(text, str) and text.strip() and not is_about_text:
            texts[key] = text
    if not texts:
        return item

    def rank(key: str) -> tuple[bool, int]:
        is_markup = _MARKUP.match(texts[key]) is not None
        return not is_markup, len(texts[key])

    best = max(texts, key=rank)
    for key in _TITLES:
        if key in texts and key != best:
            return f"{texts[key]}\n{texts[best]}"
    return texts[best]
