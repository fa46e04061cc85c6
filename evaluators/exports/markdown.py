"""Tables as Markdown; names of strangers stay text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evaluators.exports import ExportFormat
from evaluators.paper.table import PaperTable
from evaluators.text.language import mark
from evaluators.text.printable import printable

# Without definitions, which no cell can hold, brackets alone make no link.
_OF_MARKDOWN = re.compile(r"[\\`*_{}<>#|~$]|\](?=\()")


def as_markdown(table: PaperTable) -> str:
    """The table with its caption below it."""
    lines = [_markdown_row(map(_in_markdown, table.headings))]
    columns = len(table.headings)
    lines.append(_markdown_row("---" if place < table.keys else "---:" for place in range(columns)))
    for row in table.rows:
        lines.append(_markdown_row(map(_in_markdown, row)))
    return "\n".join([*lines, "", _in_markdown(table.caption), ""])


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _in_markdown(text: str) -> str:
    """The text as it is read: no link, no picture, no HTML, and no end of its cell."""
    plain = printable(text).replace("&", "&amp;")
    return _OF_MARKDOWN.sub(r"\\\g<0>", plain)


FORMAT = ExportFormat(
    "markdown",
    "Markdown",
    mark("Every table for a paper, as Markdown."),
    ".md",
    7,
    # A text may hold half a character, which UTF-8 cannot write.
    of_table=lambda table: as_markdown(table).encode(errors="replace"),
)
