"""A data set from one's own documents and questions: what to read, what to ask, how to search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from evaluators.errors import DatasetError
from evaluators.records import Dataset
from evaluators.retrieval.bed import make_bed
from evaluators.retrieval.dataset import Settings, retrieve
from evaluators.retrieval.documents import Document, document
from evaluators.retrieval.questions import Questions, questions
from evaluators.text.language import mark, say
from evaluators.text.words import counted, name_and_text
from ui.datasets import made_bed
from ui.datasets import view as dataset_view
from ui.datasets.fetching import Bar
from ui.parts import forms, problems, remedies, uploaded
from ui.parts.forms import KEPT, LONG_TEXT
from ui.parts.untrusted import plain

TYPES = ["txt", "md", "markdown", "html", "htm", "pdf"]
TABLES = ["txt", "csv", "tsv", "json", "jsonl", "xlsx", "parquet", "gz"]
TYPED, FILE = mark("Type them"), mark("From a file")
SHOWN = 5
"""Documents or rows that cannot be used and are told one by one."""


def show() -> None:
    """Draws the form; a click on Retrieve makes the data set and keeps it."""
    st.caption(
        say(
            "Documents are cut into chunks and searched here, without an LLM. "
            "The best chunks become the retrieved documents of each question."
        )
    )
    left, right = st.columns(2)
    with left:
        files = st.file_uploader(
            say("Documents"),
            type=TYPES,
            accept_multiple_files=True,
            key="retrieval_files",
            help=say("Text, Markdown, HTML, PDF"),
        )
    with right:
        asked = _questions_file()
    settings: dict[str, Any] = forms.parameter_widgets(Settings, "retrieval")
    name = st.text_input(
        say("Name of the data set"),
        placeholder=say("As the documents"),
        max_chars=80,
        key="retrieval_name",
        **KEPT,
    )
    with st.container(horizontal=True):
        is_search = st.button(
            say("Retrieve"),
            type="primary",
            icon=":material/manage_search:",
            key="retrieval_start",
        )
        is_bed = st.button(
            say("Make a test bed"),
            icon=":material/science:",
            help=say(
                "For RGB: documents that hold the true answer, others near the question that do "
                "not, and planted errors. The questions need true answers."
            ),
            key="bed_start",
        )
    if is_search or is_bed:
        if files and asked:
            contents = [asked[1], *(file.getvalue() for file in files)]
            with problems.caught(), uploaded.turn(*contents):
                _make(files, *asked, Settings(**settings), name.strip(), is_bed=is_bed)
        else:
            needed = {say("documents"): files, say("questions"): asked}
            lacking = [words for words, there in needed.items() if not there]
            words = say("Still missing: {parts}.", parts=say(" and ").join(lacking))
            st.warning(words, icon=":material/edit_note:")
    made_bed.show()


def _questions_file() -> tuple[str, bytes] | None:
    """The questions as a file, whether they were typed or chosen; nothing without any."""
    way = st.segmented_control(
        say("Questions"),
        [TYPED, FILE],
        format_func=say,
        default=TYPED,
        required=True,
        key="retrieval_way",
        **KEPT,
    )
    if way == TYPED:
        typed = st.text_area(
            say("Questions"),
            height=150,
            placeholder=say("One on each line"),
            label_visibility="collapsed",
            max_chars=LONG_TEXT,
            key="retrieval_typed",
            **KEPT,
        )
        return ("questions.txt", typed.encode(errors="replace")) if typed.strip() else None
    file = st.file_uploader(
        say("File of questions"),
        type=TABLES,
        key="retrieval_asked",
        label_visibility="collapsed",
    )
    st.caption(
        plain(
            say(
                "A table with a column question, or a list. The columns response and "
                "ground_truth come along."
            )
        )
    )
    return (file.name, file.getvalue()) if file else None


def _make(
    files: Sequence[Any],
    name: str,
    data: bytes,
    settings: Settings,
    title: str,
    *,
    is_bed: bool,
) -> None:
    """Reads, searches, keeps the data set or holds the bed, and says what could not be used.

    Raises `DatasetError`.
    """
    made = None
    bar = Bar(say("Reading the documents"))
    try:
        documents = _readable_documents(files, bar)
        asked = questions(name, data)
        bar.show(0.5, say("Searching"))
        if is_bed:
            made_bed.hold(make_bed(documents, asked.samples, settings, name=title))
        else:
            made = retrieve(
                documents,
                asked.samples,
                settings,
                lambda share: bar.show(0.5 + share / 2, say("Searching")),
            )
    finally:
        bar.empty()
    if made:
        dataset_view.forget()
        dataset_view.keep(made.model_copy(update={"name": title or made.name}))
    _tell_rest(asked, made)


def _readable_documents(files: Sequence[Any], bar: Bar) -> list[Document]:
    """The documents that can be read; raises `DatasetError` where none can."""
    readable: list[Document] = []
    wrong: list[str] = []
    for number, file in enumerate(files):
        # Reading is the first half of the bar, searching the second
        bar.show(number / len(files) / 2, plain(say("Reading {file}", file=file.name)))
        try:
            readable.append(document(file.name, file.getvalue()))
        except DatasetError as error:
            wrong.append(remedies.worded(error))
    if not readable:
        raise DatasetError(" ".join(wrong[:SHOWN]))
    notes = [name_and_text(text.name, text.note) for text in readable if text.note]
    if wrong:
        count = counted(len(wrong), "document")
        _warn_of_first(wrong, say("{documents} left out", documents=count))
    if notes:
        count = counted(len(notes), "document")
        _warn_of_first(notes, say("{documents} to look at", documents=count))
    return readable


def _warn_of_first(words: Sequence[str], title: str) -> None:
    """The first few of these messages, and how many more there are."""
    shown = " ".join(words[:SHOWN])
    if len(words) > SHOWN:
        shown = say("{shown} And {more} more.", shown=shown, more=len(words) - SHOWN)
    st.warning(plain(shown), title=title, icon=":material/warning:")


def _tell_rest(asked: Questions, made: Dataset | None) -> None:
    """The rows of questions that could not be used, and the questions that found nothing."""
    left_out = []
    for problem in asked.problems:
        left_out.append(say("Row {row:,}: {problem}", row=problem.row, problem=problem.message))
    if left_out:
        number = counted(len(left_out), "question")
        _warn_of_first(left_out, say("{questions} left out", questions=number))
    samples = made.samples if made else ()
    without = [sample for sample in samples if not sample.retrieved_documents]
    nothing = [say("“{question}”", question=sample.question[:100]) for sample in without]
    if nothing:
        number = counted(len(nothing), "question")
        _warn_of_first(nothing, say("{questions} found nothing in the documents", questions=number))
