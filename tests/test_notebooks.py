"""The notebooks run as they are committed, and print what stands in them and in their texts."""

import json
import re
from pathlib import Path

import pytest

from evaluators.config import ROOT
from tests.notebooks import FILES, executed, printed, read

LESSONS = re.findall(r"^\| (\d) · ", (ROOT / "docs" / "learn.md").read_text("utf-8"), re.MULTILINE)
_NUMBER = re.compile(r"\*\*(\d[\d.,]*)\*\*")
"""What a text says that the cell above it, or the one below, prints."""


def named_numbers(notebook):
    """Each number in bold type, with what the neighbouring cells of code print."""
    cells = notebook.cells
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            before = next((c for c in reversed(cells[:place]) if c.cell_type == "code"), {})
            after = next((c for c in cells[place:] if c.cell_type == "code"), {})
            for number in _NUMBER.findall(cell.source):
                yield number, printed(before) + printed(after)


def test_every_lesson_has_a_notebook_and_so_has_a_log():
    assert [path.name[0] for path in FILES] == [*LESSONS, "p"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_says(path, tmp_path):
    notebook = executed(path, tmp_path)

    outputs = [printed(cell) for cell in notebook.cells]
    numbers = list(named_numbers(notebook))
    assert outputs == [printed(cell) for cell in read(path).cells], "run `make notebooks`"
    assert numbers
    assert not [number for number, text in numbers if not re.search(rf"\b{number}\b", text)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_notebook_is_short_and_holds_texts_alone(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))

    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert len(code) <= 8
    assert path.stat().st_size < 20_000
    assert {(output["output_type"], output["name"]) for output in outputs} == {("stream", "stdout")}
    assert all(cell["execution_count"] is None for cell in code)
    # As `make notebooks` writes it: a change of a number is a change of a line.
    assert path.read_text("utf-8") == json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_notebook_links_to_what_is_there(path):
    text = "".join(cell.source for cell in read(path).cells)

    for link in re.findall(r"\]\(([^)#]+)", text):
        assert Path(path.parent, link).is_file(), link
