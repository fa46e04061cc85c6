"""A data set on the screen: uploading, a preview, and what each evaluator needs of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from evaluators.base import Evaluator, catalogue, missing
from evaluators.config import config
from evaluators.datasets.mapping import load
from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.errors import HostLimitError, PlumblineError
from evaluators.types import Accepted, Dataset, Sample
from ui import problems, session
from ui.untrusted import plain
from ui.words import counted

PREVIEW_ROWS = 50
CELL = 200
PRESELECTED = ("rgb_bed", "rgb_answers", "trace_dataset")
"""The choices of the forms that follow what was looked at here."""


def uploader() -> None:
    """Reads the chosen file once and keeps it for this workspace; a bad file changes nothing."""
    file = st.file_uploader(
        "Upload JSONL, JSON or CSV",
        type=["jsonl", "json", "csv", "tsv"],
        key="upload",
        help="Samples (question, response, retrieved_documents, ground_truth), RGB test beds, RGB prediction files.",
    )
    if file is None or st.session_state.get("uploaded") == file.file_id:
        return
    try:
        _check_room(file.name)
        data = load(file.name, file.getvalue())
        session.store().save_upload(session.workspace(), data, datetime.now(UTC).isoformat())
    except PlumblineError as error:
        st.error(plain(str(error)), icon=":material/error:", title="This file cannot be used")
        return
    st.session_state["uploaded"] = file.file_id
    st.session_state["dataset"] = data.name
    rows = len(data.rows if isinstance(data, TestBed) else data.samples)
    st.toast(f"{rows:,} rows read.", icon=":material/check:")


def show(data: TestBed | Dataset) -> None:
    """What it is, what it serves, and its first rows."""
    _preselect(data)
    if isinstance(data, TestBed):
        abilities = ", ".join(ability.label.lower() for ability in data.abilities)
        st.caption(f"RGB test bed · {len(data.rows):,} rows · tests {abilities}")
        st.page_link("../pages/rgb.py", label="Ask a model on the RGB page", icon=":material/arrow_forward:")
        _table([_bed_cells(row) for row in data.rows[:PREVIEW_ROWS]])
        return
    st.caption(f"Samples · {len(data.samples):,} rows")
    with st.container(horizontal=True):
        st.page_link("../pages/trace.py", label="Evaluate on the TRACE page", icon=":material/arrow_forward:")
        st.page_link("../pages/rgb.py", label="Score answers on the RGB page", icon=":material/arrow_forward:")
    _needs(data)
    _table([_sample_cells(sample) for sample in data.samples[:PREVIEW_ROWS]])


def _preselect(data: TestBed | Dataset) -> None:
    """The forms begin with what was looked at last."""
    if isinstance(data, TestBed):
        st.session_state["rgb_bed"] = data.name
    elif any(sample.response is not None for sample in data.samples):
        st.session_state["rgb_answers"] = st.session_state["trace_dataset"] = data.name


def delete_button(name: str) -> None:
    on_click = problems.guarded(_delete, "upload")
    st.button("Delete this upload", icon=":material/delete:", on_click=on_click, args=(name,))
    problems.show("upload")


def _check_room(name: str) -> None:
    """Raises `HostLimitError` where a public host keeps no more for this visitor; replacing a file is no more."""
    kept, most = session.store().uploads(session.workspace()), config().uploads_per_visitor
    if config().public and name not in kept and len(kept) >= most:
        raise HostLimitError(
            f"This host keeps {counted(most, 'upload')} for each visitor, and you have that many. Delete one first."
        )


def _delete(name: str) -> None:
    session.store().delete_upload(session.workspace(), name)
    for key in ("dataset", *PRESELECTED):
        st.session_state.pop(key, None)


def _needs(data: Dataset) -> None:
    st.dataframe(
        pd.DataFrame([_served(cls, data) for cls in catalogue().values() if cls.needs]),
        hide_index=True,
        alt="What each evaluator needs",
    )


def _served(cls: type[Evaluator], data: Dataset) -> dict[str, str]:
    lacking = [missing(cls.needs, sample) for sample in data.samples]
    counts = {field: sum(field in fields for fields in lacking) for field in cls.needs}
    words = [f"{field} ✓" if not count else f"{field} missing in {count:,}" for field, count in counts.items()]
    usable = f"{lacking.count([]):,} / {len(lacking):,}"
    return {"Evaluator": cls.title, "Usable": usable, "Needs": ", ".join(words)}


def _table(rows: list[dict[str, object]]) -> None:
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="First rows")
    if len(rows) == PREVIEW_ROWS:
        st.caption(f"The first {PREVIEW_ROWS} rows.")


def _bed_cells(row: BedRow) -> dict[str, object]:
    return {
        "id": row.id,
        "query": row.query[:CELL],
        "answer": accepted(row.answer)[:CELL],
        "positives": len(row.positive),
        "negatives": len(row.negative),
        "planted answer": accepted(row.fakeanswer)[:CELL],
    }


def _sample_cells(sample: Sample) -> dict[str, object]:
    return {
        "id": sample.id,
        "question": sample.question[:CELL],
        "response": (sample.response or "")[:CELL],
        "documents": len(sample.retrieved_documents),
        "ground truth": accepted(sample.ground_truth)[:CELL],
        "gold labels": "yes" if sample.labels else "",
    }


def accepted(answer: Accepted | None) -> str:
    """Accepted answers in one line: required ones joined by "and", spellings by "or" in brackets."""
    if answer is None or isinstance(answer, str):
        return answer or ""
    return " and ".join(group if isinstance(group, str) else _spellings(group) for group in answer)


def _spellings(group: tuple[str, ...]) -> str:
    return group[0] if len(group) == 1 else f"({' or '.join(group)})"
