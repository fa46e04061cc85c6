"""How far work is, on the error stream: a bar in a terminal or a notebook, lines in a log."""

from __future__ import annotations

import sys
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from evaluators.text.printable import printable


class ProgressBar:
    """What is done of so many; nothing is shown unless `show`.

    `in_lines` where no bar can be drawn: there whoever works says a `line` now and then.
    """

    def __init__(self, title: str = "", *, show: bool) -> None:
        console = Console(stderr=True)
        # A bar draws its line again and again, and a log file would keep each.
        self.in_lines = show and not console.is_terminal and not console.is_jupyter
        # Without markup: titles and names of files are a person's own text.
        name = TextColumn("{task.description}", markup=False)
        words = TextColumn("{task.fields[words]}", markup=False)
        columns = name, BarColumn(), MofNCompleteColumn(), words
        self._bar = Progress(*columns, console=console, disable=not show or self.in_lines)
        self._task = self._bar.add_task(printable(title), total=None, words="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, done: int, total: int, words: str) -> None:
        self._bar.update(self._task, completed=done, total=total, words=words)

    def line(self, text: str) -> None:
        """Says it where no bar can be drawn."""
        if self.in_lines:
            print(printable(text), file=sys.stderr, flush=True)
