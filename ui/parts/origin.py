"""Where a data set is from: the Hugging Face hub, the benchmark's files, or searched documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from evaluators.datasets.rgb import TestBed
from evaluators.records import Dataset, Sample
from evaluators.text.similarity import LEXICAL
from ui.parts.untrusted import plain
from ui.parts.words import counted

FIRST_QUESTIONS = 5
"""Questions for which the page shows what was found."""
TEXT_SHOWN = 300
"""Characters of a question or chunk that are shown."""


def source_in_words(origin: Mapping[str, Any]) -> str:
    """One line, not escaped; empty for data that were uploaded or pasted."""
    sentences = {"hub": _from_hub, "rgb": _from_rgb_files, "retrieval": _from_documents}
    return " · ".join(
        sentence(origin[key]) for key, sentence in sentences.items() if origin.get(key)
    )


def license_of(name: str) -> str:
    """The licence, as the card of the data set names it."""
    return f"licence {name}" if name else "no licence stated"


def show(data: Dataset | TestBed) -> None:
    """Where the data are from, and what was found for the first questions in documents."""
    if source := source_in_words(data.origin):
        st.caption(plain(source))
    if isinstance(data, Dataset) and "retrieval" in data.origin:
        _say_if_all_is_found(data.origin["retrieval"])
        with st.expander(
            "What was found for the first questions",
            icon=":material/manage_search:",
            key="found",
        ):
            for sample in data.samples[:FIRST_QUESTIONS]:
                st.markdown(_found_for(sample))


def _say_if_all_is_found(search: Mapping[str, Any]) -> None:
    """Where each question can get every chunk, nothing is chosen."""
    chunks, most = search["chunks"], search["k"]
    if chunks <= most:
        there = "There is 1 chunk" if chunks == 1 else f"There are {chunks} chunks"
        st.info(
            f"{there} for up to {most} per question, so hardly anything is left out. "
            "Retrieve again with smaller chunks, or fewer per question.",
            icon=":material/lightbulb:",
        )


def _found_for(sample: Sample) -> str:
    """The question, and the beginning of each chunk with where it stands, as Markdown."""
    pairs = zip(sample.sources, sample.retrieved_documents, strict=False)
    chunks = [f"- {plain(source)}: :gray[{plain(text[:TEXT_SHOWN])}]" for source, text in pairs]
    question = f"**{plain(sample.question[:TEXT_SHOWN])}**\n"
    return "\n".join([question, *(chunks or ["- nothing"])])


def _from_hub(download: Mapping[str, Any]) -> str:
    parts = [
        f"huggingface.co/datasets/{download['id']}",
        download["config"],
        download["split"],
        f"at most {counted(download['rows'], 'row')}",
        license_of(download["license"]),
    ]
    return " · ".join(parts)


def _from_rgb_files(download: Mapping[str, Any]) -> str:
    return str(download["address"])


def _from_documents(search: Mapping[str, Any]) -> str:
    # The field calls it by its method; people know it by its name.
    by = "BM25" if search["embedding_model"] == LEXICAL else search["embedding_model"]
    strategy = search["chunking_strategy"]
    # Only windows of words have a size and an overlap.
    if strategy == "dense":
        strategy += f", {search['chunk_size']} words, {search['chunk_overlap']} shared"
    chunks = counted(search["chunks"], "chunk")
    documents = counted(len(search["documents"]), "document")
    return f"Retrieved by {by}: up to {search['k']} of {chunks} ({strategy}) of {documents}"
