"""The first rows of a data set; the one that is selected is shown in full below."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Dataset, Sample
from evaluators.report import coloured
from evaluators.text.words import accepted, counted
from ui.parts.untrusted import plain

PREVIEW_ROWS = 50
CELL = 200
WIDTHS = {
    "id": st.column_config.Column(width="small"),
    "question": st.column_config.Column(width="medium"),
    "answer": st.column_config.Column(width="medium"),
    "true answer": st.column_config.Column(width="medium"),
}
"""Ids and answers may be long, and would push what is beside them out of sight."""

LONGEST_TEXT = 20_000
"""Characters of a text that are shown in full: a browser draws a megabyte slowly."""


def show(data: TestBed | Dataset) -> None:
    """A table of the first rows, and all that the selected one holds."""
    rows: Sequence[BedRow | Sample] = data.rows if isinstance(data, TestBed) else data.samples
    first = rows[:PREVIEW_ROWS]
    cells = []
    for row in first:
        cells.append(_bed_cells(row) if isinstance(row, BedRow) else _sample_cells(row))
    of_all = ""
    if len(rows) > len(first):
        of_all = f"The first {PREVIEW_ROWS} of {len(rows):,} rows. "
    st.caption(f"{of_all}Select a row to see it in full.")
    picked = st.dataframe(
        pd.DataFrame(cells),
        hide_index=True,
        key=f"preview_{data.name}",
        on_select="rerun",
        selection_mode="single-row",
        column_config=WIDTHS,
        alt="First rows",
    )
    # Below the table: a cell shows the beginning of a text.
    if picked.selection.rows:
        row = first[picked.selection.rows[0]]
        with st.container(border=True):
            if isinstance(row, BedRow):
                _whole_bed_row(row)
            else:
                _sample(row)


def _sample(sample: Sample) -> None:
    st.header("Sample", anchor=False)
    st.caption(plain(sample.id))
    _text("Question", sample.question)
    _text("Answer", sample.response)
    _text("True answer", accepted(sample.ground_truth))
    _documents("Documents", sample.retrieved_documents, sample.sources)
    _documents("Gold documents", sample.gold_documents)


def _whole_bed_row(row: BedRow) -> None:
    st.header("Row", anchor=False)
    st.caption(plain(row.id))
    _text("Question", row.query)
    _text("True answer", accepted(row.answer))
    _text("Planted error", accepted(row.fakeanswer))
    positive: list[str] = []
    for part in row.positive:
        # Beds for information integration have a list for each sub-question
        positive += [part] if isinstance(part, str) else part
    _documents("Positive documents", positive)
    _documents("Documents with the planted error", row.positive_wrong)
    _documents("Negative documents", row.negative)


def _text(title: str, text: str | None) -> None:
    if text:
        st.caption(title)
        st.html(coloured.uncoloured(_shortened_document(text)))


def _documents(title: str, texts: Sequence[str], sources: Sequence[str] = ()) -> None:
    if texts:
        st.caption(f"{title} · {counted(len(texts), 'text')}")
        st.html(coloured.passages(list(map(_shortened_document, texts)), sources=sources))


def _shortened_document(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]} … ({len(text):,} characters in all)"


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
    return {
        "id": sample.id,
        "question": sample.question[:CELL],
        "answer": (sample.response or "")[:CELL],
        "documents": len(sample.retrieved_documents),
        "true answer": accepted(sample.ground_truth)[:CELL],
        "gold labels": "yes" if sample.labels else "",
    }
