"""A data set from documents and questions: chunks, an index, the best chunks for each question."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Self

from pydantic import Field, model_validator

from evaluators.config import Config, config
from evaluators.datasets.table import column_names
from evaluators.errors import DatasetError
from evaluators.records import Dataset, Record, Sample
from evaluators.retrieval.documents import MOST_TEXT, Document, count_letters
from evaluators.retrieval.index import Progress, index
from evaluators.text.chunking import ChunkingStrategy, check_overlap, units
from evaluators.text.language import mark, say
from evaluators.text.normalise import IDEOGRAPHS, is_chinese
from evaluators.text.sentences import split_sentences
from evaluators.text.similarity import LEXICAL, check_embedding

MOST_DOCUMENTS = 1000
"""Files that one data set is made of; how much they hold together is bounded by `MOST_TEXT`."""

# 120 words of English are some 700 characters, 300 characters of Chinese say as much.
CHARACTERS_OF_A_WORD = 2.5
"""Chinese characters that count as a word of a window."""
LOOKED_AT = 2000
"""Characters of a document that tell its language."""

_WORD = re.compile(rf"[{IDEOGRAPHS}][^\w\s]*|[^\s{IDEOGRAPHS}]+")
"""A word with what is written to it; a Chinese character is one."""


class Settings(Record):
    """How documents are cut and searched; the three about chunks mean what they mean for TRACE.

    Windows are smaller than there: of a page of notes as a single chunk, nothing would be left to
    choose.
    """

    k: int = Field(
        5,
        ge=1,
        le=50,
        title=mark("Chunks per question"),
        description=mark("The best ones that each question gets."),
    )
    chunking_strategy: ChunkingStrategy = Field(
        "dense",
        description=mark(
            "What a chunk is: an overlapping window of words (dense), a sentence, or a whole "
            "document."
        ),
    )
    chunk_size: int = Field(120, ge=50, le=2000, description=mark("Words per window (dense only)."))
    chunk_overlap: int = Field(
        20,
        ge=0,
        le=1999,
        description=mark("Words that neighbouring windows share (dense only)."),
    )
    embedding_model: str = Field(
        LEXICAL,
        description=mark(
            '"lexical" ranks by words (BM25), "sentence-transformers/..." by meaning, if it is '
            "installed."
        ),
    )

    @model_validator(mode="after")
    def _windows_move_on(self) -> Self:
        check_overlap(self.chunk_size, self.chunk_overlap)
        return self


class Chunk(NamedTuple):
    """A piece of a document, and where it stands there: "handbook.pdf, page 3", or "pages 3-4"."""

    text: str
    source: str


def retrieve(
    documents: Sequence[Document],
    questions: Sequence[Sample],
    settings: Settings | None = None,
    on_progress: Progress | None = None,
) -> Dataset:
    """The questions, each with the best chunks of the documents.

    They take the place of what a question had retrieved before. A question that shares no word with
    any chunk gets none (embeddings always find some). The settings are kept as `origin`. Raises
    `DatasetError` beyond a limit, `ParameterError` where the embedding model is not available.
    """
    settings = settings or Settings()
    limits = config()
    report = on_progress or (lambda share: None)
    check_embedding(settings.embedding_model)
    check_amounts(documents, questions, limits)
    pool = chunks(documents, settings)
    texts = [chunk.text for chunk in pool]
    # To build the index takes most of the time, to search it the rest.
    searchable = index(texts, settings.embedding_model, lambda share: report(0.8 * share))
    samples = []
    size = 0
    for number, question in enumerate(questions):
        places = searchable.best(question.question, settings.k)
        best = [pool[place] for place in places]
        size += sum(len(chunk.text) for chunk in best)
        check_retrieved_text(size, limits)
        samples.append(_answered_from(question, best))
        report(0.8 + 0.2 * number / len(questions))
    report(1.0)
    return Dataset(
        name=name_after(documents),
        samples=tuple(samples),
        origin={"retrieval": facts_of_search(documents, pool, settings)},
    )


def facts_of_search(
    documents: Sequence[Document], pool: Sequence[Chunk], settings: Settings
) -> dict[str, Any]:
    """How chunks were made and searched, as `origin` keeps it."""
    sizes = []
    for document in documents:
        sizes.append({"name": document.name, "characters": len(document.text)})
    return {**settings.model_dump(mode="json"), "chunks": len(pool), "documents": sizes}


def chunks(documents: Sequence[Document], settings: Settings) -> list[Chunk]:
    """All documents in chunks, in order; of two documents with one name the second is numbered."""
    names = column_names([document.name for document in documents])
    pool: list[Chunk] = []
    for name, document in zip(names, documents, strict=True):
        pool += _chunks_of(name, document, settings)
    return pool


def _chunks_of(name: str, document: Document, settings: Settings) -> Iterator[Chunk]:
    if settings.chunking_strategy == "sentence":
        texts = split_sentences(document.text)
        places = [0, *accumulate(map(count_letters, texts))]
    else:
        starts, ends = _word_places(document.text)
        whole = [(0, len(starts))] if starts else []
        # A Chinese word is counted by its characters.
        factor = CHARACTERS_OF_A_WORD if is_chinese(document.text[:LOOKED_AT]) else 1
        size = round(settings.chunk_size * factor)
        overlap = round(settings.chunk_overlap * factor)
        cut = units(settings.chunking_strategy, whole, size, overlap)
        texts = []
        text_starts = []
        for first, last in cut:
            text_starts.append(starts[first])
            texts.append(document.text[starts[first] : ends[last - 1]])
        places = _letters_before(document, text_starts)
    for number, text in enumerate(texts):
        place = ""
        if document.page_ends:
            place = _on_pages(document, places[number], text)
        elif len(texts) > 1:
            place = f", part {number + 1} of {len(texts)}"
        yield Chunk(text, name + place)


def _word_places(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """Where the words of a text begin, and where they end."""
    # Arrays: as lists, the integers would take several times the memory of the text.
    starts, ends = array("l"), array("l")
    for match in _WORD.finditer(text):
        starts.append(match.start())
        ends.append(match.end())
    return starts, ends


def _letters_before(document: Document, starts: Sequence[int]) -> list[int]:
    """How many letters and digits stand before each of these places.

    Only documents with pages need it.
    """
    if not document.page_ends:
        return []
    between = []
    for start, end in pairwise([0, *starts]):
        between.append(count_letters(document.text[start:end]))
    return list(accumulate(between))


def _on_pages(document: Document, before: int, text: str) -> str:
    """The pages of a text, by the number of letters and digits `before` it."""
    ends = [before, max(before, before + count_letters(text) - 1)]
    # Letters are counted, as a paragraph that was joined has other white space than its pages.
    pages = [bisect_right(document.page_ends, end) + 1 for end in ends]
    first, last = [min(page, len(document.page_ends)) for page in pages]
    return f", page {first}" if first == last else f", pages {first}-{last}"


def _answered_from(question: Sample, best: Sequence[Chunk]) -> Sample:
    """The question with its new documents and what is known of it otherwise."""
    # Labels and sentences are those of the documents it had before.
    kept = {
        "id",
        "question",
        "response",
        "ground_truth",
        "generator",
        "situation",
        "gold_documents",
    }
    return Sample(
        **{name: getattr(question, name) for name in kept},
        retrieved_documents=tuple(chunk.text for chunk in best),
        sources=tuple(chunk.source for chunk in best),
    )


def name_after(documents: Sequence[Document]) -> str:
    first, more = documents[0].name, len(documents) - 1
    if not more:
        return first
    return f"{first} and {more} more document{'s' if more > 1 else ''}"


def check_amounts(
    documents: Sequence[Document],
    questions: Sequence[Sample],
    limits: Config,
) -> None:
    size = sum(len(document.text) for document in documents) / 1e6
    words = ""
    limit: object = None
    if not documents:
        words = mark("There are no documents. Add at least one.")
    elif not questions:
        words = mark("There are no questions. Add at least one.")
    elif len(documents) > MOST_DOCUMENTS:
        words = mark("{documents:,} documents; the limit is {limit:,}. Join or leave out some.")
        limit = MOST_DOCUMENTS
    elif len(questions) > limits.rows_per_dataset:
        words = mark("{questions:,} questions; the limit is {limit}. Leave out some.")
        limit = f"{limits.rows_per_dataset:,}"
    elif size > MOST_TEXT / 1e6:
        words = mark(
            "The documents hold {size:,.0f} million characters; the limit is {limit} million. "
            "Leave out some."
        )
        limit = f"{MOST_TEXT / 1e6:,.0f}"
    if words:
        counts = {"documents": len(documents), "questions": len(questions)}
        raise DatasetError(say(words, size=size, limit=limit, **counts))


def check_retrieved_text(size: int, limits: Config) -> None:
    if size > limits.decoded_bytes:
        words = mark(
            "The data set would hold more than {limit} MB. Take fewer or smaller chunks per "
            "question."
        )
        raise DatasetError(say(words, limit=limits.decoded_bytes // 2**20))
