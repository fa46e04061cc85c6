"""The child process that parses what strangers sent, with little memory and time.

It reads Parquet, XLSX, PDF, HTML, Markdown, broken JSON and run files, and imports nothing of
Plumbline but the readers of texts, CSV and JSON. It is started as a script:
`python -I script.py parquet '{"memory": ...}' < file`.

It writes JSON lines. Each is one of {"names": the columns', "header": [number, cells] of their row,
"note": text, "parts": the sheets with their numbers of rows and columns}, {"row": [number,
cells]}, {"problem": [number, message, beginning]}, {"text": a page's}, {"left_out": message},
{"value": what JSON stands for}, {"refused": message}, and {"end": true} where nothing is missing.
Messages and notes are as `said` makes them. What it writes of a run file stands at `run_file`, of a
text in `evaluators.datasets.text_tables`.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
import io
import json
import math
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from html.parser import HTMLParser
from importlib import import_module
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, NamedTuple, TypedDict


def mark(text: str) -> str:
    """The text itself; the catalogue has it by this call. That of the package is not there."""
    return text


def said(text: str, **blanks: object) -> dict[str, Any]:
    """A message with its template and blanks, as `evaluators.messages` stores it."""
    return {"say": [text], "blanks": blanks} if blanks else {"say": [text]}


# The rows of a batch are in memory together, and each may be as long as a row may be.
BATCH = 64
"""Rows of a Parquet file that are decoded at a time."""
# A title, a date and a blank line or two may stand above it.
HEAD = 8
"""Rows among which a header is looked for."""
TITLE = mark("What stands above the column names was left out.")
MANIFEST = "manifest.json"
"""The entry of a run file that says what the others are."""
RUN = "run.json"
"""The entry that comes first: by it the reader knows whether it wants the others."""
MOST_OF_A_MANIFEST = 2**20
MOST_NAMED = 20
"""Entries of a run file that are named; it has seven."""
RAW_SHOWN = 300
"""Characters of a row that cannot be used which are shown with its problem."""
Message = dict[str, Any]


class ParsingLimits(TypedDict):
    """What the parent allows: bytes of memory, seconds, and sizes.

    The memory is beyond what Python and the library take. `first` is how many rows the parent
    wants, where it does not want all, `part` the sheet of a workbook, where it wants one. `values`
    and `depth` are those of a line of a run file.
    """

    memory: int
    seconds: int
    decoded: int
    rows: int
    first: int | None
    columns: int
    longest_row: int
    part: str
    values: int
    depth: int
    name: str
    encoding: str


Parse = Callable[[bytes, ParsingLimits], Iterator[Message | bytes]]


class RefusedError(Exception):
    """The file as a whole cannot be used; the words have a blank for its name."""

    def __init__(self, words: str, **blanks: object) -> None:
        super().__init__(words)
        self.words, self.blanks = words, blanks


def main(kind: str, limits: ParsingLimits) -> None:
    """Reads the file from standard input and writes what it holds to standard output."""
    parse = _prepared(kind)
    data = sys.stdin.buffer.read()
    _restrict_process(limits)
    for message in messages_about(parse, data, limits):
        line = message if isinstance(message, bytes) else line_of(message)
        sys.stdout.buffer.write(line)
    sys.stdout.flush()


def line_of(message: Message) -> bytes:
    """A message as it is written."""
    # Half characters pass: whoever reads the row says what became of them.
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def messages_about(
    parse: Parse,
    data: bytes,
    limits: ParsingLimits,
) -> Iterator[Message | bytes]:
    """All messages about a file; whatever the libraries raise for a broken one is a refusal."""
    is_document = parse in (pdf, html, markdown)
    try:
        yield from parse(data, limits)
        yield {"end": True}
        return
    except RefusedError as error:
        refusal = error
    except MemoryError:
        words = mark("{name} needs more memory than a file may. Split it or leave out columns.")
        if is_document:
            words = mark(
                "{name} needs more memory than a document may. Split it, or save it as plain text."
            )
        refusal = RefusedError(words)
    except Exception as error:
        words = mark("{name} cannot be read ({error}). Save it again, or as CSV.")
        if is_document:
            words = mark("{name} cannot be read ({error}). Save it again, or as plain text.")
        refusal = RefusedError(words, error=type(error).__name__)
    yield {"refused": said(refusal.words, name=limits["name"], **refusal.blanks)}


def _prepared(kind: str) -> Parse:
    """The parser of a format, with its library loaded.

    That is done before memory is restricted, so that all of it is for the file.
    """
    if kind in ("table", "plain"):
        sys.path.append(str(Path(__file__).parents[2]))
        texts = import_module("evaluators.datasets.text_tables")
        return getattr(texts, f"of_{kind}")  # type: ignore[no-any-return]
    library, parse = {
        "parquet": ("pyarrow.parquet", parquet),
        "xlsx": ("python_calamine", xlsx),
        "pdf": ("pypdf", pdf),
        "html": ("html.entities", html),
        "markdown": ("markdown_it", markdown),
        "json": ("json_repair", broken_json),
        "run": ("zipfile", run_file),
    }[kind]
    import_module(library)
    return parse


def _restrict_process(limits: ParsingLimits) -> None:
    """Bounds memory and time where the system can, which is on Linux."""
    try:
        import resource
    except ImportError:
        return
    # The limit is one of address space, of which Python and the library already hold some.
    try:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            pages = int(sizes.read().split()[0])
        now = pages * resource.getpagesize()
        most = now + limits["memory"]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (OSError, ValueError):
        pass
    seconds = limits["seconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    # What a stranger sent shall not lie on the disk after a crash.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# Parquet


def parquet(data: bytes, limits: ParsingLimits) -> Iterator[Message]:
    """The rows of a Parquet file.

    It is decoded twice: the first time only to see how large it becomes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    # Not read ahead: a column's pages would be in memory twice.
    file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    _check_column_count(len(file.schema_arrow), limits)
    count = size = 0
    for batch in file.iter_batches(BATCH, use_threads=False):
        count += batch.num_rows
        size += sum(decoded(column).nbytes for column in batch.columns)
        is_enough = limits["first"] is not None and count >= limits["first"]
        _check_decoded(0 if is_enough else count, size, limits)
        if is_enough:
            break
    yield {"names": file.schema_arrow.names}
    # Anew from the start, now that it is known to fit.
    batches = file.iter_batches(BATCH, use_threads=False)
    rows = chain.from_iterable(map(rows_of_batch, batches))
    yield from _row_messages(enumerate(rows, start=1), limits)


