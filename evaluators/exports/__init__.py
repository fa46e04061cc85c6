"""What a run is taken away in: a file of this folder holds a format, or several of one shape.

Terminal, pages, Python and the help of each list what is here.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import NamedTuple

from evaluators.errors import ParameterError
from evaluators.paper.table import PaperTable
from evaluators.paper.tables import tables_of_run
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.text.language import ENGLISH, speaking


class ExportFormat(NamedTuple):
    """How a format is called, and what writes it: the run, each of its tables for a paper, or both.

    Texts are marked English. The lowest `rank` comes first.
    """

    name: str
    title: str
    meaning: str
    file: str
    """What its file is called behind the name of the run, such as "-labels.jsonl"."""
    rank: int
    of_run: Callable[[RunView, View], Iterable[bytes]] | None = None
    of_table: Callable[[PaperTable], bytes] | None = None
    is_there: Callable[[RunView], bool] = lambda view: True
    """Whether the run has what it writes."""
    of_view: bool = True
    """Whether it depends on whose labels count, and by which formula or rules."""
    is_text: bool = True

    @property
    def ending(self) -> str:
        return self.file.rpartition(".")[2]

    def parts(self, view: RunView, by: View = WHAT_COUNTS) -> Iterable[bytes]:
        """The file in pieces; all tables, one after another, in a format that has only these."""
        # No generator: what cannot be written says so before a file is opened.
        if self.of_run:
            return self.of_run(view, by)
        write = self.of_table
        return (write(table) + b"\n" for table in tables_of_run(view, by)) if write else ()

    def whole(self, view: RunView, by: View = WHAT_COUNTS) -> bytes:
        """The file, in English whoever asks: it is for programs, and for papers."""
        with speaking(ENGLISH):
            return b"".join(self.parts(view, by))


@cache
def formats() -> dict[str, ExportFormat]:
    """Every format by its name."""
    files = pkgutil.iter_modules(__path__)
    modules = [import_module(f"{__name__}.{file.name}") for file in files]
    named = [one for module in modules for one in vars(module).values()]
    listed = [one for one in named if isinstance(one, ExportFormat)]
    return {one.name: one for one in sorted(listed, key=lambda one: one.rank)}


def format_for(file: str, name: str = "") -> ExportFormat:
    """The format of this name, else the first with the ending of the file.

    Raises `ParameterError` where there is none.
    """
    ending = file.rpartition(".")[2].lower()
    for one in formats().values():
        if name in ("", one.name) and (name or one.ending == ending):
            return one
    raise ParameterError(
        f"There is no format {name or file!r:.60}. Name one: {', '.join(formats())}."
    )
