"""Files to take away from a run, in pieces: rows, labels, tables for a paper, what is stored."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from evaluators.api.evaluation import Results
from evaluators.api.papers import bundle_of
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.paper.formats import FORMATS
from evaluators.run_files.writing import written
from evaluators.runs import export


def csv_parts(results: Results) -> Iterator[bytes]:
    """CSV, as the app gives it."""
    run = results.run
    yield export.results_csv(
        results.rows(),
        [model_title(spec) for spec in run.models],
        results.store.results.responses(run),
        results.definition if results.has_labels else "",
        export.labelling_prompt(run),
        results.facts(),
        results.labels or "",
        results.damage().reasons,
    )


def jsonl_parts(results: Results) -> Iterator[bytes]:
    """A JSON line for each sample and model; null for what does not apply or was not judged."""
    for line in results.lines():
        yield json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n"


def label_parts(results: Results) -> Iterable[bytes]:
    """A JSON line for each scored sample, with all labels."""
    if not results.has_labels:
        raise ParameterError("This run labels no sentences. Choose the format csv or jsonl.")
    run, store = results.run, results.store
    models = [model_title(spec) for spec in run.models]
    lines = export.label_lines(
        store.results.scored(run),
        store.person_labels.by_cell(run.id),
        models,
        export.labelling_prompt(run),
        results.notes,
        run.repeats,
    )
    return chain(lines, export.unreadable_lines(results.damage().reasons, models))


def whole_run(results: Results) -> Iterator[bytes]:
    """The run with all of it, as `open` opens it."""
    yield written(results.store, results.run)


# The name of the format is also the ending of its file.
WHOLE = "plumbline"


def people_parts(results: Results) -> Iterator[bytes]:
    """CSV with a row for each label that people gave."""
    run = results.run
    models = [model_title(spec) for spec in run.models]
    yield export.people_csv(run, results.store.person_labels.by_cell(run.id), models)


def latex_parts(results: Results) -> Iterator[bytes]:
    """Every table as LaTeX."""
    for table in bundle_of(results).tables:
        yield FORMATS["tex"](table) + b"\n"


def markdown_parts(results: Results) -> Iterator[bytes]:
    """Every table as Markdown."""
    for table in bundle_of(results).tables:
        yield FORMATS["md"](table) + b"\n"


KINDS: dict[str, Callable[[Results], Iterable[bytes]]] = {
    "csv": csv_parts,
    "jsonl": jsonl_parts,
    "labels": label_parts,
    "people": people_parts,
    "latex": latex_parts,
    "markdown": markdown_parts,
    WHOLE: whole_run,
}
PAPER = "paper"
"""The format of figures and tables in a zip, which also takes a width."""
ENDINGS = {WHOLE: "plumbline", PAPER: "zip"}
"""Of the files that are no text."""
RAW = "raw"
"""The format that needs no readable run: its rows as they are stored."""


def escaped_for_terminal(part: bytes) -> bytes:
    """A piece of a file for a terminal, which obeys control characters: these are written out.

    As JSON writes them, so that JSON lines mean the same. Line breaks stay.
    """
    # CSV ends its lines so; spelled out, each row would end in a "\\r" that nobody wrote.
    text = part.decode("utf-8", errors="replace").replace("\r\n", "\n")
    return "".join(map(_spelled_where_hidden, text)).encode()


def _spelled_where_hidden(character: str) -> str:
    if character.isascii():
        is_shown = character.isprintable() or character == "\n"
    else:
        is_shown = unicodedata.category(character) not in HIDDEN
    if is_shown:
        return character
    # Without the quotes around it.
    return json.dumps(character)[1:-1]


HIDDEN = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Unicode's categories of control and format characters, private ones and line separators."""
