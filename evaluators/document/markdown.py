"""A document as Markdown, for a pull request: text of strangers as text; no charts, no samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluators.document.blocks import Block, Items, Passage, Section, Table
from evaluators.surrogates import without_surrogates
from evaluators.text.language import say
from evaluators.text.markdown import paragraph, unlinked

MOST = 60_000
"""Characters in all: a comment on GitHub has 65,536."""
MOST_OF_A_TEXT = 1_000
MOST_ROWS = 50


def as_markdown(title: str, blocks: Iterable[Block]) -> str:
    """The document under its title, as many of its blocks as fit into a comment."""
    parts, room = [f"### {unlinked(title[:MOST_OF_A_TEXT])}"], MOST
    for part in _rendered(blocks):
        room -= len(part) + 2
        if room < 0:
            parts.append(say("The report has the rest."))
            break
        parts.append(part)
    return without_surrogates("\n\n".join(parts) + "\n")


def _rendered(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Passage(text, role):
                # A whole prompt or card is read in a file.
                if text and role != "plain":
                    yield paragraph(text[:MOST_OF_A_TEXT])
            case Table():
                if block.rows:
                    yield _table(block)
            case Items(texts):
                yield "\n".join(f"- {paragraph(text[:MOST_OF_A_TEXT])}" for text in texts)
            case Section(title, parts):
                if shown := list(_rendered(parts)):
                    yield f"#### {unlinked(title[:MOST_OF_A_TEXT])}"
                    yield from shown


def _table(table: Table) -> str:
    lines = [_row(map(say, table.headings))]
    lines.append(_line("---:" if own in table.numbers else "---" for own in table.headings))
    lines += map(_row, table.rows[:MOST_ROWS])
    if (further := len(table.rows) - MOST_ROWS) > 0:
        lines += ["", say("And {count:,} more.", count=further)]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return _line(unlinked(cell[:MOST_OF_A_TEXT]) for cell in cells)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
