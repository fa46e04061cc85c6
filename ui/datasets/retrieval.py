"""A data set from one's own documents and questions: what to read, what to ask, how to search."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import streamlit as st
from pydantic import ValidationError

from evaluators.errors import DatasetError
from evaluators.llm.catalogue import Choice
from evaluators.llm.connect import JUDGE_TOKENS
from evaluators.llm.money import dollar_range
from evaluators.records import Cap, Dataset, ModelSpec
from evaluators.retrieval.bed import make_bed
from evaluators.retrieval.dataset import Settings, retrieve
from evaluators.retrieval.documents import Document, document
from evaluators.retrieval.proposals import MOST_COUNT, USUAL_COUNT, price, propose, within
from evaluators.retrieval.questions import Questions, questions
from evaluators.text.language import mark, say
from evaluators.text.words import counted, name_and_text
from ui import session
from ui.datasets import made_bed
from ui.datasets import view as dataset_view
from ui.datasets.fetching import Bar
from ui.models import form
from ui.parts import forms, problems, remedies, uploaded
from ui.parts.forms import KEPT, LONG_TEXT
from ui.parts.untrusted import plain

TYPES = ["txt", "md", "markdown", "html", "htm", "pdf"]
TABLES = ["txt", "csv", "tsv", "json", "jsonl", "xlsx", "parquet", "gz"]
TYPED, FILE, PROPOSED = mark("Type them"), mark("From a file"), mark("By an LLM")
SHOWN = 5
"""Documents or rows that cannot be used and are told one by one."""


class Proposer(NamedTuple):
    """Who proposes the questions, how many, and what that may cost."""

    choice: Choice
    number: int
    cap: Cap

    @property
    def spec(self) -> ModelSpec:
        return form.spec_as_asked(self.choice, form.AnswerOptions(JUDGE_TOKENS))


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
        asked = _asked()
    settings: dict[str, Any] = forms.parameter_widgets(Settings, "retrieval")
    name = st.text_input(
        say("Name of the data set"),
        placeholder=say("As the documents"),
        max_chars=80,
        key="retrieval_name",
        **KEPT,
    )
    if asked and isinstance(asked[1], Proposer):
        _say_price(asked[1], settings)
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
            with problems.caught():
                _make(files, *asked, Settings(**settings), name.strip(), is_bed=is_bed)
        else:
            needed = {say("documents"): files, say("questions"): asked}
            lacking = [words for words, there in needed.items() if not there]
            words = say("Still missing: {parts}.", parts=say(" and ").join(lacking))
            st.warning(words, icon=":material/edit_note:")
    made_bed.show()


def _asked() -> tuple[str, bytes | Proposer] | None:
    """The questions as a file, whether they were typed or chosen, or who proposes them."""
    way = st.segmented_control(
        say("Questions"),
        [TYPED, FILE, PROPOSED],
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
    if way == PROPOSED:
        return _proposer()
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


def _proposer() -> tuple[str, Proposer] | None:
    """The LLM that proposes questions, where one is chosen that can be asked."""
    st.caption(
        say(
            "It asks one question about each of so many chunks. A question whose quoted evidence "
            "does not stand there word for word is dropped."
        )
    )
    chosen = form.judge(form.choices(), "retrieval_model", title=say("LLM"))
    count = st.number_input(
        say("Number of questions"), 1, MOST_COUNT, USUAL_COUNT, key="retrieval_count", **KEPT
    )
    cap = form.budget(chosen, "retrieval_budget")
    return ("", Proposer(chosen[0], count, cap)) if chosen and cap is not None else None


def _say_price(asked: Proposer, settings: dict[str, Any]) -> None:
    """What the questions will cost, before they are asked for."""
    with suppress(ValidationError):
        taken = price(asked.spec, asked.number, Settings(**settings))
        words = dollar_range(taken.cost_low, taken.cost_high)
        words = say("{questions}: {cost}", questions=counted(asked.number, "question"), cost=words)
        st.caption(plain(words))


def _make(
    files: Sequence[Any],
    name: str,
    data: bytes | Proposer,
    settings: Settings,
    title: str,
    *,
    is_bed: bool,
) -> None:
    """Reads, searches, keeps the data set or holds the bed, and says what could not be used.

    Raises `DatasetError`.
    """
    made = None
    table = [] if isinstance(data, Proposer) else [data]
    contents = [*table, *(file.getvalue() for file in files)]
    bar = Bar(say("Reading the documents"))
    try:
        with uploaded.turn(*contents, takes_long=is_bed):
            documents = _readable_documents(files, bar)
            if not isinstance(data, Proposer):
                found = questions(name, data)
        if isinstance(data, Proposer):
            # Others read meanwhile: to wait for answers takes minutes.
            found = _proposed(data, documents, settings, bar)
        with uploaded.turn(*contents, takes_long=is_bed):
            bar.show(0.5, say("Searching"))
            if is_bed and found.samples:
                made_bed.hold(make_bed(documents, found.samples, settings, name=title))
            elif found.samples:
                made = retrieve(
                    documents,
                    found.samples,
                    settings,
                    lambda share: bar.show(0.5 + share / 2, say("Searching")),
                )
    finally:
        bar.empty()
    if made:
        dataset_view.forget()
        dataset_view.keep(made.model_copy(update={"name": title or made.name}))
    _tell_rest(found, made)


def _proposed(
    asked: Proposer, documents: Sequence[Document], settings: Settings, bar: Bar
) -> Questions:
    """The questions that the LLM proposes; says how many could not be used."""

    def report(share: float) -> None:
        bar.show(0.5, say("{share:.0%} of the questions are proposed", share=share))

    with within(asked.spec, session.keys(), asked.cap) as llm:
        proposals = propose(llm, documents, settings, asked.number, on_progress=report)
    st.caption(plain(proposals.sentence))
    return proposals.questions


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
