"""The first rows of a data set; the one that is selected is shown in full below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal, TypeVar

import pandas as pd
import streamlit as st

from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Dataset, Sample
from evaluators.report import coloured
from evaluators.text.language import mark, say
from evaluators.text.words import accepted, counted, joined_sentences
from ui.parts.untrusted import plain

Row = TypeVar("Row", BedRow, Sample, BedRow | Sample)

PREVIEW_ROWS = 50
CELL = 200
COLUMNS: Mapping[str, tuple[str, Literal["small", "medium"] | None]] = {
    "id": (mark("id"), "small"),
    "question": (mark("question"), "medium"),
    "answer": (mark("answer"), "medium"),
    "true answer": (mark("true answer"), "medium"),
    "documents": (mark("documents"), None),
    "positives": (mark("positives"), None),
    "negatives": (mark("negatives"), None),
    "planted error": (mark("planted error"), None),
    "gold labels": (mark("gold labels"), None),
    "group": (mark("group"), "small"),
    "to look at": (mark("to look at"), "medium"),
}
"""The heads of columns and their widths: ids and answers may be long, and would push what is beside
them out of sight."""

LONGEST_TEXT = 20_000
"""Characters of a text that are shown in full: a browser draws a megabyte slowly."""


def show(data: TestBed | Dataset) -> None:
    """A table of the first rows, and the selected one whole."""
    rows: Sequence[BedRow | Sample] = data.rows if isinstance(data, TestBed) else data.samples
    # Below the table: a cell shows the beginning of a text.
    for row in table(rows, f"preview_{data.name}"):
        with st.container(border=True):
            if isinstance(row, BedRow):
                _whole_bed_row(row)
            else:
                _sample(row)


def table(
    rows: Sequence[Row],
    key: str,
    doubts: Mapping[str, str] | None = None,
    at_most: int = PREVIEW_ROWS,
) -> list[Row]:
    """A table of the first rows; gives the selected one, or several of those that have doubts."""
    first = rows[:at_most]
    cells = []
    for row in first:
        own = _bed_cells(row) if isinstance(row, BedRow) else _sample_cells(row)
        if doubts is not None:
            # Beside the id: further right a narrow screen does not show it
            own = {"id": row.id, "to look at": doubts.get(row.id, ""), **own}
        cells.append(own)
    words = say("Select a row to see it in full.")
    if doubts is not None:
        words = say("Select a row to see it in full and repair it, or several to drop them.")
    if len(rows) > len(first):
        few = say("The first {first} of {rows:,} rows.", first=at_most, rows=len(rows))
        words = joined_sentences([few, words])
    st.caption(words)
    heads = {}
    for name, (title, width) in COLUMNS.items():
        heads[name] = st.column_config.Column(say(title), width=width)
    picked = st.dataframe(
        pd.DataFrame(cells),
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row" if doubts is None else "multi-row",
        column_config=heads,
        alt=say("First rows"),
    )
    # What was selected may be of a longer table.
    return [first[number] for number in picked.selection.rows if number < len(first)]


def _sample(sample: Sample) -> None:
    st.header(say("Sample"), anchor=False)
    st.caption(plain(sample.id))
    _text(say("Question"), sample.question)
    _text(say("Answer"), sample.response)
    _text(say("True answer"), accepted(sample.ground_truth))
    _documents(say("Documents"), sample.evidence, sample)
    _documents(say("Gold documents"), sample.gold_documents)


def _whole_bed_row(row: BedRow) -> None:
    st.header(say("Row"), anchor=False)
    st.caption(plain(row.id))
    _text(say("Question"), row.query)
    _text(say("True answer"), accepted(row.answer))
    _text(say("Planted error"), accepted(row.fakeanswer))
    _documents(say("Positive documents"), [*chain.from_iterable(row.positive_groups)])
    _documents(say("Documents with the planted error"), row.positive_wrong)
    _documents(say("Negative documents"), row.negative)


def _text(title: str, text: str | None) -> None:
    if text:
        st.caption(title)
        st.html(coloured.uncoloured(_shortened_document(text)))


def _documents(title: str, texts: Sequence[str], sample: Sample | None = None) -> None:
    if texts:
        st.caption(f"{title} · {counted(len(texts), 'text')}")
        st.html(coloured.passages(list(map(_shortened_document, texts)), sample))


def _shortened_document(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    return say(
        "{text} … ({characters:,} characters in all)",
        text=text[:LONGEST_TEXT],
        characters=len(text),
    )


def _bed_cells(row: BedRow) -> dict[str, object]:
    return {
        "id": row.id,
        "question": row.query[:CELL],
        "true answer": accepted(row.answer)[:CELL],
        "positives": len(row.positive),
        "negatives": len(row.negative),
        "planted error": accepted(row.fakeanswer)[:CELL],
    }


def _sample_cells(sample: Sample) -> dict[str, object]:
    # What few data have is no column of all others.
    group = {"group": sample.situation[:CELL]} if sample.situation else {}
    gold = {"gold labels": say("yes")} if sample.labels else {}
    return {
        "id": sample.id,
        **group,
        "question": sample.question[:CELL],
        "answer": (sample.response or "")[:CELL],
        "documents": len(sample.retrieved_documents),
        "true answer": accepted(sample.ground_truth)[:CELL],
        **gold,
    }
