"""Files that are small and become large: each is refused, and takes hardly any memory here.

Each kind of file that strangers send has bombs of its own in the table below.
"""

import ast
import gzip
import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from evaluators.datasets.mapping import open_file
from evaluators.datasets.readers import read as read_table
from evaluators.errors import DatasetError, RunFileError
from evaluators.people.records import PersonLabel
from evaluators.retrieval.documents import document
from evaluators.retrieval.questions import questions
from evaluators.run_files.contents import ENVIRONMENT, LABELS, NOTES, RESULTS, RUN, SAMPLES
from evaluators.run_files.reading import opened, read
from evaluators.run_files.writing import written
from evaluators.runs.store import Store
from tests.comparison.made import results
from tests.run_files.test_run_files import part, rewritten, with_line

ROOT = Path(__file__).parents[2]
SIZE = 40 * 2**20
"""Bytes that a bomb unpacks to: a fifth of what a file may."""
MEGABYTES = 25
"""That a refusal may take at its peak: less than the bomb, most of it the packed file's own."""
NOW = "2026-11-23T10:00:00+00:00"


@pytest.fixture
def fine():
    store = Store(":memory:")
    return written(store, results(store, "Made", ["Who?", "When?"], [1.0, 0.0]).run)


def megabytes(act):
    """The most memory that it took in this process."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def filled(name, unit):
    """A part of nothing but this."""
    return lambda data: rewritten(data, {name: unit * (SIZE // len(unit))})


def in_details(unit):
    """A result whose details hold nothing but this, as often as it fits."""

    def made(data):
        first, *others = part(data, RESULTS).splitlines(keepends=True)
        line = json.loads(first)
        line["score"]["details"] = {"x": "PLACE"}
        long = json.dumps(line).replace('"PLACE"', f"[{unit * (SIZE // len(unit))}0]")
        return rewritten(data, {RESULTS: long.encode() + b"\n" + b"".join(others)})

    return made


def labels(count, people=1):
    """So many labels by each of so many people, of the first answer."""

    def made(data):
        lines = []
        for number in range(people):
            label = PersonLabel(
                person=f"p{number}", label="verdict", key="k", value="yes", created=NOW
            )
            place = {"position": 0, "model": 0, "metric": 0, "label": label.model_dump()}
            lines.append((json.dumps(place) + "\n").encode() * count)
        return rewritten(data, {LABELS: b"".join(lines)})

    return made


def notes_of(length):
    note = {"text": "x" * length, "tags": [], "created": NOW}
    line = json.dumps({"position": 0, "model": 0, "note": note}).encode() + b"\n"
    return lambda data: rewritten(data, {NOTES: line})


def with_values(count):
    """A result with values under so many names."""
    values = {f"v{number}": 1.0 for number in range(count)}
    return lambda data: with_line(data, RESULTS, lambda line: line["score"].update(values=values))


def directory(entries):
    """A zip whose directory has so many entries."""

    def made(_):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for number in range(entries):
                archive.writestr(f"{number}.json", b"")
        return file.getvalue()

    return made


def field_of_run(**fields):
    return lambda data: with_line(data, RUN, lambda run: run.update(fields))


RUN_FILES = {
    **{f"lines in {name}": filled(name, b"ab\n") for name in (RUN, SAMPLES, RESULTS, ENVIRONMENT)},
    **{f"blank lines in {name}": filled(name, b"\n") for name in (LABELS, NOTES)},
    "one line without an end": filled(SAMPLES, b"x"),
    "brackets": filled(RESULTS, b"["),
    "quotes": filled(RESULTS, b'"'),
    "half a string of escaped quotes": filled(NOTES, b'\\"'),
    "numbers in details": in_details("0,"),
    "objects in details": in_details("{},"),
    "lists in lists": in_details("[],"),
    "1,100 labels of one person": labels(1_100),
    "24,000 labels": labels(600, people=40),
    "names of values": with_values(200),
    "a note of a million letters": notes_of(10**6),
    "10,000 entries": directory(10_000),
    "tags": field_of_run(tags=["t"] * 10**5),
    "a long title": field_of_run(title="T" * 10**6),
    "models": field_of_run(models=[{"provider": "openai", "model": "m"}] * 500),
}


@pytest.mark.parametrize("bomb", RUN_FILES)
def test_a_run_file_that_becomes_large_is_refused_and_takes_no_memory(fine, bomb):
    data, store = RUN_FILES[bomb](fine), Store(":memory:")

    def refused():
        with pytest.raises(RunFileError):
            opened(data, store, "local")

    assert megabytes(refused) < MEGABYTES
    assert store.runs.ids("local") == []


def test_values_in_a_line_are_counted_and_not_the_commas_of_its_texts(fine):
    commas = {"x": "," * 150_000 + '\\"[[[{{{'}
    data = with_line(fine, RESULTS, lambda line: line["score"].update(details=commas))

    assert len(read(data).results) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [("q.txt.gz", b"ab\n"), ("q.txt.gz", b"\n"), ("q.md.gz", b"a\r"), ("q.txt.gz", b"a\x0c")],
)
def test_a_packed_list_of_millions_of_questions_is_counted_before_it_is_one(name, text):
    data = gzip.compress(text * (10**7 // len(text)))

    def refused():
        with pytest.raises(DatasetError):
            questions(name, data)

    # As a list the ten million characters would be some 170 MB.
    assert megabytes(refused) < 60


def test_a_packed_document_is_read_no_further_than_a_document_may_be(monkeypatch):
    monkeypatch.setattr("evaluators.retrieval.documents.MOST_TEXT", 100_000)
    data = gzip.compress(("a" * 2**20 + "\N{OWL}").encode() * 20)

    def refused():
        with pytest.raises(DatasetError, match="the limit"):
            document("d.txt.gz", data)

    assert megabytes(refused) < 15


ROW = {"question": "When?", "response": "In 1812.", "x": "y" * 200}
TEXT_BOMBS = {
    "a row too many.jsonl": (json.dumps(ROW) + "\n").encode() * 20_001,
    "columns.csv": b"x," * 2_000_000 + b"x\n1,2\n",
    "objects.json": b'{"question": "?", "x": [' + b"{}," * 4_000_000 + b"{}]}",
    "one line.csv": b"question,response\n" + b"x" * SIZE,
    "quotation marks.csv": b"question,response\n" + b'"a\n' * 2_000_000,
    "deep.json": b'[{"question": ' + b'{"a":' * 500_000 + b"1" + b"}" * 500_000 + b"}]",
    "an archive.csv": directory(1)(b""),
}


@pytest.mark.parametrize("name", TEXT_BOMBS)
def test_a_text_that_is_refused_takes_no_memory_of_the_app(name, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")

    def refused():
        with pytest.raises(DatasetError):
            read_table(name, TEXT_BOMBS[name])

    assert megabytes(refused) < 3


def test_a_cell_of_nothing_but_bars_takes_no_memory_before_it_is_known_to_be_parted():
    rows = [f"Who is {number}?,Anna,{'ab|' * 100_000}" for number in range(4)]
    data = "\n".join(["question,response,contexts", *rows]).encode()

    # As lists the 400,000 parts would be some 25 MB, beside four copies of the text.
    assert megabytes(lambda: open_file("a.csv", data)) < 8


# One door

PARSERS = {
    "zipfile",
    "tarfile",
    "gzip",
    "zlib",
    "bz2",
    "lzma",
    "pickle",
    "xml",
    "html.parser",
    "pypdf",
    "python_calamine",
    "markdown_it",
    "json_repair",
}
"""What makes something larger, or runs, of what strangers send."""

ELSEWHERE = {
    "datasets/encoding.py": "gzip: in pieces of a megabyte, counted, and never held whole",
    "batch/engine.py": "zlib: a checksum",
    "runs/worker.py": "pickle: what a process of our own asks of its worker",
    "llm/transport.py": "zlib: of an answer so much as is read of it",
    "llm/structured.py": "json_repair: short texts; longer ones go to the child",
    "exports/bundle.py": "zipfile: writes",
    "run_files/together.py": "zipfile: writes",
    "terminal/gate_files.py": "xml.etree: writes",
    "run_files/writing.py": "zipfile: writes",
}

FIELDS = {
    "ui/datasets/upload.py": "tables: tests/attack, tests/datasets/test_readers.py",
    "ui/datasets/retrieval.py": "documents and lists of questions: above",
    "ui/runs/files.py": "run files: above",
}
"""Every field for files, and where the bombs of what it takes are."""


def imported(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_what_strangers_send_is_unpacked_and_parsed_in_the_child_alone():
    package = ROOT / "evaluators"
    using = set()
    for path in package.rglob("*.py"):
        modules = {name for name in imported(path) if {name, name.split(".")[0]} & PARSERS}
        if modules and path.parent.name != "sandbox":
            using.add(path.relative_to(package).as_posix())

    assert using == set(ELSEWHERE)


def test_every_field_for_files_has_its_bombs():
    fields = {
        path.relative_to(ROOT).as_posix()
        for folder in ("ui", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if "file_uploader(" in path.read_text(encoding="utf-8")
    }

    assert fields == set(FIELDS)
