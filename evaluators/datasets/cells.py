"""Lists that a cell holds as text: in JSON's, Python's, numpy's or LangChain's writing, by ||| or
by line breaks.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from typing import Any

from evaluators.errors import DatasetError

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
    """The list that a text holds; anything else as it is. Raises `DatasetError` for one too long to
    be read.
    """
    if not isinstance(cell, str):
        return cell
    if not re.match(r"\s*[\[(]", cell):
        return (
            [part.strip() for part in cell.split(SEPARATOR) if part.strip()]
            if SEPARATOR in cell
            else cell
        )
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        found = _literal(cell)
    return found if isinstance(found, list) else cell


def lines(text: str) -> list[str]:
    """The entries of a text with one a line, without their marks; the text alone where it is
    wrapped prose.
    """
    found = [line for line in text.splitlines() if line.strip()]
    if len(found) > 1 and all(_ITEM.match(line) for line in found):
        return [_ITEM.sub("", line).strip() for line in found]
    return (
        [line.strip() for line in found]
        if len(found) > 1 and all(map(SENTENCE_END.search, found))
        else [text]
    )


def _literal(cell: str) -> Any:
    """A list or tuple as Python or numpy prints it; the text where it is none."""
    if not re.match(r"\s*[\[(]+\s*(?:['\"{]|\d+[\s,\])])", cell) and not _PRINTED.match(cell):
        return cell
    if len(cell) > MAX_LITERAL:
        size = f"{len(cell):,} characters; the limit is {MAX_LITERAL:,}"
        raise DatasetError(f"a list in Python's writing has {size}. Write it as JSON.")
    try:
        found = (
            _page_contents(cell)
            if _PRINTED.match(cell)
            else ast.literal_eval(_with_commas(cell.strip()))
        )
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError):
        return cell
    return _as_lists(found)


def _page_contents(cell: str) -> list[str]:
    """The texts of LangChain's documents, of which Python prints how they were made; raises
    `ValueError` for others.
    """
    made = getattr(ast.parse(cell.strip(), mode="eval").body, "elts", [])
    texts = [
        field.value
        for each in made
        for field in getattr(each, "keywords", [])
        if field.arg == "page_content"
    ]
    if not texts or len(texts) != len(made):
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
