"""Tables as Markdown; names of strangers stay text."""

from __future__ import annotations

from collections.abc import Iterable

from evaluators.exports import ExportFormat
from evaluators.paper.table import PaperTable
from evaluators.text.language import mark
from evaluators.text.markdown import in_markdown


def as_markdown(table: PaperTable) -> str:
    """The table with its caption below it."""
    lines = [_markdown_row(map(in_markdown, table.headings))]
    columns = len(table.headings)
    lines.append(_markdown_row("---" if place < table.keys else "---:" for place in range(columns)))
    for row in table.rows:
        lines.append(_markdown_row(map(in_markdown, row)))
    return "\n".join([*lines, "", in_markdown(table.caption), ""])


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


FORMAT = ExportFormat(
    "markdown",
    "Markdown",
    mark("Every table for a paper, as Markdown."),
    ".md",
    7,
    # A text may hold half a character, which UTF-8 cannot write.
    of_table=lambda table: as_markdown(table).encode(errors="replace"),
)
