"""How far a batch is, on the error stream: a bar in a terminal, else a line for each file."""

from __future__ import annotations

import sys
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from evaluators.text.printable import printable
from evaluators.text.words import counted


class Display:
    """Files and rows that are done; nothing is shown unless `show`."""

    def __init__(self, files: int, *, show: bool) -> None:
        console = Console(stderr=True)
        self._rows = 0
        self._done = 0
        self._files = files
        # A bar draws its line again and again, and a log file would keep each.
        self._in_lines = show and not console.is_terminal and not console.is_jupyter
        # Without markup: names of files are a person's own text.
        rows = TextColumn("files · {task.fields[rows]}", markup=False)
        columns = BarColumn(), MofNCompleteColumn(), rows
        self._bar = Progress(*columns, console=console, disable=not show or self._in_lines)
        self._task = self._bar.add_task("", total=files, rows=counted(0, "row"))

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def skip(self, files: int) -> None:
        """These files were finished before."""
        self._done += files
        self._bar.update(self._task, completed=self._done)
        if files and self._in_lines:
            self._print(f"{files:,} of {self._files:,} files were finished before.")

    def skip_rows(self, name: str, count: int) -> None:
        """These rows of a file were judged before."""
        self.rows_done(count)
        if count and self._in_lines:
            self._print(f"{name}: {counted(count, 'row')} judged before.")

    def rows_done(self, count: int) -> None:
        self._rows += count
        self._bar.update(self._task, rows=counted(self._rows, "row"))

    def file_done(self, name: str) -> None:
        self._done += 1
        self._bar.update(self._task, completed=self._done)
        if self._in_lines:
            rows = counted(self._rows, "row")
            self._print(f"{self._done:,} / {self._files:,} files · {rows} · {name}")

    def _print(self, line: str) -> None:
        print(printable(line), file=sys.stderr, flush=True)
