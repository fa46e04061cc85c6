"""Lists that a cell holds as text.

JSON, Python, numpy or LangChain write them, people put ||| between them, or one on a line.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import wraps
from time import thread_time
from typing import Any, ParamSpec, TypeVar

from evaluators.datasets.table import PythonLists, Table, UnusableRowError
from evaluators.text.language import say
from evaluators.text.strangers_json import strangers_json

SEPARATOR = "|||"
MAX_LITERAL = 200_000
"""Characters of a list in Python's writing; reading one takes many times its size in memory."""
MAX_PARTS = 20_000
"""Quotation marks, commas, colons and brackets of one: each takes as long as a hundred letters."""
_lists: ContextVar[PythonLists] = ContextVar("lists")
P = ParamSpec("P")
T = TypeVar("T")

_ITEM = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]\s*)")
"""How an entry of a list of lines begins."""

_PRINTED = re.compile(r"\s*\[\s*Document\(")
"""How a list of LangChain's documents begins."""

_LITERAL = re.compile(r"\s*[\[(]+\s*(?:['\"{]|\d+[\s,\])])")
"""How a list of texts, objects or whole numbers begins; "[1] see there" is prose."""

_OBJECT = re.compile(r"\s*\{\s*['\"]")
"""How an object begins."""

_ENTRY = re.compile(r"""('(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?|\])(\s+(?=['"\[]))?""", re.DOTALL)
"""An entry or its end, and the white space where another one begins without a comma."""

_PARTS = re.compile(r"['\",:\[({]")
"""What stands around and between entries."""

_VALUE = r"""
    (?: (?: '(?:[^'\\]|\\.)*+'(?!') | "(?:[^"\\]|\\.)*+"(?!") ) \s*+ )++
  | (?: [+-]?+ (?: \d++ (?:\.\d*+)?+ (?:e[+-]?+\d++)?+ | inf | nan ) | None | True | False ) \s*+
"""
_NAME = r"[A-Za-z_]\w*+"


def _written(opening: str) -> re.Pattern[str]:
    """Values between brackets: one opens only at the start or after another, a comma or a colon,
    and no value follows on a value, so that nothing is called, indexed or reckoned.
    """
    item = rf"(?: (?:{opening}) \s*+ )*+ (?:{_VALUE})?+ (?: [\])}}] \s*+ )*+"
    return re.compile(rf"{item} (?: [,:] \s*+ {item} )*+", re.DOTALL | re.VERBOSE)


_DATA = _written(r"[\[({]")
"""What Python prints of data. Whatever else is code, such as an f-string, which takes the compiler
the square of its length, is never given to it."""

_MADE = _written(rf"[\[({{] | {_NAME}(?:\.{_NAME}){{0,4}}+\( | {_NAME}=")
"""The same with objects as LangChain's documents, which print how they are made."""

SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’）)\]]*\s*$")
"""How a line ends that is not a part of a wrapped paragraph."""


def lists_in_time(door: Callable[P, T]) -> Callable[P, T]:
    """A function of a table: what lists in Python's writing take that it reads is counted there,
    with all such functions; a list after their time is an `UnusableRowError`.
    """

    @wraps(door)
    def within(*args: P.args, **kwargs: P.kwargs) -> T:
        values = (*args, *kwargs.values())
        table = next(value for value in values if isinstance(value, Table))
        before = _lists.set(table.lists)
        try:
            return door(*args, **kwargs)
        finally:
            _lists.reset(before)

    return within


