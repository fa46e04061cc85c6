"""Where a data set is from, and what was found for its first questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from evaluators.datasets.origin import source_in_words
from evaluators.datasets.rgb import TestBed
from evaluators.records import Dataset, Sample
from evaluators.text.language import say
from ui.parts.untrusted import plain

FIRST_QUESTIONS = 5
"""Questions for which the page shows what was found."""
TEXT_SHOWN = 300
"""Characters of a question or chunk that are shown."""


def show(data: Dataset | TestBed) -> None:
    """Where the data are from, and what was found for the first questions in documents."""
    if source := source_in_words(data.origin):
        st.caption(plain(source))
    if isinstance(data, Dataset) and "retrieval" in data.origin:
        _say_if_all_is_found(data.origin["retrieval"])
        with st.expander(
            say("What was found for the first questions"),
            icon=":material/manage_search:",
            key="found",
        ):
            for sample in data.samples[:FIRST_QUESTIONS]:
                st.markdown(_found_for(sample))


def _say_if_all_is_found(search: Mapping[str, Any]) -> None:
    """Where each question can get every chunk, nothing is chosen."""
    chunks, most = search["chunks"], search["k"]
    if chunks <= most:
        there = say("There is 1 chunk for up to {most} per question", most=most)
        if chunks != 1:
            there = say(
                "There are {chunks} chunks for up to {most} per question",
                chunks=chunks,
                most=most,
            )
        st.info(
            say(
                "{chunks}, so hardly anything is left out. Retrieve again with smaller chunks, or "
                "fewer per question.",
                chunks=there,
            ),
            icon=":material/lightbulb:",
        )


def _found_for(sample: Sample) -> str:
    """The question, and the beginning of each chunk with where it stands, as Markdown."""
    pairs = zip(sample.sources, sample.retrieved_documents, strict=False)
    chunks = [f"- {plain(source)}: :gray[{plain(text[:TEXT_SHOWN])}]" for source, text in pairs]
    question = f"**{plain(sample.question[:TEXT_SHOWN])}**\n"
    return "\n".join([question, *(chunks or [f"- {say('nothing', 'found')}"])])
