"""Tables as LaTeX; names of strangers stay text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain

from evaluators.exports import ExportFormat
from evaluators.paper.table import PaperTable
from evaluators.text.language import mark
from evaluators.text.printable import printable

ONE_COLUMN, TWO_COLUMNS = 240, 470
"""Points of a column and of both in the usual classes of LaTeX."""
LINE = 96
"""Letters of a line of LaTeX."""
LETTER, GAP = 4.6, 12
"""Points of a letter in small print, and between two columns of a table."""

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


FORMAT = ExportFormat(
    "latex",
    "LaTeX",
    mark("Every table for a paper, with rules of booktabs."),
    ".tex",
    6,
    # A text may hold half a character, which UTF-8 cannot write.
    of_table=lambda table: as_latex(table).encode(errors="replace"),
)
