"""The directions of import: pages know evaluators, never the other way; outside packages have one
door.
"""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from evaluators.catalogue import catalogue, ships

ROOT = Path(__file__).parents[1]
FOLDERS = ("evaluators", "ui", "pages")
FILES = sorted(
    path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")
)
PIPELINE = "evaluators.evaluation_pipeline"
"""Puts other metrics together, so it alone may import them."""
METRICS = {cls.__module__ for cls in catalogue().values() if ships(cls)} - {PIPELINE}
ABOVE_RUNS = (
    "evaluators/__init__.py",
    "evaluators/__main__.py",
    "evaluators/api/",
    "evaluators/batch/",
    "evaluators/comparison/",
    "evaluators/document/",
    "evaluators/exports/",
    "evaluators/paper/",
    "evaluators/report/",
    "evaluators/run_files/",
    "evaluators/terminal/",
)
"""The doors of the package, for Python and for a terminal; they alone may use the engine from
outside `runs`.
"""
DOORS = {
    "sqlite3": ("evaluators/runs/store/", "evaluators/runs/backup.py"),
    "plotly": "ui/parts/charts.py",
    "ray": "evaluators/batch/cluster.py",
}

CORE = {
    "evaluators/marking.py": set(),
    "evaluators/messages.py": {"marking"},
    "evaluators/surrogates.py": {"marking"},
    "evaluators/values.py": set(),
    "evaluators/abilities.py": {"marking", "values"},
    "evaluators/records.py": {"abilities", "messages"},
    "evaluators/errors.py": {"records", "surrogates"},
    # llm and prompts for the types of a judge and of what it is asked alone, text for the language
    "evaluators/base.py": {"errors", "llm", "prompts", "records", "text", "values"},
    "evaluators/custom_files.py": {"base", "config", "errors", "params", "text"},
    "evaluators/catalogue.py": {"base", "custom_files", "errors", "records", "text", "values"},
}
"""The lowest files of the package, each with the neighbours that it may import."""


@cache
def imported(path):
    """The modules that a file imports, each with the names taken from it: `a.b` and `a.b.c` for
    `from a.b import c`.
    """
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join((*path.parent.parts, *filter(None, [node.module])))
                if node.level
                else node.module
            )
            found.update({base, *(f"{base}.{alias.name}" for alias in node.names)})
    return found


def reaches(modules, *targets):
    """The imports that are one of the targets or stand inside one."""
    return {
        module
        for module in modules
        for target in targets
        if module == target or module.startswith(f"{target}.")
    }


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
    if name in CORE:
        neighbours = {
            module.split(".")[1] for module in reaches(modules, "evaluators") if "." in module
        }
        wrong |= neighbours - CORE[name]
    if name.startswith("evaluators/trace/"):
        wrong |= reaches(modules, PIPELINE, *METRICS)
    if name.startswith("ui/"):
        wrong |= reaches(modules, "pages")
    if name.startswith("pages/"):
        wrong |= reaches(modules, "pages")
    if module_of(path) in METRICS:
        wrong |= reaches(modules, "evaluators.runs", PIPELINE, *(METRICS - {module_of(path)}))
    return sorted(wrong)


def test_a_file_imports_only_in_the_allowed_directions():
    wrong = {path.as_posix(): forbidden(path) for path in FILES}

    assert not {path: modules for path, modules in wrong.items() if modules}


def test_the_metrics_are_among_the_files():
    assert {module_of(path) for path in FILES} >= METRICS


def test_no_file_imports_itself_by_a_detour():
    modules = {module_of(path): imported(path) for path in FILES if module_of(path) != "evaluators"}
    arrows = {name: targets & modules.keys() - {name} for name, targets in modules.items()}

    assert set(TopologicalSorter(arrows).static_order()) == modules.keys()


UI_GROUND = ("script", "language", "held", "session", "run_views", "parts", "models", "metrics")
"""What the rooms of the pages share, from the ground up: each may use only those before it."""
ACROSS = {
    # a sample of any run, and the run at work on every page
    "sample": {"rgb", "trace"},
    "label": {"rgb", "trace"},
    "main": {"menu", "runs", "settings"},
    # a file can be given on Home
    "home": {"datasets"},
}
"""The rooms of pages that use another page's room. What two of them need belongs into `parts`."""


def room_of(module):
    """The folder or file right below `evaluators` or `ui` that a module lies in."""
    return module.split(".")[1]


def arrows_between_rooms(folder):
    """The rooms of a folder, each with those of its neighbours that it imports."""
    paths = [path for path in FILES if path.parts[0] == folder]
    modules = {module_of(path): imported(path) for path in paths}
    modules.pop(folder)
    arrows: dict[str, set[str]] = {room_of(name): set() for name in modules}
    for name, targets in modules.items():
        neighbours = {room_of(target) for target in targets & modules.keys()}
        arrows[room_of(name)] |= neighbours - {room_of(name)}
    return arrows


@pytest.mark.parametrize("folder", ["evaluators", "ui"])
def test_no_room_imports_itself_by_a_detour(folder):
    arrows = arrows_between_rooms(folder)

    assert set(TopologicalSorter(arrows).static_order()) == arrows.keys()


@pytest.mark.parametrize("room", UI_GROUND)
def test_what_pages_share_knows_no_page(room):
    below = UI_GROUND[: UI_GROUND.index(room)]

    assert arrows_between_rooms("ui")[room] <= set(below)


def test_a_page_uses_what_is_shared_and_no_other_page():
    for room, targets in arrows_between_rooms("ui").items():
        assert targets <= {*UI_GROUND, *ACROSS.get(room, ())}, room
