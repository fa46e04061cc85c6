"""A test bed of RGB from one's own documents and questions, in Python and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from evaluators.datasets.rgb import TestBed
from evaluators.declared import checks_types
from evaluators.errors import DatasetError, ParameterError
from evaluators.llm.connect import ConnectedLLM, accesses
from evaluators.llm.judges import as_client
from evaluators.llm.money import dollar_range
from evaluators.named_files import read_file
from evaluators.records import Cap
from evaluators.retrieval import bed
from evaluators.retrieval.bed import LeftOut, MadeBed
from evaluators.retrieval.dataset import MOST_DOCUMENTS, Settings, name_after
from evaluators.retrieval.documents import Document, document
from evaluators.retrieval.proposals import USUAL_COUNT, Proposals, price, propose, within
from evaluators.runs.inputs import Data, OnRemark, load_data, print_remark
from evaluators.runs.plan import check_cap
from evaluators.text.chunking import ChunkingStrategy

PathOrPaths = str | Path | Sequence[str | Path]


@checks_types("questions")
def make_bed(
    documents: PathOrPaths,
    questions: Data | None = None,
    *,
    model: object = None,
    count: int = USUAL_COUNT,
    cap: Cap | None = None,
    name: str = "",
    chunking_strategy: ChunkingStrategy = "dense",
    chunk_size: int = 120,
    chunk_overlap: int = 20,
    seed: int = 0,
    on_remark: OnRemark = print_remark,
) -> MadeBed:
    """A test bed of RGB from documents, and questions with their true answers.

    `documents` are files (text, Markdown, HTML, PDF) or a folder of them, `questions` what
    `load_data` takes. Positive documents hold the answer, negatives rank high by BM25 and do not;
    of an answer in several parts that no chunk holds whole each part has its own; planted errors
    put another number or name of the documents in the answer's place. The rows that it gives say
    why a person should look at them. No LLM is asked but where there are no questions: then
    `model` proposes `count` of them within the budget `cap`, one about each of so many chunks, and
    those whose quoted evidence does not stand there word for word are among `left_out`, as are
    those that failed. Raises `DatasetError`.
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
    left_out: tuple[LeftOut, ...] = ()
    if questions is None:
        proposals = _proposals(texts, model, settings, count, seed, cap, on_remark)
        samples, problems = proposals.questions
        left_out = tuple(LeftOut(f"{own.row}", own.raw, own.message) for own in problems)
    elif model is not None:
        raise ParameterError("Give questions, or a model that proposes them, not both.")
    else:
        asked = load_data(questions, on_remark=on_remark)
        if isinstance(asked, TestBed):
            raise DatasetError("The questions are a test bed already. Give questions with answers.")
        samples = asked.samples
    if left_out and not samples:
        return MadeBed(name or name_after(texts), (), left_out)
    made = bed.make_bed(texts, samples, settings, seed, name)
    return replace(made, left_out=(*left_out, *made.left_out))


def _proposals(
    texts: Sequence[Document],
    model: object,
    settings: Settings,
    count: int,
    seed: int,
    cap: Cap | None,
    on_remark: OnRemark,
) -> Proposals:
    """What the model proposes; its price is said before."""
    if model is None:
        raise ParameterError("Give questions, or a model that proposes them.")
    llm = as_client(model)
    if isinstance(llm, ConnectedLLM):
        check_cap(cap or Cap(), (llm.spec,))
        taken = price(llm.spec, count, settings)
        cost = dollar_range(taken.cost_low, taken.cost_high)
        on_remark(f"{taken.title}: {taken.calls:,} calls, {cost}")
        with within(llm.spec, accesses(llm), cap or Cap()) as client:
            proposals = propose(client, texts, settings, count, seed)
    elif cap and cap != Cap():
        raise ParameterError("A cap holds for a model that is named by its id or connected.")
    else:
        proposals = propose(llm, texts, settings, count, seed)
    on_remark(proposals.sentence)
    return proposals


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