def is_missing(value: object) -> bool:
    """Whether it is what stands in an empty cell: `None`, NaN, `pandas.NA`, `NaT`."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def unpack(cell: Any) -> Any:
    """The list that a text holds; anything else as it is.

    Raises `UnusableRowError` for a list in Python's writing that is too long to be read.
    """
    if not isinstance(cell, str):
        return cell
    if not re.match(r"\s*[\[(]", cell):
        if SEPARATOR not in cell:
            return cell
        parts = map(str.strip, cell.split(SEPARATOR))
        return list(filter(None, parts))
    try:
        value = strangers_json(cell)
    except ValueError:
        value = _literal(cell)
    return value if isinstance(value, list) else cell


def object_in(cell: Any) -> dict[str, Any] | None:
    """The object that a cell is or holds as text, as JSON or Python write it; else `None`."""
    if isinstance(cell, dict):
        return cell
    if not isinstance(cell, str) or not _OBJECT.match(cell):
        return None
    try:
        value = strangers_json(cell)
    except ValueError:
        value = None if _is_long(cell) else _evaluated(cell, _value)
    return value if isinstance(value, dict) else None


def _is_long(cell: str) -> bool:
    return len(cell) > MAX_LITERAL or len(_PARTS.findall(cell)) > MAX_PARTS


def _evaluated(cell: str, evaluate: Callable[[str], Any]) -> Any:
    """What a text in Python's writing holds, with lists for its tuples; `None` where it is more
    than data, or none. Raises `UnusableRowError` where those of the file took too long.
    """
    lists = _lists.get(None) or PythonLists()
    if cell not in lists.known:
        if lists.seconds <= 0:
            message = say(
                "lists in Python's writing before this one took too long. Write them as JSON."
            )
            raise UnusableRowError(message, "lists took too long")
        began = thread_time()
        try:
            value = _as_lists(evaluate(cell))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            value = None
        lists.seconds -= thread_time() - began
        # What is read of each part of it takes some eighty bytes
        size = len(cell) + 80 * len(_PARTS.findall(cell))
        if size > lists.room:
            return value
        lists.room -= size
        lists.known[cell] = value
    # Of their own: who asks may change them
    return _as_lists(lists.known[cell])


def as_object(cell: Any) -> Any:
    """What a cell holds as JSON text; anything else as it is."""
    try:
        return strangers_json(cell) if isinstance(cell, str) else cell
    except ValueError:
        return cell


def lines(text: str) -> list[str]:
    """The entries of a text with one on each line, without their marks.

    The text alone where it is wrapped prose.
    """
    filled = [line for line in text.splitlines() if line.strip()]
    if len(filled) < 2:
        return [text]
    if all(map(_ITEM.match, filled)):
        return [_ITEM.sub("", line).strip() for line in filled]
    # A paragraph that was wrapped breaks off in the middle of sentences
    if all(map(SENTENCE_END.search, filled)):
        return [line.strip() for line in filled]
    return [text]


def _literal(cell: str) -> Any:
    """A list or tuple as Python or numpy prints it; the text where it is none."""
    is_printed = _PRINTED.match(cell) is not None
    if not is_printed and not _LITERAL.match(cell):
        return cell
    if _is_long(cell):
        message = say(
            "a list in Python's writing has {characters:,} characters; the limit is {limit:,}, and "
            "{parts:,} quotation marks, commas, colons and brackets. Write it as JSON.",
            characters=len(cell),
            limit=MAX_LITERAL,
            parts=MAX_PARTS,
        )
        raise UnusableRowError(message, "long list")
    # Prose may begin with a bracket too; what cannot be read stays the text that it is
    value = _evaluated(cell, _page_contents if is_printed else _parted)
    return cell if value is None else value


def _value(cell: str) -> Any:
    data = cell.strip()
    if not _DATA.fullmatch(data):
        raise ValueError("This is more than data.")
    return ast.literal_eval(data)


def _parted(cell: str) -> Any:
    # numpy puts no comma between entries, and Python would take neighbouring texts for one
    return _value(_ENTRY.sub(lambda entry: entry[1] + (", " if entry[2] else ""), cell))


def _page_contents(cell: str) -> list[str]:
    """The texts of LangChain's documents, of which Python prints how they were made; raises
    `ValueError` for others.
    """
    data = cell.strip()
    if not _MADE.fullmatch(data):
        raise ValueError("This is more than data.")
    # Parsed, never run: what a cell calls is a stranger's
    tree = ast.parse(data, mode="eval")
    calls = getattr(tree.body, "elts", [])
    texts: list[ast.expr] = []
    for call in calls:
        keywords = getattr(call, "keywords", [])
        texts += [keyword.value for keyword in keywords if keyword.arg == "page_content"]
    if not texts or len(texts) != len(calls):
        raise ValueError("These are not all documents.")
    return list(map(ast.literal_eval, texts))


def _as_lists(value: Any) -> Any:
    """The value with lists for its tuples, at any depth: the records know no difference."""
    if isinstance(value, dict):
        return {str(name): _as_lists(item) for name, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    return [_as_lists(item) for item in value]


def text_of_parts(content: Any) -> str:
    """The text of a message, which programs may cut into parts; empty where it has none."""
    parts = content.get("parts") if isinstance(content, dict) else content
    if not isinstance(parts, list):
        return parts if isinstance(parts, str) else ""
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def text_of_truth(item: Mapping[str, Any]) -> Any:
    """The text of an object that is a true answer, also in the parts of a message."""
    return item.get("text") or text_of_parts(item.get("content")) or None


def only_text(cell: Any) -> Any:
    """The one text in a list, or in a list in it as lm-eval writes; anything else as it is."""
    inside = cell
    while isinstance(inside, list) and len(inside) == 1:
        inside = inside[0]
    return inside if isinstance(inside, str) else cell
