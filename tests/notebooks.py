"""`python -m tests.notebooks` runs the notebooks of docs/notebooks and writes what they print into
them: texts alone, so that a reader sees them anywhere, and a change shows as lines.
"""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

from evaluators.config import ROOT

FOLDER = ROOT / "docs" / "notebooks"
FILES = sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells print, in a folder that holds its runs; no key is there.

    An exception in a cell ends it.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_API_KEY", "_BASE_URL"))
    }
    environment |= {"PLUMBLINE_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT)}
    client = NotebookClient(
        read(path),
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
    )
    return client.execute(env=environment)


def printed(cell: nbformat.NotebookNode) -> str:
    """All that a cell of code printed; of Markdown nothing."""
    return "".join(output.get("text", "") for output in cell.get("outputs", ()))


def main() -> None:
    for path in FILES:
        with TemporaryDirectory() as folder:
            done = executed(path, Path(folder))
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell, run in zip(notebook["cells"], done.cells, strict=True):
            if cell["cell_type"] != "code":
                continue
            text = printed(run).splitlines(keepends=True)
            stream = {"name": "stdout", "output_type": "stream", "text": text}
            cell |= {"execution_count": None, "outputs": [stream] if text else []}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