def rows_of_batch(batch: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch; times become text first, as Python knows fewer of them than Parquet."""
    import pyarrow as pa

    columns = []
    for column in map(decoded, batch.columns):
        is_time = pa.types.is_temporal(column.type)
        plain = column.cast(pa.string()) if is_time else column
        columns.append(plain.to_pylist())
    return zip(*columns, strict=True)


def decoded(column: Any) -> Any:
    """A column that refers to its values by number, with the values themselves."""
    if hasattr(column, "dictionary_decode"):
        return column.dictionary_decode()
    return column


# XLSX


def xlsx(data: bytes, limits: ParsingLimits) -> Iterator[Message]:
    """The rows of the first sheet with several columns, else of one with a single one.

    Those of all later sheets with the same columns follow. They are numbered as Excel shows them,
    those of a later sheet on from the sheet before. Of one sheet alone where it is asked for.
    """
    import python_calamine

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            raise RefusedError(
                "{name} is an archive, not an XLSX file. Unpack it and choose the file with "
                "the rows."
            )
        unpacked = sum(entry.file_size for entry in archive.infolist())
        _check_decoded(0, unpacked, limits)
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    sheets = [_sheet(book, name) for name in book.sheet_names]
    filled = [sheet for sheet in sheets if sheet.rows is not None and sheet.columns]
    if not filled:
        raise RefusedError(
            "{name} holds no rows below a header. Check that the right file was chosen."
        )
    read = _chosen_sheets(filled, limits["part"])
    _check_column_count(read[0].columns, limits)
    head: Message = {
        "names": read[0].names,
        "header": read[0].header,
        "note": _assumed(read, len(sheets)),
    }
    if len(filled) > 1:
        head["parts"] = []
        for sheet in filled:
            is_read = sheet in read
            head["parts"].append([sheet.title[:60], sheet.height, sheet.columns, is_read])
    yield head
    yield from _row_messages(_numbered_on(read), limits)


class _Sheet(NamedTuple):
    """A sheet: its column names, and its rows below them; `None` where it has no rows.

    `height` counts blank rows too.
    """

    title: str
    names: list[str]
    rows: Iterator[tuple[int, list[Any]]] | None
    height: int
    has_title: bool
    header: tuple[int, list[Any]] = (0, [])

    @property
    def columns(self) -> int:
        return sum(map(bool, self.names))


def _chosen_sheets(filled: Sequence[_Sheet], wanted: str) -> list[_Sheet]:
    """The sheet that is wanted, else the first likely one with all that have its columns."""
    if wanted:
        named = [sheet for sheet in filled if sheet.title[:60] == wanted]
        if not named:
            there = ", ".join(sheet.title[:60] for sheet in filled[:9])
            raise RefusedError(
                "{name} has no sheet {sheet!r} with rows. Choose one of: {sheets}.",
                sheet=wanted[:60],
                sheets=there,
            )
        return named[:1]
    # A sheet with one column is often a note to the reader: any other comes first.
    start = next((at for at, sheet in enumerate(filled) if sheet.columns > 1), 0)
    first, *later = filled[start:]
    same_columns = [sheet for sheet in later if sheet.names == first.names]
    return [first, *same_columns]


def _sheet(book: Any, title: str) -> _Sheet:
    stored = book.get_sheet_by_name(title)
    rows = _filled_rows(stored)
    start = list(islice(rows, HEAD))
    at = header_at([cells for _, cells in start])
    if len(start) <= at:
        return _Sheet(title, [], None, 0, has_title=False)
    number, header = start[at]
    cells = list(map(json_value, header))
    names = [str(cell or "") for cell in cells]
    further = start[at + 1 :]
    below = chain(further, rows) if further else None
    height = stored.height - at - 1
    return _Sheet(title, names, below, height, at > 0, (number, cells))


def _numbered_on(sheets: Iterable[_Sheet]) -> Iterator[tuple[int, list[Any]]]:
    """The rows of all sheets, so that no two have one number."""
    last = 0
    for sheet in sheets:
        before = last
        for number, cells in sheet.rows or ():
            last = before + number
            yield last, cells


def _filled_rows(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet with anything in them."""
    rows = sheet.iter_rows() if sheet.total_height else ()
    for number, cells in enumerate(rows, start=1):
        if any(map(is_filled, cells)):
            yield number, [_integer_or_cell(cell) for cell in cells]


def _assumed(sheets: Sequence[_Sheet], count: int) -> Message:
    """Which sheets were read, where there are several, and that a title was left out."""
    words = []
    # A title that a stranger gave may be long, and a book may have hundreds of sheets.
    titles = ", ".join(sheet.title[:60] for sheet in sheets[:9])
    if count > 1 and len(sheets) == 1:
        only = mark("The rows are those of the sheet {sheet}, the only one that was read.")
        words.append(said(only, sheet=titles))
    elif count > 1:
        of_all = mark(
            "The rows are those of all {count:d} sheets, which have the same columns: {sheets}."
        )
        of_some = mark(
            "The rows are those of {number:d} of {count:d} sheets, which have the same columns: "
            "{sheets}."
        )
        which = of_some if len(sheets) < count else of_all
        words.append(said(which, number=len(sheets), count=count, sheets=titles))
    if any(sheet.has_title for sheet in sheets):
        words.append(said(TITLE))
    return {"joined_sentences": [words]}


def header_at(rows: Sequence[Sequence[Any]]) -> int:
    """Which of the first rows of a table holds the column names: the first, or one below a title.

    A title stands alone in the first of several cells, above a row of several texts and another one
    of several cells.
    """
    counts = [sum(map(is_filled, cells)) for cells in rows]
    # The first row of several cells; all above it must be titles.
    at = next((number for number, count in enumerate(counts) if count > 1), 0)
    for cells, count in zip(rows[:at], counts, strict=False):
        is_alone = len(cells) > 1 and is_filled(cells[0])
        if count and not is_alone:
            return 0
    names = filter(is_filled, rows[at]) if rows else ()
    if not all(isinstance(cell, str) for cell in names):
        return 0
    next_count = next(filter(None, counts[at + 1 :]), 0)
    return at if next_count > 1 else 0


def is_filled(cell: Any) -> bool:
    """Whether a cell holds anything but white space."""
    if isinstance(cell, str):
        return bool(cell.strip())
    return cell is not None


def _integer_or_cell(cell: Any) -> Any:
    """A sheet knows no whole numbers: 3.0 stands for 3, and an empty text for no value."""
    # From 2 ** 53 on a float skips whole numbers: the sheet's own digits are gone already.
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    return None if cell == "" else cell


# PDF


def pdf(data: bytes, limits: ParsingLimits) -> Iterator[Message]:
    """The text of each page; empty for one that holds only pictures, or cannot be read."""
    yield from _text_messages(_pdf_pages(data), limits)


def _pdf_pages(data: bytes) -> Iterator[str]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        yield from map(_page_text, PdfReader(io.BytesIO(data)).pages)
    except (DependencyError, FileNotDecryptedError, NotImplementedError) as error:
        raise RefusedError(
            "{name} is encrypted. Save it without a password, or print it into a new PDF."
        ) from error


def _page_text(page: Any) -> str:
    # One broken page must not take the others with it; want of memory is that of the whole file.
    try:
        return str(page.extract_text())
    except MemoryError:
        raise
    except Exception:
        return ""


# HTML


_INLINE_TEXT = """
a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math mi mn mo
mrow msub msup q rp rt ruby s samp small span strike strong sub sup time tt u var wbr
"""
_INLINE = frozenset(_INLINE_TEXT.split())
"""Elements that stand within a line."""
_HIDDEN = ("script", "style", "template", "noscript", "svg", "iframe", "object")
_KINDS = {"pre": "pre", "a": "link", "nav": "menu", "footer": "menu"}
_KINDS |= dict.fromkeys(_HIDDEN, "hidden")
"""What the elements are that hide text, keep its lines, lead elsewhere, or are on every page."""
_CELLS = frozenset(("td", "th"))
# A list of two or three links is often a part of the text, such as its sources.
MENU_LINES = 4
"""Lines of nothing but links one after the other that are a menu."""
# A page that only leads to others consists of links, and a menu that is not closed hides the rest.
LEAST_KEPT = 0.2
"""The share of a page's characters that is left without its menus; else they are kept."""


class _Piece(NamedTuple):
    """A part of a page's text, or a line of it."""

    text: str
    in_menu: bool
    """Whether all of it stands in a menu."""
    in_links: bool
    """Whether all of it stands in links or menus."""


class _VisibleLines(HTMLParser):
    """The text that a reader of the page would see.

    There is a line for each paragraph, heading, list entry and table row.
    """

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[_Piece] = []
        self._depths = {"hidden": 0, "pre": 0, "menu": 0, "link": 0}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if kind := _KINDS.get(tag):
            self._depths[kind] += 1
        self._divide(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._divide(tag)

    def handle_endtag(self, tag: str) -> None:
        self._divide(tag)
        if kind := _KINDS.get(tag):
            # Never below 0: a stray end tag must not show what a later one hides.
            self._depths[kind] = max(0, self._depths[kind] - 1)

    def handle_data(self, data: str) -> None:
        if self._depths["hidden"]:
            return
        if not self._depths["pre"]:
            # As a browser shows it: white space of any length is one space.
            data = re.sub(r"\s+", " ", data)
        self._add(data)

    def _divide(self, tag: str) -> None:
        if tag not in _INLINE:
            self._add(" " if tag in _CELLS else "\n")

    def _add(self, text: str) -> None:
        in_menu = self._depths["menu"] > 0
        in_link = self._depths["link"] > 0
        self.parts.append(_Piece(text, in_menu, in_menu or in_link))

    def lines(self) -> Iterator[_Piece]:
        """Each line with text in it."""
        texts: list[str] = []
        in_menu = in_links = True
        # The line break at the end closes the last line.
        end = _Piece("\n", in_menu=False, in_links=False)
        for part in chain(self.parts, [end]):
            for number, text in enumerate(part.text.split("\n")):
                if number:
                    line = " ".join("".join(texts).split())
                    if line:
                        yield _Piece(line, in_menu, in_links)
                    texts = []
                    in_menu = in_links = True
                texts.append(text)
                if text.strip():
                    in_menu = in_menu and part.in_menu
                    in_links = in_links and part.in_links


def html(data: bytes, limits: ParsingLimits) -> Iterator[Message]:
    """The text of a page in UTF-8 without scripts, styles, menus and footers.

    What was left out of menus is told after it, where there was some.
    """
    yield from _text_messages(_without_menus(data.decode(errors="replace")), limits)


def markdown(data: bytes, limits: ParsingLimits) -> Iterator[Message]:
    """The text of a Markdown document in UTF-8, as a page made of it would show it."""
    yield from _text_messages(_rendered(data), limits)


def _rendered(data: bytes) -> Iterator[str]:
    from markdown_it import MarkdownIt

    # The two extensions that GitHub and most editors have beside the standard.
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    page = parser.render(data.decode(errors="replace"))
    yield "\n".join(line.text for line in _lines_of(page))


def _lines_of(page: str) -> list[_Piece]:
    parser = _VisibleLines()
    parser.feed(page)
    parser.close()
    return list(parser.lines())


def _without_menus(page: str) -> Iterator[str | Message]:
    """The text of a page without its menus, and of how many lines these were."""
    lines = _lines_of(page)
    kept: list[str] = []
    for in_links, run in groupby(lines, key=lambda line: line.in_links):
        together = list(run)
        is_menu = in_links and len(together) >= MENU_LINES
        if not is_menu:
            kept += [line.text for line in together if not line.in_menu]
    whole = [line.text for line in lines]
    length_kept = sum(map(len, kept))
    if length_kept < LEAST_KEPT * sum(map(len, whole)):
        kept = whole
    yield "\n".join(kept)
    if len(kept) < len(whole):
        left_out = len(whole) - len(kept)
        yield said(mark("Lines of menus and footers left out: {lines:d}."), lines=left_out)


def _text_messages(texts: Iterable[str | Message], limits: ParsingLimits) -> Iterator[Message]:
    size = 0
    for text in texts:
        if isinstance(text, dict):
            yield {"left_out": text}
            continue
        size += len(text)
        _check_decoded(0, size, limits)
        # Half a character would not pass through the pipe.
        yield {"text": text.encode(errors="replace").decode()}


# Broken JSON


def broken_json(data: bytes, _: ParsingLimits) -> Iterator[Message]:
    """What JSON stands for that a model wrote with small faults."""
    from json_repair import loads

    text = data.decode(errors="replace")
    # Strict: several objects are refused, as one of them may come from the text that was judged.
    yield {"value": loads(text, skip_json_loads=True, strict=True)}


# Run files

# What opens ends at the end of the line: one without its end must not be looked for at each quote.
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def run_file(data: bytes, limits: ParsingLimits) -> Iterator[Message]:
    """The lines of every entry of a zip, the run's own before all others.

    Before the first one it tells {"entries": [name, whether it is packed as run files are]},
    {"manifest": text}, and of each entry {"part": [name, bytes, SHA-256, lines]}: whoever reads it
    builds nothing before all of it was counted. Then come {"line": [name, number, text]}. What is
    beyond a limit ends it: {"beyond": [which, name, number of the line]}. It is unpacked twice, as
    it may be larger than the memory.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            yield {
                "entries": [
                    [entry.filename[:60], _is_usual(entry)] for entry in entries[:MOST_NAMED]
                ]
            }
            with archive.open(MANIFEST) as manifest:
                text = manifest.read(MOST_OF_A_MANIFEST)
            yield {"manifest": text.decode(errors="replace")}
            parts = [entry for entry in entries if entry.filename != MANIFEST]
            parts.sort(key=lambda entry: entry.filename != RUN)
            yield from _measured(archive, parts, limits)
            for part in parts:
                for number, line in enumerate(_lines_of_entry(archive, part, limits), start=1):
                    yield {"line": [part.filename, number, line.decode()]}
    except MemoryError:
        yield {"beyond": ["memory", "", 0]}
    # The library raises whatever it meets first in a damaged file, and not only its own errors.
    except Exception:
        yield {"refused": "damaged"}


def _measured(
    archive: zipfile.ZipFile, parts: Iterable[zipfile.ZipInfo], limits: ParsingLimits
) -> Iterator[Message]:
    """How large each entry is, line by line; ends at the first line that is beyond a limit."""
    left = limits["decoded"]
    for part in parts:
        digest, size, count = hashlib.sha256(), 0, 0
        for line in _lines_of_entry(archive, part, limits):
            count += 1
            size += len(line)
            digest.update(line)
            if beyond := "size" if size > left else _beyond(line, count, limits):
                yield {"beyond": [beyond, part.filename, count]}
                return
        left -= size
        yield {"part": [part.filename, size, digest.hexdigest(), count]}


def _lines_of_entry(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, limits: ParsingLimits
) -> Iterator[bytes]:
    """Line by line; one that is too long is cut, but stays too long."""
    with archive.open(part) as packed:
        lines = io.BufferedReader(packed, 2**20)  # type: ignore[type-var]
        while line := lines.readline(limits["longest_row"] + 1):
            yield line


def _is_usual(entry: zipfile.ZipInfo) -> bool:
    # Other ways of packing unpack slowly, or into any size.
    is_encrypted = entry.flag_bits & 1
    return not is_encrypted and entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def _beyond(line: bytes, number: int, limits: ParsingLimits) -> str:
    """Which limit a line is beyond; empty where none."""
    if number > limits["rows"]:
        return "lines"
    if len(line) > limits["longest_row"]:
        return "length"
    # A value costs memory however short its text, and brackets may be too deep to be followed.
    bare = _STRING.sub(b"", line)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") > limits["values"]:
        return "values"
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if bracket in b"[{" else -1
        if depth > limits["depth"]:
            return "depth"
    try:
        line.decode()
    except UnicodeDecodeError:
        return "text"
    return ""


# All


def _check_column_count(count: int, limits: ParsingLimits) -> None:
    if count > limits["columns"]:
        raise RefusedError(
            "{name} has {cells:,} columns; the limit is {most:,}. Leave some out.",
            cells=count,
            most=limits["columns"],
        )


def _check_decoded(count: int, size: int, limits: ParsingLimits) -> None:
    if size > limits["decoded"]:
        raise RefusedError(
            "{name} unpacks to more than {limit:d} MB, the limit. Split it.",
            limit=limits["decoded"] // 2**20,
        )
    if count > limits["rows"]:
        raise RefusedError(
            "{name} has more than {limit:,} rows, the limit. Split the file.",
            limit=limits["rows"],
        )


def _row_messages(
    rows: Iterable[tuple[int, Iterable[Any]]], limits: ParsingLimits
) -> Iterator[Message]:
    size = 0
    for count, (number, cells) in enumerate(islice(rows, limits["first"]), start=1):
        plain = [json_value(cell) for cell in cells]
        text = json.dumps(plain, ensure_ascii=False)
        size += len(text)
        _check_decoded(count, size, limits)
        if len(text) > limits["longest_row"]:
            words = mark("longer than {longest_row:,} characters. Cut it.")
            message = said(words, longest_row=limits["longest_row"])
            yield {"problem": [number, message, text[:RAW_SHOWN]]}
        else:
            yield {"row": [number, plain]}


def json_value(value: Any) -> Any:
    """A value as JSON knows it; `None` for one that is not a number or a time."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        return {str(name): json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return _spelled_for_json(value)


def _spelled_for_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return None
        if value == value.to_integral_value():
            return int(value)
        number = float(value)
        # Two that differ in their last digits, such as ids, must not become one.
        return number if decimal.Decimal(repr(number)) == value else str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
