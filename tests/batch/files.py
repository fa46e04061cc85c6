"""Files of logs for batches: answers that are made up, each row known by its id."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[2]
DOCUMENT = "The tower is 330 metres tall. It stands in Paris."


def row(name, **others):
    return {
        "id": str(name),
        "question": "How tall is the tower?",
        "answer_text": "The tower is 330 metres tall.",
        "docs": [DOCUMENT],
        "model": "old",
        **others,
    }


COLUMNS = {"question": "question", "response": "answer_text", "retrieved_documents": "docs"}


def json_lines(path: Path, rows) -> Path:
    text = "".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in rows)
    packed = path.suffix == ".gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return path


def parquet(path: Path, rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def results(folder: Path) -> list[dict]:
    """All rows of results in a folder, in the order of their files."""
    rows = []
    for path in sorted(folder.rglob("*.parquet")):
        rows += pq.read_table(path).to_pylist()
    return rows


def started(folder: Path, *options: str) -> subprocess.Popen:
    """A batch of the logs in a folder, in a process of its own."""
    columns = [part for pair in COLUMNS.items() for part in ("--column", "=".join(pair))]
    return subprocess.Popen(
        [sys.executable, "-m", "evaluators", "batch", "in", "out", *columns, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
