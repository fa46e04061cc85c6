"""Figures and tables together: each as files by name, or all of them in a zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evaluators.comparison.charts import places
from evaluators.comparison.leaderboard import Leaderboard
from evaluators.comparison.result import Comparison
from evaluators.document.leaderboard import in_full
from evaluators.drawing import DOUBLE, Size, draw
from evaluators.exports import formats
from evaluators.paper import figures, tables
from evaluators.paper.table import PaperTable
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.text.language import say
from evaluators.text.words import joined_sentences


class Bundle(NamedTuple):
    """Figures by name as SVG, and tables."""

    figures: Mapping[str, str]
    tables: Sequence[PaperTable]

    def files(self) -> dict[str, bytes]:
        """Every figure as SVG, and every table in all formats, by the file's name."""
        files = {f"{name}.svg": svg.encode() for name, svg in self.figures.items()}
        for table in self.tables:
            for one in formats().values():
                if one.of_table:
                    files[f"{table.name}.{one.ending}"] = one.of_table(table)
        return files

    def zipped(self) -> bytes:
        """The same files in a zip."""
        # In memory: a download in the app takes bytes.
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.files().items():
                archive.writestr(name, content)
        return file.getvalue()


def bundle_of_run(
    view: RunView,
    counted: View = WHAT_COUNTS,
    size: Size = DOUBLE,
    published: Collection[str] = (),
) -> Bundle:
    """What a run gives as the view counts it; see `figures_of_run`, `tables_of_run`."""
    drawn = figures.figures_of_run(view, counted, size, published)
    return Bundle(drawn, tables.tables_of_run(view, counted))


def bundle_of_comparisons(comparisons: Sequence[Comparison], size: Size = DOUBLE) -> Bundle:
    """What comparisons give; of several each has its number behind the names of its files."""
    drawn: dict[str, str] = {}
    numbered = []
    for number, comparison in enumerate(comparisons, start=1):
        ending = f"_{number}" if len(comparisons) > 1 else ""
        for name, svg in figures.figures_of_comparison(comparison, size).items():
            drawn[f"{name}{ending}"] = svg
        for table in tables.tables_of_comparison(comparison):
            numbered.append(table._replace(name=f"{table.name}{ending}"))
    return Bundle(drawn, numbered)


def bundle_of_leaderboard(board: Leaderboard, size: Size = DOUBLE) -> Bundle:
    """The means of all systems as a figure, and the table of all places."""
    shown = in_full(board)
    said = (*board.headlines, *board.sentences(), *board.notes)
    caption = joined_sentences(f"{text.removesuffix('.')}." for text in said)
    rows = [*map(tuple, shown.rows)]
    lines = [*board.lines()]
    table = PaperTable("leaderboard", caption, [*map(say, shown.headings)], 2, rows, lines)
    return Bundle({"leaderboard": draw(places(board), size)}, [table])
