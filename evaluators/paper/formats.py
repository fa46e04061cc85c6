"""A table as CSV, Markdown and LaTeX; names of strangers stay text in each of them."""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from evaluators.paper.table import PaperTable
from evaluators.text.printable import printable
from evaluators.text.spreadsheet import safe

ONE_COLUMN, TWO_COLUMNS = 240, 470
"""Points of a column and of both in the usual classes of LaTeX."""
LINE = 96
"""Letters of a line of LaTeX."""
LETTER, GAP = 4.6, 12
"""Points of a letter in small print, and between two columns of a table."""

# Without definitions, which no cell can hold, brackets alone make no link.
_OF_MARKDOWN = re.compile(r"[\\`*_{}<>#|~$]|\](?=\()")
_OF_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "–": "--",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "→": r"$\rightarrow$",
    "·": r"$\cdot$",
    "\u2019": "'",
}
# Two hyphens in a row would become a dash.
_LATEX = re.compile("-(?=-)|[" + re.escape("".join(_OF_LATEX)) + "]")
LAST_OF_PDFLATEX = "\u017f"
"""The last letter of the alphabets that pdfLaTeX knows by itself: the Latin ones."""


def as_csv(table: PaperTable) -> bytes:
    """The numbers in full, a line for each mean, in UTF-8 with a mark as spreadsheets want it.

    What does not apply is an empty cell; text that looks like a formula is quoted by an apostrophe.
    """
    columns = list(dict.fromkeys(chain.from_iterable(table.records)))
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    for record in table.records:
        cells = [record.get(column) for column in columns]
        writer.writerow(safe(cell) if isinstance(cell, str) else cell for cell in cells)
    # A text may hold half a character, which UTF-8 cannot write.
    return file.getvalue().encode("utf-8-sig", errors="replace")


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


def as_latex(table: PaperTable) -> str:
    """A floating table with rules of booktabs; its label is "tab:" and the table's name.

    Where the rows are wider than a page the intervals stand below their means.
    """
    width = _printed_points(table)
    is_stacked = width > TWO_COLUMNS
    # In a document of one column the environment with a star is a usual table.
    environment = "table*" if width > ONE_COLUMN else "table"
    columns = "l" * table.keys + "r" * (len(table.headings) - table.keys)
    written = []
    for row in [table.headings, *table.rows]:
        one = [_latex_row(map(_in_latex, row))]
        written.append(_stacked_rows(row, table.keys) if is_stacked else one)
    head, *rows = written
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{{environment}}}[t]",
        r"  \centering",
        r"  \small",
        *([r"  \setlength{\tabcolsep}{4pt}"] if is_stacked else []),
        _wrapped_latex(rf"\caption{{{_in_latex(table.caption)}}}"),
        rf"  \label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"    \toprule",
        *head,
        r"    \midrule",
        *chain.from_iterable(rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"\end{{{environment}}}",
    ]
    # pdfLaTeX stops at such a letter, or prints nothing for it.
    if any(letter > LAST_OF_PDFLATEX for letter in "".join(lines)):
        lines.insert(1, "% has letters that pdfLaTeX does not know: use LuaLaTeX or XeLaTeX")
    return "\n".join([*lines, ""])


def _wrapped_latex(text: str) -> str:
    """A long line as several, which mean the same."""
    return textwrap.fill(
        text,
        LINE,
        initial_indent="  ",
        subsequent_indent="    ",
        # A break inside a word or behind a hyphen would print as a space.
        break_long_words=False,
        break_on_hyphens=False,
    )


def _printed_points(table: PaperTable) -> float:
    """About how wide the table is printed, each column as wide as its longest cell."""
    columns = zip(table.headings, *table.rows, strict=True)
    longest = [max(map(len, column)) for column in columns]
    letters = sum(longest)
    return LETTER * letters + GAP * (len(table.headings) - 1)


def _stacked_rows(row: Sequence[str], keys: int) -> list[str]:
    """The means, and in tiny print below them their intervals, where there are some."""
    means, intervals = [], []
    for place, cell in enumerate(row):
        # A name may have brackets as well.
        mean, bracket, interval = cell.partition(" [") if place >= keys else (cell, "", "")
        means.append(_in_latex(mean))
        intervals.append(rf"{{\scriptsize [{_in_latex(interval)}}}" if bracket else "")
    if not any(intervals):
        return [_latex_row(means)]
    return [_latex_row(means), _latex_row(intervals), r"    \addlinespace"]


def _latex_row(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # After the end of a row these would be read as a part of it.
    guard = "{}" if row.startswith(("[", "*")) else ""
    return rf"    {guard}{row} \\"


def _in_latex(text: str) -> str:
    return _LATEX.sub(lambda sign: _OF_LATEX.get(sign[0], "-{}"), printable(text))


FORMATS: dict[str, Callable[[PaperTable], bytes]] = {
    # A text may hold half a character, which UTF-8 cannot write.
    "tex": lambda table: as_latex(table).encode(errors="replace"),
    "md": lambda table: as_markdown(table).encode(errors="replace"),
    "csv": as_csv,
}
"""What writes the file of a table, by the file's ending."""
