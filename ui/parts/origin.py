"""Where a data set is from: the Hugging Face hub, the benchmark's own files, or documents that were
searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from evaluators.datasets.rgb import TestBed
from evaluators.records import Dataset, Sample
from evaluators.text.similarity import LEXICAL
from ui.parts.untrusted import plain
from ui.parts.words import counted

BEGINNING = 5
"""Questions of which is shown what was found for them."""
CELL = 300


def words(origin: Mapping[str, Any]) -> str:
    """One line, not escaped; empty for data that were uploaded or pasted."""
    known = {"hub": _hub, "rgb": _official, "retrieval": _retrieval}
    return " · ".join(told(origin[key]) for key, told in known.items() if origin.get(key))


def license_of(name: str) -> str:
    """The licence, as the card of the data set names it."""
    return f"licence {name}" if name else "no licence stated"


def show(data: Dataset | TestBed) -> None:
    """Where the data are from; where documents were searched, what was found for the first
    questions.
    """
    if told := words(data.origin):
        st.caption(plain(told))
    if isinstance(data, Dataset) and "retrieval" in data.origin:
        _say_if_all(data.origin["retrieval"])
        with st.expander(
            "What was found for the first questions", icon=":material/manage_search:", key="found"
        ):
            for sample in data.samples[:BEGINNING]:
                st.markdown(_found(sample))


def _say_if_all(found: Mapping[str, Any]) -> None:
    """Where each question can get every chunk, nothing is chosen."""
    if found["chunks"] <= found["k"]:
        there = (
            "There is 1 chunk" if found["chunks"] == 1 else f"There are {found['chunks']} chunks"
        )
        words = f"{there} for up to {found['k']} per question, so hardly anything is left out. "
        st.info(
            f"{words}Retrieve again with smaller chunks, or fewer per question.",
            icon=":material/lightbulb:",
        )


def _found(sample: Sample) -> str:
    """The question, and the beginning of each chunk with where it stands, as Markdown."""
    pairs = zip(sample.sources, sample.retrieved_documents, strict=False)
    chunks = [f"- {plain(source)}: :gray[{plain(text[:CELL])}]" for source, text in pairs]
    return "\n".join([f"**{plain(sample.question[:CELL])}**\n", *(chunks or ["- nothing"])])


def _hub(found: Mapping[str, Any]) -> str:
    place = [f"huggingface.co/datasets/{found['id']}", found["config"], found["split"]]
    return " · ".join(
        [*place, f"at most {counted(found['rows'], 'row')}", license_of(found["license"])]
    )


def _official(found: Mapping[str, Any]) -> str:
    return str(found["address"])


def _retrieval(found: Mapping[str, Any]) -> str:
    by = "BM25" if found["embedding_model"] == LEXICAL else found["embedding_model"]
    windows = f", {found['chunk_size']} words, {found['chunk_overlap']} shared"
    strategy = found["chunking_strategy"] + (
        windows if found["chunking_strategy"] == "dense" else ""
    )
    documents = counted(len(found["documents"]), "document")
    return (
        f"Retrieved by {by}: up to {found['k']} of {counted(found['chunks'], 'chunk')} "
        f"({strategy}) of {documents}"
    )
