"""A test bed of RGB from one's own documents and questions, in Python and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from evaluators.datasets.rgb import TestBed
from evaluators.declared import checks_types
from evaluators.errors import DatasetError, ParameterError
from evaluators.named_files import read_file
from evaluators.retrieval import bed
from evaluators.retrieval.bed import MadeBed
from evaluators.retrieval.dataset import MOST_DOCUMENTS, Settings
from evaluators.retrieval.documents import document
from evaluators.runs.inputs import Data, OnRemark, load_data, print_remark
from evaluators.text.chunking import ChunkingStrategy

PathOrPaths = str | Path | Sequence[str | Path]


@checks_types("questions")
def make_bed(
    documents: PathOrPaths,
    questions: Data,
    *,
    name: str = "",
    chunking_strategy: ChunkingStrategy = "dense",
    chunk_size: int = 120,
    chunk_overlap: int = 20,
    seed: int = 0,
    on_remark: OnRemark = print_remark,
) -> MadeBed:
    """A test bed of RGB from documents, and questions with their true answers, without an LLM.

    `documents` are files (text, Markdown, HTML, PDF) or a folder of them, `questions` what
    `load_data` takes. Positive documents hold the answer, negatives rank high by BM25 and do not;
    of an answer in several parts that no chunk holds whole each part has its own; planted errors
    put another number or name of the documents in the answer's place. The rows that it gives say
    why a person should look at them. Raises `DatasetError`.
    """
    try:
        settings = Settings(
            chunking_strategy=chunking_strategy, chunk_size=chunk_size, chunk_overlap=chunk_overlap
        )
    except ValidationError as error:
        raise ParameterError(f"The chunks cannot be made: {error.errors()[0]['msg']}.") from error
    texts = [document(path.name, read_file(path, DatasetError)) for path in _files(documents)]
    for text in texts:
        if text.note:
            on_remark(f"{text.name}: {text.note}")
    asked = load_data(questions, on_remark=on_remark)
    if isinstance(asked, TestBed):
        raise DatasetError("The questions are a test bed already. Give questions with answers.")
    return bed.make_bed(texts, asked.samples, settings, seed, name)


def _files(documents: PathOrPaths) -> Iterator[Path]:
    """The files that are named, those of a folder in the order of their names."""
    paths = [documents] if isinstance(documents, str | Path) else list(documents)
    if len(paths) > MOST_DOCUMENTS:
        raise DatasetError(f"{len(paths):,} documents; the limit is {MOST_DOCUMENTS:,}.")
    for path in map(Path, paths):
        try:
            inside = sorted(path.iterdir()) if path.is_dir() else [path]
        except (OSError, ValueError) as error:
            raise DatasetError(f"{path.name!r:.60} cannot be read ({error}).") from error
        yield from (file for file in inside if not file.name.startswith(".") and not file.is_dir())
