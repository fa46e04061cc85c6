"""The page of a report: its head, sections and tables; nothing is loaded, and nothing runs in it.

Texts become markup here and in `coloured`, `marked` and `drawing` alone, each through `html`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from evaluators.document.blocks import (
    Block,
    Charts,
    Evidence,
    Items,
    Passage,
    Role,
    Section,
    Table,
)
from evaluators.drawing import DOUBLE, Size
from evaluators.report import coloured, marked
from evaluators.surrogates import without_surrogates
from evaluators.text.language import language, say
from evaluators.text.markup import html
from evaluators.text.words import readable

T = TypeVar("T")

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may do with the page, whatever slipped into it: show it."""
STYLE = Path(__file__).with_name("report.css")
PHONE = Size(92, 8)
"""The width of a phone in millimetres of a screen, and a font that is read there."""
MOST_BYTES = 6_000_000
"""What a report may take: mail and learning platforms refuse larger files."""
# A title, a name or a reason may be a text of any length, and no sample can be left out for it.
MOST_OF_A_CELL = 600
MOST_OF_A_TEXT = 5_000
MOST_OF_A_CARD = 100_000
MOST_ROWS = 300


def page(
    title: str,
    parts: Iterable[str],
    written: datetime,
    further: Sequence[Path] = (),
) -> str:
    """The whole document; `parts` are markup, `further` style sheets come after the usual ones."""
    files = (coloured.STYLE, marked.STYLE, STYLE, *further)
    styles = "\n".join(path.read_text(encoding="utf-8") for path in files)
    moment = written.astimezone(UTC).strftime(say("%d %b %Y, %H:%M UTC"))
    footer = say("Written by Plumbline, {moment}.", moment=moment)
    tag = language().replace("_", "-")
    # Half a character, as broken files hold it, cannot be written as UTF-8.
    return without_surrogates(
        "<!doctype html>\n"
        f'<html lang="{tag}"><head><meta charset="utf-8">\n'
        # First, so that it holds for all that follows.
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_in_cell(title)}</title>\n<style>{styles}</style></head>\n"
        f"<body><main>\n{''.join(parts)}\n"
        f"<footer>{footer}</footer></main></body></html>\n"
    )


def within_size(make: Callable[[Sequence[T]], str], samples: Sequence[T]) -> str:
    """What `make` makes with as many of the samples as fit into `MOST_BYTES`."""
    document = make(samples)
    # Texts of strangers may be of signs that take several bytes, each as an entity.
    while samples and len(document.encode()) > MOST_BYTES:
        # By halves: each attempt writes the whole page, and one by one would take as many.
        samples = samples[: len(samples) // 2]
        document = make(samples)
    return document


def head(title: str, facts: Sequence[str]) -> str:
    """The title, and facts in a line."""
    line = words(" · ".join(facts), "facts")
    return f'<header><h1 dir="auto">{_in_cell(title)}</h1>{line}</header>'


def rendered(blocks: Iterable[Block]) -> str:
    """The blocks of a document as markup."""
    parts = []
    for block in blocks:
        match block:
            case Passage(text, role):
                parts.append(words(text, role))
            case Table():
                parts.append(html_table(block))
            case Items(texts):
                parts.append(items(texts))
            case Section(title, inner, is_folded):
                parts.append(_section(title, rendered(inner), is_folded=is_folded))
            case Charts():
                parts.append(_figures(block))
            case Evidence(markup):
                parts.append(markup)
    return "".join(parts)


def words(text: str, role: Role = "paragraph") -> str:
    """A text as its role looks; nothing for an empty one."""
    if not text:
        return ""
    if role == "plain":
        return f'<pre dir="auto">{html(clipped(text, MOST_OF_A_CARD))}</pre>\n'
    shown = _limited_html(text)
    if role == "finding":
        # A sign at the beginning of a line would be looked for at the end of the last one.
        shown = shown.replace(" %", "&nbsp;%")
    if role == "warning":
        # A mark beside the colour, for who sees none.
        shown = f"<b>!</b> {shown}"
    look = "" if role == "paragraph" else f' class="{role}"'
    return f'<p{look} dir="auto">{shown}</p>\n'


def _section(title: str, body: str, *, is_folded: bool) -> str:
    if not body:
        return ""
    heading = html(title)
    if is_folded:
        # Opens at a click, and is open on paper.
        return f"<details><summary>{heading}</summary>{body}</details>\n"
    return f"<section><h2>{heading}</h2>{body}</section>\n"


def items(texts: Iterable[str]) -> str:
    body = "".join(f'<li dir="auto">{_limited_html(text)}</li>' for text in texts)
    return f"<ul>{body}</ul>\n" if body else ""


def html_table(table: Table) -> str:
    """A table whose first column names the rows; nothing without a row."""
    headings = list(map(say, table.headings))
    lines = []
    for first, *others in table.rows[:MOST_ROWS]:
        cells = "".join(
            # On phones each cell is a line of its own, which the style sheet begins by this title.
            f'<td data-title="{html(title)}" dir="auto">{_in_cell(text)}</td>'
            for title, text in zip(headings[1:], others, strict=True)
        )
        lines.append(f'<tr><th scope="row" dir="auto">{_in_cell(first)}</th>{cells}</tr>')
    if not lines:
        return ""
    titles = "".join(f'<th scope="col">{html(title)}</th>' for title in headings)
    further = len(table.rows) - MOST_ROWS
    more = words(say("And {count:,} more.", count=further), "facts") if further > 0 else ""
    return (
        f'<div class="wide"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{more}\n"
    )


def _figures(charts: Charts) -> str:
    # A chart that is only made smaller has letters that nobody reads on a phone.
    on_phones = charts.draw(PHONE)
    parts = []
    for name, wide in charts.draw(DOUBLE).items():
        # Values of metrics stand below the metric's name in the chart, curves have no words there.
        is_named = charts.is_named and (name == "rates" or name.endswith("by_noise"))
        caption = f"<figcaption>{html(readable(name))}</figcaption>" if is_named else ""
        drawn = f'<div class="on-wide">{wide}</div><div class="on-phones">{on_phones[name]}</div>'
        parts.append(f"<figure>{caption}{drawn}</figure>\n")
    return "".join(parts)


def gap_in_words(number: int) -> str:
    """What stands for the part of a text that was cut."""
    return say("[… {count:,} characters left out …]", count=number)


def clipped(text: str, most: int) -> str:
    """The beginning of a text, and how many characters of it were left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n{gap_in_words(len(text) - most)}"


def _in_cell(text: str) -> str:
    return html(clipped(text, MOST_OF_A_CELL))


def _limited_html(text: str) -> str:
    return html(clipped(text, MOST_OF_A_TEXT))
