"""How far a batch is, on the error stream: a bar in a terminal, else a line for each file."""

from __future__ import annotations

from evaluators.document.progress import ProgressBar
from evaluators.text.words import counted


class Display(ProgressBar):
    """Files and rows that are done."""

    def __init__(self, files: int, *, show: bool) -> None:
        super().__init__(show=show)
        self._rows = 0
        self._done = 0
        self._files = files

    def skip(self, files: int) -> None:
        """These files were finished before."""
        self._done += files
        self._draw()
        if files:
            self.line(f"{files:,} of {self._files:,} files were finished before.")

    def skip_rows(self, name: str, count: int) -> None:
        """These rows of a file were judged before."""
        self.rows_done(count)
        if count:
            self.line(f"{name}: {counted(count, 'row')} judged before.")

    def rows_done(self, count: int) -> None:
        self._rows += count
        self._draw()

    def file_done(self, name: str) -> None:
        self._done += 1
        self._draw()
        rows = counted(self._rows, "row")
        self.line(f"{self._done:,} / {self._files:,} files · {rows} · {name}")

    def _draw(self) -> None:
        self.update(self._done, self._files, f"files · {counted(self._rows, 'row')}")
