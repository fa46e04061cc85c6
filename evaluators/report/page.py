"""The page of a report: its head, sections and tables; nothing is loaded, and nothing runs in it.

Texts become markup here and in `coloured`, `marked` and `drawing` alone, each through `html`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from evaluators.report import coloured, marked
from evaluators.surrogates import without_surrogates
from evaluators.text.language import language, say
from evaluators.text.markup import html

T = TypeVar("T")

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may do with the page, whatever slipped into it: show it."""
STYLE = Path(__file__).with_name("report.css")
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


def title_and_finding(title: str, facts: Sequence[str], finding: Sequence[str]) -> str:
    """The title, facts in a line, and what was found, which is read first."""
    found = "".join(f'<p class="finding" dir="auto">{_unbroken(words)}</p>' for words in finding)
    title = _in_cell(title)
    return f'<header><h1 dir="auto">{title}</h1>{facts_line(" · ".join(facts))}</header>{found}'


def section(title: str, *parts: str) -> str:
    """A section under its marked heading; nothing where it would be empty."""
    body = "".join(parts)
    return f"<section><h2>{html(say(title))}</h2>{body}</section>\n" if body else ""


def foldout(title: str, *parts: str) -> str:
    """What opens at a click, and is open on paper."""
    return f"<details><summary>{html(title)}</summary>{''.join(parts)}</details>\n"


def paragraph(text: str) -> str:
    return f'<p dir="auto">{_limited_html(text)}</p>\n' if text else ""


def facts_line(text: str) -> str:
    """Facts that stand back."""
    return f'<p class="facts" dir="auto">{_limited_html(text)}</p>\n' if text else ""


def warning(text: str) -> str:
    """Something to beware of, with a mark beside the colour."""
    return f'<p class="warning" dir="auto"><b>!</b> {_limited_html(text)}</p>\n'


def items(texts: Iterable[str]) -> str:
    body = "".join(f'<li dir="auto">{_limited_html(text)}</li>' for text in texts)
    return f"<ul>{body}</ul>\n" if body else ""


def plain_text(text: str) -> str:
    """A text with its spaces and line breaks, as a prompt has them."""
    return f'<pre dir="auto">{html(clipped(text, MOST_OF_A_CARD))}</pre>\n'


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts under marked headings, its first column names the rows; nothing without."""
    every = list(rows)
    headings = list(map(say, headings))
    lines = []
    for first, *others in every[:MOST_ROWS]:
        cells = "".join(
            # On phones each cell is a line of its own, which the style sheet begins by this title.
            f'<td data-title="{html(title)}" dir="auto">{_in_cell(text)}</td>'
            for title, text in zip(headings[1:], others, strict=True)
        )
        lines.append(f'<tr><th scope="row" dir="auto">{_in_cell(first)}</th>{cells}</tr>')
    if not lines:
        return ""
    titles = "".join(f'<th scope="col">{html(title)}</th>' for title in headings)
    further = len(every) - MOST_ROWS
    more = facts_line(say("And {count:,} more.", count=further)) if further > 0 else ""
    return (
        f'<div class="wide"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{more}\n"
    )


def figure(title: str, wide: str, narrow: str) -> str:
    """A chart as it is drawn for a page, and for the screen of a phone."""
    caption = f"<figcaption>{html(title)}</figcaption>" if title else ""
    charts = f'<div class="on-wide">{wide}</div><div class="on-phones">{narrow}</div>'
    return f"<figure>{caption}{charts}</figure>\n"


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


def _unbroken(sentence: str) -> str:
    # A sign at the beginning of a line would be looked for at the end of the last one.
    return _limited_html(sentence).replace(" %", "&nbsp;%")
