"""The directions of import: pages know evaluators, never the other way; outside packages have one door."""

import ast
from pathlib import Path

import pytest

from evaluators.base import _MODULES

ROOT = Path(__file__).parents[1]
FOLDERS = ("evaluators", "ui", "pages")
FILES = sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
PIPELINE = "evaluators.evaluation_pipeline"
"""Puts other metrics together, so it alone may import them."""
METRICS = set(_MODULES) - {PIPELINE}
ABOVE_RUNS = ("evaluators/__init__.py", "evaluators/__main__.py", "evaluators/api/", "evaluators/terminal/")
"""The doors of the package, for Python and for a terminal; they alone may use the engine from outside `runs`."""
DOORS = {"sqlite3": ("evaluators/runs/store.py", "evaluators/runs/backup.py"), "plotly": "ui/parts/charts.py"}


def imported(path):
    """The modules that a file imports, each with the names taken from it: `a.b` and `a.b.c` for `from a.b import c`."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join((*path.parent.parts, *filter(None, [node.module]))) if node.level else node.module
            found.update({base, *(f"{base}.{alias.name}" for alias in node.names)})
    return found


def reaches(modules, *targets):
    """The imports that are one of the targets or stand inside one."""
    return {module for module in modules for target in targets if module == target or module.startswith(f"{target}.")}


def module_of(path):
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def forbidden(path):
    """The imports of a file that go in the wrong direction."""
    modules, name = imported(path), path.as_posix()
    closed = [package for package, doors in DOORS.items() if not name.startswith(doors)]
    wrong = reaches(modules, *closed)
    if not name.startswith("evaluators/llm/"):
        wrong |= reaches(modules, "groq", "openai")
    if name.startswith("evaluators/"):
        wrong |= reaches(modules, "streamlit", "ui", "pages")
    if name.startswith("evaluators/") and not name.startswith(("evaluators/runs/", *ABOVE_RUNS)):
        wrong |= reaches(modules, "evaluators.runs")
    if name == "evaluators/records.py":
        wrong |= reaches(modules, "evaluators")
    if name.startswith("ui/"):
        wrong |= reaches(modules, "pages")
    if name.startswith("pages/"):
        wrong |= reaches(modules, "pages")
    if module_of(path) in METRICS:
        wrong |= reaches(modules, "evaluators.runs", PIPELINE, *(METRICS - {module_of(path)}))
    return sorted(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.as_posix())
def test_a_file_imports_only_in_the_allowed_directions(path):
    assert not forbidden(path)


def test_the_metrics_are_among_the_files():
    assert {module_of(path) for path in FILES} >= METRICS
