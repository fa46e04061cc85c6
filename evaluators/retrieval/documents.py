"""One's own documents as text: plain text, Markdown, HTML and PDF."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from evaluators.config import Config, config
from evaluators.datasets.apart import ZIP, document_needs_too_much, plain_text
from evaluators.datasets.cells import SENTENCE_END
from evaluators.datasets.encoding import DAMAGED
from evaluators.errors import DatasetError
from evaluators.messages import from_stored
from evaluators.sandbox import script
from evaluators.sandbox.child import child, for_text
from evaluators.surrogates import without_surrogates
from evaluators.text.language import ENGLISH, mark, say, speaking
from evaluators.text.normalise import IDEOGRAPHS
from evaluators.text.strangers_json import strangers_json
from evaluators.text.words import joined_sentences

PDF = b"%PDF"
PDF_START = 1024
"""Bytes within which a PDF says that it is one."""
# A PDF of 1,000 pages takes about a minute.
SECONDS = {"pdf": 120, "html": 20, "markdown": 60}
"""What one document may take to be read."""
# Others wait for their turn meanwhile.
SECONDS_ON_A_PUBLIC_HOST = 30
"""What one document may take there at most."""
# Some 7,000 pages. To index them takes up to two minutes and 500 MB.
MOST_TEXT = 20_000_000
"""Characters of all documents together."""
# Shorter lines are those of a list, longer ones are whole paragraphs. Companies' reports have lines
# of 165 characters.
WRAPPED = range(30, 221)
"""Usual widths, in characters, of lines that are parts of a paragraph."""
# A line as far beyond the width is a paragraph of its own.
NEARLY_FULL = 0.7
"""A line with less than this share of the usual width ends its paragraph."""

RUNNING_LINES = 2
"""Lines at the top and at the bottom of a page among which headers and footers are looked for."""
# Two pages can begin alike by chance, as two chapters do.
FEWEST_PAGES = 3
"""Pages on which a line must stand to be a header or a footer, and half of all pages at least."""

_OTHERS = {
    ZIP: mark("an archive or an Office file"),
    b"\xd0\xcf\x11\xe0": mark("an old Office file"),
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_KINDS = {"md": "markdown", "markdown": "markdown", "pdf": "pdf"} | dict.fromkeys(
    ("html", "htm", "xhtml"), "html"
)
"""What files with these endings are, if they are texts."""
_NO_PDF = mark("It is not a PDF file, whatever its name; it was read as text.")
# Possessive: a comment ends where it first can and is never read in another way. 40 comments could
# otherwise be read in 2 ** 39 ways.
_HTML = re.compile(
    r"\s*+(?><\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(?:!doctype html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
# A block of code in Markdown, whose lines are kept.
_FENCED = re.compile(r"^(```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
_BEGINS = re.compile(r"\s{4}|\t|\s*([#>|•*+-]|\(?\d{1,3}[.)]\s|```|$)")
"""How a line begins that is not a continuation: a heading, table, list entry, code, or nothing."""
_ENDS = re.compile(r"\s*#|\s*\|.*\|\s*$|.*\s\s$")
"""A line that nothing is joined to: a heading, a table row, a line break in Markdown."""
# "Page 3 of 12" is the same footer on every page.
_NUMBERS = re.compile(r"\d+")
# A word that is divided at the end of a line; not the dash after a number.
_HYPHEN = re.compile(r"[^\W\d_]-$")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}。，、；：？！]")


@dataclass(frozen=True)
class Document:
    """A text in which a line is a whole paragraph, not what fits the paper.

    `note` says what was assumed. `page_ends` says for each page of a PDF how many letters and
    digits the text has up to its end.
    """

    name: str
    text: str
    page_ends: tuple[int, ...] = ()
    note: str = ""


# Its notes are translated where they are shown.
@speaking(ENGLISH)
def document(name: str, data: bytes) -> Document:
    """The text in a file.

    Raises `DatasetError` for one without any, or beyond a limit of the configuration.
    """
    limits = config()
    _refuse_unreadable(name, data, limits)
    if PDF in data[:PDF_START]:
        return _pdf(name, data)
    text = plain_text(name, data, MOST_TEXT + 1)
    whole = text.start
    _check_length(name, whole)
    note = joined_sentences(text.notes) if text.encoding != "utf-8" else ""
    if text.guess:
        note = text.guess.doubt or note
    if DAMAGED.search(whole):
        damage = say("Some bytes are not characters; \ufffd stands for them.")
        note = joined_sentences([note, damage])
    whole = without_surrogates(whole.removeprefix("\ufeff"))
    whole = whole.replace("\r\n", "\n").replace("\r", "\n")
    kind = _format_of(name, whole)
    if kind == "pdf":
        note = joined_sentences([say(_NO_PDF), note])
    if kind in ("html", "markdown"):
        page, *left_out = _parsed_pages(name, kind, whole.encode()) or [""]
        note = joined_sentences([note, *left_out])
        return Document(name, _some(name, page), note=note)
    return Document(name, unwrapped(_some(name, whole)), note=note)


def unwrapped(text: str) -> str:
    """The text with the lines of a paragraph joined, where a program has broken them to a width.

    A word that was divided at the end of a line becomes whole; lists, headings, tables and code
    keep their lines.
    """
    width = _line_width(text)
    if not width:
        return text
    # Every other part is a block of code, fences included.
    parts = _FENCED.split(text)
    for number in range(0, len(parts), 2):
        lines = parts[number].split("\n")
        parts[number] = _join_paragraphs(lines, width)
    return "".join(parts)


def count_letters(text: str) -> int:
    """How many letters and digits a text has, which is the same however it is wrapped."""
    return sum(map(str.isalnum, text))


def _refuse_unreadable(name: str, data: bytes, limits: Config) -> None:
    words, kind = "", ""
    if not data.strip():
        words = mark("{name} is empty. Choose a file with text.")
    elif len(data) > limits.upload_bytes:
        words = mark("{name} has {size:,.0f} MB; the limit is {limit:,.0f} MB. Split it.")
    elif what := next((_OTHERS[start] for start in _OTHERS if data.startswith(start)), ""):
        words = mark("{name} is {kind}. Save it as PDF, HTML, Markdown or plain text.")
        kind = say(what)
    if words:
        sizes = {"size": len(data) / 2**20, "limit": limits.upload_bytes / 2**20}
        raise DatasetError(say(words, name=name, kind=kind, **sizes))


def _some(name: str, text: str) -> str:
    if not count_letters(text):
        raise DatasetError(say("{name} holds no text. Choose another file.", name=name))
    _check_length(name, text)
    return text.strip()


def _check_length(name: str, text: str) -> None:
    if len(text) > MOST_TEXT:
        raise DatasetError(
            say(
                "{name} holds more than {limit:,.0f} million characters, the limit. Split it.",
                name=name,
                limit=MOST_TEXT / 1e6,
            )
        )


def _format_of(name: str, text: str) -> str:
    """What a text is by its beginning, else by its name."""
    if _HTML.match(text[:2000]):
        return "html"
    suffix = name.lower().removesuffix(".gz").rpartition(".")[2]
    return _KINDS.get(suffix, "")


def _pdf(name: str, data: bytes) -> Document:
    # A soft hyphen shows nothing, and would divide the words of the text.
    parsed = []
    for page in _parsed_pages(name, "pdf", data):
        parsed.append(page.replace("\u00ad", "").strip("\n"))
    pages, running = _without_running_lines(parsed)
    counts = [count_letters(page) for page in pages]
    if not any(counts):
        words = mark(
            "{name} holds pictures of its {pages:d} pages, not the text. Run a text recognition "
            "(OCR) over it and choose the result."
        )
        if len(pages) == 1:
            words = mark(
                "{name} holds a picture of its one page, not the text. Run a text recognition "
                "(OCR) over it and choose the result."
            )
        raise DatasetError(say(words, name=name, pages=len(pages)))
    blank = counts.count(0)
    notes = []
    if blank:
        words = mark("{blank:d} of {pages:d} pages hold no text that can be read.")
        notes.append(say(words, blank=blank, pages=len(pages)))
    if running:
        lines = ", ".join(f"“{line[:60]}”" for line in running[:3])
        notes.append(
            say("Repeated headers and footers were left out, such as {lines}.", lines=lines)
        )
    text = unwrapped("\n".join(pages)).strip()
    return Document(name, text, tuple(accumulate(counts)), joined_sentences(notes))


def _without_running_lines(pages: list[str]) -> tuple[list[str], list[str]]:
    """The pages without headers and footers, and how each of those reads on its first page.

    Numbers in them count up from page to page, so that they are not compared.
    """
    lines_of_pages = [page.split("\n") for page in pages]
    counts: Counter[str] = Counter()
    for lines in lines_of_pages:
        # A set: the same line at the top and at the bottom is on one page all the same.
        counts.update({_without_numbers(lines[place]) for place in _edges(lines)})
    least = max(FEWEST_PAGES, len(pages) / 2)
    shown: dict[str, str] = {}
    kept = []
    for lines in lines_of_pages:
        running: set[int] = set()
        for place in _edges(lines):
            kind = _without_numbers(lines[place])
            if counts[kind] >= least:
                running.add(place)
                shown.setdefault(kind, lines[place].strip())
        others = [line for place, line in enumerate(lines) if place not in running]
        kept.append("\n".join(others))
    if not any(map(count_letters, kept)):
        # Pages of nothing but numbered titles: they are the text.
        return pages, []
    return kept, list(shown.values())


def _edges(lines: list[str]) -> list[int]:
    """The places of the first and the last lines of a page that are not blank."""
    filled = [place for place, line in enumerate(lines) if line.strip()]
    # A set, as on a short page the first lines are also the last ones.
    places = {*filled[:RUNNING_LINES], *filled[-RUNNING_LINES:]}
    return sorted(places)


def _without_numbers(line: str) -> str:
    return _NUMBERS.sub("0", " ".join(line.split()))


def _parsed_pages(name: str, kind: str, data: bytes) -> list[str]:
    """What the child process finds in a file."""
    seconds = SECONDS[kind]
    if config().public:
        seconds = min(seconds, SECONDS_ON_A_PUBLIC_HOST)
    pages = []
    is_whole = False
    with child(kind, data, for_text(seconds, MOST_TEXT, name)) as output:
        # JSON writes a character with up to six bytes, and the message has a frame.
        lines = iter(lambda: output.readline(8 * MOST_TEXT), b"")
        for line in lines:
            try:
                message: script.Message = strangers_json(line)
            except ValueError:
                # A child that was killed may leave half a message.
                continue
            if "refused" in message:
                raise DatasetError(from_stored(message["refused"]))
            if "text" in message:
                pages.append(message["text"])
            if "left_out" in message:
                pages.append(from_stored(message["left_out"]))
            is_whole = "end" in message
    if not is_whole:
        raise document_needs_too_much(name)
    return pages


def _line_width(text: str) -> int:
    """The usual length of a full line, which four of five do not exceed.

    It is 0 where lines are not broken to a width.
    """
    filled = [line for line in text.split("\n") if line.strip()]
    lengths = sorted(map(len, filled))
    if not lengths:
        return 0
    width = lengths[len(lengths) * 4 // 5]
    return width if width in WRAPPED else 0


def _join_paragraphs(lines: list[str], width: int) -> str:
    parts: list[str] = []
    before = ""
    for line in lines:
        if _goes_on(before, line, width):
            parts[-1], between = _linked(parts[-1], line.strip())
            parts += [between, line.strip()]
        else:
            parts += ["\n", line.rstrip()]
        before = line
    return "".join(parts[1:])


def _linked(before: str, line: str) -> tuple[str, str]:
    """The end of a line, and what stands between it and the next one.

    A hyphen that divides a word is left out, and Chinese has no space between words.
    """
    if _HYPHEN.search(before) and line[0].islower():
        return before[:-1], ""
    if _IDEOGRAPH.match(before[-1:]) and _IDEOGRAPH.match(line):
        return before, ""
    return before, " "


def _goes_on(before: str, line: str, width: int) -> bool:
    """Whether a paragraph goes on in the next line."""
    is_full = NEARLY_FULL * width <= len(before) <= width / NEARLY_FULL
    if not is_full or not before.strip():
        return False
    if _BEGINS.match(line) or _ENDS.match(before):
        return False
    # After the end of a sentence, a short line that is not one itself is a heading.
    is_short = len(line) < NEARLY_FULL * width
    is_heading = is_short and SENTENCE_END.search(before) and not SENTENCE_END.search(line)
    return not is_heading
