"""Lists that a cell holds as text: as JSON, Python, numpy or LangChain write them, with ||| between
them, or one a line.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from typing import Any

from evaluators.datasets.table import UnusableRowError

SEPARATOR = "|||"
MAX_LITERAL = 200_000
"""Characters of a list in Python's writing; reading one takes many times its size in memory."""

_ITEM = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]\s*)")
"""How an entry of a list of lines begins."""

_PRINTED = re.compile(r"\s*\[\s*Document\(")
"""How a list of LangChain's documents begins."""

SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’）)\]]*\s*$")
"""How a line ends that is not a part of a wrapped paragraph."""


def unpack(cell: Any) -> Any:
    """The list that a text holds; anything else as it is.

    Raises `DatasetError` for a list in Python's writing that is too long to be read.
    """
    if not isinstance(cell, str):
        return cell
    if not re.match(r"\s*[\[(]", cell):
        parts = [part.strip() for part in cell.split(SEPARATOR)]
        return list(filter(None, parts)) if len(parts) > 1 else cell
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        value = _literal(cell)
    return value if isinstance(value, list) else cell


def as_object(cell: Any) -> Any:
    """What a cell holds as JSON text; anything else as it is."""
    try:
        return json.loads(cell) if isinstance(cell, str) else cell
    except (ValueError, RecursionError):
        return cell


def lines(text: str) -> list[str]:
    """The entries of a text with one a line, without their marks; the text alone where it is
    wrapped prose.
    """
    filled = [line for line in text.splitlines() if line.strip()]
    if len(filled) < 2:
        return [text]
    if all(_ITEM.match(line) for line in filled):
        return [_ITEM.sub("", line).strip() for line in filled]
    return [line.strip() for line in filled] if all(map(SENTENCE_END.search, filled)) else [text]


def _literal(cell: str) -> Any:
    """A list or tuple as Python or numpy prints it; the text where it is none."""
    if not re.match(r"\s*[\[(]+\s*(?:['\"{]|\d+[\s,\])])", cell) and not _PRINTED.match(cell):
        return cell
    if len(cell) > MAX_LITERAL:
        size = f"{len(cell):,} characters; the limit is {MAX_LITERAL:,}"
        message = f"a list in Python's writing has {size}. Write it as JSON."
        raise UnusableRowError(message, "long list")
    try:
        if _PRINTED.match(cell):
            return _page_contents(cell)
        return _as_lists(ast.literal_eval(_with_commas(cell.strip())))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError):
        return cell


def _page_contents(cell: str) -> list[str]:
    """The texts of LangChain's documents, of which Python prints how they were made; raises
    `ValueError` for others.
    """
    calls = getattr(ast.parse(cell.strip(), mode="eval").body, "elts", [])
    texts = [
        keyword.value
        for call in calls
        for keyword in getattr(call, "keywords", [])
        if keyword.arg == "page_content"
    ]
    if not texts or len(texts) != len(calls):
        raise ValueError("These are not all documents.")
    return list(map(ast.literal_eval, texts))


def _with_commas(cell: str) -> str:
    """numpy puts no comma between entries, and Python would take neighbouring texts for one."""
    if not re.search(r"['\"\])]\s+['\"\[]", cell):
        return cell
    return "".join(_comma_after_text(cell))


def _comma_after_text(cell: str) -> Iterator[str]:
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(cell).readline):
        if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            continue
        begins = token.type == tokenize.STRING or token.string == "["
        yield f", {token.string}" if begins and before in ("text", "]") else token.string
        before = "text" if token.type == tokenize.STRING else token.string


def _as_lists(value: Any) -> Any:
    return [_as_lists(item) for item in value] if isinstance(value, list | tuple) else value
