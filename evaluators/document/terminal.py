"""A document in a terminal: texts and tables, text of strangers as text; no charts, no samples."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from rich import box, table
from rich.console import Console, RenderableType
from rich.text import Text

from evaluators.document.blocks import Block, Items, Passage, Section, Table
from evaluators.text.language import say
from evaluators.text.printable import printable

# Where a table goes is not known here: most terminals have this room, notebooks a table of HTML.
WIDTH = 120


def rendered(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """The blocks for rich; a section stands below an empty line and its heading."""
    for block in blocks:
        match block:
            case Passage(text, role):
                # A whole prompt or card is read in a file.
                if text and role != "plain":
                    yield printable(text)
            case Table():
                if block.rows:
                    yield rich_table(block)
            case Items(texts):
                yield from (f"- {printable(text)}" for text in texts)
            case Section(title, parts):
                if shown := list(rendered(parts)):
                    yield from ("", printable(title), *shown)


def rich_table(block: Table) -> table.Table:
    """A plain table whose numbers stand on the right."""
    shown = table.Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in block.headings:
        # As `Text`, since rich reads a string as markup.
        title = Text(printable(say(heading)))
        is_number = heading in block.numbers
        shown.add_column(title, justify="right" if is_number else "left", overflow="fold")
    for row in block.rows:
        shown.add_row(*(Text(printable(cell)) for cell in row))
    return shown


def as_text(blocks: Iterable[Block]) -> str:
    """The same as lines without colour, as a notebook shows them."""
    return lines_of(rendered(blocks))


def lines_of(parts: Iterable[RenderableType], width: int = WIDTH) -> str:
    """What is printed of the parts, without colour."""
    file = io.StringIO()
    print_parts(Console(file=file, width=width, color_system=None), parts)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def print_parts(console: Console, parts: Iterable[RenderableType]) -> None:
    """A sentence is broken by whoever shows it, a table here."""
    for part in parts:
        if isinstance(part, str):
            # As `Text`, since rich reads a string as markup.
            console.print(Text(part), soft_wrap=True)
        else:
            console.print(part)
