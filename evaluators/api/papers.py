"""A run or a comparison for a paper, from Python: figures and tables as files in a folder."""

from __future__ import annotations

from pathlib import Path

from evaluators.api.results import Results
from evaluators.comparison.leaderboard import Leaderboard
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several
from evaluators.declared import checks_types
from evaluators.drawing import SIZES
from evaluators.errors import ParameterError
from evaluators.exports import bundle
from evaluators.named_files import named_file, write_file
from evaluators.runs.run_view import RunView

Measured = Results | Comparison | Several | Leaderboard


@checks_types()
def for_paper(
    of: Measured,
    folder: str | Path,
    *,
    width: str = "double",
) -> list[Path]:
    """Writes every figure as SVG, and every table in all formats (LaTeX, ...), into the folder.

    `width` is "single" (a column of 85 mm), "double" (175 mm) or "slide"; raises `ParameterError`
    for another one. Files of the same name are written anew. Returns the paths.
    """
    if width not in SIZES:
        raise ParameterError(f"There is no width {width!r:.60}. There are: {', '.join(SIZES)}.")
    target = Path(folder)
    with named_file(target, "written", ParameterError):
        target.mkdir(parents=True, exist_ok=True)
    files = bundle_of(of, width).files()
    return [write_file(target / name, content) for name, content in files.items()]


def bundle_of(of: Measured, width: str = "double") -> bundle.Bundle:
    """The same figures and tables before they are files."""
    size = SIZES[width]
    if isinstance(of, Comparison):
        return bundle.bundle_of_comparisons([of], size)
    if isinstance(of, Several):
        return bundle.bundle_of_comparisons(of.comparisons, size)
    if isinstance(of, Leaderboard):
        return bundle.bundle_of_leaderboard(of, size)
    return bundle.bundle_of_run(RunView.read(of.store, of.run), of.view, size)
